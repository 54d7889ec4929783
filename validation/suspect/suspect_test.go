package suspect_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/suspect"
)

// cluster is what a search runs on: how fast each node is, and what a measurement adds to that.
type cluster struct {
	nodes    []string
	speed    map[string]float64 // 1 where not given
	distance suspect.Distance
	far      float64        // what a level of distance takes of a pair's figure, as a factor
	noise    func() float64 // factor
}

func named(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("gpu-%02d", i+1))
	}
	return out
}

func (c cluster) measure(round int, r suspect.Round) []suspect.Measured {
	var out []suspect.Measured
	for _, g := range r.Groups {
		v := 350.0
		slowest := 1.0
		for i, n := range g {
			if s, ok := c.speed[n]; ok {
				slowest = min(slowest, s)
			}
			if i > 0 && c.distance != nil {
				for range c.distance(g[0], n) {
					v *= c.far
				}
			}
		}
		out = append(out, suspect.Measured{Round: round, Nodes: g, Value: v * slowest * c.noise()})
	}
	return out
}

// search runs rounds until nothing is left to ask.
func (c cluster) search(t require.TestingT) (suspect.Conclusion, int) {
	r := suspect.First(c.nodes, c.distance)
	var measured []suspect.Measured
	for round := 1; ; round++ {
		disjoint(t, r, c.nodes)
		measured = append(measured, c.measure(round, r)...)
		next, known := suspect.Next(c.nodes, measured, c.distance)
		if next == nil {
			return known, round
		}
		r = *next
	}
}

// disjoint holds a round to its promise: each node once, in a group or idle.
func disjoint(t require.TestingT, r suspect.Round, nodes []string) {
	all := slices.Clone(r.Idle)
	for _, g := range r.Groups {
		all = append(all, g...)
	}
	slices.Sort(all)
	require.Equal(t, nodes, all)
}

func slowOf(c suspect.Conclusion) []string {
	out := []string{}
	for _, p := range c.Slow {
		out = append(out, p.Node)
	}
	return out
}

func exact() float64 { return 1 }

func TestSearch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		nodes     int
		speed     map[string]float64
		slow      []string
		undecided []string
		rounds    int
	}{
		"nobody is slow":                 {8, nil, []string{}, nil, 1},
		"an odd one is measured as well": {7, nil, []string{}, nil, 2},
		"one of eight":                   {8, map[string]float64{"gpu-05": 0.7}, []string{"gpu-05"}, nil, 2},
		"one of four":                    {4, map[string]float64{"gpu-02": 0.5}, []string{"gpu-02"}, nil, 2},
		"the odd one":                    {5, map[string]float64{"gpu-05": 0.5}, []string{"gpu-05"}, nil, 3},
		"one of three":                   {3, map[string]float64{"gpu-01": 0.5}, []string{"gpu-01"}, nil, 3},
		"both of a pair":                 {8, map[string]float64{"gpu-03": 0.6, "gpu-04": 0.7}, []string{"gpu-03", "gpu-04"}, nil, 3}, // the slower one is reason enough for the pair
		"three of eight, one a pair":     {8, map[string]float64{"gpu-01": 0.6, "gpu-03": 0.7, "gpu-05": 0.5}, []string{"gpu-01", "gpu-03", "gpu-05"}, nil, 3},
		"two nodes tell nothing":         {2, map[string]float64{"gpu-01": 0.5}, []string{}, []string{"gpu-01", "gpu-02"}, 1},
		"one node":                       {1, nil, []string{}, nil, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known, rounds := cluster{nodes: named(tt.nodes), speed: tt.speed, noise: exact}.search(t)
			require.Equal(t, tt.slow, slowOf(known))
			require.Equal(t, tt.undecided, known.Undecided)
			require.Equal(t, tt.rounds, rounds)
			for _, p := range known.Slow {
				require.Greater(t, len(p.Evidence), 1)
				require.NotEmpty(t, p.Partners)
				require.NotContains(t, p.Partners, p.Node)
				require.Subset(t, known.Good, p.Partners)
				require.InDelta(t, tt.speed[p.Node], p.Share, 1e-9)
			}
		})
	}
}

