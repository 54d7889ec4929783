package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

// The proof of EFA is a conjunction on every node. Each row breaks one part of it on the second of two nodes.
func TestRoadIsProvedOnEveryNode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mutate func(n *evidence.NodePath)
		rule   diag.ID
		got    string
	}{
		"sockets": {func(n *evidence.NodePath) {
			n.Networks, n.Providers, n.NICs = map[string]int{"Socket": 8}, nil, nil
			n.Channels = evidence.Channels{Net: 4, Socket: 4}
			n.First = map[string]evidence.Excerpt{"socket": {File: "nccl.log", Line: 9, Text: "via NET/Socket/0"}, "network": {File: "nccl.log", Line: 8, Text: "Using network Socket"}}
		}, diag.NetPlugin, "no line of the EFA plugin"},
		"sockets, though the plugin was loaded": {func(n *evidence.NodePath) {
			n.Networks = map[string]int{"Socket": 8}
			n.Channels = evidence.Channels{Net: 4, Socket: 4}
		}, diag.NetSocket, "4 of 4 channels"},
		"one channel of many over sockets": {func(n *evidence.NodePath) { n.Channels.Libfabric--; n.Channels.Socket++ }, diag.NetSocket, "1 of 16"},
		"provider tcp":                     {func(n *evidence.NodePath) { n.Providers = map[string]int{"tcp": 8} }, diag.NetProvider, "tcp"},
		"two providers":                    {func(n *evidence.NodePath) { n.Providers["tcp;ofi_rxm"] = 1 }, diag.NetProvider, "tcp;ofi_rxm"},
		"seven NICs":                       {func(n *evidence.NodePath) { n.NICs = []int{7} }, diag.NetNICs, "found 7 NICs"},
		"a rank with fewer":                {func(n *evidence.NodePath) { n.NICs = []int{4, 8} }, diag.NetNICs, "found 4 NICs"},
		"no GPUDirect":                     {func(n *evidence.NodePath) { n.Channels.GDR = 0 }, diag.NetGDR, "16 of 16"},
		"GPUDirect on some channels":       {func(n *evidence.NodePath) { n.Channels.GDR-- }, diag.NetGDR, "1 of 16"},
		"InfiniBand":                       {func(n *evidence.NodePath) { n.Channels.Libfabric = 0; n.Channels.IB = 16 }, diag.NetPlugin, "another network"},
		"no provider line":                 {func(n *evidence.NodePath) { n.Providers = nil }, diag.NetUnproved, "no line names the provider"},
		"no count of NICs":                 {func(n *evidence.NodePath) { n.NICs = nil }, diag.NetUnproved, "how many NICs"},
		"no channel between nodes":         {func(n *evidence.NodePath) { n.Channels = evidence.Channels{Local: 64} }, diag.NetUnproved, "stay inside the node"},
		"a log of another node":            {func(n *evidence.NodePath) { n.Host = "train-st-gpu-9" }, diag.NetUnproved, "no log has a line"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good(t)
			tt.mutate(&s.Jobs[0].Outputs[0].Documents[0].Path.Nodes[1])
			got := verdict.Judge(s)
			diagtest.Complete(t, got.Findings)
			require.Equal(t, result.Failed, got.Outcome)
			require.Equal(t, tt.rule, got.Findings[0].Rule, got.Why)
			require.Contains(t, got.Findings[0].Got, tt.got)
			for _, f := range got.Findings.AtLeast(diag.Warn) {
				require.Equal(t, "train-st-gpu-2", f.Place.Resource, "nobody else is accused: %s", f.Got)
			}
		})
	}
}

func TestProvidersOfAllVersions(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"efa", "EFA", "efa;ofi_rxr", "efa-direct"} {
		s := good(t)
		for i := range 2 {
			s.Jobs[0].Outputs[0].Documents[0].Path.Nodes[i].Providers = map[string]int{p: 8}
		}
		require.Empty(t, verdict.Judge(s).Findings, p)
	}
}

// Without any line of NCCL nothing is proved; where the names of log and job have nothing in common but their number, the log's count.
func TestRoadWithoutLogOrNames(t *testing.T) {
	t.Parallel()
	s := good(t)
	s.Jobs[0].Outputs = s.Jobs[0].Outputs[1:]
	got := verdict.Judge(s)
	require.Equal(t, []diag.ID{diag.NetUnproved}, rules(got.Findings, diag.Error))
	diagtest.Complete(t, got.Findings)

	s = good(t)
	s.Jobs[0].Nodes = []string{"ip-10-0-0-1.ec2.internal", "ip-10-0-0-2.ec2.internal"}
	require.Empty(t, verdict.Judge(s).Findings)
}

// A known text explains sockets better than the absence of the plugin does, and is a note where the road is proved.
func TestTextsExplain(t *testing.T) {
	t.Parallel()
	s := good(t)
	d := &s.Jobs[0].Outputs[0].Documents[0]
	d.Symptoms = []evidence.Symptom{{
		ID: "symbol-fabric", Host: "train-st-gpu-2", Times: 8,
		Excerpt: evidence.Excerpt{File: "nccl.log", Line: 7, Text: "version `FABRIC_1.9' not found"},
	}}
	got := verdict.Judge(s)
	require.Equal(t, result.Passed, got.Outcome, got.Why)
	require.Equal(t, []diag.ID{diag.VerPair}, rules(got.Findings, diag.Note))

	n := &d.Path.Nodes[1]
	n.Networks, n.Providers, n.NICs, n.Channels = map[string]int{"Socket": 8}, nil, nil, evidence.Channels{Net: 4, Socket: 4}
	got = verdict.Judge(s)
	require.Equal(t, []diag.ID{diag.VerPair, diag.NetSocket}, rules(got.Findings, diag.Error))
	require.Contains(t, got.Why, "FABRIC_1.9")
	diagtest.Complete(t, got.Findings)
}

// Variables that the log echoes are judged with the catalogue, those that the plugin sets itself are not.
func TestVariablesOfTheLog(t *testing.T) {
	t.Parallel()
	s := good(t)
	p := s.Jobs[0].Outputs[0].Documents[0].Path
	at := func(line int) evidence.Excerpt { return evidence.Excerpt{File: "nccl.log", Line: line} }
	p.Settings = []evidence.Setting{
		{Name: "NCCL_DEBUG", Value: "INFO", By: "environment", Excerpt: at(1)},
		{Name: "NCCL_NET", Value: "Libfabric", By: "environment", Excerpt: at(2)},
		{Name: "NCCL_BUFFSIZE", Value: "8388608", By: "plugin", Excerpt: at(3)},
		{Name: "NCCL_IB_HCA", Value: "mlx5_0", By: "environment", Excerpt: at(4)},
	}
	got := verdict.Judge(s)
	require.Equal(t, result.Warned, got.Outcome)
	require.Equal(t, []diag.ID{diag.EnvIBResidue}, rules(got.Findings, diag.Warn))
	require.Equal(t, 4, got.Findings[0].Place.Line)

	p.Settings = append(p.Settings, evidence.Setting{Name: "NCCL_NET_PLUGIN", Value: "none", By: "environment", Excerpt: at(5)})
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.Networks, n.Providers, n.NICs, n.Channels = map[string]int{"Socket": 8}, nil, nil, evidence.Channels{Net: 4, Socket: 4}
	}
	got = verdict.Judge(s)
	require.Equal(t, diag.EnvForcedFallback, got.Findings[0].Rule, got.Why)
	require.NotContains(t, rules(got.Findings, diag.Error), diag.NetPlugin)
	diagtest.Complete(t, got.Findings)
}
