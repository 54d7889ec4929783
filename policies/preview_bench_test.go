package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/toolchain"
)

var many = built("many")

// BenchmarkPreview is a whole preview of 1,100 resources by Pulumi's CLI: without a pack, with a pack that judges nothing, with weft's pack
// and all its rules, and with a pack of Node.js that has eight of them. What a pack costs is its time less that of none; what its rules cost,
// less that of the bare one.
//
//	go test ./policies -run '^$' -bench Preview -benchtime 3x
func BenchmarkPreview(b *testing.B) {
	tools := engine.Tools{Pulumi: toolchain.Need(b, toolchain.Pulumi), AWS: toolchain.Need(b, toolchain.AWS), Schema: toolchain.Need(b, toolchain.Schema)}
	toolchain.Need(b, toolchain.Language)
	binary, err := many()
	require.NoError(b, err)
	packs := []struct{ name, folder string }{
		{"none", ""}, {"bare", builtPack(b, "./testdata/bare")}, {"weft", builtPack(b, ".")}, {"node", nodePack(b)},
	} // before the workspace: it takes PATH along
	w, err := engine.New(b.Context(), b.TempDir(), engine.Options{
		Tools: tools, Binary: binary, Data: []byte("region: us-east-2\n"),
		Environment: []string{
			"PULUMI_SKIP_CHECKPOINTS=true",        // else a file backend writes the whole deployment after each resource
			"PULUMI_IGNORE_AMBIENT_PLUGINS=false", // the language host of Node.js is on PATH
		},
	})
	require.NoError(b, err)
	for _, pack := range packs {
		b.Run(pack.name, func(b *testing.B) {
			var flags []string
			if pack.folder != "" {
				flags = []string{"--policy-pack", pack.folder}
			}
			for b.Loop() {
				r, err := w.Preview(b.Context(), flags...)
				require.NoError(b, err)
				require.Zero(b, r.ExitCode, r.Output)
			}
		})
	}
}

// builtPack is a pack in Go built beforehand, as Node's packages are installed beforehand.
func builtPack(b *testing.B, source string) string {
	b.Helper()
	folder := b.TempDir()
	out, err := exec.CommandContext(b.Context(), "go", "build", "-o", filepath.Join(folder, "pack"), source).CombinedOutput()
	require.NoError(b, err, "%s", out)
	const project = "runtime:\n  name: go\n  options:\n    binary: pack\n"
	require.NoError(b, os.WriteFile(filepath.Join(folder, "PulumiPolicy.yaml"), []byte(project), 0o600))
	return folder
}

// nodePack installs the packages of the pack of Node.js beside it, and the language host that runs it.
func nodePack(b *testing.B) string {
	b.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			b.Skip("the comparison needs ", program)
		}
	}
	folder := b.TempDir()
	require.NoError(b, os.CopyFS(folder, os.DirFS("testdata/node")))
	run := func(dir, name string, args ...string) {
		c := exec.CommandContext(b.Context(), name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		require.NoError(b, err, "%s", out)
	}
	run(folder, "npm", "install", "--no-package-lock", "--no-audit", "--no-fund")
	run(".", "go", "build", "-o", filepath.Join(folder, "bin", "pulumi-language-nodejs"), "../offline/cmd/pulumi-language-nodejs")
	b.Setenv("PATH", filepath.Join(folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return folder
}
