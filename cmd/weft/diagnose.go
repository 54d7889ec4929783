package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse"
	validation "github.com/weft-hpc/weft/validation/verdict"
)

type diagnoseOptions struct {
	report
	expected validation.Expected
}

func diagnoseCommand() *cobra.Command {
	var o diagnoseOptions
	formats := []string{"text", "json", "sarif", "junit"}
	c := &cobra.Command{
		Use:   "diagnose FILE...",
		Short: "Tell what logs prove of a cluster's network, and what is wrong first",
		Long: "Tell what logs prove of a cluster's network, and what is wrong first. What a file is, weft finds in its content:\n\n" +
			"  - nccl-tests: tables of all versions, and the JSON of -J\n" +
			"  - NCCL's and aws-ofi-nccl's lines under NCCL_DEBUG=INFO, of any program\n" +
			"  - fi_info and fi_pingpong\n" +
			"  - expert-parallel benchmarks: DeepEP, hybrid-EP, UCCL-EP, pplx-garden, nccl_ep\n" +
			"  - training with Megatron-LM, Megatron-Bridge or torch\n" +
			"  - Slurm, torchrun, ParallelCluster's boot and a node's own checks\n\n" +
			"All files are judged together, as those of one run: give a benchmark's output and its debug logs in one call. FILE can be\n" +
			"- for standard input, and packed by gzip. Bandwidths are compared only where the instance type is known: a log names it, or\n" +
			"--type does.",
		Example: "  weft diagnose slurm-12.out\n" +
			"  weft diagnose --type p5en.48xlarge all_reduce.txt nccl.*.log\n" +
			"  srun ... all_reduce_perf ... 2>&1 | weft diagnose -",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("diagnose needs a file, or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(formats...); err != nil {
				return err
			}
			return o.run(c, args)
		},
	}
	o.flags(c, formats...)
	c.Flags().StringVar(&o.expected.InstanceType, "type", "", "instance type of the nodes (default: the one that a log names)")
	c.Flags().IntVar(&o.expected.Nodes, "nodes", 0, "number of nodes of the run (default: as the logs say)")
	return c
}

func (o *diagnoseOptions) run(c *cobra.Command, files []string) error {
	if _, known := catalog.Instance(o.expected.InstanceType); o.expected.InstanceType != "" && !known {
		return fmt.Errorf("--type %s is not known; did you mean %s?", o.expected.InstanceType, catalog.NearestInstance(o.expected.InstanceType))
	}
	if o.expected.Nodes < 0 {
		return fmt.Errorf("--nodes %d is no number of nodes", o.expected.Nodes)
	}
	var docs []evidence.Document
	sources := map[string][]byte{}
	for _, name := range files {
		d, start, err := readLog(c, name)
		if err != nil {
			return err
		}
		docs, sources[name] = append(docs, d), start
	}
	d := validation.Diagnose(docs, o.expected)
	if err := o.show(c, d, sources); err != nil {
		return err
	}
	if d.Findings.Failed() {
		return errFindings
	}
	return nil
}

// mostQuoted bounds what of a log is kept to show lines of it, in bytes.
const mostQuoted = 64 << 20

// readLog reads a log in one pass, of any length, and keeps its beginning.
func readLog(c *cobra.Command, name string) (evidence.Document, []byte, error) {
	from := c.InOrStdin()
	if name != "-" {
		f, err := os.Open(name) //nolint:gosec // the user names the file to read
		if err != nil {
			return evidence.Document{}, nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	start := &beginning{}
	d, err := parse.Read(name, io.TeeReader(from, start))
	return d, start.kept.Bytes(), err
}

// beginning keeps the first bytes that are written to it.
type beginning struct{ kept bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	if room := mostQuoted - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (o *diagnoseOptions) show(c *cobra.Command, d validation.Diagnosis, sources map[string][]byte) error {
	for _, f := range d.Files {
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", f.File, recognised(f))
	}
	switch o.format {
	case "json":
		return writeJSON(c.OutOrStdout(), d)
	case "text":
		if _, err := io.WriteString(c.OutOrStdout(), tellDiagnosis(d)); err != nil {
			return fmt.Errorf("writing the diagnosis: %w", err)
		}
	}
	return o.write(c.OutOrStdout(), d.Findings, sources)
}

func recognised(f validation.Recognised) string {
	if len(f.Kinds) == 0 {
		return "no kind of log that weft knows"
	}
	return strings.Join(f.Kinds, ", ")
}

// tellDiagnosis says what the logs prove, and what to mend first.
func tellDiagnosis(d validation.Diagnosis) string {
	var b strings.Builder
	for _, p := range d.Proves {
		fmt.Fprintf(&b, "proved    %s\n", p)
	}
	fmt.Fprintf(&b, "compared  with %s\n", d.Compared)
	if d.Cause != nil {
		fmt.Fprintf(&b, "first     %s: %s\n", d.Cause.Rule, d.Cause.Got)
		fmt.Fprintf(&b, "          %s\n", d.Cause.Hint)
	}
	b.WriteString("\n")
	return b.String()
}
