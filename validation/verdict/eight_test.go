package verdict_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/suspect"
	"github.com/weft-hpc/weft/validation/verdict"
)

const (
	mib    = int64(1) << 20
	slowed = 5 // the rank and node that shared its one CPU with three busy loops
)

// eight reads a run of the eight hosts.
func eight(t testing.TB, file string) *evidence.Sweep {
	t.Helper()
	s := read(t, "nccl-eight-hosts/"+file)[0].Sweep
	require.NotNil(t, s)
	require.True(t, s.Complete)
	require.Len(t, s.Rows, 3)
	return s
}

// rankMedians is a half's median time of each of eight ranks, in µs.
func rankMedians(t testing.TB, h *evidence.Half) []float64 {
	t.Helper()
	require.Len(t, h.Iterations.ByRankUS, 8)
	out := make([]float64, 0, 8)
	for _, times := range h.Iterations.ByRankUS {
		require.Len(t, times, 10)
		sorted := slices.Sorted(slices.Values(times))
		out = append(out, (sorted[4]+sorted[5])/2)
	}
	return out
}

func spread(values []float64) float64 { return slices.Max(values) / slices.Min(values) }

// What the times of eight ranks say of the slowed one: that the whole is slower, and nothing of who it is.
func TestTimesOfEightRanksNameNobody(t *testing.T) {
	t.Parallel()
	type share struct{ slower, apart float64 } // of the good run's time; of the highest of the ranks' medians to the lowest, at most
	for collective, bySize := range map[string]map[int64]share{
		"reduce":   {mib: {1.30, 1.001}, 4 * mib: {1.31, 1.002}, 16 * mib: {1.31, 1.01}},
		"alltoall": {mib: {1.09, 1.01}, 4 * mib: {2.24, 1.01}, 16 * mib: {1.85, 1.25}},
	} {
		good, slow := eight(t, collective+"_good.json"), eight(t, collective+"_slow5.json")
		for i, s := range slow.Rows {
			g, want := good.Rows[i], bySize[s.Bytes]
			for half, pair := range [][2]*evidence.Half{{g.OutOfPlace, s.OutOfPlace}, {g.InPlace, s.InPlace}} {
				name := fmt.Sprintf("%s, %d bytes, half %d", collective, s.Bytes, half)
				require.GreaterOrEqual(t, pair[1].TimeUS/pair[0].TimeUS, want.slower, name)
				medians := rankMedians(t, pair[1])
				require.LessOrEqual(t, spread(medians), want.apart, name)
				require.NotEqual(t, slices.Max(medians), medians[slowed], "an innocent rank is the highest: %s", name)
			}
		}
	}
}

// Where the ranks' times differ at all they accuse others: at 16 MiB of the all-to-all ranks 0 and 2, and without any slow rank they differ
// as much. Nor is the slowed rank the one that waits least: it is the lowest hardly more often than without a fault.
func TestTimesOfEightRanksAccuseOthers(t *testing.T) {
	t.Parallel()
	medians := rankMedians(t, eight(t, "alltoall_slow5.json").Rows[2].OutOfPlace)
	require.Equal(t, []int{2, 0}, highest(medians)[:2])
	require.Equal(t, 4, slices.Index(highest(medians), slowed), "in the middle")
	require.Greater(t, medians[2], 1.17*medians[slowed])
	require.Greater(t, medians[0], 1.06*medians[slowed])
	require.Greater(t, spread(rankMedians(t, eight(t, "alltoall_good.json").Rows[2].OutOfPlace)), spread(medians))

	lowest := map[string]int{}
	for _, kind := range []string{"good", "slow5"} {
		for _, collective := range []string{"reduce", "alltoall"} {
			for _, r := range eight(t, collective+"_"+kind+".json").Rows {
				for _, h := range []*evidence.Half{r.OutOfPlace, r.InPlace} {
					if highest(rankMedians(t, h))[7] == slowed {
						lowest[kind]++
					}
				}
			}
		}
	}
	require.Equal(t, map[string]int{"good": 2, "slow5": 3}, lowest, "of 12 each")
}

// highest are the ranks, the one with the highest time first.
func highest(times []float64) []int {
	out := []int{0, 1, 2, 3, 4, 5, 6, 7}
	slices.SortStableFunc(out, func(a, b int) int {
		if times[a] > times[b] {
			return -1
		}
		return 1
	})
	return out
}

