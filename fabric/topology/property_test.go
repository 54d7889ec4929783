package topology_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/topology"
)

func files(t testing.TB, name string) [][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", name, "*"))
	require.NoError(t, err)
	var out [][]byte
	for _, n := range names {
		data, err := os.ReadFile(n)
		require.NoError(t, err)
		out = append(out, data)
	}
	return out
}

// network draws a network as EC2 could tell it: paths of several lengths, none at all, zones, accounts.
func network(t *rapid.T) topology.Topology {
	var a topology.Answers
	n := rapid.IntRange(1, 14).Draw(t, "instances")
	for i := range n {
		id := fmt.Sprintf("i-%d", i)
		way := ""
		var path []string
		for range rapid.IntRange(0, 4).Draw(t, "layers") {
			way += rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "node")
			path = append(path, "nn-"+way)
		}
		zone := topology.Zone{ID: rapid.SampledFrom([]string{"", "z1", "z2"}).Draw(t, "zone")}
		a.Positions = append(a.Positions, topology.Position{Instance: id, Type: "p5.48xlarge", Zone: zone, Path: path})
		a.Instances = append(a.Instances, topology.Instance{
			ID: id, Host: "ip-" + id, Reservation: rapid.SampledFrom([]string{"", "cr-1", "cr-2"}).Draw(t, "reservation"),
			Owner: rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(t, "owner"), Block: rapid.Bool().Draw(t, "block"),
		})
	}
	top, _ := topology.New(a)
	require.Len(t, top.Places, n)
	return top
}

// TestDistanceIsUltrametric: distances are symmetric, nothing is farther from a place than by way of any third, and whoever shares nothing is as
// far as can be.
func TestDistanceIsUltrametric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := network(t)
		for _, a := range top.Places {
			require.Equal(t, topology.Distance{}, top.Between(a, a))
			for _, b := range top.Places {
				ab := top.Between(a, b)
				require.Equal(t, ab, top.Between(b, a))
				if a.Instance != b.Instance && (!a.Known() || !b.Known()) {
					require.Equal(t, topology.Unknown, ab.Kind)
				}
				for _, c := range top.Places {
					require.LessOrEqual(t, top.Between(a, c).Levels, max(ab.Levels, top.Between(b, c).Levels))
				}
			}
		}
	})
}

// TestOrderKeepsNeighboursTogether: at every layer the places under one network node stand together, and no order of the answers changes theirs.
func TestOrderKeepsNeighboursTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := network(t)
		left := map[string]bool{}
		var last []string
		for _, p := range top.Places {
			var way []string
			for depth := range p.Path {
				way = append(way, fmt.Sprint(p.Account, p.Path[:depth+1]))
			}
			for _, was := range last {
				if !slices.Contains(way, was) {
					left[was] = true
				}
			}
			for _, now := range way {
				require.False(t, left[now], "places under %s stand apart", now)
			}
			last = way
		}
	})
}

// TestOrderIsOfTheNetwork: neither the order of the answers nor the ids of network nodes change it.
func TestOrderIsOfTheNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := network(t)
		var a topology.Answers
		for _, p := range rapid.Permutation(top.Places).Draw(t, "order") {
			renamed := slices.Clone(p.Path)
			for i := range renamed {
				renamed[i] = fmt.Sprintf("nn-%x", renamed[i])
			}
			a.Positions = append(a.Positions, topology.Position{Instance: p.Instance, Type: p.Type, Zone: topology.Zone{ID: p.Zone}, Path: renamed})
			a.Instances = append(a.Instances, topology.Instance{ID: p.Instance, Host: p.Host, Reservation: p.Reservation, Owner: fmt.Sprint(p.Account)})
		}
		again, _ := topology.New(a)
		require.Equal(t, names(top), names(again))
	})
}

// TestClassesCountEveryPair: the pairs of all distances are all pairs.
func TestClassesCountEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := network(t)
		n, pairs := len(top.Places), 0
		for _, c := range top.Classes() {
			pairs += c.Pairs
			require.LessOrEqual(t, c.Between, c.Pairs)
			require.NotEmpty(t, c.Sample)
			seen := map[string]bool{}
			for _, p := range c.Sample {
				require.False(t, seen[p[0]] || seen[p[1]], "a place in two pairs")
				seen[p[0]], seen[p[1]] = true, true
			}
		}
		require.Equal(t, n*(n-1)/2, pairs)
	})
}
