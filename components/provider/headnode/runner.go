// Package headnode runs validations on clusters, through a shell on the head node: over Systems Manager, over SSH, or on
// the head node itself.
package headnode

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/weft-hpc/weft/account/remote"
	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/run"
	"github.com/weft-hpc/weft/validation/step"
)

// Directory gets reports where the resource names no folder.
var Directory = filepath.Join(".weft", "validation")

// Runner is a [validator.Runner] for real clusters.
type Runner struct {
	// Version of weft, for reports.
	Version string
	// Configure gives the AWS configuration for a Region and a profile, which may be empty; nil reads the user's.
	Configure func(ctx context.Context, region, profile string) (aws.Config, error)
	// Options of the jobs.
	Options step.Options
	// Poll is how often the cluster is looked at; 0 is the usual.
	Poll time.Duration
}

// Run implements [validator.Runner].
func (r *Runner) Run(ctx context.Context, q validator.Request, say func(string)) (validator.Report, error) {
	head, err := r.reach(ctx, q)
	if err != nil {
		return validator.Report{}, err
	}
	dir, err := filepath.Abs(cmp.Or(q.ReportDirectory, Directory))
	if err != nil {
		return validator.Report{}, fmt.Errorf("finding the report's folder: %w", err)
	}
	runner := run.New(head.exec, dir)
	runner.Weft, runner.Say = r.Version, func(e run.Event) { say(line(e)) }
	if r.Poll != 0 {
		runner.Poll = r.Poll
	}
	out, err := runner.Run(ctx, run.Request{
		Key: q.Key, Plan: q.Plan, Options: r.Options, KeepGoing: q.KeepGoing, Timeout: q.Timeout, Drop: q.Drop,
	})
	if err != nil {
		return validator.Report{}, err
	}
	if out.Outcome == result.Waiting && out.Until.IsZero() && head.reservations != nil {
		out.Until, err = starts(ctx, head.reservations, q.Plan)
		if err != nil {
			say(fmt.Sprintf("nobody says when the block starts: %v", err)) // the validation waits all the same
		}
	}
	path, err := write(filepath.Join(dir, out.ID), out)
	return validator.Report{Run: out, Path: path}, err
}

// way is the way to a cluster.
type way struct {
	exec run.Exec
	// reservations tells when blocks start; nil where the account is out of reach.
	reservations reservations
}

// reach finds the way to the head node.
func (r *Runner) reach(ctx context.Context, q validator.Request) (way, error) {
	switch h := q.Head; {
	case h.Local:
		return way{exec: run.Local{}}, nil
	case h.SSH != "":
		return way{exec: run.SSH{Host: h.SSH}}, nil
	default:
		configure := r.Configure
		if configure == nil {
			configure = users
		}
		cfg, err := configure(ctx, h.Region, h.Profile)
		if err != nil {
			return way{}, err
		}
		return way{
			exec:         &remote.Instance{API: ssm.NewFromConfig(cfg), ID: h.InstanceID, User: q.Plan.OS.LoginUser},
			reservations: ec2.NewFromConfig(cfg),
		}, nil
	}
}

// users is the user's AWS configuration.
func users(ctx context.Context, region, profile string) (aws.Config, error) {
	options := []func(*awsconfig.LoadOptions) error{awsconfig.WithRegion(region)}
	if profile != "" {
		options = append(options, awsconfig.WithSharedConfigProfile(profile))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, fmt.Errorf("loading the AWS configuration: %w", err)
	}
	return cfg, nil
}

func line(e run.Event) string {
	if e.Job == "" {
		return e.Text
	}
	return e.Job + ": " + e.Text
}
