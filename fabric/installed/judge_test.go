package installed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

func listOf(t *testing.T, name, text string) *List {
	t.Helper()
	l, findings := Read(name, []byte(text))
	require.Empty(t, findings)
	return &l
}

func rowOf(rows []Row, side Side, c catalog.Component) (Row, bool) {
	for _, r := range rows {
		if r.Side == side && r.Component == c {
			return r, true
		}
	}
	return Row{}, false
}

// The image of AWS's page of 2026-01-02: fine for p6-b300, and no longer with an older installer.
func TestJudgeDLAMI(t *testing.T) {
	page := string(read(t, "testdata/dlami-20260102/input.txt"))
	floors := catalog.Floors("p6-b300.48xlarge", catalog.Workload{Kind: "moe", Dispatcher: "nccl"})
	rows, findings := Judge("p6-b300.48xlarge", floors, listOf(t, "dlami.md", page), nil)
	require.Empty(t, findings)
	require.Len(t, rows, len(floors))
	for _, r := range rows {
		want := catalog.Met
		if r.Component == catalog.NCCL || r.Component == catalog.EFAK8sPlugin {
			want = catalog.NotKnown // the page names neither
		}
		require.Equal(t, want, r.State, r.Component)
	}
	installer, _ := rowOf(rows, Host, catalog.EFAInstaller)
	require.Equal(t, "dlami.md:17", installer.Read.Place.String())
	require.Equal(t, "efa_version", installer.Read.From)
	libfabric, _ := rowOf(rows, Host, catalog.Libfabric)
	require.Equal(t, "efa-installer 1.45.0", libfabric.Bundle)
	require.Empty(t, libfabric.Read)

	older, _ := Read("dlami.md", []byte("efa-installer 1.42.0\nnvidia-driver 580.105.08\n"))
	_, findings = Judge("p6-b300.48xlarge", floors, &older, nil)
	diagtest.Complete(t, findings)
	require.Equal(t, []diag.ID{diag.VerFloor, diag.VerPair}, []diag.ID{findings[0].Rule, findings[1].Rule})
	require.Contains(t, findings[0].Want, "efa-installer 1.44.0 or later (p6-b300)")
}

func TestJudgeHostAndContainer(t *testing.T) {
	host := listOf(t, "node", "nvidia-driver 580.105.08\nefa-installer 1.49.0\nkernel 6.8.0-1044-aws\ngdrcopy 2.4\nlibfabric 1.0\nnccl 2.1\nnccl 2.2\n")
	container := listOf(t, "image", "efa-installer 1.50.0\nnccl 2.31.2-1\ngdrcopy 2.5.1\nefa 9.9\nnvidia-driver 1.0\nnvidia-driver 2.0\n")
	floors := catalog.Floors("p5en.48xlarge", catalog.Workload{Kind: "moe", Dispatcher: "deepep-v2"})
	rows, findings := Judge("p5en.48xlarge", floors, host, container)
	diagtest.Complete(t, findings)

	state := func(side Side, c catalog.Component) catalog.State {
		r, ok := rowOf(rows, side, c)
		if !ok {
			return "no row"
		}
		return r.State
	}
	require.Equal(t, catalog.NotMet, state(Host, catalog.EFADriver))
	require.Equal(t, catalog.State("no row"), state(Container, catalog.EFADriver), "a container brings none")
	require.Equal(t, catalog.NotMet, state(Host, catalog.GDRCopy))
	require.Equal(t, catalog.Met, state(Container, catalog.GDRCopy))
	require.Equal(t, catalog.Met, state(Container, catalog.NCCL))
	require.Equal(t, catalog.State("no row"), state(Host, catalog.NCCL), "the job has the container's")
	require.Equal(t, catalog.State("no row"), state(Host, catalog.Libfabric))
	require.Equal(t, catalog.NotKnown, state(Container, catalog.CUDA))
	require.Equal(t, catalog.NotKnown, state(Host, catalog.EFAK8sPlugin))

	var got []string
	for _, f := range findings {
		got = append(got, f.Level.String()+" "+string(f.Rule)+" "+f.Place.String())
	}
	require.ElementsMatch(t, []string{
		"error ver/floor node:2",          // installer, and with it the driver
		"error ver/floor node:4",          // gdrcopy
		"warn ver/host-container image:1", // another EFA installer
	}, got)
}

