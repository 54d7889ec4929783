package chart_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/report/chart"
	"github.com/weft-hpc/weft/validation/result"
)

// requireWhole holds a chart to what every chart has: a picture that is well-formed, a description, and a table without gaps.
func requireWhole(t testing.TB, c chart.Chart) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(string(c.SVG)))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.NotContains(t, string(c.SVG), `="NaN`)
	require.NotContains(t, string(c.SVG), `="Inf`)
	require.NotEmpty(t, c.Title)
	require.NotEmpty(t, c.Desc)
	require.NotEmpty(t, c.Table.Rows)
	for _, row := range c.Table.Rows {
		require.Len(t, row, len(c.Table.Head))
	}
}

func points(from, to int, peak float64) []result.Point {
	var out []result.Point
	for e := from; e <= to; e++ {
		out = append(out, result.Point{Bytes: 1 << e, BusGBps: peak * float64(e) / float64(to), TimeUS: 20, AlgGBps: 1})
	}
	return out
}

func TestBandwidth(t *testing.T) {
	t.Parallel()
	host := result.Curve{Name: "host alltoall", Where: "host", Collective: "alltoall", Points: append(points(10, 34, 89), result.Point{Bytes: 0}), CeilingGBps: 93.75, FloorGBps: 70}
	container := result.Curve{
		Name: "container alltoall", Where: "container", Collective: "alltoall", Points: points(10, 34, 88), CeilingGBps: 93.75, FloorGBps: 70,
		Reference: []result.Point{{Bytes: 1 << 34, BusGBps: 89}}, Source: "a published run",
	}
	c, ok := chart.Bandwidth("b", "All-to-all", []result.Curve{host, container})
	require.True(t, ok)
	requireWhole(t, c)
	require.Equal(t, "Bus bandwidth against message size: host peaks at 89 GB/s at 16 GiB, container peaks at 88 GB/s at 16 GiB. Ceiling 93.8 GB/s. Floor 70 GB/s.", c.Desc)
	require.Len(t, c.Table.Rows, 50, "size 0 is no size")
	require.Equal(t, []string{"host", "16 GiB", "20", "1", "89", "95 %", "–"}, c.Table.Rows[24])
	require.Equal(t, []string{"container", "16 GiB", "20", "1", "88", "94 %", "89"}, c.Table.Rows[49])
	require.Equal(t, 1, strings.Count(string(c.SVG), `class="ceiling"`), "one ceiling for both")
	require.Equal(t, []string{"Published run: a published run"}, c.Notes)
}

func TestBandwidthOfNothing(t *testing.T) {
	t.Parallel()
	for name, curves := range map[string][]result.Curve{
		"none": nil, "no point": {{}}, "size 0": {{Points: []result.Point{{BusGBps: 5}}}}, "not a number": {{Points: []result.Point{{Bytes: 8, BusGBps: math.NaN()}}}},
	} {
		_, ok := chart.Bandwidth("b", "x", curves)
		require.False(t, ok, name)
	}
}

// Curves that ran in one place go by their names, and of many some are drawn thin; all stand in the table.
func TestBandwidthOfMany(t *testing.T) {
	t.Parallel()
	var curves []result.Curve
	for i := range 9 {
		curves = append(curves, result.Curve{Name: fmt.Sprintf("pair %d", i), Where: "host", Points: points(20, 22, float64(i+1))})
	}
	c, ok := chart.Bandwidth("b", "All-reduce", curves)
	require.True(t, ok)
	requireWhole(t, c)
	require.Equal(t, "pair 0", c.Legend[0].Text)
	require.Equal(t, "3 more, in the table", c.Legend[6].Text)
	require.Equal(t, 3, strings.Count(string(c.SVG), `class="line rest"`))
	require.Len(t, c.Table.Rows, 27)
}

