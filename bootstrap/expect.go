package bootstrap

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Mode says what a failed expectation does.
type Mode string

// The modes. The zero value is Enforce.
const (
	Enforce Mode = "enforce" // the node fails its boot
	Report  Mode = "report"  // the node boots, and the log tells
)

// Expectation is what the scripts compare a node with. The zero value expects nothing.
type Expectation struct {
	Mode    Mode
	Lowered []diag.ID    // rules that warn only
	Seconds map[Name]int // within which each script ends

	GPUs          int             // NVIDIA GPUs; 0: not judged
	EFADevices    int             // at least; 0: not judged
	GDR           bool            // the network reads GPU memory itself
	FabricManager bool            // NVSwitches need it
	Modules       catalog.Modules // flavours of NVIDIA's kernel modules that drive the GPUs; both or none: not judged
	Memlock       bool            // unlimited
	GDRCopy       bool            // gdrdrv must be loaded
	GDRCopyMin    string          // lowest version of GDRCopy; empty: any

	Install Archive // GDRCopy to install where the node's does not do

	Floors []HostFloor
	Denied []catalog.Denied
	Pairs  []catalog.Pair

	Environment map[string]string // of a job
	Residues    []Residue         // settings that nodes should not have; the first that fits counts
}

// HostFloor is a floor of a component on the node itself.
type HostFloor struct {
	catalog.Floor
	Must bool // it must be found on the node; another one may live in a container, or is missed by a rule of its own
}

// hostComponents are those that nodecheck finds on a node, and whether their absence is a fault of its own. NCCL,
// PyTorch, NVSHMEM and the rest come with the job; node/driver and node/gdrdrv tell of a missing driver or GDRCopy.
var hostComponents = map[catalog.Component]bool{
	catalog.NVIDIADriver: false,
	catalog.EFAInstaller: true,
	catalog.EFADriver:    true,
	catalog.Kernel:       true,
	catalog.GDRCopy:      false,
	catalog.Libfabric:    false,
	catalog.OFIPlugin:    false,
	catalog.CUDA:         false,
	catalog.Enroot:       false,
	catalog.Pyxis:        false,
}

// efaTries, with pauses of 1, 2, 4, … 30 s between them, wait a minute for EFA devices that appear late, as on
// p5en (awslabs/awsome-distributed-ai, gpu-cluster-healthcheck).
const efaTries = 7

// expectation gathers what the plan says of a group's nodes.
func expectation(p plan.Cluster, g plan.NodeGroup, o Options) Expectation {
	e := Expectation{
		Mode: o.Mode, Lowered: lowered(p), Seconds: seconds(p.Config.Bootstrap.TimeoutMinutes),
		EFADevices: g.Healthy.EFADevices, GDR: g.Healthy.GDR, Memlock: g.Healthy.EFADevices > 0,
		Install: o.GDRCopy,
	}
	if g.Architecture == "" { // a type that the catalogue does not know: facts only
		e.Mode = Report
		return e
	}
	if g.Healthy.Kind == "gpu" {
		e.GPUs = g.Healthy.Accelerators
		e.FabricManager, _ = catalog.NVSwitched(g.InstanceType)
		e.Modules, _ = catalog.ModulesOf(g.InstanceType)
	}
	e.Floors = hostFloors(g)
	e.Denied = slices.DeleteFunc(catalog.Denylist(), func(d catalog.Denied) bool { return !onHost(d.Component) })
	e.Pairs = hostPairs(catalog.Pairs())
	e.Environment = environment(p, g)
	e.Residues = residues(g.InstanceType)
	e.expectGDRCopy(g)
	return e
}

// expectGDRCopy: a type without a floor of GDRCopy works without it, so that there its action only warns, and
// installs nothing.
func (e *Expectation) expectGDRCopy(g plan.NodeGroup) {
	floor, asked := floorOf(g, catalog.GDRCopy)
	e.GDRCopy, e.GDRCopyMin = asked, floor.Min
	if !asked {
		e.Install = Archive{}
		if !slices.Contains(e.Lowered, diag.BootGDRCopy) {
			e.Lowered = append(e.Lowered, diag.BootGDRCopy)
		}
	}
}

// lowered lists the rules that the user judges below error.
func lowered(p plan.Cluster) []diag.ID {
	var out []diag.ID
	for _, id := range slices.Sorted(maps.Keys(p.Config.Rules)) {
		if level := p.Config.Rules[id].Level; level != diag.Unset && level < diag.Error {
			out = append(out, id)
		}
	}
	return out
}

