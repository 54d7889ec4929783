package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/spf13/cobra"

	account "github.com/weft-hpc/weft/account/topology"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/fabric/topology"
	"github.com/weft-hpc/weft/fabric/topology/show"
)

type topologyOptions struct {
	report
	ask             account.Ask
	region, profile string
}

func topologyCommand() *cobra.Command {
	var o topologyOptions
	formats := []string{"text", "json", "hostfile", "slurm"}
	c := &cobra.Command{
		Use:   "topology [FILE...] [--cluster NAME] [--block cr-…]",
		Short: "Show where instances sit in EC2's network: tree, distances, the order of hosts, what blocks have in common",
		Long: "Show where instances sit in EC2's network: the tree of network nodes, how many pairs are how far apart, the order of hosts\n" +
			"that keeps neighbours together, and what capacity blocks have in common, before their launch as well. A FILE holds what\n" +
			"these print, in one file or several, of one account; - is standard input:\n\n" +
			"  - aws ec2 describe-instance-topology, for the network nodes\n" +
			"  - aws ec2 describe-instances, for the hosts' names and their reservations\n" +
			"  - aws ec2 describe-capacity-reservation-topology, for blocks that have not started\n" +
			"  - scontrol show nodes, for the names that Slurm has for them\n" +
			"  - scontrol show topology, or topology.conf, to be compared with EC2's\n\n" +
			"With --cluster or --block weft asks EC2 itself; files are read beside. -o hostfile writes the hosts in order, one a line, for\n" +
			"mpirun, or for srun with SLURM_HOSTFILE and --distribution=arbitrary. -o slurm writes a topology.conf for topology/tree.",
		Example: "  weft topology topology.json instances.json\n" +
			"  weft topology --block cr-0123456789abcdef0 --block cr-0fedcba9876543210\n" +
			"  scontrol show nodes | weft topology --cluster train - -o slurm > topology.conf",
		RunE: func(c *cobra.Command, files []string) error {
			if err := o.check(formats...); err != nil {
				return err
			}
			return o.run(c, files)
		},
	}
	o.flags(c, formats...)
	f := c.Flags()
	f.StringVar(&o.ask.Cluster, "cluster", "", "ask EC2 for the instances of this ParallelCluster cluster")
	f.StringSliceVar(&o.ask.Reservations, "block", nil, "ask EC2 for this capacity reservation and the instances in it; may be given several times")
	f.StringVar(&o.region, "region", "", "AWS Region (default: the configuration's)")
	f.StringVar(&o.profile, "profile", "", "profile of the AWS configuration")
	return c
}

// asks reports that EC2 is to be asked.
func (o *topologyOptions) asks() bool { return o.ask.Cluster != "" || len(o.ask.Reservations) > 0 }

func (o *topologyOptions) run(c *cobra.Command, files []string) error {
	if len(files) == 0 && !o.asks() {
		return errors.New("topology needs a FILE, --cluster or --block")
	}
	answers, findings, sources, err := readTopology(c, files)
	if err != nil {
		return err
	}
	if o.asks() {
		read, err := o.read(c)
		if err != nil {
			return err
		}
		answers.Add(read)
	}
	t, judged := topology.New(answers)
	findings = append(findings, judged...)
	findings.Sort()
	if err := o.show(c, t, findings, sources); err != nil {
		return err
	}
	if findings.Failed() {
		return errFindings
	}
	return nil
}

// readTopology reads files of answers.
func readTopology(c *cobra.Command, files []string) (topology.Answers, diag.List, map[string][]byte, error) {
	var answers topology.Answers
	var findings diag.List
	sources := map[string][]byte{}
	for _, name := range files {
		data, err := readInput(c, name)
		if err != nil {
			return answers, nil, nil, err
		}
		read, found := topology.Read(name, data)
		answers.Add(read)
		findings = append(findings, found...)
		sources[name] = data
	}
	return answers, findings, sources, nil
}

func (o *topologyOptions) read(c *cobra.Command) (topology.Answers, error) {
	for _, id := range o.ask.Reservations {
		if !strings.HasPrefix(id, "cr-") {
			return topology.Answers{}, fmt.Errorf("--block %s is no id of a reservation, cr-…: EC2 knows where a block sits by its reservation", id)
		}
	}
	cfg, err := regionalConfig(c.Context(), o.region, o.profile)
	if err != nil {
		return topology.Answers{}, err
	}
	read, err := account.Read(c.Context(), ec2.NewFromConfig(cfg), o.ask)
	if err == nil && o.ask.Cluster != "" && len(read.Instances) == 0 {
		err = fmt.Errorf("cluster %s has no instance in %s that runs", o.ask.Cluster, cfg.Region)
	}
	return read, err
}

// show writes the topology in the format that is asked for. What other programs read stands alone on stdout, its findings on stderr.
func (o *topologyOptions) show(c *cobra.Command, t topology.Topology, findings diag.List, sources map[string][]byte) error {
	switch o.format {
	case "json":
		return writeJSON(c.OutOrStdout(), newTopologyDocument(t, findings))
	case "hostfile":
		return o.export(c, findings, sources, t.Hostfile)
	case "slurm":
		return o.export(c, findings, sources, t.SlurmConf)
	}
	if err := show.Text(c.OutOrStdout(), t, isTerminal(c.OutOrStdout()) && os.Getenv("NO_COLOR") == ""); err != nil {
		return err
	}
	if _, err := io.WriteString(c.OutOrStdout(), "\n"); err != nil {
		return fmt.Errorf("writing a topology: %w", err)
	}
	return o.findings(c.OutOrStdout(), findings, sources)
}

func (o *topologyOptions) findings(w io.Writer, findings diag.List, sources map[string][]byte) error {
	return (&report{format: "text", notes: o.notes}).write(w, findings, sources)
}

func (o *topologyOptions) export(c *cobra.Command, findings diag.List, sources map[string][]byte, text func() (string, error)) error {
	if len(findings) > 0 {
		if err := o.findings(c.ErrOrStderr(), findings, sources); err != nil {
			return err
		}
	}
	out, err := text()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c.OutOrStdout(), out); err != nil {
		return fmt.Errorf("writing a topology: %w", err)
	}
	return nil
}

// topologyDocument is a topology as JSON. Keys are only ever added.
type topologyDocument struct {
	topology.Topology                       // places in the order of hosts, reservations
	Tree              []*topology.Switch    `json:"tree,omitempty"`
	Distances         []topology.Class      `json:"distances,omitempty"`
	Comparisons       []topology.Comparison `json:"betweenReservations,omitempty"`
	Hosts             []string              `json:"hosts,omitempty"`
	render.Report
}

func newTopologyDocument(t topology.Topology, findings diag.List) topologyDocument {
	hosts, _ := t.Hosts()
	return topologyDocument{t, t.Tree(), t.Classes(), t.Compare(), hosts, render.NewReport(findings)}
}
