package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/offline/demo"
	"github.com/weft-hpc/weft/offline/toolchain"
)

func demoCommand() *cobra.Command {
	var o demo.Options
	c := &cobra.Command{
		Use:   "demo",
		Short: "Deploy an example on a simulated AWS account on this machine",
		Long: "Deploy an example on this machine, without an AWS account: the real Pulumi engine runs the real program,\n" +
			"preflight reads a simulated account through the AWS SDK, the real ParallelCluster judges the rendered config,\n" +
			"and the validation order runs on a real Slurm of simulated nodes: it passes, waits for a block, and fails.\n" +
			"Run it from a checkout of weft; it needs Go and Python 3. Slurm it installs itself where it may (root, apt-get);\n" +
			"without, the rest is shown. The first run makes its tools, which takes about 15 minutes; later runs take four.",
		Example: "  weft demo\n  weft demo --example p6-b300-most-bandwidth",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Out = c.OutOrStdout()
			o.Bold = isTerminal(o.Out) && os.Getenv("NO_COLOR") == ""
			o.Progress = toolchain.NewProgress(os.Stderr)
			return demo.Run(c.Context(), ".", o)
		},
	}
	c.Flags().StringVar(&o.Example, "example", "p5en-capacity-block", "the example to deploy")
	c.Flags().BoolVar(&o.Keep, "keep", false, "leave the workspace behind")
	return c
}
