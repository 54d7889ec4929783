package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

func (p Pair) conditions() []Condition {
	out := append([]Condition{p.If}, p.Then...)
	if p.And != nil {
		out = append(out, *p.And)
	}
	return out
}

// A crossing that asks nothing of the host would be a pair, and one that asks only of it too.
func TestCrossingsCross(t *testing.T) {
	for _, p := range Crossings() {
		host, container := false, false
		for _, c := range p.conditions() {
			host = host || c.Component.OfHost() || c.Than != "" && c.Than.OfHost()
			container = container || !c.Component.OfHost()
		}
		require.True(t, host && container, p.Name)
	}
}

func TestStackOfAContainer(t *testing.T) {
	floors := Floors("p6-b300.48xlarge", Workload{Kind: "moe", Dispatcher: "deepep-v2"})
	container := Stack{
		Part: ContainerPart,
		Versions: map[Component]string{
			EFAInstaller: "1.49.0", NCCL: "2.31.2-1", GDRCopy: "2.5.1", CUDA: "13.0",
			EFADriver: "2.0", NVIDIADriver: "470.0", Kernel: "4.14.0-1-aws",
		},
		At: func(c Component) diag.Place { return diag.Place{File: "image", Path: string(c)} },
	}
	verdicts, findings := container.Judge(floors)
	for _, v := range verdicts {
		require.False(t, v.Component.OfHost(), "%s: a container does not bring it", v.Component)
	}
	diagtest.Complete(t, findings)
	require.Len(t, findings, 1, "the kernel driver and module are the host's")
	require.Equal(t, diag.VerFloor, findings[0].Rule)
	require.Equal(t, diag.Place{File: "image", Path: "efa-installer"}, findings[0].Place)

	container.Versions[EFAInstaller] = "1.50.0"
	_, findings = container.Judge(floors)
	require.Empty(t, findings)
}

// With a container, what a host has in user space is nobody's: the kernel part is asked for, and the rest is not.
func TestStackOfAHostWithContainers(t *testing.T) {
	host := Stack{Part: HostPart, Versions: map[Component]string{
		EFAInstaller: "1.47.0", EFADriver: "3.3.0g", NCCL: "2.18.5", OFIPlugin: "1.18.0", Libfabric: "1.0", CUDA: "11.0",
		NVIDIADriver: "580.105.08", GDRCopy: "2.4", Kernel: "6.8.0-1044-aws",
	}}
	verdicts, findings := host.Judge(Floors("p6-b300.48xlarge", Workload{}))
	require.Len(t, findings, 1)
	require.Equal(t, "gdrcopy 2.4", findings[0].Got)
	for _, v := range verdicts {
		require.True(t, v.Component.OfHost() || v.Component == GDRCopy || v.Component == EFAInstaller, v.Component)
	}
	host.Part = Whole
	_, findings = host.Judge(Floors("p6-b300.48xlarge", Workload{}))
	require.Greater(t, len(findings), 4)
}

// A denied installer that brings a bad kernel driver would have to be denied on hosts with containers too.
func TestDenylistIsAboutUserSpace(t *testing.T) {
	for _, d := range Denylist() {
		require.False(t, d.Component.OfHost(), d.Range())
	}
}

func TestFindingsStandWhereTheVersionWasRead(t *testing.T) {
	s := Stack{
		Versions: map[Component]string{EFAInstaller: "1.36.0", NVIDIADriver: "580.65.06", NCCL: "newest"},
		At:       func(c Component) diag.Place { return diag.Place{File: "node", Path: string(c)} },
	}
	_, findings := s.Judge([]Floor{{Component: Libfabric, Min: "2.0", For: "x", Source: p6Page}})
	places := map[diag.ID]string{}
	for _, f := range findings {
		places[f.Rule] = f.Place.Path
	}
	require.Equal(t, map[diag.ID]string{
		diag.VerUnreadable: "nccl", diag.VerPair: "nvidia-driver", diag.VerFloor: "efa-installer",
	}, places, "what the installer brought stands where the installer does")
}

