package main

import (
	"fmt"
	"io"
	"slices"

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
	p, err := planFile(c, name)
	if err != nil {
		return err
	}
	if o.confirm && !p.findings.Failed() { // a plan with errors is not asked about: the account could not mend it
		said, err := confirmation.Of(c.Context(), o.profile, p.plan)
		if err != nil {
			return err
		}
		p.add(said)
	}
	findings, err := o.show(c, p)
	if err != nil {
		return err
	}
	if o.format == "text" && len(findings) > 0 {
		if err := o.tell(c.ErrOrStderr(), name, p, findings); err != nil {
			return err
		}
	}
	if findings.Failed() {
		return errFindings
	}
	return nil
}

// tell writes findings for people, and why there is no plan where there is none.
func (o *planOptions) tell(w io.Writer, name string, p planned, findings diag.List) error {
	err := o.write(w, findings, map[string][]byte{name: p.data})
	if err == nil && !p.readable() {
		_, err = fmt.Fprintln(w, "no plan is shown: values of the config are missing, unreadable or against each other, and what would stand in their place nobody may have meant")
	}
	return err
}

// show writes what was asked for, and adds what a running cluster refuses where it is compared with one. Of a config
// that can't be read whole no plan is shown: defaults would stand in it that nobody meant.
func (o *planOptions) show(c *cobra.Command, p planned) (diag.List, error) {
	switch {
	case o.format != "text":
		return p.findings, o.machine(c.OutOrStdout(), p)
	case !p.readable():
		return p.findings, nil
	case o.render:
		return p.findings, renderConfig(c.OutOrStdout(), p.plan)
	case o.against != "":
		refused, err := o.compare(c, p)
		return append(p.findings, refused...), err
	default:
		return p.findings, show.Text(c.OutOrStdout(), p.plan)
	}
}

// planned is a cluster config, its plan, and what is wrong with either.
type planned struct {
	config.Document
	plan     plan.Cluster
	findings diag.List
	data     []byte // of the file
}

// planFile reads, decodes and plans one config, with all findings.
func planFile(c *cobra.Command, name string) (planned, error) {
	data, err := readInput(c, name)
	if err != nil {
		return planned{}, err
	}
	return planData(name, data), nil
}

func planData(name string, data []byte) planned {
	doc, findings := config.Decode(name, data)
	p, more := plan.New(doc.Cluster)
	out := planned{Document: doc, plan: p, findings: findings.Apply(doc.Cluster.Rules), data: data}
	out.add(append(more, pcconfig.Check(p)...))
	return out
}

// readable says whether every part of the config could be read.
func (p *planned) readable() bool {
	return !slices.ContainsFunc(p.findings, func(f diag.Finding) bool { return f.Level == diag.Error && config.Unreadable(f.Rule) })
}

// add adds findings about the plan, at the lines of the config and at the user's levels.
func (p *planned) add(findings diag.List) {
	p.findings = append(p.findings, p.Place(findings).Apply(p.Cluster.Rules)...)
	p.findings.Sort()
}

// soundFile plans a config that is to be carried out: one with errors is shown with them, and ends the command.
func soundFile(c *cobra.Command, name string) (plan.Cluster, error) {
	p, err := planFile(c, name)
	if err != nil || !p.findings.Failed() {
		return p.plan, err
	}
	if err := (&report{format: "text"}).write(c.ErrOrStderr(), p.findings, map[string][]byte{name: p.data}); err != nil {
		return plan.Cluster{}, err
	}
	return plan.Cluster{}, errFindings
}

// machine writes plan and findings for programs. The plan is null where the config can't be read whole.
func (o *planOptions) machine(w io.Writer, p planned) error {
	if o.format != "json" {
		return o.write(w, p.findings, nil)
	}
	out := struct {
		Plan *plan.Cluster `json:"plan"`
		render.Report
	}{&p.plan, render.NewReport(p.findings)}
	if !p.readable() {
		out.Plan = nil
	}
	return writeJSON(w, out)
}

func renderConfig(w io.Writer, p plan.Cluster) error {
	text, err := pcconfig.Preview(p).YAML()
	if err != nil {
		return fmt.Errorf("rendering the ParallelCluster config: %w", err)
	}
	_, err = w.Write(text)
	return err
}
