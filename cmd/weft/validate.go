package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/plan"
	show "github.com/weft-hpc/weft/validation/report"
	"github.com/weft-hpc/weft/validation/result"
	validation "github.com/weft-hpc/weft/validation/run"
	"github.com/weft-hpc/weft/validation/step"
)

func validateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "validate",
		Short: "Run the validation order on a cluster, and show what came out",
		Long: "Run the validation order on a cluster: the host's network, the same in the training image, latency between nodes, the\n" +
			"expert-parallel dispatcher, a short training run, and pairs inside and between capacity blocks. Each step is a Slurm job\n" +
			"whose figures are compared with what the plan expects. A run lies in the shared home of the cluster: it goes on when the\n" +
			"client ends, and any client can look at it or go on with it.",
		Example: "  weft validate run cluster.yaml --dry-run\n" +
			"  weft validate run cluster.yaml --head ssh://ubuntu@head\n" +
			"  weft validate status --head ssh://ubuntu@head\n" +
			"  weft validate report weft-validation/20261130-235900-a1b2c3 -o html > report.html",
	}
	c.AddCommand(validateRun(), validateStatus(), validateReport(), validateCancel())
	return c
}

type validateOptions struct {
	head    headOptions
	steps   []string
	out     string
	dry     bool
	keep    bool
	detach  bool
	block   bool
	timeout time.Duration
	options step.Options
	// topology are files with the answers of EC2 that say where nodes sit.
	topology []string
}

func validateRun() *cobra.Command {
	var o validateOptions
	steps := []string{plan.StepHost, plan.StepContainer, plan.StepLatency, plan.StepDispatcher, plan.StepTraining, plan.StepBlocks}
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run the validation order of a cluster config, or go on with a run of it",
		Long: "Run the validation order of a cluster config. A step runs when the one before passed. When the client is ended, the jobs\n" +
			"go on; the same command goes on with the run. Exit code 1: the validation failed. A run that waits for a capacity block to\n" +
			"start is left in Slurm's queue, with exit code 0: Slurm runs it when the block starts.",
		Example: "  weft validate run cluster.yaml --dry-run\n" +
			"  weft validate run cluster.yaml                              # on the head node itself\n" +
			"  weft validate run cluster.yaml --head ssm://i-0123456789abcdef0 --steps host,latency\n" +
			"  weft validate run cluster.yaml --head ssh://ubuntu@head --detach",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	o.head.flags(c)
	f := c.Flags()
	f.StringSliceVar(&o.steps, "steps", nil, "steps to run (default: all that the plan has use for): "+strings.Join(steps, ", "))
	f.StringVar(&o.out, "out", "weft-validation", "folder for what is collected and for the reports: each run gets one in it")
	f.BoolVar(&o.dry, "dry-run", false, "print everything that would run, and run nothing")
	f.BoolVar(&o.keep, "keep-going", false, "run later steps on a failed foundation")
	f.BoolVar(&o.detach, "detach", false, "put the whole order into Slurm's queue and come back; each script's own checks stop it")
	f.BoolVar(&o.block, "wait", false, "wait for a capacity block that has not started")
	f.DurationVar(&o.timeout, "timeout", 0, "cancel what has not ended this long after the first job began (default: no end)")
	f.StringVar(&o.options.MPI, "mpi", "pmix", "how srun starts MPI programs")
	f.StringArrayVar(&o.topology, "topology", nil, "file that weft topology reads: tells how far apart pairs of nodes are; may be given several times")
	c.MarkFlagsMutuallyExclusive("detach", "wait")
	_ = c.RegisterFlagCompletionFunc("steps", cobra.FixedCompletions(steps, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o *validateOptions) run(c *cobra.Command, name string) error {
	p, err := soundFile(c, name)
	if err != nil {
		return err
	}
	// Who calls this asks for a validation, whatever the config says of `pulumi up`.
	p.Config.Validation.Enabled = true
	if len(o.steps) > 0 {
		p.Config.Validation.Steps = o.steps
	}
	p, _ = plan.New(p.Config)
	if len(p.Steps) == 0 {
		return fmt.Errorf("%s has no use for any of the steps", name)
	}
	if o.options.Places, err = topologyPlaces(c, o.topology); err != nil {
		return err
	}
	if o.dry {
		return step.New(p, o.options).Show(c.OutOrStdout())
	}
	return o.validate(c, p)
}

func (o *validateOptions) validate(c *cobra.Command, p plan.Cluster) error {
	runner, err := o.head.runner(c, p, o.out)
	if err != nil {
		return err
	}
	key, err := validation.Key(p, o.options)
	if err != nil {
		return err
	}
	r, err := runner.Run(c.Context(), validation.Request{
		Key: key, Plan: p, Options: o.options, KeepGoing: o.keep, Detached: o.detach, AwaitBlock: o.block, Timeout: o.timeout,
	})
	if err != nil {
		return err
	}
	dir := filepath.Join(o.out, r.ID)
	if err := writeReports(dir, r); err != nil {
		return err
	}
	if err := show.Text(c.OutOrStdout(), r, isTerminal(c.OutOrStdout()) && os.Getenv("NO_COLOR") == "", width(c.OutOrStdout())); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.ErrOrStderr(), "report: %s\n", filepath.Join(dir, "report.html"))
	return failure(r)
}

// failure is the error of a run that failed; waiting is none.
func failure(r result.Run) error {
	if r.Outcome == result.Failed {
		return errFindings
	}
	return nil
}

// reports by the names under which they are asked for and written.
var reports = []struct {
	format, file string
	write        func(io.Writer, result.Run) error
}{
	{"html", "report.html", show.HTML},
	{"json", "report.json", show.JSON},
	{"junit", "report.xml", show.JUnit},
}

func writeReports(dir string, r result.Run) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("making the report's folder: %w", err)
	}
	for _, rep := range reports {
		if err := writeReport(filepath.Join(dir, rep.file), rep.write, r); err != nil {
			return err
		}
	}
	return nil
}

