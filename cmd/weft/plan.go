package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/components/cluster/confirmation"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

type planOptions struct {
	report
	render  bool
	against string
	// confirm reads the account, with the profile's credentials where one is named.
	confirm bool
	profile string
}

func planCommand() *cobra.Command {
	var o planOptions
	formats := []string{"text", "json", "sarif", "junit"}
	c := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show the plan of a cluster: interfaces, capacity, versions, what will be validated",
		Long: "Show the plan of a cluster config: interfaces by card and device, where capacity comes from, CPUs per\n" +
			"rank, version floors, bandwidth ceilings. FILE is a cluster config, or - for standard input. The plan needs no\n" +
			"account; --confirm holds it against one.",
		Example: "  weft plan cluster.yaml\n" +
			"  weft plan cluster.yaml -o json\n" +
			"  weft plan cluster.yaml --render            # the ParallelCluster config\n" +
			"  weft plan cluster.yaml --against old.yaml  # what a running cluster takes\n" +
			"  weft plan cluster.yaml --confirm           # what the account says: block, subnets, images, quotas",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(formats...); err != nil {
				return err
			}
			return o.run(c, args[0])
		},
	}
	o.flags(c, formats...)
	c.Flags().BoolVar(&o.render, "render", false, "print the ParallelCluster config, with placeholders for ids that are not known yet")
	c.Flags().StringVar(&o.against, "against", "", "an older config of the same cluster: show what the change needs")
	c.Flags().BoolVar(&o.confirm, "confirm", false, "read the account as pulumi up does before it registers anything, and say what stands against the plan")
	c.Flags().StringVar(&o.profile, "profile", "", "profile of --confirm (default: that of the AWS configuration)")
	c.MarkFlagsMutuallyExclusive("render", "against")
	return c
}

func (o *planOptions) run(c *cobra.Command, name string) error {
	p, findings, data, err := planFile(c, name)
	if err != nil {
		return err
	}
	if o.confirm && !findings.Failed() {
		if findings, err = o.confirmed(c, p, name, data, findings); err != nil {
			return err
		}
	}
	if findings, err = o.show(c, p, findings); err != nil {
		return err
	}
	if o.format == "text" && len(findings) > 0 {
		if err := o.write(c.ErrOrStderr(), findings, map[string][]byte{name: data}); err != nil {
			return err
		}
	}
	if findings.Failed() {
		return errFindings
	}
	return nil
}

// show writes what was asked for, and adds what a running cluster refuses where it is compared with one.
func (o *planOptions) show(c *cobra.Command, p plan.Cluster, findings diag.List) (diag.List, error) {
	switch {
	case o.format != "text":
		return findings, o.machine(c.OutOrStdout(), p, findings)
	case o.render:
		return findings, renderConfig(c.OutOrStdout(), p)
	case o.against != "":
		refused, err := o.compare(c, p)
		return append(findings, refused...), err
	default:
		return findings, show.Text(c.OutOrStdout(), p)
	}
}

// planFile decodes and plans one config, with all findings.
func planFile(c *cobra.Command, name string) (plan.Cluster, diag.List, []byte, error) {
	data, err := readInput(c, name)
	if err != nil {
		return plan.Cluster{}, nil, nil, err
	}
	doc, findings := config.Decode(name, data)
	p, planned := plan.New(doc.Cluster)
	planned.Add(pcconfig.Check(p)...)
	doc.Positions.Resolve(planned)
	findings = append(findings, planned...).Apply(doc.Cluster.Rules)
	findings.Sort()
	return p, findings, data, nil
}

// confirmed adds what the account says of a plan. A plan with errors is not asked about: the account could not mend it.
func (o *planOptions) confirmed(c *cobra.Command, p plan.Cluster, name string, data []byte, findings diag.List) (diag.List, error) {
	found, err := confirmation.Of(c.Context(), o.profile, p)
	if err != nil {
		return nil, err
	}
	doc, _ := config.Decode(name, data)
	doc.Positions.Resolve(found)
	findings = append(findings, found.Apply(p.Config.Rules)...)
	findings.Sort()
	return findings, nil
}

// machine writes plan and findings for programs.
func (o *planOptions) machine(w io.Writer, p plan.Cluster, findings diag.List) error {
	if o.format != "json" {
		return o.write(w, findings, nil)
	}
	return writeJSON(w, struct {
		Plan plan.Cluster `json:"plan"`
		render.Report
	}{p, render.NewReport(findings)})
}

func renderConfig(w io.Writer, p plan.Cluster) error {
	text, err := pcconfig.Preview(p).YAML()
	if err != nil {
		return fmt.Errorf("rendering the ParallelCluster config: %w", err)
	}
	_, err = w.Write(text)
	return err
}
