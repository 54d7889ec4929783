package main

import (
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/config"
	show "github.com/weft-hpc/weft/validation/report"
)

func schemaCommand() *cobra.Command {
	ofReport := false
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the cluster config, or of a validation's report",
		Example: "  weft schema > cluster.schema.json\n" +
			"  # first line of cluster.yaml:  # yaml-language-server: $schema=cluster.schema.json\n" +
			"  weft schema --report > report.schema.json",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			schema := config.Schema()
			if ofReport {
				schema = show.Schema()
			}
			_, err := c.OutOrStdout().Write(schema)
			return err
		},
	}
	c.Flags().BoolVar(&ofReport, "report", false, "of what weft validate writes as report.json")
	return c
}
