// Command weft plans EFA clusters, and judges what describes them.
//
// Exit codes: 0 clean, 1 findings at error level, 2 the job could not be done. stdout is the result, stderr
// the rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailed   = 2
)

// errFindings ends a command that has shown findings at error level.
var errFindings = errors.New("findings at error level")

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	default:
		_, _ = fmt.Fprintln(s.err, "weft:", err)
		return exitFailed
	}
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "GPU training clusters on AWS whose nodes talk over EFA",
		Long: "weft plans GPU training clusters on AWS whose nodes talk over EFA, and judges what describes them.\n" +
			"Clusters are deployed by `pulumi up`. What needs an AWS account or a cluster says so; the rest works on this machine alone.",
		Example: "  weft plan cluster.yaml\n" +
			"  weft plan cluster.yaml --render > pcluster.yaml\n" +
			"  weft check pcluster.yaml template.json groups.json\n" +
			"  weft diagnose slurm-12.out\n" +
			"  weft validate run cluster.yaml --dry-run\n" +
			"  weft topology topology.json instances.json\n" +
			"  weft versions floors --type p6-b200.48xlarge --workload deepep-v2\n" +
			"  weft demo",
		Version:       moduleVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.AddCommand(planCommand(), capacityCommand(), iamCommand(), schemaCommand(), rulesCommand(), factsCommand(), versionsCommand(), amiCommand(), demoCommand(), checkCommand(), diagnoseCommand(), validateCommand(), topologyCommand())
	return root
}

// moduleVersion is that of weft's module: a release where weft was installed as one, (devel) in a checkout.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
