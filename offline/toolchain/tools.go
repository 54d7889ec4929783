package toolchain

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver"

	"github.com/weft-hpc/weft/offline/awsschema"
)

// The names of the tools that Known makes.
const (
	Pulumi   = "pulumi"
	Language = "pulumi-language-go"
	AWS      = "pulumi-resource-aws"
	Schema   = "aws-schema.json"
	Weft     = "pulumi-resource-weft"
)

const (
	cliPackage = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
	cliModule  = "github.com/pulumi/pulumi/pkg/v3"
	sdkModule  = "github.com/pulumi/pulumi-aws/sdk/v6"
	versionVar = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
)

// Known are all tools: the linter, those that stand for Pulumi and its AWS provider, whose versions come from the
// checkout's go.mod, and the Python environments.
func Known(ctx context.Context, checkout string) ([]Tool, error) {
	cli, _, err := module(ctx, checkout, cliModule)
	if err != nil {
		return nil, err
	}
	sdk, sdkDir, err := module(ctx, checkout, sdkModule)
	if err != nil {
		return nil, err
	}
	environments, err := PythonEnvironments()
	if err != nil {
		return nil, err
	}
	lint, err := linter(ctx, checkout)
	if err != nil {
		return nil, err
	}
	return append([]Tool{
		lint,
		{
			Name: Pulumi, Version: cli, Doc: "Pulumi's CLI, built from its Go module", Usual: 9 * time.Minute,
			Key:       func(context.Context) (string, error) { return cli + "-" + runtime.GOOS + "-" + runtime.GOARCH, nil },
			Installed: func(ctx context.Context) (string, bool) { return installed(ctx, cli) },
			Build:     goBuild(checkout, Pulumi, cliPackage, "-X "+versionVar+"="+cli),
		},
		own(checkout, offline, Language, cli, "runs Go programs for Pulumi's CLI", 90*time.Second),
		own(checkout, offline, AWS, sdk, "stands in for Pulumi's AWS provider", 100*time.Second),
		own(checkout, "./cmd/", Weft, "of this checkout", "weft's own plugin, ready instead of compiled by each pulumi up", 3*time.Minute),
		{
			Name: Schema, Version: sdk, Doc: "the AWS provider's resources, read out of the SDK's source", Usual: 5 * time.Second, Cheap: true,
			Key: func(ctx context.Context) (string, error) {
				reader, err := sources(ctx, checkout, "./offline/awsschema")
				return sdk + "-" + reader, err
			},
			Build: func(_ context.Context, dir string, _ func(string)) error {
				return writeSchema(filepath.Join(sdkDir, "go", "aws"), strings.TrimPrefix(sdk, "v"), filepath.Join(dir, Schema))
			},
		},
	}, environments...), nil
}

// offline is the folder of programs for machines without Pulumi and AWS.
const offline = "./offline/cmd/"

// own is a program of this module, in a folder of programs.
func own(checkout, folder, name, version, doc string, usual time.Duration) Tool {
	pkg := folder + name
	return Tool{
		Name: name, Version: version, Doc: doc, Usual: usual, Cheap: true,
		Key:   func(ctx context.Context) (string, error) { return sources(ctx, checkout, pkg) },
		Build: goBuild(checkout, name, pkg, ""),
	}
}

// goBuild builds a program with the flags of Pulumi's own language host, so that all share one build cache.
func goBuild(checkout, name, pkg, ldflags string) func(context.Context, string, func(string)) error {
	return func(ctx context.Context, dir string, say func(string)) error {
		cmd := exec.CommandContext(ctx, "go", "build", "-v", "-trimpath", "-buildvcs=false", //nolint:gosec // the arguments are ours
			"-ldflags", strings.TrimSpace("-w -s "+ldflags), "-o", filepath.Join(dir, name), pkg)
		cmd.Dir = checkout
		output, err := cmd.StderrPipe()
		if err != nil {
			return fmt.Errorf("starting go build: %w", err)
		}
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("starting go build: %w", err)
		}
		messages := compiled(output, say)
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, messages)
		}
		return nil
	}
}

// compiled counts the packages that go build -v names, and keeps what it says beyond that.
func compiled(output io.Reader, say func(string)) string {
	var messages strings.Builder
	packages := 0
	for lines := bufio.NewScanner(output); lines.Scan(); {
		line := lines.Text()
		if strings.ContainsAny(line, " :") {
			messages.WriteString(line + "\n")
			continue
		}
		packages++
		say(fmt.Sprintf("%d packages compiled", packages))
	}
	return messages.String()
}

// module gives the version and the source of a module that the checkout requires.
func module(ctx context.Context, checkout, path string) (version, dir string, err error) {
	out, err := goList(ctx, checkout, "-m", "-f", "{{.Version}}\t{{.Dir}}", path)
	if err != nil {
		return "", "", err
	}
	version, dir, _ = strings.Cut(strings.TrimSpace(out), "\t")
	return version, dir, nil
}

// sources hashes the source of a package of this module: its own files, those of the packages of this module that it
// imports, and the versions of everything else.
func sources(ctx context.Context, checkout, pkg string) (string, error) {
	format := `{{if not .Standard}}{{if .Module.Main}}{{$d := .Dir}}` +
		`{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	out, err := goList(ctx, checkout, "-deps", "-f", format, pkg)
	if err != nil {
		return "", err
	}
	files := append(strings.Fields(out), filepath.Join(checkout, "go.mod"))
	slices.Sort(files)
	sum := sha256.New()
	_, _ = fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, name := range files {
		content, err := os.ReadFile(name) //nolint:gosec // go list names the files of this module
		if err != nil {
			return "", fmt.Errorf("reading the source of %s: %w", pkg, err)
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s\n", strings.TrimPrefix(name, checkout), len(content), content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func goList(ctx context.Context, checkout string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...) //nolint:gosec // the arguments are ours
	cmd.Dir = checkout
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("go list %s: %w\n%s", args[len(args)-1], err, bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", args[len(args)-1], err)
	}
	return string(out), nil
}

// installed finds a Pulumi on PATH whose version is at least the pinned one's minor version.
func installed(ctx context.Context, pinned string) (string, bool) {
	path, err := exec.LookPath(Pulumi)
	if err != nil {
		return "", false
	}
	out, err := exec.CommandContext(ctx, path, "version").Output() //nolint:gosec // what the user has on PATH
	if err != nil {
		return "", false
	}
	return path, recent(strings.TrimSpace(string(out)), pinned)
}

// recent tells whether a version is of the pinned one's minor version, or a later one of the same major version.
func recent(version, pinned string) bool {
	have, err := semver.ParseTolerant(version)
	want, wantErr := semver.ParseTolerant(pinned)
	return err == nil && wantErr == nil && have.Major == want.Major && have.Minor >= want.Minor
}

func writeSchema(sdk, version, path string) error {
	schema, err := awsschema.Read(sdk, version)
	if err != nil {
		return fmt.Errorf("reading the AWS SDK: %w", err)
	}
	f, err := os.Create(path) //nolint:gosec // a file of the cache
	if err != nil {
		return fmt.Errorf("writing the schema: %w", err)
	}
	return errors.Join(schema.Write(f), f.Close())
}
