package amibuild_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/catalog"
)

// Public reports of what went wrong with images, by the ids that the project gives them; the reports are named in each test.

// AMI-01, aws/aws-parallelcluster PR 4909: an image of one version under another was found minutes into the boot.
func TestCaseAMI01(t *testing.T) {
	images, found := amibuild.ReadExisting("tags.json", describeImages("x86_64", "available", map[string]string{
		"parallelcluster:version": "3.5.0", "parallelcluster:build_status": "available", "parallelcluster:os": "ubuntu2204",
	}))
	require.Empty(t, found)
	got := images[0].Check(target("3.6.0", "ubuntu2204", "p4d.24xlarge"), rebuild)
	require.Equal(t, "error ami/pcluster-version ", rules(got)[1])
	require.Equal(t, "an image of ParallelCluster 3.5.0", got[1].Got)
	require.Contains(t, got[1].Hint, rebuild)

	cause, known := amibuild.Explain(read(t, "cases", "AMI-01.log"))
	require.True(t, known)
	require.Equal(t, "the image is of another ParallelCluster version", cause.Says)
}

// AMI-02, aws/aws-parallelcluster issues 4836 and 1689: an image was to be lifted to the next version.
func TestCaseAMI02(t *testing.T) {
	require.Equal(t, []string{"error ami/pcluster-version parent.holds.parallelcluster"},
		judged(t, base+"parent: {ami: ami-01234567, holds: {parallelcluster: 3.1.1, nvidia-driver: 595.71.05}}\ncomponents:\n"+newEFA))
}

// AMI-03, aws-samples/aws-parallelcluster-hpc-quickstart issue 2: the version stood in three places.
func TestCaseAMI03(t *testing.T) {
	text := strings.Replace(official, "parallelcluster: 3.16.1\n", "", 1) + "components:\n" + newEFA
	for _, version := range []string{"3.15.1", "3.16.1"} {
		i, found := locked(t, amibuild.Request{Recipe: recipe(t, text), Target: target(version, "ubuntu2204", "p5en.48xlarge")})
		require.Empty(t, found)
		require.Contains(t, i.Parent.Pattern, "aws-parallelcluster-"+version+"-")
		require.Equal(t, version, i.AMITags()["parallelcluster:version"])
	}
}

// AMI-04, aws/aws-parallelcluster issue 6874: the parent's own kernel was not looked at before the build.
func TestCaseAMI04(t *testing.T) {
	require.Equal(t, []string{"error ami/parent parent.official"}, judged(t, strings.Replace(official, "ubuntu2204", "rocky9", 1)+"components:\n"+newEFA))
	headersAreFetchedForTheRunningKernel(t, "rocky")
}

// AMI-05, aws/aws-parallelcluster issues 7406 and 6567: kernel-devel of the running kernel is gone from the mirror.
func TestCaseAMI05(t *testing.T) {
	headersAreFetchedForTheRunningKernel(t, "rhel")
	cause, known := amibuild.Explain(read(t, "cases", "AMI-05.log"))
	require.True(t, known)
	require.Equal(t, 3, cause.Line)
	require.Equal(t, "the headers of the running kernel are gone from the mirror", cause.Says)
}

func headersAreFetchedForTheRunningKernel(t *testing.T, id string) {
	t.Helper()
	m := newMachine(t)
	m.file("etc/os-release", "ID=\""+id+"\"\nID_LIKE=\"fedora\"\n")
	m.program("sleep", "")
	m.program("dnf", `case "$*" in *kernel-devel-*) echo "Error: Unable to find a match: $3"; exit 1 ;; esac`)
	out, err := m.run(step(t, "efa", ""), "install")
	require.Error(t, err)
	require.Contains(t, out, "FAIL no package kernel-devel-"+runningKernel+" for the running kernel: the mirror has dropped it")
	require.NotContains(t, out, "no answer from", "nothing is downloaded for a kernel that nothing can be built for")
}

// AMI-06, aws/aws-parallelcluster issue 1480: what is built at boot breaks with the mirror. An image builds it once, and proves it.
func TestCaseAMI06(t *testing.T) {
	d, _, err := planEverything(t).ImageBuilder()
	require.NoError(t, err)
	for _, c := range d.Components {
		require.Contains(t, c.Data, "- name: test\n    steps:\n      - name: verify\n")
	}
}

// AMI-07, aws/aws-parallelcluster issue 5100: an error message in the body of a traced function was taken for the cause.
func TestCaseAMI07(t *testing.T) {
	cause, known := amibuild.Explain(read(t, "cases", "AMI-07.log"))
	require.True(t, known)
	require.Equal(t, 4, cause.Line)
	require.Equal(t, "a download failed", cause.Says)
}

