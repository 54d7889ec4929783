package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

func TestJudge(t *testing.T) {
	type versions = map[Component]string
	tests := []struct {
		name         string
		instanceType string
		dispatcher   string
		installed    versions
		want         []string // rule: got
	}{
		{"all well", "p6-b200.48xlarge", "", versions{
			NVIDIADriver: "580.105.08", CUDA: "13.0", GDRCopy: "2.5.1", EFAInstaller: "1.46.0", NCCL: "2.28.7-1+cuda13.0",
		}, nil},
		{"nothing known", "p6-b200.48xlarge", "", versions{}, nil},
		{"an empty version is not known", "p6-b200.48xlarge", "", versions{NCCL: ""}, nil},
		{"the installer's floor stands for its contents", "p6-b200.48xlarge", "", versions{EFAInstaller: "1.41.0"}, []string{
			"ver/floor: efa-installer 1.41.0",
		}},
		{"contents given themselves are judged themselves", "p6-b200.48xlarge", "", versions{EFAInstaller: "1.41.0", OFIPlugin: "1.14.2"}, []string{
			"ver/floor: aws-ofi-nccl 1.14.2",
			"ver/floor: efa-installer 1.41.0",
		}},
		{"a plugin replaced by an older one", "p6-b200.48xlarge", "", versions{EFAInstaller: "1.46.0", OFIPlugin: "1.14.2"}, []string{
			"ver/floor: aws-ofi-nccl 1.14.2",
		}},
		{"host driver too old for GIN", "p5en.48xlarge", "deepep-v2", versions{EFADriver: "3.1.0g", NCCL: "2.31.2-1"}, []string{
			"ver/floor: efa-driver 3.1.0g",
		}},
		{"an installer too old for GIN is one finding", "p5en.48xlarge", "deepep-v2", versions{EFAInstaller: "1.49.0"}, []string{
			"ver/floor: efa-installer 1.49.0",
		}},
		{"driver 580 with an older EFA driver is one finding", "p5en.48xlarge", "", versions{NVIDIADriver: "580.65.06", EFAInstaller: "1.43.2"}, []string{
			"ver/pair: nvidia-driver 580.65.06 with efa-installer 1.43.2",
		}},
		{"a host driver older than its installer", "p5en.48xlarge", "", versions{NVIDIADriver: "580", EFAInstaller: "1.46.0", EFADriver: "2.17.2"}, []string{
			"ver/pair: nvidia-driver 580 with efa-driver 2.17.2",
		}},
		{"driver 570 has no such pair", "p5en.48xlarge", "", versions{NVIDIADriver: "570.172.08", EFAInstaller: "1.43.2"}, nil},
		{"NCCL 2.19 with an old installer", "p5.48xlarge", "", versions{NCCL: "22109", EFAInstaller: "1.28.0"}, []string{
			"ver/pair: nccl 22109 with efa-installer 1.28.0",
		}},
		{"a plugin on an older libfabric", "p4d.24xlarge", "", versions{OFIPlugin: "1.21.1", Libfabric: "1.21.0amzn1.0"}, []string{
			"ver/pair: aws-ofi-nccl 1.21.1 with libfabric 1.21.0amzn1.0",
		}},
		{"a plugin built on a newer libfabric", "p4d.24xlarge", "", versions{OFIPlugin: "1.19.0", Libfabric: "1.22.0", PluginLibfabric: "2.4.0"}, []string{
			"ver/denied: aws-ofi-nccl 1.19.0",
			"ver/pair: aws-ofi-nccl 1.19.0 with libfabric 1.22.0",
		}},
		{"a plugin built on the same libfabric", "p4d.24xlarge", "", versions{OFIPlugin: "1.17.2", Libfabric: "2.3.1amzn2.0", PluginLibfabric: "2.3.1"}, nil},
		{"a denied installer is one finding", "p5en.48xlarge", "", versions{EFAInstaller: "1.47.0"}, []string{
			"ver/denied: efa-installer 1.47.0",
		}},
		{"a denied plugin", "p5en.48xlarge", "", versions{OFIPlugin: "1.18.0"}, []string{"ver/denied: aws-ofi-nccl 1.18.0"}},
		{"a denied installer with a good plugin", "p5en.48xlarge", "", versions{EFAInstaller: "1.47.0", OFIPlugin: "1.20.0"}, []string{
			"ver/denied: efa-installer 1.47.0",
		}},
		{"installer 1.35.0", "p4d.24xlarge", "", versions{EFAInstaller: "1.35.0"}, []string{"ver/denied: efa-installer 1.35.0"}},
		{"installer 1.7.1", "p4d.24xlarge", "", versions{EFAInstaller: "1.7.1"}, []string{"ver/denied: efa-installer 1.7.1"}},
		{"an unreadable version is no pass", "p5en.48xlarge", "", versions{NCCL: "newest", CUDA: "12.1"}, []string{
			`ver/unreadable: nccl "newest"`,
		}},
		{"GDRCopy of any version", "p4d.24xlarge", "pplx", versions{GDRCopy: "2.3", CUDA: "12.4"}, []string{"ver/floor: cuda 12.4"}},
		{"a Fabric Manager of the driver", "p5en.48xlarge", "", versions{NVIDIADriver: "580.105.08", FabricManager: "580.105.08-1"}, nil},
		{"an installer that no table knows", "p5en.48xlarge", "", versions{EFAInstaller: "1.25.1"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := diag.Place{Path: "workload.components"}
			floors := Floors(tt.instanceType, Workload{Kind: "moe", Dispatcher: tt.dispatcher})
			verdicts, findings := Judge(tt.installed, floors, at)
			require.Len(t, verdicts, len(floors))
			var got []string
			for _, f := range findings {
				require.Equal(t, at, f.Place)
				require.Equal(t, diag.Error, f.Level)
				require.NotEmpty(t, f.Want)
				require.NotEmpty(t, f.Hint)
				got = append(got, string(f.Rule)+": "+f.Got)
			}
			require.Len(t, got, len(tt.want), "%v", got)
			slices.Sort(got)
			for i := range tt.want {
				require.Contains(t, got[i], tt.want[i])
			}
		})
	}
}