func pair(a, b int, latency float64) result.Pair {
	p := result.Pair{A: fmt.Sprintf("gpu-st-%d", a), B: fmt.Sprintf("gpu-st-%d", b), Distance: "same leaf", LatencyUS: latency, BusGBps: 1000 / latency, Collective: "all_reduce"}
	if a/8 != b/8 {
		p.Distance = "between blocks"
	}
	return p
}

func TestPairs(t *testing.T) {
	t.Parallel()
	slow := pair(1, 3, 40)
	slow.Suspect = true
	c, ok := chart.Pairs("p", "Latency", chart.Latency, []result.Pair{pair(2, 10, 30), pair(1, 2, 15), slow})
	require.True(t, ok)
	requireWhole(t, c)
	require.Equal(t, "One-way latency of 3 pairs, from 15 to 40 µs. Median same leaf: 27.5 µs. Median between blocks: 30 µs. 1 pair is suspect.", c.Desc)
	require.Equal(t, "gpu-st-3", c.Table.Rows[1][1], "sorted, node 2 before node 10")
	require.Equal(t, []string{"All names begin with gpu-st-"}, c.Notes)
	require.Equal(t, 6, strings.Count(string(c.SVG), `class="heat"`), "each pair in both directions")
	require.Equal(t, 2, strings.Count(string(c.SVG), `class="suspect"`))

	one, ok := chart.Pairs("p", "Latency", chart.Latency, []result.Pair{pair(1, 2, 17.4)})
	require.True(t, ok)
	requireWhole(t, one)
	require.Equal(t, "One-way latency of the one pair that was measured: gpu-st-1 – gpu-st-2: 17.4 µs, same leaf.", one.Desc)

	_, ok = chart.Pairs("p", "Latency", chart.Latency, []result.Pair{{A: "a", B: "b", LatencyUS: math.NaN()}, {A: "a", B: "c"}})
	require.False(t, ok)
}

func TestByDistance(t *testing.T) {
	t.Parallel()
	pairs := []result.Pair{pair(1, 2, 15), pair(3, 4, 17), pair(1, 9, 27)}
	c, ok := chart.ByDistance("d", "Bandwidth", chart.BusBandwidth, pairs)
	require.True(t, ok)
	requireWhole(t, c)
	require.Equal(t, [][]string{{"same leaf", "2", "62.7", "58.8", "66.7"}, {"between blocks", "1", "37", "37", "37"}}, c.Table.Rows)
	_, ok = chart.ByDistance("d", "Latency", chart.Latency, pairs[:2])
	require.False(t, ok, "one distance compares with nothing")
}

// Many nodes are dots, and of very many dots the ends and the suspects stay.
func TestManyPairs(t *testing.T) {
	t.Parallel()
	var pairs []result.Pair
	for i := range 4000 {
		pairs = append(pairs, result.Pair{A: fmt.Sprint("n", i), B: fmt.Sprint("n", i+1), LatencyUS: 10 + float64(i)/1000, Suspect: i == 1234})
	}
	c, ok := chart.Pairs("p", "Latency", chart.Latency, pairs)
	require.True(t, ok)
	requireWhole(t, c)
	require.Len(t, c.Table.Rows, 4000)
	dots := strings.Count(string(c.SVG), "s0 mark dim")
	require.Less(t, dots, 1500)
	require.Contains(t, string(c.SVG), "n1234 – n1235")
	require.Contains(t, string(c.SVG), "n0 – n1:")
	require.Contains(t, string(c.SVG), "n3999 – n4000")
	_, ok = chart.ByDistance("d", "Latency", chart.Latency, pairs)
	require.False(t, ok, "it would show the same")
}

