package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/version"
)

func minimumsOf(floors []Floor) map[Component]string {
	out := map[Component]string{}
	for _, f := range floors {
		out[f.Component] = f.Min
	}
	return out
}

func TestFloors(t *testing.T) {
	dense := Workload{Kind: "dense"}
	tests := []struct {
		name         string
		instanceType string
		workload     Workload
		want         map[Component]string
	}{
		{"p5en", "p5en.48xlarge", dense, map[Component]string{
			NVIDIADriver: "550", CUDA: "12.1", GDRCopy: "2.3", EFAInstaller: "1.24.1", NCCL: "2.18.3", EFAK8sPlugin: "0.5.6",
			Libfabric: "1.7.0", OpenMPI: "4.1",
		}},
		{"a size with a floor of its own", "p5.4xlarge", dense, map[Component]string{
			NVIDIADriver: "530", CUDA: "12.1", GDRCopy: "2.3", EFAInstaller: "1.43.1", NCCL: "2.18.3", EFAK8sPlugin: "0.4.4",
			OFIPlugin: "1.7.2", Libfabric: "1.7.0", OpenMPI: "4.1",
		}},
		{"the safe one of two figures", "p6-b200.48xlarge", dense, map[Component]string{
			NVIDIADriver: "570", CUDA: "12.8", GDRCopy: "2.5", EFAInstaller: "1.42.0", NCCL: "2.26.2-1", EFAK8sPlugin: "0.5.10",
			OFIPlugin: "1.15.0", Kernel: "6.1", Libfabric: "1.7.0", OpenMPI: "4.1",
		}},
		{"p6e-gb200", "p6e-gb200.36xlarge", dense, map[Component]string{
			NVIDIADriver: "570", CUDA: "12.8", GDRCopy: "2.5", EFAInstaller: "1.42.0", NCCL: "2.26.2-1", EFAK8sPlugin: "0.5.10",
			OFIPlugin: "1.15.0", Kernel: "6.12", Libfabric: "1.7.0", OpenMPI: "4.1",
		}},
		{"p6-b300 with DCGM", "p6-b300.48xlarge", dense, map[Component]string{
			NVIDIADriver: "580", CUDA: "13.0", GDRCopy: "2.5", EFAInstaller: "1.44.0", NCCL: "2.28.3", EFAK8sPlugin: "0.5.10",
			OFIPlugin: "1.17.1", Kernel: "6.1", DCGM: "4.4.0", Libfabric: "1.7.0", OpenMPI: "4.1",
		}},
		{"no table of AWS", "p4d.24xlarge", dense, map[Component]string{NCCL: "2.4.2", Libfabric: "1.7.0", OpenMPI: "4.1"}},
		{"no GPU", "trn1.32xlarge", dense, map[Component]string{Libfabric: "1.7.0", OpenMPI: "4.1"}},
		{"a size that the catalogue does not know", "p5en.96xlarge", dense, map[Component]string{
			NVIDIADriver: "550", CUDA: "12.1", GDRCopy: "2.3", EFAInstaller: "1.24.1", NCCL: "2.18.3", EFAK8sPlugin: "0.5.6",
			Libfabric: "1.7.0", OpenMPI: "4.1",
		}},
		{"deepep-v2", "p5en.48xlarge", Workload{Kind: "moe", Dispatcher: "deepep-v2"}, map[Component]string{
			NVIDIADriver: "550", CUDA: "12.3", GDRCopy: "2.5", EFAInstaller: "1.50.0", EFADriver: "3.3.0", NCCL: "2.31.2-1",
			EFAK8sPlugin: "0.5.6", OFIPlugin: "1.21.0", Libfabric: "2.6.0", OpenMPI: "4.1", PyTorch: "2.10",
		}},
		{"deepep-v1 on B300", "p6-b300.48xlarge", Workload{Kind: "moe", Dispatcher: "deepep-v1-nvshmem"}, map[Component]string{
			NVIDIADriver: "580", CUDA: "13.0", GDRCopy: "2.5", EFAInstaller: "1.44.0", NCCL: "2.28.3", EFAK8sPlugin: "0.5.10",
			OFIPlugin: "1.17.1", Kernel: "6.1", DCGM: "4.4.0", Libfabric: "1.7.0", OpenMPI: "4.1", NVSHMEM: "3.7.0",
		}},
		{"pplx where nothing else asks for GDRCopy", "p4d.24xlarge", Workload{Kind: "moe", Dispatcher: "pplx"}, map[Component]string{
			NCCL: "2.4.2", Libfabric: "1.7.0", OpenMPI: "4.1", GDRCopy: "", CUDA: "12.8", Kernel: "5.12",
		}},
		{"a dense model has no dispatcher", "p4d.24xlarge", Workload{Kind: "dense", Dispatcher: "deepep-v2"}, map[Component]string{
			NCCL: "2.4.2", Libfabric: "1.7.0", OpenMPI: "4.1",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Floors(tt.instanceType, tt.workload)
			require.Empty(t, cmp.Diff(tt.want, minimumsOf(got)))
			require.True(t, slices.IsSortedFunc(got, func(a, b Floor) int { return strings.Compare(string(a.Component), string(b.Component)) }))
		})
	}
}