// rounds are the recorded rounds of pairs, all of which ran at the same time.
func rounds() map[string][][2]int {
	return map[string][][2]int{
		"1": {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, "2": {{0, 2}, {1, 3}, {4, 6}, {5, 7}}, "3": {{0, 4}, {1, 5}, {2, 6}, {3, 7}},
		"good": {{0, 1}, {2, 3}, {4, 6}, {5, 7}},
	}
}

func eightNames() []string {
	var out []string
	for i := range 8 {
		out = append(out, fmt.Sprintf("node%d", i))
	}
	return out
}

// pairOutputs are rounds as a job of the validation order has them.
func pairOutputs(t testing.TB, names ...string) []verdict.Output {
	t.Helper()
	var out []verdict.Output
	for i, name := range names {
		for _, p := range rounds()[name] {
			out = append(out, verdict.Output{
				Nodes: []string{eightNames()[p[0]], eightNames()[p[1]]}, Round: i + 1,
				Documents: read(t, fmt.Sprintf("nccl-eight-hosts/pairs_%s.%d-%d.txt", name, p[0], p[1])),
			})
		}
	}
	return out
}

// measured are the figures of rounds: bus bandwidth at 16 MiB.
func measured(t testing.TB, names ...string) []suspect.Measured {
	t.Helper()
	var out []suspect.Measured
	for _, o := range pairOutputs(t, names...) {
		rows := o.Documents[0].Sweep.Rows
		require.Equal(t, 16*mib, rows[2].Bytes)
		out = append(out, suspect.Measured{Round: o.Round, Nodes: o.Nodes, Value: rows[2].OutOfPlace.BusGBps})
	}
	return out
}

// Pairs name the slowed node, and nobody else, though good pairs differ threefold: they shared one GPU, which one pair had nearly to itself.
func TestRoundsNameTheSlowedNode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rounds []string
		slow   []string
		above  int
	}{
		"one round":    {[]string{"1"}, nil, 0},
		"rounds 1, 2":  {[]string{"1", "2"}, []string{"node5"}, 1},
		"rounds 1, 3":  {[]string{"1", "3"}, []string{"node5"}, 1},
		"rounds 2, 3":  {[]string{"2", "3"}, []string{"node5"}, 0},
		"all rounds":   {[]string{"1", "2", "3"}, []string{"node5"}, 1},
		"nobody slow":  {[]string{"good"}, nil, 0},
		"another turn": {[]string{"3", "2", "1"}, []string{"node5"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, known := suspect.Next(eightNames(), measured(t, tt.rounds...), nil)
			var slow []string
			for _, p := range known.Slow {
				slow = append(slow, p.Node)
			}
			require.Equal(t, tt.slow, slow)
			require.Len(t, known.Above, tt.above)
		})
	}
}

// The figures that the rounds gave: the noise among good pairs, and how far below it the slowed node's lie.
func TestRoundsOfPairs(t *testing.T) {
	t.Parallel()
	var good, slow []float64
	for _, m := range measured(t, "1", "2", "3") {
		if slices.Contains(m.Nodes, "node5") {
			slow = append(slow, m.Value)
		} else {
			good = append(good, m.Value)
		}
	}
	require.Equal(t, []float64{0.07, 0.07, 0.07}, slow)
	require.InDelta(t, 0.37, slices.Min(good), 1e-9)
	require.InDelta(t, 1.04, slices.Max(good), 1e-9)
	for _, m := range measured(t, "good") {
		require.InDelta(t, 0.29, m.Value, 0.025)
	}
	_, known := suspect.Next(eightNames(), measured(t, "1", "2", "3"), nil)
	require.Len(t, known.Good, 7)
	require.Empty(t, known.Undecided)
	require.Equal(t, []string{"node2", "node3"}, known.Above[0].Nodes)
	require.InDelta(t, 0.59, known.Median, 0.01)
	require.InDelta(t, 0.12, known.Slow[0].Share, 0.005)
	require.Len(t, known.Slow[0].Evidence, 3)
	require.Len(t, known.Roads, 3, "the third round's good pairs, all slower than before: chance, which a note says")
}

