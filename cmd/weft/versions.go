package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/version"
)

func versionsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "versions",
		Short: "Compare versions, and list the floors of an instance type and workload",
	}
	c.AddCommand(compareCommand(), floorsCommand())
	return c
}

func compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Print A < B, A = B or A > B",
		Long: "Compare two versions in any form of the field: drivers, EFA kernel modules (3.3.0g), libfabric builds\n" +
			"(1.22.0amzn4.0), packages (2.27.3-1+cuda12.9), NCCL codes (22809).",
		Example: "  weft versions compare 2.27.3-1+cuda12.9 2.27.3   # =\n  weft versions compare 570.86.15 570.124.06       # <",
		Args:    cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			order, err := version.Compare(args[0], args[1])
			if err != nil {
				return err
			}
			sign := map[int]string{-1: "<", 0: "=", 1: ">"}[order]
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s %s %s\n", args[0], sign, args[1])
			return err
		},
	}
}