func TestNodes(t *testing.T) {
	t.Parallel()
	good := result.Node{Name: "gpu-2", NICs: 16, Want: 16, Channels: evidence.Channels{Net: 32, Libfabric: 32, GDR: 32}, Outcome: result.Passed}
	few := result.Node{Name: "gpu-10", NICs: 15, Want: 16, Channels: evidence.Channels{Net: 32, Libfabric: 32, GDR: 20}, Outcome: result.Failed, Why: "15 NICs"}
	socket := result.Node{Name: "gpu-1", NICs: -1, Want: 16, Channels: evidence.Channels{Net: 32, Socket: 32}, Outcome: result.Failed}
	c, ok := chart.Nodes("n", "Nodes", []result.Node{good, few, socket})
	require.True(t, ok)
	requireWhole(t, c)
	require.Equal(t, "Of 3 nodes, 1 have all their NICs, 1 send everything to other nodes with GPUDirect RDMA. 1 node uses sockets. Of 1 no log tells the NICs.", c.Desc)
	require.Equal(t, 1, strings.Count(string(c.SVG), `class="missing"`))
	require.Contains(t, string(c.SVG), "32 of 32 channels: sockets")
	require.Contains(t, string(c.SVG), "12 of 32 channels: Libfabric without GPUDirect RDMA")
	require.Contains(t, string(c.SVG), ">not known<")
	require.Equal(t, []string{"gpu-1", "gpu-2", "gpu-10"}, []string{c.Table.Rows[0][0], c.Table.Rows[1][0], c.Table.Rows[2][0]})
	require.Equal(t, "–", c.Table.Rows[0][3])

	_, ok = chart.Nodes("n", "Nodes", nil)
	require.False(t, ok)
	many := make([]result.Node, 100)
	for i := range many {
		many[i] = good
	}
	c, ok = chart.Nodes("n", "Nodes", many)
	require.True(t, ok)
	requireWhole(t, c)
	require.Equal(t, 100, strings.Count(string(c.SVG), "<circle"), "a tile for each")
}

func iterations(ms ...float64) []evidence.Iteration {
	var out []evidence.Iteration
	for i, v := range ms {
		loss := evidence.Float(10 - float64(i))
		out = append(out, evidence.Iteration{Number: i + 1, MS: v, Loss: &loss})
	}
	return out
}

func TestTraining(t *testing.T) {
	t.Parallel()
	its := iterations(300000, 7000, 7000, 7000, 5000, 5100, 15100, 15400, 5200, 5000)
	nan := evidence.Float(math.NaN())
	its[8].Loss = &nan
	c, ok := chart.Training("t", "Training", its)
	require.True(t, ok)
	requireWhole(t, c)
	// The median of 5000, 5100, 15100, 15400, 5200 and 5000 is 5150: only what is above 15450 stalls.
	require.Equal(t, "10 iterations, median 5.15 s after the first 4. Loss goes from 10 to 1. The loss is no number in 1 iteration.", c.Desc)
	its[7].MS = 15500
	c, ok = chart.Training("t", "Training", its)
	require.True(t, ok)
	require.Contains(t, c.Desc, "1 takes more than 3 times the median.")
	require.Equal(t, "yes", c.Table.Rows[7][8])
	require.Empty(t, c.Table.Rows[0][8], "the first one compiles")
	require.Contains(t, string(c.SVG), "↑ 300 s")
	require.Equal(t, 2, strings.Count(string(c.SVG), `class="line s1"`), "the loss breaks where it is no number")
}

func TestTrainingOfFew(t *testing.T) {
	t.Parallel()
	_, ok := chart.Training("t", "Training", []evidence.Iteration{{Number: 1}, {Number: 2, MS: math.Inf(1)}})
	require.False(t, ok)
	for n := 1; n <= 6; n++ {
		c, ok := chart.Training("t", "Training", iterations(make([]float64, n)...))
		require.False(t, ok)
		require.Empty(t, c.SVG)
		times := make([]float64, n)
		for i := range times {
			times[i] = 100
		}
		c, ok = chart.Training("t", "Training", iterations(times...))
		require.True(t, ok)
		requireWhole(t, c)
		require.Contains(t, c.Desc, "median 0.1 s")
	}
}