// AMI-09, skypilot-org/skypilot issue 8746: an image was refused by its date. It is judged by its content.
func TestCaseAMI09(t *testing.T) {
	images, found := amibuild.ReadExisting("tags.json", describeImages("x86_64", "available", goodTags()))
	require.Empty(t, found)
	image := images[0]
	for _, name := range []string{"Deep Learning Base OSS Nvidia Driver GPU AMI 20230101", "mine", ""} {
		image.Name = name
		require.Empty(t, image.Check(target("3.16.1", "ubuntu2204", "p5en.48xlarge"), rebuild), name)
	}
	image.Tags["parallelcluster:nvidia_version"] = "470.182.03"
	require.Contains(t, rules(image.Check(target("3.16.1", "ubuntu2204", "p5en.48xlarge"), rebuild)), "error ver/floor ")
}

// KRN-01, aws/aws-parallelcluster issue 6015: a newer kernel under closed modules and an EFA installer before 1.29.
func TestCaseKRN01(t *testing.T) {
	require.Contains(t, string(read(t, "cases", "KRN-01.txt")), "efa_installer: 1.26.1")
	got := judged(t, strings.Replace(plain, "p5en.48xlarge", "p5.48xlarge", 1)+
		"build: {updatePackages: true}\ncomponents:\n  - nvidia: {driver: 535.54.03, modules: closed}\n  - efa: {version: 1.26.1}\n  - gdrcopy: {version: 2.4.4}\n")
	require.Equal(t, []string{"warn ami/kernel build.updatePackages", "error ami/driver-flavour components[0].nvidia.modules"}, got)
	require.NotContains(t, judged(t, strings.Replace(plain, "p5en.48xlarge", "p5.48xlarge", 1)+
		"components:\n  - nvidia: {driver: 535.54.03, modules: open}\n  - efa: {version: 1.30.0}\n  - gdrcopy: {version: 2.4.4}\n"),
		"error ami/driver-flavour components[0].nvidia.modules")
}

// KRN-03, aws-samples/aws-deep-learning-ami-ubuntu-dcv-desktop issue 28: an unattended upgrade moved the driver. See TestSeal.
func TestCaseKRN03(t *testing.T) {
	i := planEverything(t)
	d, _, err := i.ImageBuilder()
	require.NoError(t, err)
	last := len(d.Components) - 1
	require.Equal(t, "seal", i.StepName(last))
	require.Contains(t, d.Components[last].Data, `hold "$names" "$names"`)
	require.Contains(t, d.Components[last].Data, `APT::Periodic::Unattended-Upgrade "0";`)
}

// KRN-04, compiler-explorer/infra issue 1413: the kernel moved at bake, and nobody looked whether the module is there for it.
func TestCaseKRN04(t *testing.T) {
	m := newMachine(t)
	m.file("lib/modules/6.8.0-1014-aws/nvidia.ko", "version=595.71.05\n")
	out, err := m.run(step(t, "nvidia", ""), "verify")
	require.Error(t, err)
	require.Contains(t, out, "no module nvidia for the running kernel 6.8.0-1015-aws; there are modules for 6.8.0-1014-aws 6.8.0-1015-aws")

	cause, known := amibuild.Explain(read(t, "cases", "KRN-04.log"))
	require.True(t, known)
	require.Equal(t, 1, cause.Line)
	require.Contains(t, cause.Says, "not built for the kernel that runs")
}

// KRN-06, aws-samples/sample-physical-ai-scaffolding-kit PR 27: pins were taken from the machine that runs. Ours stand in the lock.
func TestCaseKRN06(t *testing.T) {
	text := step(t, "nvidia", "")
	require.Contains(t, text, "expect_version='595.71.05'")
	require.Contains(t, text, "expect_nvidia_driver_sha256='")
	require.NotContains(t, text, "dpkg-query")
	require.NotContains(t, text, "nvidia-smi")

	cause, known := amibuild.Explain(read(t, "cases", "KRN-06.log"))
	require.True(t, known)
	require.Equal(t, 1, cause.Line)
	require.Contains(t, cause.Do, "do not derive versions from the machine that builds")
}

// GDR-01, NVIDIA/gdrcopy issue 331: the package installs, the module is missing, and the exit code is 0.
func TestCaseGDR01(t *testing.T) {
	m := newMachine(t)
	m.file("lib/modules/"+runningKernel+"/build/Makefile", "")
	out, err := m.run(step(t, "gdrcopy", ""), "install")
	require.Error(t, err)
	require.Contains(t, out, "no sources of the NVIDIA driver below /usr/src")
	out, err = m.run(step(t, "gdrcopy", ""), "verify")
	require.Error(t, err)
	require.Contains(t, out, "no module gdrdrv for the running kernel")

	cause, known := amibuild.Explain(read(t, "cases", "GDR-01.log"))
	require.True(t, known)
	require.Equal(t, 3, cause.Line)
}

