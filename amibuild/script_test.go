package amibuild_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine is a file tree and a set of programs that stand in for those of a build machine: a step's script runs for real, and
// sees nothing else.
type machine struct {
	t        testing.TB
	root     string
	bin      string
	programs map[string]string
}

const runningKernel = "6.8.0-1015-aws"

// newMachine is an Ubuntu machine without modules or devices.
func newMachine(t testing.TB) *machine {
	t.Helper()
	m := &machine{t: t, root: t.TempDir(), bin: t.TempDir(), programs: map[string]string{}}
	m.file("etc/os-release", "ID=ubuntu\nID_LIKE=debian\n")
	m.file("lib/modules/6.8.0-1014-aws/build/Makefile", "")
	m.file("lib/modules/"+runningKernel+"/modules.dep", "")
	m.program("uname", `echo `+runningKernel)
	for _, name := range []string{"apt-get", "apt-mark", "dkms", "systemctl", "ldconfig", "dnf", "rmmod"} {
		m.program(name, `echo "`+name+` $*" >>"$WEFT_ROOT/calls"`)
	}
	m.program("modprobe", `[ ! -e "$WEFT_ROOT/broken-$1" ] && mkdir -p "$WEFT_ROOT/sys/module/$1"`)
	// modinfo reads what a test put beside a module: <field>=<value> lines.
	m.program("modinfo", `
file=$WEFT_ROOT/lib/modules/$2/$5.ko
[ -e "$file" ] || exit 1
sed -n "s/^$4=//p" "$file"`)
	return m
}

func (m *machine) file(path, content string) {
	m.t.Helper()
	name := filepath.Join(m.root, path)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(name), 0o750))
	require.NoError(m.t, os.WriteFile(name, []byte(content), 0o600))
}

func (m *machine) program(name, body string) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(filepath.Join(m.bin, name), []byte("#!/bin/bash\n"+body+"\n"), 0o700))
}

// module puts a module of a version for the running kernel.
func (m *machine) module(name, version, license string) {
	m.file("lib/modules/"+runningKernel+"/"+name+".ko", "version="+version+"\nlicense="+license+"\n")
}

// serves has curl answer each address with a content.
func (m *machine) serves(content string) {
	m.file("served", content)
	m.program("curl", `
while [ $# -gt 1 ]; do [ "$1" = --output ] && out=$2; shift; done
cp "$WEFT_ROOT/served" "$out"`)
}

// run runs a script and gives what it says.
func (m *machine) run(script, action string) (string, error) {
	m.t.Helper()
	name := filepath.Join(m.root, "step.sh")
	require.NoError(m.t, os.WriteFile(name, []byte(script), 0o600))
	args := []string{name}
	if action != "" {
		args = append(args, action)
	}
	command := exec.CommandContext(context.Background(), "bash", args...)
	command.Env = []string{"PATH=" + m.bin + ":/usr/bin:/bin", "WEFT_ROOT=" + m.root, "TMPDIR=" + m.root}
	out, err := command.CombinedOutput()
	return string(out), err
}

// step is the script of a step of an image with everything, with the checksum of what the machine's curl serves.
func step(t testing.TB, name, content string) string {
	t.Helper()
	i := planEverything(t)
	sum := sha256.Sum256([]byte(content))
	for k := range i.Steps {
		for a := range i.Steps[k].Artifacts {
			i.Steps[k].Artifacts[a].SHA256 = hex.EncodeToString(sum[:])
		}
	}
	bundle, _, err := i.BuildImage()
	require.NoError(t, err)
	return script(t, bundle, name)
}