func TestJudgeSaysWhereAVersionComesFromAndTheWayUp(t *testing.T) {
	verdicts, findings := Judge(map[Component]string{EFAInstaller: "1.41.0"},
		[]Floor{{Component: OFIPlugin, Min: "1.15.0", For: "p6-b200", Reason: "because", Conflicts: []string{"1.14.2 (a page)"}, Source: p6Page}}, diag.Place{})
	require.Equal(t, "efa-installer 1.41.0", verdicts[0].Bundle)
	require.Equal(t, NotMet, verdicts[0].State)
	require.Len(t, findings, 1)
	require.Equal(t, "aws-ofi-nccl 1.14.2 (from efa-installer 1.41.0)", findings[0].Got)
	require.Equal(t, "aws-ofi-nccl 1.15.0 or later (p6-b200): because", findings[0].Want)
	require.Equal(t, "install efa-installer 1.42.0 or later, the first with it", findings[0].Hint)
	require.Equal(t, "DLAMI Developer Guide, p6-support-dlami (read 2026-11-30); other figures: 1.14.2 (a page)", findings[0].Source)

	_, findings = Judge(map[Component]string{EFAInstaller: "1.41.0"}, []Floor{{Component: Libfabric, Min: "99", For: "somebody", Source: p6Page}}, diag.Place{})
	require.Equal(t, "install libfabric 99 or later; no known EFA installer brings it", findings[0].Hint)

	_, findings = Judge(map[Component]string{NCCL: "2.28.3"}, []Floor{{Component: NCCL, Min: "2.x", For: "somebody", Source: p6Page}}, diag.Place{})
	require.Len(t, findings, 1)
	require.Equal(t, diag.VerUnreadable, findings[0].Rule)
	require.Contains(t, findings[0].Got, `floor "2.x" of nccl`)
}

