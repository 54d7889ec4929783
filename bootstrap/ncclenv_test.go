package bootstrap_test

import (
	"context"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
	"github.com/weft-hpc/weft/internal/golden"
)

const envFile = "opt/weft/nccl-env.sh"

// efaInstalled puts libfabric and the plugin on a node.
func (s *sandbox) efaInstalled(os system) {
	s.boot(os)
	s.write(os.libfabric(), "")
	s.write(os.plugin(), "")
}

func dispatcher(name string) func(c *config.Cluster) {
	return func(c *config.Cluster) { c.Workload.Kind, c.Workload.Dispatcher = "moe", name }
}

var environments = map[string]struct {
	os           system
	instanceType string
	config       func(c *config.Cluster)
	change       func(s *sandbox)
}{
	"p5en":                       {ubuntu, "p5en.48xlarge", nil, nil},
	"p6-b300-al2023":             {al2023, "p6-b300.48xlarge", nil, nil},
	"p5.4xlarge-without-gdr":     {ubuntu, "p5.4xlarge", nil, nil},
	"deepep-v2":                  {ubuntu, "p6-b200.48xlarge", dispatcher("deepep-v2"), nil},
	"deepep-v2-through-the-cpu":  {ubuntu, "p5.48xlarge", dispatcher("deepep-v2"), nil},
	"deepep-v1-nvshmem":          {ubuntu, "p5en.48xlarge", dispatcher("deepep-v1-nvshmem"), nil},
	"NCCL-13-default-name":       {ubuntu, "p5en.48xlarge", nil, func(s *sandbox) { s.write("opt/amazon/ofi-nccl/lib/x86_64-linux-gnu/libnccl-net.so", "") }},
	"no-plugin":                  {ubuntu, "p5en.48xlarge", nil, func(s *sandbox) { s.remove("opt/amazon/ofi-nccl") }},
	"IB-01-residue":              {ubuntu, "p5en.48xlarge", nil, residueOf("etc/nccl.conf")},
	"IB-01-residue-of-container": {ubuntu, "p5en.48xlarge", nil, residueOf("etc/enroot/environ.d/90-ib.env")},
	"residue-that-breaks": {ubuntu, "p5en.48xlarge", nil, func(s *sandbox) {
		s.writeAll("etc/environment", "NCCL_NET=\"IB\"\nNCCL_NET_PLUGIN=none\nFI_PROVIDER=tcp\nNCCL_NETWORK=IB\nPATH=\"/usr/bin\"\n")
		s.writeAll("etc/profile.d/site.sh", "# export NCCL_ALGO=Ring\nexport NCCL_TOPO_FILE=/opt/p5.xml # old\nexport UCX_TLS=rc\n")
	}},
	"CPU-04-threads": {ubuntu, "p5en.48xlarge", nil, func(s *sandbox) { s.write("etc/enroot/environ.d/50-pytorch.env", "OMP_NUM_THREADS=1") }},
}

// residueOf puts the public case into a file of the node.
func residueOf(name string) func(s *sandbox) {
	return func(s *sandbox) { s.writeAll(name, caseText(s.t, "IB-01.env")) }
}

func TestNCCLEnv(t *testing.T) {
	golden.NoneUnused(t, "testdata/ncclenv", ".txt")
	for name, c := range environments {
		t.Run(name, func(t *testing.T) {
			a := action(t, planOf(t, c.instanceType, c.config), bootstrap.Options{}, bootstrap.NCCLEnv)
			inShells(t, func(t *testing.T, shell string) {
				t.Helper()
				s := newSandbox(t)
				s.efaInstalled(c.os)
				if c.change != nil {
					c.change(s)
				}
				got := s.run(shell, a.Script, a.Args...)
				require.Zero(t, got.code, got.String())
				written, err := os.ReadFile(s.path(envFile))
				require.NoError(t, err)
				requireClean(t, string(written), c.instanceType)
				golden.Check(t, path.Join("testdata/ncclenv", name+".txt"), []byte(got.stdout+"-- "+envFile+" --\n"+string(written)))

				again := s.run(shell, a.Script, a.Args...)
				require.Contains(t, again.stdout, "is as it should be")
			})
		})
	}
}

// requireClean holds the file to the rules for everybody's scripts.
func requireClean(t *testing.T, text, instanceType string) {
	t.Helper()
	d := source.Read("nccl-env.sh", []byte(text), source.Options{})
	require.Equal(t, source.JobScript, d.Kind)
	require.NotEmpty(t, d.Set.JobScripts[0].Settings)
	findings := append(d.Findings, rule.Judge(d.Set, rule.Options{InstanceTypes: []string{instanceType}})...)
	require.Empty(t, findings.AtLeast(diag.Warn))
}

// source runs what a job does: it sources the file under set -eu, then prints its variables.
func (s *sandbox) source(shell string, env ...string) (stdout, stderr string) {
	s.t.Helper()
	cmd := exec.CommandContext(context.Background(), needTool(s.t, shell), "-eu", "-c", ". \"$1\"; . \"$1\"; env", shell, s.path(envFile))
	cmd.Env = append(env, "PATH="+s.bin)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(s.t, cmd.Run(), errs.String())
	return out.String(), errs.String()
}

func TestSourcedEnvironment(t *testing.T) {
	a := action(t, planOf(t, "p5en.48xlarge", nil), bootstrap.Options{}, bootstrap.NCCLEnv)
	inShells(t, func(t *testing.T, shell string) {
		t.Helper()
		s := newSandbox(t)
		s.efaInstalled(ubuntu)
		require.Zero(t, s.run(shell, a.Script, a.Args...).code)

		out, errs := s.source(shell)
		for _, want := range []string{
			"NCCL_NET=Libfabric", "FI_PROVIDER=efa", "NCCL_NET_PLUGIN=ofi", "NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,ENV,NET",
			"LD_LIBRARY_PATH=/opt/amazon/ofi-nccl/lib/x86_64-linux-gnu:/opt/amazon/efa/lib",
		} {
			require.Contains(t, out, want+"\n")
		}
		require.Empty(t, errs)

		out, errs = s.source(shell, "NCCL_NET=IB", "NCCL_DEBUG=INFO", "LD_LIBRARY_PATH=/opt/app/lib")
		require.Contains(t, out, "NCCL_NET=IB\n", "what a user set stays")
		require.Contains(t, out, "LD_LIBRARY_PATH=/opt/amazon/ofi-nccl/lib/x86_64-linux-gnu:/opt/amazon/efa/lib:/opt/app/lib\n")
		require.Equal(t, strings.Repeat("weft: NCCL_NET keeps the value that it has; this type wants another\n", 2), errs)
	})
}

func TestEnvironmentCannotBeWritten(t *testing.T) {
	a := action(t, planOf(t, "p5en.48xlarge", nil), bootstrap.Options{}, bootstrap.NCCLEnv)
	s := newSandbox(t)
	s.efaInstalled(ubuntu)
	s.write("opt/weft", "a file in the way")
	got := s.run("dash", a.Script, a.Args...)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "weft: nccl-env: cannot write /opt/weft/nccl-env.sh")
}