func TestVerify(t *testing.T) {
	for name, c := range map[string]struct {
		step string
		make func(*machine)
		want string // of a failure; empty: it passes
	}{
		"the kernel":     {step: "kernel", make: func(m *machine) { m.program("uname", "echo 6.8.0-1040-aws") }},
		"another kernel": {step: "kernel", make: func(*machine) {}, want: "kernel " + runningKernel + " runs, wanted 6.8.0-1040-aws"},

		"driver": {step: "nvidia", make: func(m *machine) {
			m.module("nvidia", "595.71.05", "Dual MIT/GPL")
			m.program("true", "exit 0")
			m.executable("usr/bin/nv-fabricmanager")
		}},
		"no driver for the kernel": {step: "nvidia", make: func(m *machine) {
			m.file("lib/modules/6.8.0-1014-aws/nvidia.ko", "version=595.71.05\n")
		}, want: "no module nvidia for the running kernel " + runningKernel + "; there are modules for 6.8.0-1014-aws " + runningKernel},
		"another driver": {step: "nvidia", make: func(m *machine) { m.module("nvidia", "550.90.07", "Dual MIT/GPL") }, want: "module nvidia is 550.90.07 for kernel " + runningKernel + ", wanted 595.71.05"},
		"closed driver":  {step: "nvidia", make: func(m *machine) { m.module("nvidia", "595.71.05", "NVIDIA") }, want: "module nvidia has the license NVIDIA, which is not that of the open modules"},
		"a GPU that the driver does not take": {step: "nvidia", make: func(m *machine) {
			m.module("nvidia", "595.71.05", "Dual MIT/GPL")
			m.file("sys/bus/pci/devices/0000:00:1e.0/vendor", "0x10de\n")
			m.file("broken-nvidia", "")
		}, want: "module nvidia does not load into kernel " + runningKernel},
		"no Fabric Manager": {step: "nvidia", make: func(m *machine) { m.module("nvidia", "595.71.05", "Dual MIT/GPL") }, want: "no Fabric Manager"},

		"EFA without a device": {step: "efa", make: func(m *machine) { m.efa("1.50.0", "3.3.0g"); m.program("fi_info", `[ "$1" = -l ] && echo 'efa:'`) }},
		"EFA with devices": {step: "efa", make: func(m *machine) {
			m.efa("1.50.0", "3.3.0g")
			m.device("rdmap0", "efa")
			m.program("fi_info", `[ "$1 $2" = "-p efa" ] && echo provider: efa`)
		}},
		"a ConnectX is no EFA device": {step: "efa", make: func(m *machine) {
			m.efa("1.50.0", "3.3.0g")
			m.device("mlx5_0", "mlx5_core")
			m.program("fi_info", `[ "$1" = -l ] && echo 'efa:'`)
		}},
		"EFA devices without domains": {step: "efa", make: func(m *machine) {
			m.efa("1.50.0", "3.3.0g")
			m.device("rdmap0", "efa")
			m.program("fi_info", "exit 61")
		}, want: "fi_info -p efa finds nothing, on a machine with 1 EFA devices"},
		"another installer": {step: "efa", make: func(m *machine) { m.efa("1.49.0", "3.1.0") }, want: "# EFA installer version: 1.49.0, wanted 1.50.0"},
		"an older module":   {step: "efa", make: func(m *machine) { m.efa("1.50.0", "3.1.0") }, want: "module efa is 3.1.0 for kernel " + runningKernel + ", wanted 3.3.0"},
		"no provider":       {step: "efa", make: func(m *machine) { m.efa("1.50.0", "3.3.0g"); m.program("fi_info", "echo tcp:") }, want: "libfabric has no provider efa"},

		"GDRCopy":                   {step: "gdrcopy", make: func(m *machine) { m.module("gdrdrv", "2.5.2", "MIT"); m.program("gdrcopy_copybw", "") }},
		"GDRCopy without its tests": {step: "gdrcopy", make: func(m *machine) { m.module("gdrdrv", "2.5.2", "MIT") }, want: "no copybw"},
		"two gdrdrv": {step: "gdrcopy", make: func(m *machine) {
			m.module("gdrdrv", "2.5.2", "MIT")
			m.file("lib/modules/"+runningKernel+"/updates/gdrdrv.ko", "")
		}, want: "more than one gdrdrv"},

		"NCCL":    {step: "nccl", make: func(m *machine) { m.file("opt/nccl/lib/libnccl.so.2.31.2", "") }},
		"no NCCL": {step: "nccl", make: func(*machine) {}, want: "no libnccl.so.2.31.2"},
		"tests without MPI": {step: "nccltests", make: func(m *machine) {
			m.executable("opt/nccl-tests/build/all_reduce_perf")
			m.program("ldd", "echo libc.so")
		}, want: "all_reduce_perf is not linked with MPI"},
		"enroot":               {step: "enroot", make: func(m *machine) { m.program("enroot", "echo 4.2.1") }},
		"another enroot":       {step: "enroot", make: func(m *machine) { m.program("enroot", "echo 3.4.1") }, want: "enroot is 3.4.1, wanted 4.2.1"},
		"pyxis":                {step: "pyxis", make: func(m *machine) { m.file("opt/pyxis/lib/slurm/spank_pyxis.so", "") }},
		"no pyxis":             {step: "pyxis", make: func(m *machine) { m.file("opt/pyxis/x", "") }, want: "no spank_pyxis.so"},
		"toolkit":              {step: "cuda", make: func(m *machine) { m.program("nvcc", "echo 'Cuda compilation tools, release 13.2, V13.2.78'") }},
		"another toolkit":      {step: "cuda", make: func(m *machine) { m.program("nvcc", "echo 'Cuda compilation tools, release 12.8, V12.8.61'") }, want: "wanted 13.2.2"},
		"script":               {step: "local", make: func(*machine) {}},
		"modules of the image": {step: "seal", make: func(m *machine) { m.sealed() }},
		"gdrdrv of another kernel": {step: "seal", make: func(m *machine) {
			m.sealed()
			require.NoError(m.t, os.Remove(filepath.Join(m.root, "lib/modules", runningKernel, "gdrdrv.ko")))
		}, want: "no module gdrdrv for the running kernel"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			c.make(m)
			out, err := m.run(step(t, c.step, ""), "verify")
			if c.want == "" {
				require.NoError(t, err, out)
				return
			}
			require.Error(t, err, out)
			require.Contains(t, out, "weft: "+c.step+": FAIL ")
			require.Contains(t, out, c.want)
		})
	}
}

