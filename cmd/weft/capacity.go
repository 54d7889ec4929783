package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
)

func capacityCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "capacity",
		Short: "Find, show and extend capacity blocks",
		Long: "Find offerings of capacity blocks side by side, show what an account holds, extend a block.\n" +
			"A block is bought by `pulumi up`, from an offering that is pinned in the cluster's config; nothing here buys one.",
	}
	c.AddCommand(capacityFindCommand(), capacityShowCommand(), capacityExtendCommand())
	return c
}

// capacityOptions are what the commands about capacity have in common.
type capacityOptions struct {
	report
	profile string
	now     string
}

func (o *capacityOptions) flags(c *cobra.Command) {
	o.report.flags(c, "text", "json")
	c.Flags().StringVar(&o.profile, "profile", "", "profile of the AWS configuration")
	c.Flags().StringVar(&o.now, "now", "", "judge as if it were this time, RFC 3339")
	_ = c.Flags().MarkHidden("now")
}

// clock is the machine's, or one that stands still.
func (o *capacityOptions) clock() (capacity.Clock, error) {
	if o.now == "" {
		return capacity.SystemClock{}, nil
	}
	at, err := time.Parse(time.RFC3339, o.now)
	if err != nil {
		return nil, fmt.Errorf("--now: %w", err)
	}
	return still{now: at.UTC()}, nil
}

// still is a clock that stands still; waiting takes the time it takes.
type still struct {
	capacity.SystemClock
	now time.Time
}

func (s still) Now() time.Time { return s.now }

// finish shows findings beside a result, or with it as JSON, and ends with their exit code.
func (o *capacityOptions) finish(c *cobra.Command, result any, findings diag.List) error {
	var err error
	switch {
	case o.format == "json":
		err = writeJSON(c.OutOrStdout(), struct {
			Result any `json:"result"`
			render.Report
		}{result, render.NewReport(findings)})
	case len(findings) > 0:
		err = o.write(c.ErrOrStderr(), findings, nil)
	}
	if err == nil && findings.Failed() {
		return errFindings
	}
	return err
}

// parseSpan reads a duration of days, 30d, or one of Go's.
func parseSpan(text string) (time.Duration, error) {
	number, isDays := strings.CutSuffix(text, "d")
	if isDays {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return 0, fmt.Errorf("%q is no number of days such as 30d", text)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is no duration such as 30d or 12h", text)
	}
	return d, nil
}