// seconds shares out the bootstrap timeout: more than half of it stays with ParallelCluster and the user's own
// scripts.
func seconds(timeoutMinutes int) map[Name]int {
	all := timeoutMinutes * 60
	return map[Name]int{GDRCopy: min(900, all/3), NodeCheck: min(180, all/10), NCCLEnv: min(30, all/20)}
}

func onHost(c catalog.Component) bool {
	_, ok := hostComponents[c]
	return ok
}

func hostFloors(g plan.NodeGroup) []HostFloor {
	var out []HostFloor
	for _, v := range g.Versions {
		if onHost(v.Component) {
			out = append(out, HostFloor{Floor: v.Floor, Must: hostComponents[v.Component]})
		}
	}
	return out
}

// hostPairs keeps what a node alone can judge: pairs whose components it has, compared with fixed versions.
func hostPairs(pairs []catalog.Pair) []catalog.Pair {
	var out []catalog.Pair
	for _, p := range pairs {
		p.Then = slices.DeleteFunc(slices.Clone(p.Then), func(c catalog.Condition) bool { return !fixed(c) })
		if fixed(p.If) && len(p.Then) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func fixed(c catalog.Condition) bool {
	return onHost(c.Component) && c.Op == catalog.AtLeast && c.Than == ""
}

// variables of a script, in the order in which they are written.
func (e Expectation) variables(name Name) []variable {
	out := []variable{
		{"action", string(name)},
		{"expect_mode", string(mode(e.Mode))},
		{"expect_lowered", join(e.Lowered)},
		{"expect_seconds", strconv.Itoa(max(1, e.Seconds[name]))},
	}
	switch name {
	case GDRCopy:
		out = append(out, e.gdrcopy()...)
	case NodeCheck:
		out = append(out, e.node()...)
	case NCCLEnv:
		out = append(out, e.nccl()...)
	}
	return out
}

func (e Expectation) gdrcopy() []variable {
	return []variable{
		{"expect_gdrcopy_min", e.GDRCopyMin},
		{"expect_gdrcopy_version", e.Install.Version},
		{"expect_gdrcopy_url", e.Install.URL},
		{"expect_gdrcopy_sha256", strings.ToLower(e.Install.SHA256)},
	}
}

func (e Expectation) node() []variable {
	dmabuf, _ := catalog.DMABufKernel()
	return []variable{
		{"expect_gpus", positive(e.GPUs)},
		{"expect_efa_devices", positive(e.EFADevices)},
		{"expect_efa_tries", strconv.Itoa(efaTries)},
		{"expect_gdrdrv", yes(e.GDRCopy)},
		{"expect_peermem", yes(e.GDR)},
		{"expect_dmabuf_kernel", dmabuf},
		{"expect_fabric_manager", yes(e.FabricManager)},
		{"expect_flavour", string(onlyFlavour(e.Modules))},
		{"expect_flavour_reason", e.Modules.Reason},
		{"expect_memlock", map[bool]string{true: "unlimited"}[e.Memlock]},
		{"expect_floors", lines(e.Floors, floorRecord)},
		{"expect_denied", lines(e.Denied, func(d catalog.Denied) string {
			return record(string(d.Component), d.From, d.Below, d.Fixed, d.Reason)
		})},
		{"expect_pairs", lines(e.Pairs, pairRecord)},
	}
}

// onlyFlavour is the one flavour that drives the GPUs; empty where both do.
func onlyFlavour(m catalog.Modules) catalog.Flavour {
	if all := m.Flavours(); len(all) == 1 {
		return all[0]
	}
	return ""
}

func floorRecord(f HostFloor) string {
	need := "may"
	if f.Must {
		need = "must"
	}
	return record(string(f.Component), f.Min, need, f.For)
}

func pairRecord(p catalog.Pair) string {
	var others []string
	for _, c := range p.Then {
		others = append(others, string(c.Component), c.Version)
	}
	return record(string(p.If.Component), p.If.Version, strings.Join(others, " "), p.Reason)
}

func (e Expectation) nccl() []variable {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(e.Environment)) {
		env = append(env, name+"="+strings.ReplaceAll(e.Environment[name], "\n", " "))
	}
	return []variable{
		{"expect_environment", strings.Join(env, "\n")},
		{"expect_residue", lines(e.Residues, func(r Residue) string { return record(r.Pattern, r.Effect) })},
	}
}

func mode(m Mode) Mode {
	if m == Report {
		return Report
	}
	return Enforce
}

func join(ids []diag.ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = string(id)
	}
	return strings.Join(words, " ")
}

func lines[T any](list []T, line func(T) string) string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = line(item)
	}
	return strings.Join(out, "\n")
}

// positive writes a number, and nothing for zero: what is not expected is not judged.
func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
