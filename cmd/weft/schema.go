package main

import (
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/config"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the cluster config",
		Example: "  weft schema > cluster.schema.json\n  # first line of cluster.yaml:  # yaml-language-server: $schema=cluster.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(config.Schema())
			return err
		},
	}
}
