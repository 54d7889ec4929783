package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/account/remote"
	"github.com/weft-hpc/weft/fabric/plan"
	validation "github.com/weft-hpc/weft/validation/run"
)

// headOptions say how to reach the head node.
type headOptions struct {
	head   string
	region string
	user   string
}

func (h *headOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&h.head, "head", "local", "the head node: local, ssh://user@host, or ssm://i-…")
	c.Flags().StringVar(&h.region, "region", "", "AWS Region of the head node, for ssm (default: the config's)")
	c.Flags().StringVar(&h.user, "user", "", "user on the head node, for ssm (default: the login user of the config's system)")
}

// Bounds of what is collected through Systems Manager, in bytes: it gives back some kilobytes a second.
const (
	ssmEachFile = 4 << 20
	ssmEachJob  = 32 << 20
)

// runner is a runner for the head node. Without a plan, Region and user must be given where they are needed.
func (h *headOptions) runner(c *cobra.Command, p plan.Cluster, dir string) (*validation.Runner, error) {
	exec, err := h.exec(c.Context(), p)
	if err != nil {
		return nil, err
	}
	r := validation.New(exec, dir)
	r.Weft = buildVersion()
	if strings.HasPrefix(h.head, ssmScheme) {
		r.EachFile, r.EachJob = ssmEachFile, ssmEachJob
	}
	r.Say = func(e validation.Event) {
		job := ""
		if e.Job != "" {
			job = e.Job + ": "
		}
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s %s%s\n", e.At.Format("15:04:05"), job, e.Text)
	}
	return r, nil
}

const (
	sshScheme = "ssh://"
	ssmScheme = "ssm://"
)

func (h *headOptions) exec(ctx context.Context, p plan.Cluster) (validation.Exec, error) {
	switch {
	case h.head == "local":
		return validation.Local{}, nil
	case strings.HasPrefix(h.head, sshScheme):
		return validation.SSH{Host: strings.TrimPrefix(h.head, sshScheme)}, nil
	case strings.HasPrefix(h.head, ssmScheme):
		cfg, err := awsconfig.LoadDefaultConfig(ctx, awsconfig.WithRegion(orElse(h.region, p.Region)))
		if err != nil {
			return nil, fmt.Errorf("loading the AWS configuration: %w", err)
		}
		return &remote.Instance{
			API: ssm.NewFromConfig(cfg), ID: strings.TrimPrefix(h.head, ssmScheme), User: orElse(h.user, p.OS.LoginUser),
		}, nil
	default:
		return nil, fmt.Errorf("--head %s is none of local, ssh://user@host, ssm://i-…", h.head)
	}
}

// buildVersion is weft's own version, as Go built it.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// with calls a function with a runner that has no plan.
func (h *headOptions) with(c *cobra.Command, do func(context.Context, *validation.Runner) error) error {
	if strings.HasPrefix(h.head, ssmScheme) && h.user == "" {
		return fmt.Errorf("--head %s needs --user, whose home has the runs: ubuntu or ec2-user", h.head)
	}
	r, err := h.runner(c, plan.Cluster{}, "")
	if err != nil {
		return err
	}
	return do(c.Context(), r)
}