func TestTopology(t *testing.T) {
	t.Parallel()
	places := []result.Place{
		{Node: "n-1", Block: "cr-a", Path: []string{"r", "s1", "l1"}},
		{Node: "n-2", Block: "cr-a", Path: []string{"r", "s1", "l2"}},
		{Node: "n-3", Block: "cr-b", Path: []string{"r", "s2", "l3"}},
		{Node: "n-4"},
	}
	c, ok := chart.Topology("t", "Topology", places, []result.Node{{Name: "n-2", Outcome: result.Failed}, {Name: "n-1", Outcome: result.Passed}})
	require.True(t, ok)
	requireWhole(t, c)
	require.Equal(t, "4 nodes under 4 leaves and 2 spines; no block: 1, cr-a: 2, cr-b: 1.", c.Desc)
	require.Equal(t, []string{"n-3", "cr-b", "r → s2 → l3", "–"}, c.Table.Rows[3])
	require.Equal(t, 1, strings.Count(string(c.SVG), `class="over stroked"`), "only what did not pass is marked")
	_, ok = chart.Topology("t", "Topology", nil, nil)
	require.False(t, ok)
}

func TestGauge(t *testing.T) {
	t.Parallel()
	require.Empty(t, chart.Gauge(result.Figure{Measured: 5}))
	require.Empty(t, chart.Gauge(result.Figure{Expected: 5, Share: math.NaN()}))
	g := string(chart.Gauge(result.Figure{Expected: 5, Share: 0.5, Least: 0.85, Outcome: result.Failed}))
	require.Contains(t, g, `class="failed"`)
	require.Equal(t, 1, strings.Count(g, `class="need"`))
}

// Whatever numbers come in, every chart is whole.
func TestAnyNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, 1e-300, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)}))
		whole := rapid.OneOf(rapid.Int(), rapid.IntRange(-3, 40))
		var curve result.Curve
		var its []evidence.Iteration
		var nodes []result.Node
		var pairs []result.Pair
		for range rapid.IntRange(0, 6).Draw(r, "n") {
			curve.Points = append(curve.Points, result.Point{Bytes: rapid.Int64().Draw(r, "bytes"), BusGBps: number.Draw(r, "bus"), AlgGBps: number.Draw(r, "alg")})
			curve.Reference = append(curve.Reference, curve.Points...)
			loss := evidence.Float(number.Draw(r, "loss"))
			its = append(its, evidence.Iteration{Number: whole.Draw(r, "number"), MS: number.Draw(r, "ms"), Loss: &loss})
			ch := evidence.Channels{Net: whole.Draw(r, "net"), GDR: whole.Draw(r, "gdr"), Libfabric: whole.Draw(r, "lib"), Socket: whole.Draw(r, "socket")}
			nodes = append(nodes, result.Node{Name: "a", NICs: whole.Draw(r, "nics"), Want: whole.Draw(r, "want"), Channels: ch})
			pairs = append(pairs, result.Pair{A: fmt.Sprint(len(pairs) % 3), B: "b", Distance: fmt.Sprint(len(pairs)), LatencyUS: number.Draw(r, "latency")})
		}
		curve.CeilingGBps, curve.FloorGBps = number.Draw(r, "ceiling"), number.Draw(r, "floor")
		for _, draw := range []func() (chart.Chart, bool){
			func() (chart.Chart, bool) { return chart.Bandwidth("b", "b", []result.Curve{curve, curve}) },
			func() (chart.Chart, bool) { return chart.Training("t", "t", its) },
			func() (chart.Chart, bool) { return chart.Nodes("n", "n", nodes) },
			func() (chart.Chart, bool) { return chart.Pairs("p", "p", chart.Latency, pairs) },
			func() (chart.Chart, bool) { return chart.ByDistance("d", "d", chart.Latency, pairs) },
		} {
			if c, ok := draw(); ok {
				requireWhole(t, c)
			}
		}
	})
}
