package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumiconfig "github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
)

// stack is the stack's config: the cluster with its positions, and what the AWS provider is told.
type stack struct {
	config.Document
	text    string            // of the cluster's config, in YAML or JSON
	found   diag.List         // in the config itself
	sources map[string][]byte // the files, for their lines
	region  string            // of the AWS provider
	profile string            // of the AWS provider
}

// errFindings ends the program after its findings were shown.
var errFindings = errors.New("the cluster is not deployed")

// readStack reads the cluster: the stack's weft:cluster value, or the file that weft:clusterFile names, relative
// to the project.
func readStack(ctx *pulumi.Context) (stack, error) {
	aws := pulumiconfig.New(ctx, "aws")
	s := stack{region: aws.Get("region"), profile: aws.Get("profile")}
	weft := pulumiconfig.New(ctx, "weft")
	inline, file := weft.Get("cluster"), weft.Get("clusterFile")
	switch {
	case inline != "" && file != "":
		return stack{}, errors.New("the stack has both weft:cluster and weft:clusterFile: remove one of them")
	case file != "":
		return s, s.readFile(ctx, file)
	case inline != "":
		return s, s.readInline(ctx, inline)
	default:
		return stack{}, errors.New("the stack has no cluster: pulumi config set weft:clusterFile cluster.yaml, or write it under weft:cluster in the stack's file")
	}
}

func (s *stack) readFile(ctx *pulumi.Context, file string) error {
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(ctx.RootDirectory(), file)
	}
	data, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return fmt.Errorf("reading weft:clusterFile: %w", err)
	}
	s.text = string(data)
	s.decode(file, data, config.Decode)
	return nil
}

// readInline takes the cluster from the stack's file, where findings have their lines; Pulumi hands the value over
// without them. A stack without such a file (set by another program) is read from the value.
func (s *stack) readInline(ctx *pulumi.Context, value string) error {
	s.text = value
	name := "Pulumi." + ctx.Stack() + ".yaml"
	data, err := os.ReadFile(filepath.Join(ctx.RootDirectory(), name)) //nolint:gosec // Pulumi's own file
	switch {
	case errors.Is(err, os.ErrNotExist):
		s.decode("weft:cluster", []byte(value), config.Decode)
	case err != nil:
		return fmt.Errorf("reading the stack's config: %w", err)
	default:
		s.decode(name, data, func(name string, data []byte) (config.Document, diag.List) {
			return config.FromStack(data, name, ctx.Project())
		})
	}
	return nil
}

func (s *stack) decode(name string, data []byte, read func(string, []byte) (config.Document, diag.List)) {
	s.Document, s.found = read(name, data)
	s.sources = map[string][]byte{name: data}
}

// checkRegion compares the cluster's Region with the AWS provider's: resources and reads must not go to two.
func (s *stack) checkRegion() diag.List {
	region := s.region
	if region == "" {
		region = os.Getenv("AWS_REGION")
	}
	var out diag.List
	if region != s.Cluster.Region && s.Cluster.Region != "" {
		out.Add(diag.Finding{
			Rule: diag.ConfigConflict, Place: diag.Place{Path: "region"},
			Got: fmt.Sprintf("region %s, aws:region %q", s.Cluster.Region, region), Want: "one Region for both",
			Hint: "pulumi config set aws:region " + s.Cluster.Region,
		})
	}
	return out
}

// report shows all findings, and fails if one stands at error level. Nothing is registered then.
func (s *stack) report(ctx *pulumi.Context, findings diag.List) error {
	all := append(s.found, s.Place(findings)...).Apply(s.Cluster.Rules)
	all.Sort()
	for _, f := range all {
		var text strings.Builder
		if err := render.Text(&text, diag.List{f}, render.Options{Notes: true, Bare: true, Sources: s.sources}); err != nil {
			return fmt.Errorf("showing a finding: %w", err)
		}
		if err := s.log(ctx, f.Level, strings.TrimSpace(text.String())); err != nil {
			return fmt.Errorf("logging a finding: %w", err)
		}
	}
	switch n := all.Count(diag.Error); n {
	case 0:
	case 1:
		return fmt.Errorf("1 error: %w", errFindings)
	default:
		return fmt.Errorf("%d errors: %w", n, errFindings)
	}
	return nil
}

func (s *stack) log(ctx *pulumi.Context, level diag.Level, text string) error {
	switch level {
	case diag.Error:
		return ctx.Log.Error(text, nil)
	case diag.Warn:
		return ctx.Log.Warn(text, nil)
	default:
		return ctx.Log.Debug(text, nil)
	}
}
