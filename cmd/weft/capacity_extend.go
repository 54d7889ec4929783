package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/journal"
	"github.com/weft-hpc/weft/account/capacity/text"
	"github.com/weft-hpc/weft/fabric/market"
)

// typed is how long a price that was typed on the command line is confirmed.
const typed = 10 * time.Minute

type extendOptions struct {
	capacityOptions
	region, block             string
	days                      int
	buy                       bool
	offering, price, currency string
	resume                    string
}

func capacityExtendCommand() *cobra.Command {
	var o extendOptions
	c := &cobra.Command{
		Use:   "extend --block cr-… --days D",
		Short: "Show what extending a block costs; with --buy, extend it once",
		Long: "Show offerings to extend a capacity block, with price and new end. With --buy, --offering and --price the block is extended:\n" +
			"the fee is paid upfront and can't be had back. The same command again buys nothing: EC2's history of extensions and a journal\n" +
			"in the Parameter Store tell what was bought. A purchase whose answer is lost is looked for, and never simply repeated.",
		Example: "  weft capacity extend --block cr-0123456789abcdef0 --days 7\n" +
			"  weft capacity extend --block cr-0123456789abcdef0 --days 7 --buy --offering cbe-0123456789abcdef0 --price 200000.50",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	o.flags(c)
	f := c.Flags()
	f.StringVar(&o.region, "region", "", "Region of the block; the configuration's when left out")
	f.StringVar(&o.block, "block", "", "reservation of the block, cr-…")
	f.IntVar(&o.days, "days", 0, "days to add: 1 to 14, or a multiple of 7")
	f.BoolVar(&o.buy, "buy", false, "extend the block: the fee is paid, and can't be had back")
	f.StringVar(&o.offering, "offering", "", "with --buy: the offering to buy")
	f.StringVar(&o.price, "price", "", "with --buy: the most that may be paid, a decimal number")
	f.StringVar(&o.currency, "currency", "USD", "with --buy: the currency of the price")
	f.StringVar(&o.resume, "resume", "", "with --buy: the attempt that you looked into and found to have bought nothing")
	for _, name := range []string{"block", "days"} {
		_ = c.MarkFlagRequired(name)
	}
	c.MarkFlagsRequiredTogether("offering", "price")
	return c
}

func (o *extendOptions) run(c *cobra.Command) error {
	if err := o.valid(); err != nil {
		return err
	}
	clock, err := o.clock()
	if err != nil {
		return err
	}
	cfg, err := regionalConfig(c.Context(), o.region, o.profile)
	if err != nil {
		return err
	}
	e := capacity.NewExtender(ec2.NewFromConfig(cfg), journal.Parameters{SSM: ssm.NewFromConfig(cfg)})
	e.Clock = clock
	offers, findings, err := e.Offers(c.Context(), cfg.Region, o.block, o.days*24)
	switch {
	case err != nil:
		return err
	case o.buy:
		return o.extend(c, e, cfg.Region, offers)
	case o.format == "text" && !findings.Failed():
		err = text.Offers(c.OutOrStdout(), offers)
	}
	return errors.Join(err, o.finish(c, offers, findings))
}

func (o *extendOptions) valid() error {
	switch {
	case o.buy != (o.offering != ""):
		return errors.New("--buy, --offering and --price go together: what is bought is named, with the price that is confirmed")
	case o.buy && o.now != "":
		return errors.New("--now is for looking: money moves at the time it is")
	default:
		return o.check("text", "json")
	}
}

// extend buys the named offering. One that is not offered any more may be one that an earlier run bought: what to make of it is
// the extender's business.
func (o *extendOptions) extend(c *cobra.Command, e capacity.Extender, region string, offers []capacity.ExtensionOffer) error {
	price, err := market.ParseMoney(o.price, o.currency)
	if err != nil {
		return fmt.Errorf("--price: %w", err)
	}
	x := capacity.Extension{
		Region: region, Reservation: o.block, Offering: o.offering, Hours: o.days * 24, Fee: price, MaxFee: price,
		Until: e.Clock.Now().Add(typed), Resume: o.resume,
	}
	if i := slices.IndexFunc(offers, func(f capacity.ExtensionOffer) bool { return f.ID == o.offering }); i >= 0 {
		x.To, x.Fee = offers[i].To, offers[i].Fee
	}
	done, err := e.Extend(c.Context(), x)
	if err != nil {
		return err
	}
	if o.format == "text" && done.Status != "" {
		word := "was extended already"
		if done.Bought {
			word = "is extended"
		}
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%s %s by %s: its new end is %s once it is paid (%s)\n",
			o.block, word, done.Offering, done.End.Format("2006-01-02 15:04 UTC"), done.Status); err != nil {
			return fmt.Errorf("writing the outcome: %w", err)
		}
	}
	return o.finish(c, done, done.Findings)
}
