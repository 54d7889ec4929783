package installed

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

// Public cases that versions alone decide, by the ids under which they are collected: what the report described must
// lead to the finding that would have saved its author.
var cases = []struct {
	id, why         string
	host, container string // files; empty: not given
	instanceType    string
	want            []string // level rule: part of got
}{
	{"NCCL-07", "tests ran in another image than training", "node.txt", "image.txt", "p5.48xlarge", []string{
		"warn ver/host-container: in the container libfabric 1.18.1amzn1.0, aws-ofi-nccl 1.7.3-aws, nccl 2.20.5",
	}},
	{"NCCL-10", "a plugin built on libfabric 1.18, run on 1.17", "", "image.txt", "p4d.24xlarge", []string{
		"warn ver/contradictory: libfabric 1.17.0-3 (libfabric1, image.txt:3) and 1.18.1amzn1.0 (libfabric1-aws, image.txt:4)",
		"error ver/pair: aws-ofi-nccl v1.7.1-aws with libfabric 1.17.0-3",
	}},
	{"NCCL-10", "latest is no version", "", "Dockerfile", "p4d.24xlarge", []string{
		`warn ver/base-image: ubuntu:22.04`,
		`error ver/unreadable: efa-installer "latest"`,
	}},
	{"NCCL-12", "above every floor, and slow", "node.txt", "", "p5.48xlarge", []string{"error ver/denied: efa-installer 1.35.0"}},
	{"NCCL-14", "the installer brings the plugin too", "", "Dockerfile", "p5.48xlarge", []string{
		"warn ver/base-image", "warn ver/contradictory: aws-ofi-nccl v1.13.2-aws (ARG AWS_OFI_NCCL_VERSION, Dockerfile:3) beside 1.14.2 of efa-installer 1.40.0",
	}},
	{"NCCL-14", "the installer does not bring it yet", "", "Dockerfile.older", "p5.48xlarge", []string{"warn ver/base-image"}},
	{"CTR-02", "cuda-compat older than the host's driver", "node.txt", "image.txt", "p5.48xlarge", []string{
		"warn ver/host-container: cuda-compat 535.104.12-1 with nvidia-driver 550.90.07 on the host",
	}},
	{"CTR-03", "the EFA installer sees an NGC image", "", "Dockerfile", "p5en.48xlarge", []string{"warn ver/base-image: nvcr.io/nvidia/pytorch:26.01-py3"}},
	{"CTR-03", "it was told which road to take", "", "Dockerfile.told", "p5en.48xlarge", []string{"warn ver/base-image: nvcr.io/nvidia/pytorch:26.01-py3"}},
	{"GDR-02", "the module is not the package's", "node.txt", "", "p5.48xlarge", []string{
		"error ver/floor: gdrcopy 1.1", "warn ver/contradictory: gdrcopy 2.0 (gdrdrv-dkms, node.txt:4) and 1.1 (modinfo gdrdrv, node.txt:7)",
	}},
	{"KRN-01", "closed module on a kernel that keeps GPU memory from EFA", "node.txt", "", "p5.48xlarge", []string{"error ami/driver-flavour: license NVIDIA"}},
	{"KRN-01", "an EFA installer before 1.29.0", "node-5.10.txt", "", "p4d.24xlarge", []string{"error ami/driver-flavour: license NVIDIA"}},
	{"KRN-01", "a kernel into which that may have been taken", "node-newer-efa.txt", "", "p4d.24xlarge", []string{"warn ami/driver-flavour: license NVIDIA"}},
	{"KRN-01", "no GPUDirect on this type", "node.txt", "", "g5.48xlarge", nil},
	{"KRN-01", "the closed modules do not support Blackwell", "node-5.10.txt", "", "p6-b200.48xlarge", []string{
		"error ami/driver-flavour", "error ver/floor: efa-installer 1.26.1", "error ver/floor: nvidia-driver 535.54.03", "error ver/floor: kernel 5.10.199",
	}},
	{"KRN-01", "the open module", "node-open.txt", "", "p5.48xlarge", nil},
	{"AMI-09", "an image of one's own is judged by its content", "node.txt", "", "p6-b300.48xlarge", nil},
	{"VER-04", "the driver in a CUDA file's name is not the one that gets installed", "node.txt", "Dockerfile", "p6-b200.48xlarge", []string{"warn ver/base-image"}},
	{"VER-05", "a tilde is a pre-release", "node.txt", "", "p4d.24xlarge", []string{"error ver/pair: aws-ofi-nccl 1.21.1 with libfabric 1.22.0~amzn4.0"}},
	{"VER-05", "without one it is Amazon's build of the release", "node-vendor.txt", "", "p4d.24xlarge", nil},
	{"VER-06", "a module's g is how it was built", "node.txt", "", "p5en.48xlarge", nil},
	{"VER-07", "revision and build part do not change the floor", "", "Dockerfile", "p6-b200.48xlarge", []string{"warn ver/base-image"}},
}