func (m *machine) executable(path string) {
	m.file(path, "#!/bin/sh\n")
	require.NoError(m.t, os.Chmod(filepath.Join(m.root, path), 0o700))
}

func (m *machine) efa(installer, module string) {
	m.file("opt/amazon/efa_installed_packages", "# EFA installer version: "+installer+"\nefa-3.3.0\n")
	m.module("efa", module, "Dual BSD/GPL")
}

// device is an RDMA device with a driver.
func (m *machine) device(name, driver string) {
	m.t.Helper()
	dir := filepath.Join(m.root, "sys/class/infiniband", name, "device")
	require.NoError(m.t, os.MkdirAll(dir, 0o750))
	require.NoError(m.t, os.Symlink("../../../../bus/pci/drivers/"+driver, filepath.Join(dir, "driver")))
}

func (m *machine) sealed() {
	m.module("nvidia", "595.71.05", "Dual MIT/GPL")
	m.module("efa", "3.3.0g", "Dual BSD/GPL")
	m.module("gdrdrv", "2.5.2", "MIT")
}

func (m *machine) calls() string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.root, "calls"))
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(m.t, err)
	return string(text)
}

// What does not have the lock's checksum is not used: nothing runs, and the file is gone.
func TestWrongChecksum(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nvidia", "cuda", "efa", "gdrcopy", "nccl", "nccltests", "enroot", "pyxis", "remote"} {
		m := newMachine(t)
		m.file("lib/modules/"+runningKernel+"/build/Makefile", "")
		m.file("usr/src/nvidia-595.71.05/nv-p2p.h", "")
		m.serves("echo stolen >\"$WEFT_ROOT/ran\"\n")
		out, err := m.run(step(t, name, "what was locked"), "install")
		require.Error(t, err, out)
		require.Contains(t, out, "the lock says ", name)
		require.NoFileExists(t, filepath.Join(m.root, "ran"))
	}
}

// A user's script, from the document or by its address, runs once, with its checksum compared.
func TestUserScripts(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const content = "echo fetched >\"$WEFT_ROOT/ran\"\n"
	m.serves(content)
	out, err := m.run(step(t, "remote", content), "")
	require.NoError(t, err, out)
	require.FileExists(t, filepath.Join(m.root, "ran"))

	out, err = m.run(step(t, "local", ""), "install")
	require.NoError(t, err, out)
	require.Contains(t, out, "it's \\")
}