// 1.48.0 and 1.49.0 are known from reports only: what is concluded from them says so.
func TestJudgeMarksReportedContents(t *testing.T) {
	have := map[Component]string{EFAInstaller: "1.48.0", PluginLibfabric: "2.6.0"}
	verdicts, findings := Judge(have, Floors("p5en.48xlarge", Workload{Kind: "dense"}), diag.Place{})
	at := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Component == Libfabric })
	require.Equal(t, "efa-installer 1.48.0, as reported", verdicts[at].Bundle)
	require.Contains(t, findings[len(findings)-1].Got, "libfabric 2.4.0amzn3.0 (from efa-installer 1.48.0, as reported)")
}

func TestVerdictStates(t *testing.T) {
	floors := []Floor{
		{Component: NCCL, Min: "2.28.3"},
		{Component: CUDA, Min: "13.0"},
		{Component: GDRCopy},
		{Component: Kernel, Min: "6.1"},
		{Component: DCGM, Min: "4.4.0"},
		{Component: Libfabric, Min: "2.0"},
	}
	verdicts, _ := Judge(map[Component]string{
		NCCL: "2.28.3", CUDA: "12.8", GDRCopy: "2.4", Kernel: "unknown", EFAInstaller: "1.50.0",
	}, floors, diag.Place{})
	var states []State
	for _, v := range verdicts {
		states = append(states, v.State)
	}
	require.Equal(t, []State{Met, NotMet, Met, Unreadable, NotKnown, Met}, states)
}

func TestJudgeLeavesItsInputAlone(t *testing.T) {
	installed := map[Component]string{EFAInstaller: "1.50.0", NCCL: ""}
	before := maps.Clone(installed)
	Judge(installed, Floors("p5en.48xlarge", Workload{}), diag.Place{})
	require.Equal(t, before, installed)
}

// Whatever is installed: each component below its floor ends in a finding, of its own or of the installer
// that brought it, and each unreadable version in one of its own.
func TestJudgeLosesNothing(t *testing.T) {
	components := []Component{NVIDIADriver, CUDA, GDRCopy, EFAInstaller, EFADriver, Libfabric, OFIPlugin, NCCL, Kernel}
	texts := []string{"0.1", "1.18.0", "1.41.0", "1.47.0", "1.50.0", "2.5", "2.31.2-1", "580.1", "6.1", "12.8", "99", "latest", ""}
	rapid.Check(t, func(t *rapid.T) {
		installed := rapid.MapOf(rapid.SampledFrom(components), rapid.SampledFrom(texts)).Draw(t, "installed")
		it := rapid.SampledFrom(Instances()).Draw(t, "type")
		d := rapid.SampledFrom(Dispatchers()).Draw(t, "dispatcher")
		verdicts, findings := Judge(installed, Floors(it.Name, Workload{Kind: "moe", Dispatcher: d.Name}), diag.Place{})
		for _, v := range verdicts {
			if fault := lost(v, findings); fault != "" {
				t.Fatalf("%s %q: %s", v.Component, v.Installed, fault)
			}
		}
	})
}

// lost says what of a verdict no finding says.
func lost(v Verdict, findings diag.List) string {
	said := func(rule diag.ID, c Component) bool {
		return slices.ContainsFunc(findings, func(f diag.Finding) bool {
			return f.Rule == rule && strings.HasPrefix(f.Got, string(c)+" ")
		})
	}
	own := said(diag.VerFloor, v.Component)
	bundled := v.Bundle != "" && said(diag.VerFloor, EFAInstaller)
	switch {
	case v.State == NotMet && !own && !bundled:
		return "below " + v.Floor.Min + ", and no finding says so"
	case v.State == Unreadable && !said(diag.VerUnreadable, v.Component):
		return "unreadable, and no finding says so"
	case v.State == NotKnown && v.Installed != "":
		return "called not known"
	default:
		return ""
	}
}

