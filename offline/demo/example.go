package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/mirror"
	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// example is a cluster of the checkout's examples on its way through Pulumi.
type example struct {
	*kit
	name  string
	plan  plan.Cluster
	world account.World // what is in the account besides what Pulumi made
	// lab is the Slurm cluster behind the head node; nil: the cluster is not validated.
	lab    *slurm.Lab
	pulumi *engine.Workspace
}

// example plans an example, so that a mistake in it ends the demo before anything is made.
func (k *kit) example(name string) (*example, error) {
	e := &example{kit: k, name: name}
	file := filepath.Join(e.folder(), "cluster.yaml")
	data, err := os.ReadFile(file) //nolint:gosec // an example of the checkout
	if err != nil {
		return nil, fmt.Errorf("reading the example: %w; there are %s", err, strings.Join(k.examples(), ", "))
	}
	doc, found := config.Decode(file, data)
	p, planned := plan.New(doc.Cluster)
	e.plan = p
	if found.Failed() || planned.Failed() {
		return nil, fmt.Errorf("%s has findings at error level: weft plan shows them", file)
	}
	e.world, err = mirror.For(p, time.Now())
	return e, err
}

func (k *kit) examples() []string {
	files, _ := filepath.Glob(filepath.Join(k.chain.Checkout, "examples", "*", "cluster.yaml"))
	var out []string
	for _, f := range files {
		out = append(out, filepath.Base(filepath.Dir(f)))
	}
	return out
}

func (e *example) folder() string { return filepath.Join(e.chain.Checkout, "examples", e.name) }

// project is the copy of the example's project: Pulumi writes into a project's folder.
func (e *example) project() string { return filepath.Join(e.dir, e.name, "project") }

// open copies the project and makes a stack of it. out gets what Pulumi prints.
func (e *example) open(ctx context.Context, out io.Writer) error {
	if err := e.copyProject(); err != nil {
		return err
	}
	var err error
	e.pulumi, err = engine.New(ctx, filepath.Join(e.dir, e.name, "pulumi"), engine.Options{
		Tools:       engine.Tools{Pulumi: e.tools[toolchain.Pulumi], AWS: e.tools[toolchain.AWS], Schema: e.tools[toolchain.Schema]},
		Project:     e.project(),
		Data:        fmt.Appendf(nil, "region: %s\n", e.plan.Region),
		Environment: append(e.account.Env(e.plan.Region), "GOFLAGS=-trimpath -buildvcs=false"),
		Output:      out,
	})
	return err
}

// What the copy's config gets. Latency between processes of one machine is not that between nodes.
const (
	validated    = "validation: {steps: [host, training]}"
	notValidated = "validation: {enabled: false}"
)

// copyProject copies the example, and points it at the checkout's program and at the plugin that is built already.
func (e *example) copyProject() error {
	if err := os.CopyFS(e.project(), os.DirFS(e.folder())); err != nil {
		return fmt.Errorf("copying the example: %w", err)
	}
	moved := strings.NewReplacer(
		"main: ../../infra", "main: "+filepath.Join(e.chain.Checkout, "infra"),
		"path: ../../cmd/pulumi-resource-weft", "path: "+filepath.Dir(e.tools[toolchain.Weft]),
	)
	line := validated
	if e.lab == nil {
		line = notValidated
	}
	return errors.Join(
		edit(filepath.Join(e.project(), "Pulumi.yaml"), moved.Replace),
		edit(filepath.Join(e.project(), "cluster.yaml"), func(text string) string { return text + "\n" + line + "\n" }),
	)
}

// edit changes a file of the copy.
func edit(name string, change func(string) string) error {
	text, err := os.ReadFile(name) //nolint:gosec // the copy
	if err != nil {
		return fmt.Errorf("reading the project: %w", err)
	}
	if err := os.WriteFile(name, []byte(change(string(text))), 0o600); err != nil {
		return fmt.Errorf("writing the project: %w", err)
	}
	return nil
}
