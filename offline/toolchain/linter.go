package toolchain

import (
	"context"
	"path/filepath"
	"runtime"
	"time"
)

// Linter is the name of golangci-lint, whose version stands in a module of its own.
const Linter = "golangci-lint"

const (
	linterPackage = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"
	linterModule  = "github.com/golangci/golangci-lint/v2"
)

func linter(ctx context.Context, checkout string) (Tool, error) {
	tools := filepath.Join(checkout, "tools")
	version, _, err := module(ctx, tools, linterModule)
	if err != nil {
		return Tool{}, err
	}
	return Tool{
		Name: Linter, Version: version, Doc: "checks style, and who may import whom", Usual: 4 * time.Minute,
		// A linter that was built by another Go can't read this one's packages.
		Key: func(context.Context) (string, error) {
			return version + "-" + runtime.Version() + "-" + runtime.GOOS + "-" + runtime.GOARCH, nil
		},
		Build: goBuild(tools, Linter, linterPackage, ""),
	}, nil
}
