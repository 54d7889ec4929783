package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/text"
	"github.com/weft-hpc/weft/fabric/market"
)

type findOptions struct {
	capacityOptions
	types          []string
	count          int
	days           []int
	within, from   string
	regions, zones []string
	pin            int
	confirm        string
}

func capacityFindCommand() *cobra.Command {
	var o findOptions
	c := &cobra.Command{
		Use:   "find --type TYPE --count N --days D",
		Short: "Look for offerings of capacity blocks over Regions and zones, side by side",
		Long: "Look for offerings of capacity blocks: over Regions and zones, also those that the account has not opted in to, and\n" +
			"over windows of starts. Offerings are ordered by open zones first, then price per usable GPU-hour, then earlier start.\n" +
			"Smaller blocks are told beside, and where nothing fits, other zones, starts, lengths and types.\n" +
			"Nothing is bought. --pin N writes the offering with number N for the cluster's config: putting it there confirms its price.",
		Example: "  weft capacity find --type p6-b200.48xlarge --count 16 --days 14 --within 30d\n" +
			"  weft capacity find --type p5en.48xlarge --count 8 --days 7 --regions us-east-2,us-west-2 -o json\n" +
			"  weft capacity find --type p6-b200.48xlarge --count 16 --days 14 --pin 1 > capacity.yaml",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	o.flags(c)
	f := c.Flags()
	f.StringSliceVar(&o.types, "type", nil, "instance type; several are compared one after another")
	f.IntVar(&o.count, "count", 0, "instances in one block, 64 at most")
	f.IntSliceVar(&o.days, "days", nil, "length in days: 1 to 14, or a multiple of 7 up to 182")
	f.StringVar(&o.within, "within", "30d", "how far ahead the start may be")
	f.StringVar(&o.from, "from", "", "earliest start, RFC 3339 or a date; now when left out")
	f.StringSliceVar(&o.regions, "regions", nil, "Regions; those in which the type was seen sold when left out")
	f.StringSliceVar(&o.zones, "zones", nil, "zones, by name or id; all when left out")
	f.IntVar(&o.pin, "pin", 0, "write the offering with this number of the table for the config")
	f.StringVar(&o.confirm, "confirm-for", "24h", "with --pin: how long the confirmation holds")
	for _, name := range []string{"type", "count", "days"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

func (o *findOptions) run(c *cobra.Command) error {
	if err := o.check("text", "json"); err != nil {
		return err
	}
	clock, err := o.clock()
	if err != nil {
		return err
	}
	asks, err := o.asks(clock.Now())
	if err != nil {
		return err
	}
	finder, err := o.finder(c, clock)
	if err != nil {
		return err
	}
	found, err := finder.Find(c.Context(), asks, o.regions)
	if err != nil {
		return fmt.Errorf("looking for offerings: %w", err)
	}
	return o.tell(c, found, clock.Now())
}

// tell writes what was found: the offering to pin, or all of them.
func (o *findOptions) tell(c *cobra.Command, found capacity.Found, now time.Time) error {
	var err error
	switch {
	case len(found.Comparisons) == 0: // refused: the findings say why
	case o.pin != 0:
		err = o.writePin(c, found.Comparisons[0], now)
	case o.format == "text":
		err = tables(c.OutOrStdout(), found)
	}
	if err != nil {
		return err
	}
	return o.finish(c, found, found.Findings)
}

// finder has a client for each Region. The configuration's own Region is only where nothing else is asked.
func (o *findOptions) finder(c *cobra.Command, clock capacity.Clock) (capacity.Finder, error) {
	cfg, err := awsConfig(c.Context(), "", o.profile)
	if err != nil {
		return capacity.Finder{}, err
	}
	return capacity.Finder{Clock: clock, Region: func(region string) capacity.FindAPI {
		return ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.Region = region })
	}}, nil
}

func (o *findOptions) asks(now time.Time) ([]market.Ask, error) {
	window, err := parseSpan(o.within)
	if err != nil {
		return nil, fmt.Errorf("--within: %w", err)
	}
	from := now
	if o.from != "" {
		if from, err = parseMoment(o.from); err != nil {
			return nil, fmt.Errorf("--from: %w", err)
		}
	}
	if o.pin != 0 && (o.pin < 0 || len(o.types)*len(o.days) != 1 || o.format != "text") {
		return nil, errors.New("--pin takes the number of an offering, and one type and length; its output is text")
	}
	var out []market.Ask
	for _, kind := range o.types {
		for _, days := range o.days {
			out = append(out, market.Ask{Type: kind, Count: o.count, Hours: days * 24, From: from, Until: from.Add(window), Zones: o.zones})
		}
	}
	return out, nil
}

func parseMoment(text string) (time.Time, error) {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no date such as 2026-12-07 and no time of RFC 3339", text)
	}
	return at.UTC(), nil
}

func tables(w io.Writer, found capacity.Found) error {
	for i, c := range found.Comparisons {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return fmt.Errorf("writing offerings: %w", err)
			}
		}
		if err := text.Comparison(w, c); err != nil {
			return err
		}
	}
	return nil
}

func (o *findOptions) writePin(c *cobra.Command, found market.Comparison, now time.Time) error {
	hold, err := parseSpan(o.confirm)
	if err != nil {
		return fmt.Errorf("--confirm-for: %w", err)
	}
	if o.pin > len(found.Offerings) {
		return fmt.Errorf("--pin %d: there are %d offerings", o.pin, len(found.Offerings))
	}
	pinned, err := found.Offerings[o.pin-1].Pin(now.Add(hold))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c.OutOrStdout(), pinned); err != nil {
		return fmt.Errorf("writing the offering: %w", err)
	}
	return nil
}
