package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

func rulesCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:     "rules",
		Short:   "List the rules that weft judges, where and at which level",
		Example: "  weft rules\n  weft rules -o json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch format {
			case "json":
				return writeJSON(c.OutOrStdout(), ruleList())
			case "text":
				var rows []show.Row
				for _, r := range diag.Rules() {
					rows = append(rows, show.Row{r.ID, r.Level, r.Where, r.Says})
				}
				return show.Table(c.OutOrStdout(), "", show.Row{"rule", "level", "judged", "says"}, rows...)
			default:
				return fmt.Errorf("output format %q is not one of text, json", format)
			}
		},
	}
	c.Flags().StringVarP(&format, "output", "o", "text", "output format: text, json")
	return c
}

type ruleRow struct {
	ID    diag.ID    `json:"id"`
	Level diag.Level `json:"level"`
	Where []string   `json:"judged"`
	Says  string     `json:"says"`
}

func ruleList() []ruleRow {
	var out []ruleRow
	for _, r := range diag.Rules() {
		out = append(out, ruleRow{r.ID, r.Level, r.Where.Names(), r.Says})
	}
	return out
}