func TestPairTable(t *testing.T) {
	for _, p := range append(Pairs(), Crossings()...) {
		require.NotEmpty(t, p.Reason, p.Name)
		require.NotEmpty(t, p.Then, p.Name)
		requireDay(t, p.Source.Date)
		for _, c := range p.conditions() {
			require.Contains(t, []Op{AtLeast, Below, Equal}, c.Op, p.Name)
			require.NotEqual(t, c.Version == "", c.Than == "", "%s: one bound", p.Name)
			if c.Version != "" {
				_, err := version.Parse(c.Version)
				require.NoError(t, err, p.Name)
			}
		}
	}
}

func TestConditionHolds(t *testing.T) {
	have := versions{NCCL: version.MustParse("2.28"), CUDA: version.MustParse("13")}
	for _, tt := range []struct {
		condition Condition
		ok, known bool
	}{
		{Condition{Component: NCCL, Op: AtLeast, Version: "2.28.0"}, true, true},
		{Condition{Component: NCCL, Op: Below, Version: "2.28.0"}, false, true},
		{Condition{Component: NCCL, Op: Below, Version: "2.29"}, true, true},
		{Condition{Component: NCCL, Op: AtLeast, Than: CUDA}, false, true},
		{Condition{Component: NCCL, Op: AtLeast, Than: DCGM}, false, false},
		{Condition{Component: DCGM, Op: AtLeast, Version: "1"}, false, false},
		{Condition{Component: NCCL, Op: Equal, Version: "2.28.0"}, true, true},
		{Condition{Component: NCCL, Op: Equal, Than: CUDA}, false, true},
	} {
		ok, known := tt.condition.holds(have)
		require.Equal(t, [2]bool{tt.ok, tt.known}, [2]bool{ok, known}, tt.condition.String())
	}
	require.Equal(t, "libfabric >= aws-ofi-nccl-libfabric", Condition{Component: Libfabric, Op: AtLeast, Than: PluginLibfabric}.String())
}

func TestDenylistTable(t *testing.T) {
	bundles := map[string]bool{}
	for _, d := range Denylist() {
		name := fmt.Sprintf("%s %s", d.Component, d.Range())
		require.NotEmpty(t, d.Reason, name)
		requireDay(t, d.Source.Date)
		fixed := version.MustParse(d.Fixed)
		require.False(t, d.Covers(fixed), name)
		require.True(t, d.Covers(version.MustParse(d.From)), name)
		require.Positive(t, fixed.Compare(version.MustParse(d.From)), name)
		for _, other := range Denylist() {
			require.False(t, other.Component == d.Component && other.Covers(fixed), "%s: the way out is denied too", name)
		}
		if d.Component == EFAInstaller {
			bundles[name] = true
		} else {
			require.NotEmpty(t, bundles, "installers stand first: what they bring is not denied again")
		}
	}
	plugin := Denylist()[len(Denylist())-1]
	for text, want := range map[string]bool{"1.17.3": false, "1.18.0": true, "v1.18.0-aws": true, "1.19.0": true, "1.20.0": false} {
		require.Equal(t, want, plugin.Covers(version.MustParse(text)), text)
	}
	require.Equal(t, "1.18.0 up to, not with, 1.20.0", plugin.Range())
}

// Every installer that brings a denied plugin is denied, so that one finding is enough; and no release of
// the catalogue's floor is.
func TestDenylistOfBundles(t *testing.T) {
	covered := func(c Component, text string) bool {
		return slices.ContainsFunc(Denylist(), func(d Denied) bool { return d.Component == c && d.Covers(version.MustParse(text)) })
	}
	for _, i := range Installers() {
		if i.Plugin != "" {
			require.Equal(t, covered(OFIPlugin, i.Plugin), covered(EFAInstaller, i.Version), i.Version)
		}
	}
}
