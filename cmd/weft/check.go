package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
)

type checkOptions struct {
	report
	explain, pcluster, account string
	baseline                   string
	writeBaseline              bool
	types                      []string
	dumpAccount                bool
	region, profile            string
}

func checkCommand() *cobra.Command {
	var o checkOptions
	formats := []string{"text", "json", "sarif", "junit"}
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Judge files that describe infrastructure, all of them together",
		Long: "Judge files that describe infrastructure by the same rules as plan and policy pack. What a file is, weft finds\n" +
			"in its content:\n\n" +
			"  - " + kindLines() + "\n\n" +
			"EC2 data is what the AWS CLI prints: launch template data and versions, security groups, subnets, instances,\n" +
			"reservations, images, placement groups. All files are judged together: give a template, its security groups and\n" +
			"its reservation in one call. FILE can be - for standard input. Terraform's own language is not read: give\n" +
			"terraform show -json.\n\n" +
			"Levels come from .weft.yaml, which is looked for from the working folder upwards:\n\n" +
			"  rules:\n" +
			"    nic/combined-type: {level: note, reason: this subnet has room}",
		Example: "  weft check pcluster.yaml\n" +
			"  aws ec2 describe-launch-template-versions --launch-template-id lt-0 | weft check -\n" +
			"  terraform show -json plan | weft check - groups.json reservation.json\n" +
			"  weft check --dump-account --region us-east-2 > account.json\n" +
			"  weft check pcluster.yaml --pcluster 3.15.1 --account account.json\n" +
			"  weft check --explain block/placement-group",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && o.explain == "" && !o.dumpAccount {
				return errors.New("check needs a file, or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(formats...); err != nil {
				return err
			}
			switch {
			case o.explain != "":
				return explain(c.OutOrStdout(), diag.ID(o.explain))
			case o.dumpAccount:
				return o.dump(c)
			default:
				return o.run(c, args)
			}
		},
	}
	o.flags(c, formats...)
	o.define(c)
	c.MarkFlagsMutuallyExclusive("explain", "dump-account")
	return c
}

func kindLines() string {
	var names []string
	for _, k := range source.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, "\n  - ")
}

func (o *checkOptions) define(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.explain, "explain", "", "tell why a rule is there, who says so and where it is judged")
	f.StringVar(&o.pcluster, "pcluster", "", "ParallelCluster release that the configurations are for (default: keys of the newest; versions of images are not judged)")
	f.StringVar(&o.account, "account", "", "what an account holds, for what the files refer to: JSON of --dump-account, or the AWS CLI's outputs by call, {\"DescribeSubnets\": {...}, ...}")
	f.BoolVar(&o.dumpAccount, "dump-account", false, "print what the account holds, for --account; calls that read EC2, account ids left out")
	f.StringVar(&o.region, "region", "", "Region of --dump-account (default: that of the AWS configuration)")
	f.StringVar(&o.profile, "profile", "", "profile of --dump-account (default: that of the AWS configuration)")
	f.StringVar(&o.baseline, "baseline", "", "file of known findings, which are shown as notes")
	f.BoolVar(&o.writeBaseline, "write-baseline", false, "write the findings to the file of --baseline")
	f.StringSliceVar(&o.types, "instance-type", nil, "instance types that templates without one are for")
}

// checked is what a call has read and found.
type checked struct {
	sources   map[string][]byte
	documents []*source.Document
	set       rule.Set
	findings  diag.List
}

func (o *checkOptions) run(c *cobra.Command, files []string) error {
	levels, err := o.settle()
	if err != nil {
		return err
	}
	known, err := readBaseline(o.baseline, o.writeBaseline)
	if err != nil {
		return err
	}
	read, err := o.read(c, files)
	if err != nil {
		return err
	}
	findings := read.judge(rule.Options{Levels: levels, InstanceTypes: o.types})
	o.tell(c.ErrOrStderr(), read)
	if o.writeBaseline {
		return writeBaseline(o.baseline, findings)
	}
	findings = known.apply(findings, o.baseline)
	known.tellStale(c.ErrOrStderr(), o.baseline)
	if err := o.write(c.OutOrStdout(), findings, read.sources); err != nil {
		return err
	}
	if findings.Failed() {
		return errFindings
	}
	return nil
}