func writeReport(path string, write func(io.Writer, result.Run) error, r result.Run) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // in the folder that the user names
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = fmt.Errorf("writing the report: %w", closed)
		}
	}()
	return write(f, r)
}

func validateReport() *cobra.Command {
	format := "text"
	formats := []string{"text", "html", "json", "junit"}
	c := &cobra.Command{
		Use:   "report FOLDER",
		Short: "Show a run that was collected, as a page, for programs or for the terminal",
		Long: "Show what a run came to. FOLDER is a run's folder of `weft validate run --out`. A report holds no account id, no secret\n" +
			"and no environment: it can be handed to a vendor. Exit code 1: the validation failed.",
		Example: "  weft validate report weft-validation/20261130-235900-a1b2c3\n" +
			"  weft validate report weft-validation/20261130-235900-a1b2c3 -o html > report.html",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return showReport(c, args[0], format) },
	}
	c.Flags().StringVarP(&format, "output", "o", format, "output format: "+strings.Join(formats, ", "))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func showReport(c *cobra.Command, dir, format string) error {
	write := func(w io.Writer, r result.Run) error {
		return show.Text(w, r, isTerminal(w) && os.Getenv("NO_COLOR") == "", width(w))
	}
	found := format == "text"
	for _, rep := range reports {
		if rep.format == format {
			write, found = rep.write, true
		}
	}
	if !found {
		return fmt.Errorf("output format %q is not one of text, html, json, junit", format)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json")) //nolint:gosec // the user names the folder
	if err != nil {
		return fmt.Errorf("reading a run: %w", err)
	}
	var r result.Run
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("reading a run: %w", err)
	}
	if r.Schema != result.Version {
		return fmt.Errorf("reading a run: form %d, this weft reads %d", r.Schema, result.Version)
	}
	if err := write(c.OutOrStdout(), r); err != nil {
		return err
	}
	return failure(r)
}

func validateStatus() *cobra.Command {
	var h headOptions
	c := &cobra.Command{
		Use:     "status [RUN]",
		Short:   "Tell where a run stands: the newest, or the one that is named",
		Example: "  weft validate status --head ssh://ubuntu@head\n  weft validate status 20261130-235900-a1b2c3",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return h.with(c, func(ctx context.Context, r *validation.Runner) error {
				s, err := r.Status(ctx, strings.Join(args, ""))
				if err != nil {
					return err
				}
				return showStatus(c.OutOrStdout(), s)
			})
		},
	}
	h.flags(c)
	return c
}

func showStatus(w io.Writer, s validation.Status) error {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s: %s\n", s.ID, orElse(s.Done, "goes on"))
	for _, j := range s.Jobs {
		fmt.Fprintf(&b, "  %-24s %-8s %s", j.Name, j.ID, strings.ToLower(j.State))
		if j.Waits != "" {
			b.WriteString(": " + j.Waits)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

func validateCancel() *cobra.Command {
	var h headOptions
	c := &cobra.Command{
		Use:     "cancel RUN",
		Short:   "End a run and its jobs; what it has collected stays",
		Example: "  weft validate cancel 20261130-235900-a1b2c3 --head ssh://ubuntu@head",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return h.with(c, func(ctx context.Context, r *validation.Runner) error { return r.Cancel(ctx, args[0]) })
		},
	}
	h.flags(c)
	return c
}
