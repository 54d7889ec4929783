package topology_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/topology"
)

// read joins texts, each of a file of its own.
func read(t testing.TB, texts ...string) (topology.Topology, diag.List) {
	t.Helper()
	var all topology.Answers
	var found diag.List
	for i, text := range texts {
		a, l := topology.Read(fmt.Sprintf("%d.json", i), []byte(text))
		all.Add(a)
		found = append(found, l...)
	}
	top, l := topology.New(all)
	return top, append(found, l...)
}

func position(id, path string) string {
	return fmt.Sprintf(`{"InstanceId": %q, "InstanceType": "p5en.48xlarge", "ZoneId": "use2-az1", "NetworkNodes": %s}`, id, path)
}

// names of the places in order.
func names(t topology.Topology) string {
	var out []string
	for _, p := range t.Places {
		out = append(out, p.Name())
	}
	return strings.Join(out, " ")
}

// TestCaseTOPO02EmptyIsUnknown: EC2 tells nothing of a type for which some list knows topology. Its instances are not under one leaf.
func TestCaseTOPO02EmptyIsUnknown(t *testing.T) {
	for name, path := range map[string]string{"empty": `[]`, "null": `null`} {
		t.Run(name, func(t *testing.T) {
			top, found := read(t, `{"Instances": [`+position("i-1", path)+`,`+position("i-2", path)+`]}`)
			require.Equal(t, topology.Unknown, top.Between(top.Places[0], top.Places[1]).Kind)
			require.Equal(t, []topology.Class{{
				Distance: topology.Distance{Levels: 1, Kind: topology.Unknown}, Says: "unknown", Pairs: 1, Sample: [][2]string{{"i-1", "i-2"}},
			}}, top.Classes())
			require.Contains(t, rules(found), diag.TopoUnknown)
		})
	}
}

// TestCaseTOPO03Drift: a node that is powered down dropped out of Slurm's blocks.
func TestCaseTOPO03Drift(t *testing.T) {
	for name, found := range map[string]string{"ultraserver": "ip-10-1-0-42", "drift": "gpu-st-h200-5"} {
		t.Run(name, func(t *testing.T) {
			_, l := situation(t, name)
			var got []string
			for _, f := range l {
				if f.Rule == diag.TopoDrift {
					got = append(got, f.Place.Resource)
				}
			}
			require.Contains(t, got, found)
		})
	}
}

// TestCaseTOPO03Good: a topology that is written by weft has no fault in weft's eyes.
func TestCaseTOPO03Good(t *testing.T) {
	for _, name := range []string{"slurm-names", "ultraserver", "two-blocks", "spread"} {
		t.Run(name, func(t *testing.T) {
			top, _ := situation(t, name)
			conf, err := top.SlurmConf()
			require.NoError(t, err)
			answers, found := topology.Read("topology.conf", []byte(conf))
			require.Empty(t, found)
			require.NotEmpty(t, answers.Switches)
			for _, p := range top.Places {
				answers.Positions = append(answers.Positions, topology.Position{Instance: p.Instance, Path: p.Path, UltraServer: p.UltraServer})
				answers.Instances = append(answers.Instances, topology.Instance{ID: p.Instance, Host: p.Host, Type: p.Type})
				if p.Node != "" {
					answers.Nodes = append(answers.Nodes, topology.Node{Name: p.Node, Host: p.Host})
				}
			}
			_, found = topology.New(answers)
			require.NotContains(t, rules(found), diag.TopoDrift)
		})
	}
}

// TestCaseTOPO05HostOrder: ParallelCluster writes a topology for GB200 only. The file says so, and the hosts come in order all the same.
func TestCaseTOPO05HostOrder(t *testing.T) {
	top, _ := situation(t, "slurm-names")
	conf, err := top.SlurmConf()
	require.NoError(t, err)
	require.Contains(t, conf, "ParallelCluster writes such a file for GB200 only")
	hosts, missing := top.Hosts()
	require.Equal(t, []string{"gpu-st-h200-1", "gpu-st-h200-3", "gpu-st-h200-2", "gpu-st-h200-4"}, hosts)
	require.Empty(t, missing)
}

// TestCaseMOE03RanksByPlace: ranks that follow the age of pods straddle switches. The order puts each leaf's hosts together and keeps names.
func TestCaseMOE03RanksByPlace(t *testing.T) {
	top, _ := situation(t, "p6-b200-pages")
	require.Len(t, top.Places, 8)
	for i := 0; i < len(top.Places); i += 4 {
		for _, p := range top.Places[i : i+4] {
			require.Equal(t, topology.Same, top.Between(top.Places[i], p).Kind, "a group of four hosts straddles a leaf")
		}
	}
}

// TestCaseCB09EachReservation: one reservation that EC2 tells nothing of drops no other from the comparison.
func TestCaseCB09EachReservation(t *testing.T) {
	top, found := read(t, `{"CapacityReservations": [
		{"CapacityReservationId": "cr-1", "State": "active", "NetworkNodes": ["nn-1", "nn-2"], "AvailabilityZoneId": "use2-az1"},
		{"CapacityReservationId": "cr-2", "State": "scheduled", "AvailabilityZoneId": "use2-az1"},
		{"CapacityReservationId": "cr-3", "State": "pending", "NetworkNodes": ["nn-1", "nn-4", "nn-5"], "AvailabilityZoneId": "use2-az1"}]}`)
	var got []string
	for _, c := range top.Compare() {
		got = append(got, c.A+" "+c.B+": "+c.Says)
	}
	require.Equal(t, []string{
		"cr-1 cr-2: unknown: EC2 does not tell where they sit, or they belong to two accounts",
		"cr-1 cr-3: 1 network node in common, from the top; apart below",
		"cr-2 cr-3: unknown: EC2 does not tell where they sit, or they belong to two accounts",
	}, got)
	require.Equal(t, []diag.ID{diag.BlockSeveral, diag.TopoUnknown}, rules(found))
}