func TestFailingUserScript(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const content = "exit 7\n"
	m.serves(content)
	out, err := m.run(step(t, "remote", content), "")
	require.Error(t, err)
	require.Contains(t, out, "FAIL ends with exit code 7")
}

// The network may fail twice, and comes back.
func TestDownloadIsTriedAgain(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const content = "true\n"
	m.serves(content)
	m.program("sleep", `echo "sleep $*" >>"$WEFT_ROOT/calls"`)
	good := filepath.Join(m.bin, "good-curl")
	require.NoError(t, os.Rename(filepath.Join(m.bin, "curl"), good))
	m.program("curl", `
n=$(cat "$WEFT_ROOT/tries" 2>/dev/null || echo 0); echo $((n + 1)) >"$WEFT_ROOT/tries"
[ "$n" -ge 2 ] || exit 6
exec good-curl "$@"`)
	out, err := m.run(step(t, "remote", content), "")
	require.NoError(t, err, out)
	require.Equal(t, "sleep 1\nsleep 2\n", m.calls())
}

// A machine without dpkg or rpm is refused before anything is done.
func TestUnknownSystem(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.file("etc/os-release", "ID=plan9\n")
	out, err := m.run(step(t, "efa", ""), "install")
	require.Error(t, err)
	require.Contains(t, out, "an operating system without dpkg or rpm: plan9")
}

func TestUnknownAction(t *testing.T) {
	t.Parallel()
	out, err := newMachine(t).run(step(t, "efa", ""), "remove")
	require.Error(t, err)
	require.Contains(t, out, "unknown action remove")
}

// The seal holds kernel and driver packages, switches off what would upgrade them, and cleans up last.
func TestSeal(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.sealed()
	m.file("etc/apt/apt.conf.d/20auto-upgrades", "")
	m.program("dpkg-query", `printf '%s\n' linux-image-`+runningKernel+` linux-aws nvidia-driver-595`)
	m.executable("usr/local/sbin/ami_cleanup.sh")
	m.file("usr/local/sbin/ami_cleanup.sh", "#!/bin/bash\necho cleaned >>\"$WEFT_ROOT/calls\"\n")
	out, err := m.run(step(t, "seal", ""), "")
	require.NoError(t, err, out)
	require.Equal(t, "apt-mark hold linux-aws linux-image-"+runningKernel+" nvidia-driver-595\ncleaned\n", m.calls())
	text, err := os.ReadFile(filepath.Join(m.root, "etc/apt/apt.conf.d/99weft"))
	require.NoError(t, err)
	require.Equal(t, "APT::Periodic::Unattended-Upgrade \"0\";\n", string(text))
}

// On Amazon Linux and Red Hat the same by dnf.
func TestSealOnRPM(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.sealed()
	m.file("etc/os-release", "ID=\"rhel\"\nID_LIKE=\"fedora\"\n")
	m.program("rpm", `printf '%s\n' kernel kernel-devel efa`)
	out, err := m.run(step(t, "seal", ""), "install")
	require.NoError(t, err, out)
	require.Equal(t, "dnf install -y python3-dnf-plugin-versionlock\ndnf versionlock add efa kernel kernel-devel\n", m.calls())
}

// The EFA installer runs as it comes out of the archive that the lock pins.
func TestInstallEFA(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.file("lib/modules/"+runningKernel+"/build/Makefile", "")
	m.file("pack/aws-efa-installer/efa_installer.sh", "#!/bin/bash\necho \"installer $*\" >>\"$WEFT_ROOT/calls\"\n")
	require.NoError(t, os.Chmod(filepath.Join(m.root, "pack/aws-efa-installer/efa_installer.sh"), 0o700))
	archive := filepath.Join(m.root, "archive.tar.gz")
	require.NoError(t, exec.Command("tar", "-czf", archive, "-C", filepath.Join(m.root, "pack"), "aws-efa-installer").Run())
	content, err := os.ReadFile(archive)
	require.NoError(t, err)
	m.serves(string(content))
	out, err := m.run(step(t, "efa", string(content)), "install")
	require.NoError(t, err, out)
	require.True(t, strings.HasSuffix(m.calls(), "installer --yes\n"), m.calls())
}