// One slow node is named in the second round, whatever the noise of measurements; with an odd number the idle one takes one more.
func TestOneSlowNodeIsNamed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nodes := named(rapid.IntRange(4, 40).Draw(t, "nodes"))
		culprit := rapid.SampledFrom(nodes).Draw(t, "slow")
		known, rounds := cluster{
			nodes: nodes,
			speed: map[string]float64{culprit: rapid.Float64Range(0.1, 0.8).Draw(t, "speed")},
			noise: func() float64 { return rapid.Float64Range(0.96, 1.04).Draw(t, "noise") },
		}.search(t)
		require.Equal(t, []string{culprit}, slowOf(known))
		require.Empty(t, known.Undecided)
		require.LessOrEqual(t, rounds, 2+len(nodes)%2)
	})
}

// Fewer slow nodes than pairs are all named, and nobody else.
func TestSeveralSlowNodesAreNamed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nodes := named(2 * rapid.IntRange(2, 16).Draw(t, "pairs"))
		k := rapid.IntRange(0, len(nodes)/2-1).Draw(t, "slow")
		c := cluster{nodes: nodes, speed: map[string]float64{}, noise: func() float64 { return rapid.Float64Range(0.96, 1.04).Draw(t, "noise") }}
		want := slices.Clone(rapid.Permutation(nodes).Draw(t, "order")[:k])
		for _, n := range want {
			c.speed[n] = rapid.Float64Range(0.1, 0.8).Draw(t, "speed")
		}
		slices.Sort(want)
		known, rounds := c.search(t)
		require.Empty(t, difference(slowOf(known), want), "accused")
		if k <= len(nodes)/4 {
			require.Equal(t, append([]string{}, want...), slowOf(known))
			require.LessOrEqual(t, rounds, 3)
		}
		require.Subset(t, append(slowOf(known), known.Undecided...), append([]string{}, want...))
	})
}

// Noise alone accuses nobody.
func TestNoiseAccusesNobody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known, rounds := cluster{
			nodes: named(rapid.IntRange(2, 40).Draw(t, "nodes")),
			noise: func() float64 { return rapid.Float64Range(0.95, 1.05).Draw(t, "noise") },
		}.search(t)
		require.Empty(t, known.Slow)
		require.Empty(t, known.Roads)
		require.LessOrEqual(t, rounds, 3)
	})
}

// Pairs across leaves that are slower by nature accuse nobody, and hide nobody.
func TestDistanceIsNoFault(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nodes := named(2 * rapid.IntRange(4, 12).Draw(t, "pairs"))
		leaf := map[string]int{}
		for i, n := range nodes {
			leaf[n] = i / 4
		}
		culprit := rapid.SampledFrom(nodes).Draw(t, "slow")
		known, _ := cluster{
			nodes: nodes,
			speed: map[string]float64{culprit: 0.5},
			far:   rapid.Float64Range(0.6, 1).Draw(t, "far"),
			noise: exact,
			distance: func(a, b string) int {
				if leaf[a] == leaf[b] {
					return 0
				}
				return 1
			},
		}.search(t)
		require.Equal(t, []string{culprit}, slowOf(known))
		require.Empty(t, known.Roads)
	})
}

func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func TestPairsByDistance(t *testing.T) {
	t.Parallel()
	leaf := map[string]int{"a": 0, "b": 1, "c": 0, "d": 1, "e": 2}
	distance := func(x, y string) int {
		if leaf[x] == leaf[y] {
			return 0
		}
		return 1
	}
	nodes := []string{"a", "b", "c", "d", "e"}
	require.Equal(t, suspect.Round{Groups: [][]string{{"a", "c"}, {"b", "d"}}, Idle: []string{"e"}}, suspect.First(nodes, distance))
	require.Equal(t, suspect.Round{Groups: [][]string{{"a", "b"}, {"c", "d"}}, Idle: []string{"e"}}, suspect.Across(nodes, distance))
	require.Equal(t, suspect.Round{Groups: [][]string{{"a", "b"}, {"c", "d"}}, Idle: []string{"e"}}, suspect.First(nodes, nil))
}

// A pair that is slow once, while both are fast with others, is a road and no node.
func TestSlowRoad(t *testing.T) {
	t.Parallel()
	nodes := []string{"a", "b", "c", "d"}
	road := suspect.Measured{Round: 1, Nodes: []string{"a", "b"}, Value: 200}
	measured := []suspect.Measured{road, {Round: 1, Nodes: []string{"c", "d"}, Value: 350}}
	next, known := suspect.Next(nodes, measured, nil)
	require.Equal(t, [][]string{{"a", "c"}, {"b", "d"}}, next.Groups)
	require.Equal(t, []string{"a", "b"}, known.Undecided)
	measured = append(measured,
		suspect.Measured{Round: 2, Nodes: []string{"a", "c"}, Value: 345},
		suspect.Measured{Round: 2, Nodes: []string{"b", "d"}, Value: 348})
	next, known = suspect.Next(nodes, measured, nil)
	require.Nil(t, next)
	require.Empty(t, known.Slow)
	require.Equal(t, []suspect.Measured{road}, known.Roads)
	require.Equal(t, nodes, known.Good)
}