// TestCompare tells what two reservations share.
func TestCompare(t *testing.T) {
	for name, tt := range map[string]struct{ a, b, want string }{
		"all that is told":  {`"NetworkNodes": ["nn-1", "nn-2"]`, `"NetworkNodes": ["nn-1", "nn-2", "nn-3"]`, "at least 2 network nodes in common, from the top; the layers below are not told"},
		"a top":             {`"NetworkNodes": ["nn-1"]`, `"NetworkNodes": ["nn-1"]`, "at least 1 network node in common, from the top; the layers below are not told"},
		"nothing":           {`"NetworkNodes": ["nn-1"]`, `"NetworkNodes": ["nn-2"]`, "no network node in common"},
		"zones":             {`"AvailabilityZone": "a", "NetworkNodes": ["nn-1"]`, `"AvailabilityZone": "b", "NetworkNodes": ["nn-2"]`, "other zone: no EFA"},
		"zones, not placed": {`"AvailabilityZone": "a"`, `"AvailabilityZone": "b"`, "other zone: no EFA"},
		"not placed":        {`"AvailabilityZone": "a"`, `"NetworkNodes": ["nn-2"]`, "unknown: EC2 does not tell where they sit, or they belong to two accounts"},
	} {
		t.Run(name, func(t *testing.T) {
			top, found := read(t, `{"CapacityReservations": [{"CapacityReservationId": "cr-1", `+tt.a+`}, {"CapacityReservationId": "cr-2", `+tt.b+`}]}`)
			require.Len(t, top.Compare(), 1)
			require.Equal(t, tt.want, top.Compare()[0].Says)
			require.Contains(t, rules(found), diag.BlockSeveral)
		})
	}
}

// TestCompareAsked: a reservation that was asked for and not answered is told.
func TestCompareAsked(t *testing.T) {
	_, found := topology.New(topology.Answers{Asked: []string{"cr-1"}})
	require.Equal(t, []diag.ID{diag.TopoUnknown}, rules(found))
	require.Equal(t, "cr-1", found[0].Place.Resource)
}

// TestDepths: types have paths of different lengths; the leaf is the last node, wherever it stands.
func TestDepths(t *testing.T) {
	top, found := read(t, `{"Instances": [`+strings.Join([]string{
		position("i-1", `["nn-a", "nn-b", "nn-c"]`), position("i-2", `["nn-a", "nn-b", "nn-c"]`), position("i-3", `["nn-a", "nn-b", "nn-d"]`),
		position("i-4", `["nn-1", "nn-2", "nn-3", "nn-4"]`), position("i-5", `["nn-1", "nn-2", "nn-3", "nn-4"]`), position("i-6", `["nn-1", "nn-2", "nn-5", "nn-6"]`),
		position("i-7", `["nn-1", "nn-7", "nn-8", "nn-9"]`),
	}, ",")+`]}`)
	at := map[string]topology.Place{}
	for _, p := range top.Places {
		at[p.Instance] = p
	}
	for pair, want := range map[[2]string]string{
		{"i-1", "i-2"}: "same leaf", {"i-1", "i-3"}: "same spine, other leaf", {"i-4", "i-5"}: "same leaf", {"i-4", "i-6"}: "2 levels apart",
		{"i-4", "i-7"}: "3 levels apart", {"i-1", "i-4"}: "nothing in common", {"i-3", "i-3"}: "same leaf",
	} {
		require.Equal(t, want, top.Between(at[pair[0]], at[pair[1]]).String(), pair)
	}
	require.Equal(t, []diag.ID{diag.TopoHost}, rules(found))
}

// TestOrder: numbers count by their value, ids of network nodes do not count at all.
func TestOrder(t *testing.T) {
	for name, tt := range map[string]struct{ paths, want string }{
		"names by number":     {`i-10:["z"] i-9:["z"] i-2:["z"]`, "i-2 i-9 i-10"},
		"ids say nothing":     {`i-1:["z"] i-2:["a"] i-3:["z"]`, "i-1 i-3 i-2"},
		"unknown ones last":   {`i-1:[] i-2:["a"] i-3:["a"]`, "i-2 i-3 i-1"},
		"a shorter way":       {`i-1:["a"] i-2:["a","b"] i-3:["a"]`, "i-2 i-1 i-3"},
		"leaf before spine":   {`i-1:["a","b"] i-2:["c","d"] i-3:["a","e"] i-4:["a","b"]`, "i-1 i-4 i-3 i-2"},
		"leading zeros":       {`i-01:["a"] i-1:["a"] i-001:["a"]`, "i-001 i-01 i-1"},
		"letters and numbers": {`i-a10:["a"] i-a9b:["a"] i-a9:["a"]`, "i-a9 i-a9b i-a10"},
	} {
		t.Run(name, func(t *testing.T) {
			var items []string
			for _, one := range strings.Fields(tt.paths) {
				id, path, _ := strings.Cut(one, ":")
				items = append(items, position(id, path))
			}
			top, _ := read(t, `{"Instances": [`+strings.Join(items, ",")+`]}`)
			require.Equal(t, tt.want, names(top))
		})
	}
}
