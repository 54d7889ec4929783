package main

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/text"
	"github.com/weft-hpc/weft/fabric/diag"
)

type showOptions struct {
	capacityOptions
	regions []string
}

func capacityShowCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "show",
		Short: "Show the capacity blocks of an account: state, window, used and free, idle and gone by, drift",
		Long: "Show the capacity blocks that an account holds: state and window, what is used and free, what of the paid hours is idle,\n" +
			"what runs outside of the blocks, extensions, and where launch templates and instances name other reservations.",
		Example: "  weft capacity show --region us-east-2\n" +
			"  weft capacity show --region us-east-1,us-east-2 -o json",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	o.flags(c)
	c.Flags().StringSliceVar(&o.regions, "region", nil, "Regions; the configuration's when left out")
	return c
}

func (o *showOptions) run(c *cobra.Command) error {
	if err := o.check("text", "json"); err != nil {
		return err
	}
	clock, err := o.clock()
	if err != nil {
		return err
	}
	regions := o.regions
	if len(regions) == 0 {
		regions = []string{""}
	}
	reports := []capacity.Report{}
	var findings diag.List
	for i, region := range regions {
		r, err := o.one(c, region, clock)
		if err != nil {
			return err
		}
		if o.format == "text" {
			if err := o.text(c, r, i > 0); err != nil {
				return err
			}
		}
		reports = append(reports, r)
		findings.Add(r.Findings...)
	}
	return o.finish(c, reports, findings)
}

func (o *showOptions) one(c *cobra.Command, region string, clock capacity.Clock) (capacity.Report, error) {
	cfg, err := regionalConfig(c.Context(), region, o.profile)
	if err != nil {
		return capacity.Report{}, err
	}
	held, err := capacity.Hold(c.Context(), ec2.NewFromConfig(cfg), cfg.Region)
	if err != nil {
		return capacity.Report{}, err
	}
	return held.Report(clock.Now()), nil
}

func (o *showOptions) text(c *cobra.Command, r capacity.Report, apart bool) error {
	if apart {
		if _, err := fmt.Fprintln(c.OutOrStdout()); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return text.Report(c.OutOrStdout(), r)
}