// GDR-02, NVIDIA/gdrcopy issue 82: the package is 2.0, the module 1.1.
func TestCaseGDR02(t *testing.T) {
	require.Contains(t, string(read(t, "cases", "GDR-02.txt")), "modinfo gdrdrv version: 1.1")
	m := newMachine(t)
	m.module("gdrdrv", "1.1", "MIT")
	out, err := m.run(step(t, "gdrcopy", ""), "verify")
	require.Error(t, err)
	require.Contains(t, out, "module gdrdrv is 1.1 for kernel "+runningKernel+", wanted 2.5.2")
}

// GDR-04, NVIDIA/gdrcopy issue 13: another driver under a gdrdrv that was built before.
func TestCaseGDR04(t *testing.T) {
	require.Contains(t, judged(t, official+"components:\n  - nvidia: {driver: 595.112.07}\n"+newEFA), "error ami/order components[0].nvidia")
	require.Empty(t, judged(t, official+"components:\n  - nvidia: {driver: 595.112.07}\n"+newEFA+"  - gdrcopy: {version: 2.5.2}\n"))
	cause, known := amibuild.Explain(read(t, "cases", "GDR-04.log"))
	require.True(t, known)
	require.Equal(t, "the module was built against another NVIDIA driver", cause.Says)
}

// GDR-07, amzn/amzn-drivers issue 357: a system whose kernel the peer-memory module does not build for.
func TestCaseGDR07(t *testing.T) {
	require.Contains(t, judged(t, strings.Replace(official, "ubuntu2204", "rhel10", 1)+"components:\n"+newEFA), "error pc/os os")
}

// GDR-08, a playbook that cloned the default branch and loaded the module by hand: nothing was pinned, and nothing loads after a reboot.
func TestCaseGDR08(t *testing.T) {
	d, _, err := planEverything(t).ImageBuilder()
	require.NoError(t, err)
	for _, c := range d.Components {
		require.NotContains(t, c.Data, "git clone")
		require.NotContains(t, c.Data, "insmod")
	}
}

// GDR-09, aws-parallelcluster-cookbook PR 1458: installed at build, service off, switched on at boot.
func TestCaseGDR09(t *testing.T) {
	require.Contains(t, step(t, "gdrcopy", ""), `systemctl disable --now "$(service)"`)
}

// CTR-03 is of containers: on a host no step tells the EFA installer to pass over NGC.
func TestCaseCTR03(t *testing.T) {
	require.NotContains(t, step(t, "efa", ""), "--disable-ngc")
}

// VER-04, aws-parallelcluster-cookbook PR 2887: the toolkit's archive is named after a driver, which is not the image's.
func TestCaseVER04(t *testing.T) {
	text := strings.Replace(plain, "p5en.48xlarge", "p6-b200.48xlarge", 1) +
		"components:\n  - nvidia: {driver: 570.86.15}\n  - cuda: {version: 12.8.0, bundle: 570.86.10}\n  - efa: {version: 1.44.0}\n  - gdrcopy: {version: 2.5.2}\n"
	require.Empty(t, judged(t, text))
	i, _ := locked(t, amibuild.Request{Recipe: recipe(t, text)})
	require.Equal(t, "570.86.15", i.Contents[catalog.NVIDIADriver])
	require.Contains(t, i.Steps[1].Artifacts[0].URL, "cuda_12.8.0_570.86.10_linux.run")
}

// VER-06: the EFA module prints a build mark, 3.3.0g, and counts as 3.3.0. See TestVerify. VER-05 and VER-07 to VER-10 are of package version.
func TestCaseVER06(t *testing.T) {
	m := newMachine(t)
	m.efa("1.50.0", "3.3.0g")
	m.program("fi_info", "echo efa:")
	out, err := m.run(step(t, "efa", ""), "verify")
	require.NoError(t, err, out)
}

// Nothing known is nothing explained.
func TestExplainNothing(t *testing.T) {
	_, known := amibuild.Explain([]byte("all is well\n+ modprobe: FATAL: Module x not found in directory /lib/modules/1\n"))
	require.False(t, known)
}

// Every case that lies here is one that a test reads.
func TestCasesAreUsed(t *testing.T) {
	entries, err := os.ReadDir("testdata/cases")
	require.NoError(t, err)
	source, err := os.ReadFile("case_test.go")
	require.NoError(t, err)
	for _, e := range entries {
		require.Contains(t, string(source), `"`+e.Name()+`"`)
	}
}
