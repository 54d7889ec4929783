package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/python"
)

// Create is `pcluster create-cluster --dryrun true`: it runs every validator and makes nothing.
func (j *Judge) Create(ctx context.Context, name, config string) (Verdict, error) {
	a, err := j.command(ctx, config, func(path string) []string {
		return []string{"create-cluster", "--cluster-name", name, "--cluster-configuration", path, "--dryrun", "true"}
	})
	if err != nil {
		return Verdict{}, fmt.Errorf("creating %s: %w", name, err)
	}
	return a.verdict(), nil
}

// Update is `pcluster update-cluster --dryrun true` of a cluster that runs with the configuration from. It puts that
// cluster into the account, where it stays.
func (j *Judge) Update(ctx context.Context, name, from, to string, fleet account.Fleet) (UpdateVerdict, error) {
	cluster, err := running(name, j.version, from, fleet)
	if err != nil {
		return UpdateVerdict{}, fmt.Errorf("updating %s: %w", name, err)
	}
	if err := j.account.Put(ctx, cluster); err != nil {
		return UpdateVerdict{}, err
	}
	a, err := j.command(ctx, to, func(path string) []string {
		return []string{"update-cluster", "--cluster-name", name, "--cluster-configuration", path, "--dryrun", "true"}
	})
	if err != nil {
		return UpdateVerdict{}, fmt.Errorf("updating %s: %w", name, err)
	}
	return UpdateVerdict{Verdict: a.verdict(), Changes: a.ChangeSet, Refused: a.UpdateErrors}, nil
}

// running makes the account's cluster out of its configuration.
func running(name, version, config string, fleet account.Fleet) (account.Cluster, error) {
	var read struct {
		Region   string `yaml:"Region"`
		HeadNode struct {
			InstanceType string `yaml:"InstanceType"`
			Networking   struct {
				SubnetID string `yaml:"SubnetId"`
			} `yaml:"Networking"`
		} `yaml:"HeadNode"`
	}
	if err := yaml.Unmarshal([]byte(config), &read); err != nil {
		return account.Cluster{}, fmt.Errorf("reading the configuration in use: %w", err)
	}
	return account.Cluster{
		Name: name, Version: version, Configuration: config, Fleet: fleet,
		Subnet: read.HeadNode.Networking.SubnetID, InstanceType: read.HeadNode.InstanceType,
	}, nil
}

// BuildImage is `pcluster build-image --dryrun true`. Unless the configuration names a CleanupLambdaRole, ParallelCluster
// makes that role in the account, also in a dry run.
func (j *Judge) BuildImage(ctx context.Context, id, region, config string) (Verdict, error) {
	a, err := j.command(ctx, config, func(path string) []string {
		return []string{
			"build-image", "--image-id", id, "--image-configuration", path, "--region", region, "--dryrun", "true",
		}
	})
	if err != nil {
		return Verdict{}, fmt.Errorf("building the image %s: %w", id, err)
	}
	return a.verdict(), nil
}

func (j *Judge) command(ctx context.Context, config string, argv func(path string) []string) (answer, error) {
	path, remove, err := j.write(config)
	if err != nil {
		return answer{}, err
	}
	defer remove()
	var a answer
	err = j.ask(ctx, map[string]any{"argv": argv(path)}, &a)
	return a, err
}

// Interface is a network interface of a compute launch template that ParallelCluster generates.
type Interface struct {
	Card   int `json:"NetworkCardIndex"`
	Device int `json:"DeviceIndex"`
	// Type is efa, efa-only, or empty for EC2's default, interface.
	Type string `json:"InterfaceType"`
	// PublicIP is nil where the template leaves it to the subnet.
	PublicIP *bool `json:"AssociatePublicIpAddress"`
}

// Interfaces are the network interfaces that ParallelCluster puts into the launch template of each compute resource, by
// the template's name (CLUSTER-QUEUE-RESOURCE). It takes seconds, needs a real node (ErrNoNode) and validates nothing.
func (j *Judge) Interfaces(ctx context.Context, name, config string) (map[string][]Interface, error) {
	if !j.node {
		return nil, ErrNoNode
	}
	var found map[string][]Interface
	request := map[string]any{"interfaces": map[string]string{"name": name, "config": config}}
	if err := j.ask(ctx, request, &found); err != nil {
		return nil, fmt.Errorf("generating the templates of %s: %w", name, err)
	}
	return found, nil
}

// Output is what the pcluster program printed.
type Output struct {
	// Exit is its exit code: 1 for every refusal and also for a dry run that passed.
	Exit int
	// Answer is its stdout.
	Answer string
}

// Run runs the pcluster program itself, in a process of its own, which takes seconds.
func (j *Judge) Run(ctx context.Context, args ...string) (Output, error) {
	env, err := Environment(j.version)
	if err != nil {
		return Output{}, err
	}
	dir, err := env.Dir()
	if err != nil {
		return Output{}, err
	}
	program := filepath.Join(filepath.Dir(python.Interpreter(dir)), "pcluster")
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // the environment's own program
	cmd.Env = j.environ
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Output{}, fmt.Errorf("running pcluster: %w", err)
	}
	return Output{Exit: cmd.ProcessState.ExitCode(), Answer: string(bytes.TrimSpace(out))}, nil
}

// CreateByProgram is Create through the pcluster program: slower, and proof that both say the same.
func (j *Judge) CreateByProgram(ctx context.Context, name, config string) (Verdict, Output, error) {
	path, remove, err := j.write(config)
	if err != nil {
		return Verdict{}, Output{}, err
	}
	defer remove()
	out, err := j.Run(ctx, "create-cluster", "--cluster-name", name, "--cluster-configuration", path, "--dryrun", "true")
	if err != nil {
		return Verdict{}, out, err
	}
	var a answer
	if err := json.Unmarshal([]byte(out.Answer), &a); err != nil {
		return Verdict{}, out, fmt.Errorf("reading what pcluster printed: %w", err)
	}
	return a.verdict(), out, nil
}