func TestFabricManagerOfAnotherDriver(t *testing.T) {
	_, findings := Judge(map[Component]string{NVIDIADriver: "580.105.08", FabricManager: "580.95.05-1"}, nil, diag.Place{File: "node"})
	diagtest.Complete(t, findings)
	require.Len(t, findings, 1)
	require.Equal(t, diag.VerPair, findings[0].Rule)
	require.Equal(t, diag.Warn, findings[0].Level, "no source settles how exact the match must be")
	require.Equal(t, "nvidia-fabricmanager 580.95.05-1 with nvidia-driver 580.105.08", findings[0].Got)
	require.Equal(t, "install nvidia-fabricmanager 580.105.08", findings[0].Hint)
}

func TestContainerOnHost(t *testing.T) {
	type versions = map[Component]string
	gin := versions{EFAInstaller: "1.50.0", NCCL: "2.31.2-1"}
	tests := []struct {
		name            string
		host, container versions
		dispatcher      string
		want            []string // rule: got
	}{
		{"the same stack", versions{EFAInstaller: "1.50.0", NCCL: "2.31.2-1"}, gin, "", nil},
		{"nothing known of the host", nil, gin, "", nil},
		{"nothing known of the container", gin, nil, "", nil},
		{"GIN on an older EFA driver", versions{EFADriver: "3.1.0g"}, gin, "", []string{
			"ver/pair: nccl 2.31.2-1 with efa-driver 3.1.0g on the host",
		}},
		{"a floor refuses the driver already", versions{EFADriver: "3.1.0g"}, gin, "deepep-v2", nil},
		{"NCCL that can, plugin that cannot", versions{EFADriver: "3.1.0g"}, versions{NCCL: "2.31.2-1", OFIPlugin: "1.20.0"}, "", nil},
		{
			"a container's own EFA driver counts for nothing",
			versions{EFADriver: "3.1.0g"},
			versions{NCCL: "2.31.2-1", OFIPlugin: "1.21.1", EFADriver: "3.3.0"},
			"",
			[]string{"ver/pair: nccl 2.31.2-1 with efa-driver 3.1.0g on the host"},
		},
		{"cuda-compat older than the driver", versions{NVIDIADriver: "550.90.07"}, versions{CUDACompat: "535.183.06-1"}, "", []string{
			"ver/host-container: cuda-compat 535.183.06-1 with nvidia-driver 550.90.07 on the host",
		}},
		{"cuda-compat newer than the driver", versions{NVIDIADriver: "550.90.07"}, versions{CUDACompat: "570.86.15-1"}, "", nil},
		{"another plugin, and what it stands in", versions{EFAInstaller: "1.45.0", NCCL: "2.28.3"}, versions{EFAInstaller: "1.43.2", NCCL: "2.27.7"}, "", []string{
			"ver/host-container: in the container efa-installer 1.43.2, nccl 2.27.7",
		}},
		{"another build of libfabric", versions{EFAInstaller: "1.45.0"}, versions{EFAInstaller: "1.45.0", Libfabric: "2.4.0amzn3.0"}, "", []string{
			"ver/host-container: in the container libfabric 2.4.0amzn3.0",
		}},
		{"an unreadable version is not compared", versions{NCCL: "latest"}, versions{NCCL: "2.27.7"}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := func(c Component) diag.Place { return diag.Place{File: "image", Path: string(c)} }
			findings := Stack{Versions: tt.container, At: at}.On(Stack{Versions: tt.host}, Floors("p5en.48xlarge", Workload{Kind: "moe", Dispatcher: tt.dispatcher}))
			diagtest.Complete(t, findings)
			var got []string
			for _, f := range findings {
				require.Equal(t, diag.Warn, f.Level)
				require.NotEmpty(t, f.Source)
				got = append(got, string(f.Rule)+": "+f.Got)
			}
			require.Equal(t, tt.want, got)
		})
	}
}
