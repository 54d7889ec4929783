package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

type factOptions struct {
	format, subject string
	olderThan       int
	unverified      bool
	today           string
}

func factsCommand() *cobra.Command {
	o := factOptions{}
	c := &cobra.Command{
		Use:   "facts",
		Short: "List what weft holds to be true, each row with its source and date",
		Example: "  weft facts --subject p6-b300\n" +
			"  weft facts --older-than 90   # rows that nobody has looked at for 90 days\n" +
			"  weft facts --unverified",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			facts, err := o.select_(slices.Concat(catalog.Facts(), market.Facts()))
			if err != nil {
				return err
			}
			if o.format == "json" {
				return writeJSON(c.OutOrStdout(), facts)
			}
			return writeFacts(c, facts)
		},
	}
	c.Flags().StringVarP(&o.format, "output", "o", "text", "output format: text, json")
	c.Flags().StringVar(&o.subject, "subject", "", "only rows whose subject contains this text")
	c.Flags().IntVar(&o.olderThan, "older-than", 0, "only rows read more than this many days ago")
	c.Flags().BoolVar(&o.unverified, "unverified", false, "only rows that no source settled")
	c.Flags().StringVar(&o.today, "today", "", "count days from this date instead of today, as 2006-01-02")
	return c
}

func (o factOptions) select_(facts []catalog.Fact) ([]catalog.Fact, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	today := time.Now()
	if o.today != "" {
		t, err := time.Parse(time.DateOnly, o.today)
		if err != nil {
			return nil, fmt.Errorf("--today: %w", err)
		}
		today = t
	}
	facts = slices.DeleteFunc(facts, func(f catalog.Fact) bool { return !o.about(f) })
	if len(facts) == 0 {
		return nil, fmt.Errorf("no row has %q in its subject", o.subject)
	}
	return slices.DeleteFunc(facts, func(f catalog.Fact) bool { return o.unverified && !f.Unverified || !o.old(f, today) }), nil
}

func (o factOptions) check() error {
	if o.format != "text" && o.format != "json" {
		return fmt.Errorf("output format %q is not one of text, json", o.format)
	}
	if o.olderThan < 0 {
		return errors.New("--older-than takes a number of days, 0 or more")
	}
	return nil
}

// about reports whether a row's subject has the asked text, in whatever case.
func (o factOptions) about(f catalog.Fact) bool {
	return strings.Contains(strings.ToLower(f.Subject), strings.ToLower(o.subject))
}

// old reports whether a row was read too long ago. A date that can't be read counts as too old.
func (o factOptions) old(f catalog.Fact, today time.Time) bool {
	if o.olderThan == 0 {
		return true
	}
	read, err := time.Parse(time.DateOnly, f.Source.Date)
	return err != nil || read.Before(today.AddDate(0, 0, -o.olderThan))
}

func writeFacts(c *cobra.Command, facts []catalog.Fact) error {
	var rows []show.Row
	for _, f := range facts {
		value := f.Value
		if f.Unverified {
			value = "UNVERIFIED " + value
		}
		rows = append(rows, show.Row{f.Subject, value, f.Source.Date, f.Source.Ref})
	}
	return show.Table(c.OutOrStdout(), "", show.Row{"subject", "value", "read", "source"}, rows...)
}