func TestCases(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.id+" "+tt.why, func(t *testing.T) {
			floors := catalog.Floors(tt.instanceType, catalog.Workload{Kind: "dense"})
			_, findings := Judge(tt.instanceType, floors, caseList(t, tt.id, tt.host), caseList(t, tt.id, tt.container))
			diagtest.Complete(t, findings)
			require.Len(t, findings, len(tt.want), "%v", findings)
			for _, want := range tt.want {
				title, got, _ := strings.Cut(want, ": ")
				require.Condition(t, func() bool {
					for _, f := range findings {
						if f.Level.String()+" "+string(f.Rule) == title && strings.Contains(f.Got, got) {
							return true
						}
					}
					return false
				}, "%s is not among %v", want, findings)
			}
		})
	}
}

func caseList(t *testing.T, id, name string) *List {
	t.Helper()
	if name == "" {
		return nil
	}
	list, findings := Read(name, read(t, "testdata/case/"+id+"/"+name))
	require.Empty(t, findings)
	return &list
}

// CTR-03: the way out names the flag only where it is missing.
func TestCaseCTR03NamesTheFlag(t *testing.T) {
	for name, told := range map[string]bool{"Dockerfile": false, "Dockerfile.told": true} {
		_, findings := Judge("p5en.48xlarge", nil, nil, caseList(t, "CTR-03", name))
		require.Len(t, findings, 1)
		require.Equal(t, !told, strings.Contains(findings[0].Hint, "--disable-ngc"), name)
	}
}

// AMI-09: a name is no content.
func TestCaseAMI09Name(t *testing.T) {
	list, findings := Read("name.txt", read(t, "testdata/case/AMI-09/name.txt"))
	require.Empty(t, list.Versions)
	require.Len(t, findings, 1)
	require.Equal(t, diag.FileUnreadable, findings[0].Rule)
}

// VER-01, VER-02, VER-03, VER-10: one figure in every form that meets a floor.
func TestCasesOfForms(t *testing.T) {
	for text, state := range map[string]catalog.State{
		"cuda 12.08": catalog.Met, "cuda 12.7": catalog.NotMet, // VER-01
		"nccl 22602": catalog.Met, "nccl 22601": catalog.NotMet, // VER-02
		"nvidia-driver 570.86": catalog.Met, "nvidia-driver 570": catalog.Met, "nvidia-driver 569.99.99": catalog.NotMet, // VER-03
		"aws-ofi-nccl v1.15.0-aws": catalog.Met, "aws-ofi-nccl v1.14.2-aws": catalog.NotMet, // VER-10
	} {
		list, _ := Read("list.txt", []byte(text))
		rows, _ := Judge("p6-b200.48xlarge", catalog.Floors("p6-b200.48xlarge", catalog.Workload{}), &list, nil)
		for _, r := range rows {
			if strings.HasPrefix(text, string(r.Component)+" ") {
				require.Equal(t, state, r.State, text)
			}
		}
	}
}

func TestEveryCaseIsUsed(t *testing.T) {
	used := map[string]bool{"testdata/case/AMI-09/name.txt": true}
	for _, c := range cases {
		for _, name := range []string{c.host, c.container} {
			if name != "" {
				used["testdata/case/"+c.id+"/"+name] = true
			}
		}
	}
	files, err := filepath.Glob("testdata/case/*/*")
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, used[filepath.ToSlash(f)], f)
	}
	require.Len(t, files, len(used))
}
