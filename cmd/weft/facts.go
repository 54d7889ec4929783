package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/catalog"
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
			facts, err := o.select_(catalog.Facts())
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
	today := time.Now()
	if o.today != "" {
		t, err := time.Parse(time.DateOnly, o.today)
		if err != nil {
			return nil, fmt.Errorf("--today: %w", err)
		}
		today = t
	}
	if o.format != "text" && o.format != "json" {
		return nil, fmt.Errorf("output format %q is not one of text, json", o.format)
	}
	out := []catalog.Fact{}
	for _, f := range facts {
		if strings.Contains(f.Subject, o.subject) && (f.Unverified || !o.unverified) && o.old(f, today) {
			out = append(out, f)
		}
	}
	return out, nil
}

// old reports whether a row was read too long ago. A date that can't be read counts as too old.
func (o factOptions) old(f catalog.Fact, today time.Time) bool {
	if o.olderThan <= 0 {
		return true
	}
	read, err := time.Parse(time.DateOnly, f.Source.Date)
	return err != nil || today.Sub(read) > time.Duration(o.olderThan)*24*time.Hour
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
