package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFacts(t *testing.T) {
	facts := Facts()
	require.Greater(t, len(facts), len(Instances())+len(Installers())+len(Releases()))
	bySubject := map[string]Fact{}
	for _, f := range facts {
		require.NotEmpty(t, f.Subject)
		require.NotEmpty(t, f.Value, f.Subject)
		require.NotEmpty(t, f.Source.Ref, f.Subject)
		requireDay(t, f.Source.Date)
		require.NotContains(t, f.Value, "\n", f.Subject)
		bySubject[f.Subject] = f
	}
	require.Equal(t, "x86_64, 192 vCPUs, 8 x B300, 17 network cards, 16 EFA interfaces, 6400 Gbps EFA, EFA generation 4, capacity blocks by instance",
		bySubject["instance p6-b300.48xlarge"].Value)
	gb200 := bySubject["instance p6e-gb200.36xlarge"]
	require.NotContains(t, gb200.Value, "EFA interfaces", "an unverified figure is not shown as a fact")
	require.NotContains(t, gb200.Value, "generation")
	require.True(t, bySubject["instance p6e-gb200.36xlarge MaxEFA"].Unverified)
	require.True(t, bySubject["instance p5en.48xlarge IPCards"].Unverified, "AWS publishes no most-bandwidth layout of it")
	require.NotContains(t, bySubject, "instance p6-b200.48xlarge IPCards")
	require.NotContains(t, bySubject, "instance g6e.12xlarge IPCards", "one card has no further ones")
	require.True(t, bySubject["efa-installer 1.48.0"].Unverified)
	require.Contains(t, bySubject["efa-installer 1.49.0"].Source.Ref, "not read", "the source of a reported row does not pass for AWS")
	require.False(t, bySubject["efa-installer 1.50.0"].Unverified)
	require.Contains(t, bySubject["efa-installer 1.50.0"].Value, "aws-ofi-nccl 1.21.1")
	require.Contains(t, bySubject["floor of efa-installer for p6-b200"].Value, "other figures: 1.41.0")
	require.Contains(t, bySubject["instance types with EFA"].Value, "304 types, 44")
	require.Equal(t, "open: Blackwell needs the open kernel modules", bySubject["kernel modules of B300"].Value)
	require.Equal(t, "open and closed", bySubject["kernel modules of every other NVIDIA GPU"].Value)
	require.Contains(t, bySubject["nodes: closed kernel modules"].Value, "efa-installer 1.29.0 or later")
	require.Contains(t, bySubject["nodes: no cluster placement group"].Value, "t4g")
	require.Contains(t, bySubject["gate of all_reduce from 4 nodes on"].Value, "0.85 of the node bandwidth, from 4 GiB on")
	require.Contains(t, bySubject["reference alltoall on 2 x p6-b300.48xlarge"].Value, "64 MiB 104.9 GB/s, peak 179.6 GB/s")
}

// A table that Facts forgets would be a fact that nobody is told when it grows old.
func TestFactsCoversEveryTable(t *testing.T) {
	for prefix, want := range map[string]int{
		"efa-installer ": len(installerTable), "floor of ": len(floorRules()), "pair ": len(pairTable), "across ": len(crossTable), "denied ": len(denyTable),
		"dispatcher ": len(dispatcherTable), "parallelcluster 3": len(releaseTable), "parallelcluster key ": len(keyBoundaries),
		"kernel modules of ": len(modules) + 1, "nodes: ": 7,
		"reference ": len(referenceTable), "gate of ": len(gateTable), "aws-ofi-nccl ": len(pluginTestTable), "variable ": len(variableTable), "plugin sets ": len(pluginSettingTable),
	} {
		got := 0
		for _, f := range Facts() {
			if strings.HasPrefix(f.Subject, prefix) {
				got++
			}
		}
		require.Equal(t, want, got, prefix)
	}
}