func TestJudgeContainerAlone(t *testing.T) {
	rows, findings := Judge("p5en.48xlarge", catalog.Floors("p5en.48xlarge", catalog.Workload{}), nil, listOf(t, "image", "nccl 2.28.9\n"))
	require.Empty(t, findings)
	driver, ok := rowOf(rows, Host, catalog.NVIDIADriver)
	require.True(t, ok, "nobody said which driver the host has, and that shows")
	require.Equal(t, catalog.NotKnown, driver.State)
}

func TestContradictions(t *testing.T) {
	tests := []struct{ name, text, got, hint string }{
		{
			"NCCL of apt and of pip", "libnccl2 2.28.9-1+cuda13.0\nnvidia-nccl-cu12==2.27.3\n",
			"nccl 2.28.9-1+cuda13.0 (libnccl2, node:1) and 2.27.3 (nvidia-nccl-cu12, node:2)", "2.27.3 is judged; find out",
		},
		{"one that cannot be read counts", "nccl 2.28.9\nnccl latest\n", "nccl 2.28.9 (nccl, node:1) and latest (nccl, node:2)", "latest is judged"},
		{
			"toolkits side by side", "cuda-toolkit-12-8_12.8.1-1_amd64\ncuda-toolkit-13-0_13.0.2-1_amd64\n",
			"cuda 12.8.1-1 (cuda-toolkit-12-8, node:1) and 13.0.2-1 (cuda-toolkit-13-0, node:2)", "13.0.2-1 is judged, the newest",
		},
		{"parts of one toolkit", "cuda-cudart-13-0_13.0.96-1_amd64\ncuda-toolkit-13-0_13.0.2-1_amd64\n", "", ""},
		{"a revision is no difference", "libnccl2 2.28.9-1+cuda13.0\nnccl 2.28.9\n", "", ""},
		{"gdrdrv names two figures of three", "gdrdrv-dkms 2.5.1-1\nfilename: /lib/gdrdrv.ko\nversion: 2.5\n", "", ""},
		{"Open MPI comes in two series", "openmpi40-aws_4.1.7-1_amd64 openmpi50-aws_5.0.8amzn1_amd64\n", "", ""},
		{
			"a library beside its installer's", "efa-installer 1.45.0\nlibfabric 2.4.0amzn1.0\n",
			"libfabric 2.4.0amzn1.0 (libfabric, node:2) beside 2.3.1amzn2.0 of efa-installer 1.45.0 (node:1)", "keep one copy",
		},
		{
			"a module that is not the installer's", "efa-installer 1.45.0\nefa-driver 2.17.2g\n",
			"efa-driver 2.17.2g (efa-driver, node:2) beside 2.17.3 of efa-installer 1.45.0 (node:1)", "keep one copy",
		},
		{"an installer that no table knows", "efa-installer 1.25.1\nlibfabric 2.4.0\n", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings := contradictions(*listOf(t, "node", tt.text))
			diagtest.Complete(t, findings)
			if tt.got == "" {
				require.Empty(t, findings)
				return
			}
			require.Len(t, findings, 1)
			require.Equal(t, diag.VerContradictory, findings[0].Rule)
			require.Equal(t, tt.got, findings[0].Got)
			require.Contains(t, findings[0].Hint, tt.hint)
		})
	}
}

func TestWhatCounts(t *testing.T) {
	l := listOf(t, "node", "gdrdrv-dkms 2.5.1-1\nfilename: /lib/gdrdrv.ko\nversion: 2.5\nnccl 2.28.9\nnccl 2.27.3\n")
	require.Equal(t, map[catalog.Component]string{catalog.GDRCopy: "2.5.1-1", catalog.NCCL: "2.27.3"}, l.Map())
}

func TestJoin(t *testing.T) {
	a, b := listOf(t, "a", "nccl 2.28.9\n"), listOf(t, "b", "nvidia-nccl-cu12==2.27.3\nFROM x\n")
	both := Join(*a, *b, *a)
	require.Equal(t, []Format{ComponentsNamed, PipFreeze, Dockerfile}, both.Formats)
	require.Len(t, both.Of(catalog.NCCL), 3)
	require.Len(t, both.Bases, 1)
	require.Equal(t, "b:1", both.counting()[catalog.NCCL].Place.String())
}
