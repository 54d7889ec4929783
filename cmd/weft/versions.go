package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan/show"
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

func floorsCommand() *cobra.Command {
	var instanceType, workload, format string
	c := &cobra.Command{
		Use:     "floors --type TYPE [--workload DISPATCHER]",
		Short:   "List the lowest versions that an instance type and a workload work with",
		Example: "  weft versions floors --type p6-b200.48xlarge\n  weft versions floors --type p6-b200.48xlarge --workload deepep-v2",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			w, err := workloadOf(workload)
			if err != nil {
				return err
			}
			if catalog.EFASupport(instanceType) != catalog.Supported {
				return fmt.Errorf("instance type %q is not one that takes EFA; did you mean %s?", instanceType, catalog.NearestInstance(instanceType))
			}
			floors := catalog.Floors(instanceType, w)
			if format == "json" {
				return writeJSON(c.OutOrStdout(), floors)
			}
			return writeFloors(c, floors)
		},
	}
	c.Flags().StringVar(&instanceType, "type", "", "instance type")
	c.Flags().StringVar(&workload, "workload", "", "dispatcher of expert-parallel traffic, or dense: "+strings.Join(dispatcherNames(), ", "))
	c.Flags().StringVarP(&format, "output", "o", "text", "output format: text, json")
	_ = c.MarkFlagRequired("type")
	return c
}

func workloadOf(name string) (catalog.Workload, error) {
	switch _, ok := catalog.DispatcherOf(name); {
	case ok:
		return catalog.Workload{Kind: "moe", Dispatcher: name}, nil
	case name == "" || name == "dense":
		return catalog.Workload{Kind: "dense"}, nil
	default:
		return catalog.Workload{}, fmt.Errorf("workload %q is not dense or one of %s", name, strings.Join(dispatcherNames(), ", "))
	}
}

func dispatcherNames() []string {
	var out []string
	for _, d := range catalog.Dispatchers() {
		out = append(out, d.Name)
	}
	return out
}

func writeFloors(c *cobra.Command, floors []catalog.Floor) error {
	var rows []show.Row
	for _, f := range floors {
		floor := f.Min
		if floor == "" {
			floor = "any"
		}
		why := f.Source.Ref
		if f.Reason != "" {
			why = f.Reason + " (" + why + ")"
		}
		if len(f.Conflicts) > 0 {
			why += "; other figures: " + strings.Join(f.Conflicts, "; ")
		}
		rows = append(rows, show.Row{f.Component, floor, f.For, why})
	}
	return show.Table(c.OutOrStdout(), "", show.Row{"component", "floor", "for", "why"}, rows...)
}
