package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/version"
)

// recorded is a compute launch template that a ParallelCluster version wrote.
type recorded struct {
	ParallelCluster string `json:"parallelcluster"`
	InstanceType    string `json:"instanceType"`
	Variants        map[string]struct {
		LaunchTemplateData struct {
			NetworkInterfaces []struct {
				NetworkCardIndex, DeviceIndex int
				InterfaceType                 string
			}
		} `json:"launchTemplateData"`
	} `json:"variants"`
}

// interfaces of the plain variant, with or without EFA. Types that capacity blocks offer were recorded on one.
func (r recorded) interfaces(efa bool) []plan.Interface {
	variant := "capacityBlock"
	if _, ok := r.Variants[variant]; !ok {
		variant = "onDemand"
	}
	switch {
	case !efa:
		variant += "EfaOff"
	case variant == "onDemand":
		variant += "Reservation"
	}
	var out []plan.Interface
	for _, n := range r.Variants[variant].LaunchTemplateData.NetworkInterfaces {
		kind := n.InterfaceType
		if kind == "" { // EC2's default
			kind = plan.Plain
		}
		out = append(out, plan.Interface{Card: n.NetworkCardIndex, Device: n.DeviceIndex, Type: kind})
	}
	return out
}

func records(t *testing.T) []recorded {
	t.Helper()
	names, err := filepath.Glob("testdata/generated/*/*.json")
	require.NoError(t, err)
	require.Len(t, names, 32, "eight types, four versions")
	var out []recorded
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		var r recorded
		require.NoError(t, json.Unmarshal(data, &r))
		out = append(out, r)
	}
	return out
}

func TestGeneratedIsWhatParallelClusterWrites(t *testing.T) {
	for _, r := range records(t) {
		t.Run(r.ParallelCluster+"/"+r.InstanceType, func(t *testing.T) {
			instance, ok := catalog.Instance(r.InstanceType)
			require.True(t, ok)
			release := version.MustParse(r.ParallelCluster)
			require.Equal(t, r.interfaces(true), plan.Generated(release, instance, true))
			require.Equal(t, r.interfaces(false), plan.Generated(release, instance, false))
		})
	}
}

// From 3.15 on ParallelCluster's own layout has the same types on the same cards as EC2's guide for one
// address a node; EC2 takes both device indexes of further cards.
func TestSaveAddressesIsParallelClustersOwnLayout(t *testing.T) {
	for _, r := range records(t) {
		if !version.MustParse(r.ParallelCluster).AtLeast(version.MustParse("3.15.0")) {
			continue
		}
		t.Run(r.ParallelCluster+"/"+r.InstanceType, func(t *testing.T) {
			instance, ok := catalog.Instance(r.InstanceType)
			require.True(t, ok)
			require.Equal(t, withoutDevices(r.interfaces(true)), withoutDevices(plan.Interfaces(instance, plan.SaveAddresses, true)))
		})
	}
}

// withoutDevices counts the interface types of each card.
func withoutDevices(interfaces []plan.Interface) map[int]map[string]int {
	out := map[int]map[string]int{}
	for _, i := range interfaces {
		if out[i.Card] == nil {
			out[i.Card] = map[string]int{}
		}
		out[i.Card][i.Type]++
	}
	return out
}