// A group whose run failed says nothing: its nodes are measured again with others, and are undecided where that fails too.
func TestFailedRunAccusesNobody(t *testing.T) {
	t.Parallel()
	nodes := []string{"a", "b", "c", "d"}
	measured := []suspect.Measured{{Round: 1, Nodes: []string{"a", "b"}}, {Round: 1, Nodes: []string{"c", "d"}, Value: 350}}
	next, known := suspect.Next(nodes, measured, nil)
	require.Empty(t, known.Slow)
	require.NotNil(t, next)
	for round := 2; next != nil; round++ {
		require.LessOrEqual(t, round, suspect.Most)
		for _, g := range next.Groups {
			measured = append(measured, suspect.Measured{Round: round, Nodes: g})
		}
		next, known = suspect.Next(nodes, measured, nil)
	}
	require.Empty(t, known.Slow)
	require.Subset(t, known.Undecided, []string{"a", "b"})
}

// A slow group beside a node that is slow by itself is no evidence: another slow group of the partner's can be chance.
func TestPartnerOfASlowNodeIsNotAccused(t *testing.T) {
	t.Parallel()
	nodes := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	measured := []suspect.Measured{
		{Round: 1, Nodes: []string{"a", "b"}, Value: 50},
		{Round: 1, Nodes: []string{"c", "d"}, Value: 350},
		{Round: 1, Nodes: []string{"e", "f"}, Value: 350},
		{Round: 1, Nodes: []string{"g", "h"}, Value: 350},
		{Round: 2, Nodes: []string{"a", "c"}, Value: 51},
		{Round: 2, Nodes: []string{"b", "d"}, Value: 250},
		{Round: 2, Nodes: []string{"e", "g"}, Value: 350},
		{Round: 2, Nodes: []string{"f", "h"}, Value: 350},
	}
	next, known := suspect.Next(nodes, measured, nil)
	require.Equal(t, []string{"a"}, slowOf(known))
	require.Equal(t, []string{"b"}, known.Undecided, "a is the reason for the first")
	require.Len(t, next.Groups, 1)
	require.Contains(t, next.Groups[0], "b")
	measured = append(measured, suspect.Measured{Round: 3, Nodes: next.Groups[0], Value: 350})
	next, known = suspect.Next(nodes, measured, nil)
	require.Nil(t, next)
	require.Equal(t, []string{"a"}, slowOf(known))
	require.Contains(t, known.Good, "b")
}

// One group that would make half of the nodes slow or more is lucky: it is set aside, and what the others reach is the norm.
func TestLuckyGroupAccusesNobody(t *testing.T) {
	t.Parallel()
	nodes := []string{"a", "b", "c", "d"}
	lucky := suspect.Measured{Round: 1, Nodes: []string{"c", "d"}, Value: 350}
	measured := []suspect.Measured{
		{Round: 1, Nodes: []string{"a", "b"}, Value: 200},
		lucky,
		{Round: 2, Nodes: []string{"a", "c"}, Value: 198},
		{Round: 2, Nodes: []string{"b", "d"}, Value: 199},
	}
	next, known := suspect.Next(nodes, measured, nil)
	require.Nil(t, next)
	require.Empty(t, slowOf(known))
	require.Equal(t, nodes, known.Good)
	require.Equal(t, []suspect.Measured{lucky}, known.Above)
	require.InDelta(t, 199, known.Median, 0)
}

// A pair that was lucky in the first round accuses nobody in the end, however many nodes there are.
func TestLuckAccusesNobody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lucky := rapid.Float64Range(1.3, 4).Draw(t, "lucky")
		measured := 0
		known, _ := cluster{
			nodes: named(2 * rapid.IntRange(2, 20).Draw(t, "pairs")),
			noise: func() float64 {
				measured++
				if measured == 1 {
					return lucky
				}
				return rapid.Float64Range(0.97, 1.03).Draw(t, "noise")
			},
		}.search(t)
		require.Empty(t, known.Slow)
		require.Len(t, known.Above, 1)
	})
}