func TestFloorShowsWhatItOverrides(t *testing.T) {
	floors := Floors("p6-b200.48xlarge", Workload{Kind: "moe", Dispatcher: "deepep-v2"})
	nccl := floors[slices.IndexFunc(floors, func(f Floor) bool { return f.Component == NCCL })]
	require.Equal(t, "2.31.2-1", nccl.Min)
	require.Equal(t, "nccl 2.31.2-1 or later (deepep-v2)", nccl.String())
	var also []string
	for _, f := range nccl.Also {
		also = append(also, f.Min)
		require.Empty(t, f.Also)
	}
	slices.Sort(also)
	require.Equal(t, []string{"2.25.1", "2.26.2-1", "2.4.2"}, also)

	efa := Floors("p6-b200.48xlarge", Workload{})
	installer := efa[slices.IndexFunc(efa, func(f Floor) bool { return f.Component == EFAInstaller })]
	require.Equal(t, "1.42.0", installer.Min)
	require.Len(t, installer.Conflicts, 1)
	require.Contains(t, installer.Conflicts[0], "1.41.0")
	require.Equal(t, "gdrcopy, any version (pplx)", Floor{Component: GDRCopy, For: "pplx"}.String())
}

// Every GPU type of the P and G families with EFA has floors, each dated and readable, and the installer
// that a floor asks for brings what the other floors ask of it.
func TestFloorsOfEveryTypeAndWorkload(t *testing.T) {
	for _, it := range Instances() {
		for _, d := range append(Dispatchers(), Dispatcher{}) {
			floors := Floors(it.Name, Workload{Kind: "moe", Dispatcher: d.Name})
			require.NotEmpty(t, floors, it.Name)
			if it.Accelerator.Kind == "gpu" {
				require.Contains(t, minimumsOf(floors), NCCL, it.Name)
			}
			for _, f := range floors {
				checkFloor(t, f, it.Name+" "+d.Name)
			}
			checkBundle(t, minimumsOf(floors), it.Name+" "+d.Name)
		}
	}
}

func checkFloor(t *testing.T, f Floor, name string) {
	t.Helper()
	require.NotEmpty(t, f.For, name)
	require.NotEmpty(t, f.Source.Ref, name)
	requireDay(t, f.Source.Date)
	if f.Min == "" {
		return
	}
	floor, err := version.Parse(f.Min)
	require.NoError(t, err, name)
	for _, a := range f.Also {
		require.Equal(t, f.Component, a.Component, name)
		if a.Min != "" {
			require.True(t, floor.AtLeast(version.MustParse(a.Min)), "%s: %s overrides %s", name, f.Min, a.Min)
		}
	}
}

func checkBundle(t *testing.T, minimum map[Component]string, name string) {
	t.Helper()
	floor, ok := minimum[EFAInstaller]
	if !ok {
		return
	}
	i, ok := FirstInstaller(EFAInstaller, floor)
	require.True(t, ok, name)
	for c, has := range i.Contents() {
		if want := minimum[c]; want != "" {
			require.GreaterOrEqual(t, compare(t, has, want), 0, "%s: installer %s brings %s %s, the floor is %s", name, i.Version, c, has, want)
		}
	}
}

func TestDispatchers(t *testing.T) {
	all := Dispatchers()
	require.True(t, slices.IsSortedFunc(all, func(a, b Dispatcher) int { return strings.Compare(a.Name, b.Name) }))
	for _, d := range all {
		require.NotEmpty(t, d.Note, d.Name)
		requireDay(t, d.Source.Date)
		for _, f := range d.GPUInitiated {
			require.True(t, slices.ContainsFunc(Instances(), func(t InstanceType) bool { return t.Family() == f }), f)
		}
	}
	for name, over := range map[string]bool{"nccl": true, "hybridep": false, "deepep-v1": false, "deepep-v1-nvshmem": true, "deepep-v2": true, "pplx": true, "uccl": true} {
		d, ok := DispatcherOf(name)
		require.True(t, ok, name)
		require.Equal(t, over, d.OverNodes, name)
	}
	_, ok := DispatcherOf("deepep-v3")
	require.False(t, ok)
	// A dispatcher that a floor names must exist, or the floor binds nobody.
	for _, m := range workloadMinimums {
		for _, name := range m.dispatchers {
			_, ok := DispatcherOf(name)
			require.True(t, ok, name)
		}
	}
}

// Types and families that a minimum names must exist, or the floor binds nobody.
func TestMinimumsNameKnownTypes(t *testing.T) {
	for _, m := range slices.Concat(typeMinimums, workloadMinimums) {
		for _, name := range m.types {
			require.True(t, slices.ContainsFunc(Instances(), func(t InstanceType) bool {
				return t.Name == name || t.Family() == name
			}), name)
		}
	}
}

// A component that a table names and the list lacks could not be told by users.
func TestComponentsHoldsEveryComponentOfTheTables(t *testing.T) {
	all := Components()
	require.True(t, slices.IsSorted(all))
	require.Equal(t, all, slices.Compact(slices.Clone(all)))
	for _, r := range floorRules() {
		require.Contains(t, all, r.Component)
	}
	for _, i := range Installers() {
		for c := range i.Contents() {
			require.Contains(t, all, c)
		}
	}
	for _, r := range Releases() {
		for c := range r.Ships {
			require.Contains(t, all, c)
		}
	}
	for _, d := range Denylist() {
		require.Contains(t, all, d.Component)
	}
	for _, p := range append(Pairs(), Crossings()...) {
		for _, c := range p.conditions() {
			require.Contains(t, all, c.Component)
			if c.Than != "" {
				require.Contains(t, all, c.Than)
			}
		}
	}
}
