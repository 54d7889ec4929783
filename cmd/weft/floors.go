package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

type floorOptions struct {
	report
	instanceType, workload string
	installed, container   []string // files, or - for standard input
}

func floorsCommand() *cobra.Command {
	var o floorOptions
	formats := []string{"text", "json", "sarif", "junit"}
	c := &cobra.Command{
		Use:   "floors --type TYPE [--workload DISPATCHER] [--installed FILE ...] [--container FILE ...]",
		Short: "List the lowest versions that an instance type and a workload work with, and judge what is installed",
		Long: "List the lowest versions that an instance type and a workload work with. With --installed, say which of\n" +
			"them a node or image meets; with --container, judge a container image too, and both together: of the node\n" +
			"then counts what a container cannot bring, of the container the rest.\n\n" +
			"A file may hold any of, or several after each other: nvidia-smi, modinfo, uname -r, dpkg -l, apt list,\n" +
			"rpm -qa, pip freeze, pip list, printenv, fi_info --version, nvcc --version,\n" +
			"/opt/amazon/efa_installed_packages, the facts of weft's node check, a table of a DLAMI release page, a\n" +
			"Dockerfile, or lines such as: efa-installer 1.50.0. A Dockerfile is taken for a container's.",
		Example: "  weft versions floors --type p6-b200.48xlarge\n" +
			"  weft versions floors --type p6-b200.48xlarge --workload deepep-v2 --installed node.txt --container Dockerfile\n" +
			"  ssh node 'nvidia-smi; modinfo efa; uname -r; dpkg -l; cat /opt/amazon/efa_installed_packages' |\n" +
			"    weft versions floors --type p5en.48xlarge --installed -",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(formats...); err != nil {
				return err
			}
			return o.run(c)
		},
	}
	o.flags(c, formats...)
	c.Flags().StringVar(&o.instanceType, "type", "", "instance type")
	c.Flags().StringVar(&o.workload, "workload", "", "dispatcher of expert-parallel traffic, or dense: "+strings.Join(dispatcherNames(), ", "))
	c.Flags().StringArrayVar(&o.installed, "installed", nil, "file with what a node or its image has, or - for standard input; may be given several times")
	c.Flags().StringArrayVar(&o.container, "container", nil, "file with what a container image has, or - for standard input; may be given several times")
	_ = c.MarkFlagRequired("type")
	return c
}

func (o *floorOptions) run(c *cobra.Command) error {
	w, err := workloadOf(o.workload)
	if err != nil {
		return err
	}
	if err := takesEFA(o.instanceType); err != nil {
		return err
	}
	floors := catalog.Floors(o.instanceType, w)
	switch {
	case len(o.installed)+len(o.container) > 0:
		return o.judge(c, floors)
	case o.format == "json":
		return writeJSON(c.OutOrStdout(), floors)
	case o.format == "text":
		return writeFloors(c, floors)
	default:
		return fmt.Errorf("output format %s holds findings only: give --installed or --container", o.format)
	}
}

// takesEFA refuses a type without EFA, and one that no list knows: it may have EFA, and nobody knows its floors.
func takesEFA(instanceType string) error {
	support := catalog.EFASupport(instanceType)
	if support == catalog.Supported {
		return nil
	}
	says := fmt.Sprintf("no list of EFA types has instance type %q", instanceType)
	if support == catalog.Unsupported {
		says = fmt.Sprintf("instance type %q takes no EFA", instanceType)
	}
	if near := catalog.NearestInstance(instanceType); near != "" && near != instanceType {
		says += "; did you mean " + near + "?"
	}
	return errors.New(says)
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
		rows = append(rows, show.Row{f.Component, lowest(f), f.For, why(f)})
	}
	return show.Table(c.OutOrStdout(), "", show.Row{"component", "floor", "for", "why"}, rows...)
}

func lowest(f catalog.Floor) string {
	if f.Min == "" {
		return "any"
	}
	return f.Min
}

func why(f catalog.Floor) string {
	out := f.Source.Ref
	if f.Reason != "" {
		out = f.Reason + " (" + out + ")"
	}
	if len(f.Conflicts) > 0 {
		out += "; other figures: " + strings.Join(f.Conflicts, "; ")
	}
	return out
}

// twice reports whether standard input is to be read more than once.
func (o *floorOptions) twice() bool {
	names := slices.Concat(o.installed, o.container)
	first := slices.Index(names, "-")
	return first >= 0 && slices.Contains(names[first+1:], "-")
}