// The whole way, from the logs to a finding: one straggler is named, at the level of a warning; what is chance is a note.
func TestStragglerOfEightHosts(t *testing.T) {
	t.Parallel()
	s := hostStep(group(t, "p6-b200.48xlarge", 8))
	s.Jobs = []verdict.Job{{ID: "13", State: verdict.Completed, Nodes: eightNames(), Outputs: pairOutputs(t, "1", "2", "3")}}
	s.Name = plan.StepHost
	got := stragglers(verdict.Judge(s).Findings)
	diagtest.Complete(t, got)
	require.Equal(t, []diag.ID{diag.PerfStraggler}, rules(got, diag.Warn))
	require.Equal(t, "node5", got[0].Place.Resource)
	require.Contains(t, got[0].Got, "0.07 GB/s with node4, 0.07 GB/s with node7, 0.07 GB/s with node1")
	require.Contains(t, texts(got), "1.04 GB/s between them in round 1, far above the others")
	require.Len(t, rules(got, diag.Note), 4, "three roads, one lucky pair")

	s.Jobs[0].Outputs = pairOutputs(t, "good")
	got = stragglers(verdict.Judge(s).Findings)
	require.Empty(t, rules(got, diag.Warn))
	require.Empty(t, rules(got, diag.Error))
}

func stragglers(l diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(l), func(f diag.Finding) bool { return f.Rule != diag.PerfStraggler })
}

// One CPU for each rank made no difference on a shared GPU: the ranks wait for their turn on it. With a GPU for each rank it halves what
// sockets carry, so that nothing can be concluded from the first.
func TestOneCPU(t *testing.T) {
	t.Parallel()
	ratios := func(one, many *evidence.Sweep) []float64 {
		var out []float64
		for i, r := range one.Rows {
			require.Equal(t, many.Rows[i].Bytes, r.Bytes)
			out = append(out, r.OutOfPlace.TimeUS/many.Rows[i].OutOfPlace.TimeUS)
		}
		return out
	}
	reduce := ratios(eight(t, "reduce_cpus_1.txt"), eight(t, "reduce_cpus_all.txt"))
	require.InDeltaSlice(t, []float64{0.994, 1.001, 1.001}, reduce, 0.0006)
	toAll := ratios(eight(t, "alltoall_cpus_1.txt"), eight(t, "alltoall_cpus_all.txt"))
	require.InDeltaSlice(t, []float64{1.001, 0.986, 0.922}, toAll, 0.0006, "with one CPU as fast, and at 16 MiB by chance faster")

	one, many := read(t, "nccl-two-gpu/onecpu_socket.txt")[0].Sweep, read(t, "nccl-two-gpu/manycpu_socket.txt")[0].Sweep
	require.InDelta(t, 1.48, one.Rows[4].OutOfPlace.BusGBps, 0)
	require.InDelta(t, 3.08, many.Rows[4].OutOfPlace.BusGBps, 0)
	require.Greater(t, ratios(one, many)[4], 2.0)
}

// The good runs, size by size, as a reader of the log would judge them: no plugin, and hence sockets between all hosts. A host's two CPUs are too few for
// a type that has 24 for each rank. No bandwidth passes a gate, and none fails it: the sizes are too small.
func TestGoodRunsOfEightHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		channels string
		gbps     []float64
	}{
		{"reduce_good", "4 of 4 channels between nodes go via NET/Socket", []float64{0.01, 0.06, 0.23}},
		{"alltoall_good", "14 of 14 channels between nodes go via NET/Socket", []float64{0.06, 0.21, 0.33}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			docs := read(t, "nccl-eight-hosts/"+tt.name+".txt")
			got := verdict.Diagnose(docs, verdict.Expected{InstanceType: "p5en.48xlarge"})
			diagtest.Complete(t, got.Findings)
			require.Equal(t, result.Failed, got.Outcome)
			require.Equal(t, diag.NetPlugin, got.Cause.Rule)
			for _, rule := range []diag.ID{diag.NetPlugin, diag.NetSocket, diag.CPUPerRank} {
				require.Equal(t, eightNames(), placesOf(got.Findings, rule), rule)
			}
			require.Contains(t, texts(got.Findings), tt.channels)
			require.Equal(t, []diag.ID{diag.PerfUnjudged}, rules(got.Findings, diag.Warn))
			require.NotContains(t, rules(got.Findings, diag.Error), diag.PerfBelow)

			var gbps []float64
			for _, r := range docs[0].Sweep.Rows {
				gbps = append(gbps, r.OutOfPlace.BusGBps)
			}
			require.Equal(t, tt.gbps, gbps)
			require.Contains(t, got.Figures[len(got.Figures)-1].What, "bus bandwidth, highest, at 16 MiB")
			require.InDelta(t, tt.gbps[2], got.Figures[len(got.Figures)-1].Measured, 0)
		})
	}
}

// placesOf are the resources that a rule's errors name, sorted.
func placesOf(l diag.List, rule diag.ID) []string {
	var out []string
	for _, f := range l {
		if f.Rule == rule && f.Severity() == diag.Error {
			out = append(out, f.Place.Resource)
		}
	}
	slices.Sort(out)
	return out
}
