package toolchain

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/python"
)

// PythonEnvironments are the Python environments of the emulated AWS account and of every ParallelCluster that judges.
func PythonEnvironments() ([]Tool, error) {
	tools := []Tool{environment(account.Environment(), "an AWS account on this machine")}
	for _, version := range judge.Versions() {
		env, err := judge.Environment(version)
		if err != nil {
			return nil, fmt.Errorf("listing the Python environments: %w", err)
		}
		tools = append(tools, environment(env, "the real ParallelCluster, to judge configurations"))
	}
	return tools, nil
}

// environment is a tool that is a folder. Its key must be the name of the folder in which python looks for it.
func environment(env python.Environment, doc string) Tool {
	return Tool{
		Name: env.Name, Version: env.Version, Doc: doc, Usual: 2 * time.Minute, Product: ".",
		Key:   func(context.Context) (string, error) { return env.Key(), nil },
		Build: env.Build,
	}
}