// settle checks what can be checked before any file is read.
func (o *checkOptions) settle() (map[diag.ID]diag.Override, error) {
	if o.writeBaseline && o.baseline == "" {
		return nil, errors.New("--write-baseline needs --baseline FILE, the file to write")
	}
	if _, ok := catalog.ReleaseOf(o.pcluster); o.pcluster != "" && !ok {
		var names []string
		for _, r := range catalog.Releases() {
			names = append(names, r.Version)
		}
		return nil, fmt.Errorf("--pcluster %s is no release that weft knows: %s", o.pcluster, strings.Join(names, ", "))
	}
	for _, t := range o.types {
		if _, ok := catalog.Instance(t); !ok {
			return nil, fmt.Errorf("--instance-type %s is not known; did you mean %s?", t, catalog.NearestInstance(t))
		}
	}
	return readLevels(".")
}

func (o *checkOptions) read(c *cobra.Command, files []string) (*checked, error) {
	out := &checked{sources: map[string][]byte{}}
	for _, name := range files {
		d, err := out.add(c, name, o.pcluster)
		if err != nil {
			return nil, err
		}
		out.set.Add(d.Set)
		if d.Kind == source.Config {
			out.findings.Add(planData(name, out.sources[name]).findings...) // a config of weft's own plans what the rules would judge
		}
	}
	if o.account == "" || out.sources[o.account] != nil {
		return out, nil
	}
	d, err := out.add(c, o.account, o.pcluster)
	if err != nil {
		return nil, err
	}
	if d.Kind != source.Account && d.Kind != source.EC2 {
		return nil, fmt.Errorf("--account %s is %s, not the answers of EC2", o.account, d.Kind)
	}
	out.set.Add(source.Referred(d.Set, out.set))
	return out, nil
}

// add reads one file, once.
func (r *checked) add(c *cobra.Command, name, pcluster string) (*source.Document, error) {
	if _, twice := r.sources[name]; twice {
		return &source.Document{}, nil
	}
	data, err := readInput(c, name)
	if err != nil {
		return nil, err
	}
	d := source.Read(name, data, source.Options{ParallelCluster: pcluster})
	r.sources[name] = data
	r.documents = append(r.documents, d)
	r.findings.Add(d.Findings...)
	return d, nil
}

func (r *checked) judge(o rule.Options) diag.List {
	findings := append(r.findings.Apply(o.Levels), rule.Judge(r.set, o)...)
	for _, d := range r.documents {
		d.Locate(findings)
	}
	findings.Sort()
	return source.Fold(slices.Compact(findings)) // one image that several sections boot is one finding
}

// tell says on stderr what each file is, what was judged in it and what was not.
func (o *checkOptions) tell(w io.Writer, r *checked) {
	for _, d := range r.documents {
		contents := d.Contents()
		if d.Name == o.account {
			contents = "; judged: what the files refer to"
		}
		_, _ = fmt.Fprintf(w, "%s: %s%s\n", d.Name, d.Kind, contents)
	}
	if slices.ContainsFunc(r.documents, func(d *source.Document) bool { return d.Kind == source.CloudFormation }) {
		_, _ = fmt.Fprintln(w, "parameters of CloudFormation stand at their defaults")
	}
	if len(r.set.Clusters) > 0 && o.pcluster == "" {
		_, _ = fmt.Fprintf(w, "keys are those of ParallelCluster %s, versions of images are not judged: --pcluster names the release\n", catalog.NewestJudgedRelease().Version)
	}
	if unseen := source.Unseen(r.set); len(unseen) > 0 {
		_, _ = fmt.Fprintf(w, "not judged: whether %s are capacity blocks, their zone, size and state: --account, or what aws ec2 describe-capacity-reservations prints\n",
			strings.Join(unseen, ", "))
	}
}
