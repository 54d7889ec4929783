package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

// The roads that a dispatcher's log can prove, as package evidence names them.
const (
	backendGDA     = "GDAKI"
	backendProxy   = "GIN proxy"
	backendNVSHMEM = "NVSHMEM libfabric"
)

// gpuInitiated is NCCL_GIN_TYPE of EFA's GPU-initiated road, proxied that of the CPU proxy.
const (
	gpuInitiated = 5
	proxied      = 2
)

// The share of the all-to-all's figure that a dispatcher reaches over the network, and the sizes at which it is compared.
const (
	dispatchLeast = 0.9
	dispatchMost  = 1.3
	likeLeast     = 56 << 20
	likeMost      = 64 << 20
)

const dispatchSource = "awslabs/awsome-distributed-ai, ep-backend-comparison: 0.9 to 1.3 × the all-to-all at 56 to 64 MiB on the same nodes"

// dispatcher judges the runs of expert-parallel benchmarks.
func (j *judging) dispatcher() {
	n := 0
	for _, o := range j.outputs() {
		for i := range o.Documents {
			if d := o.Documents[i].Dispatch; d != nil {
				j.dispatch(o, d)
				n++
			}
		}
	}
	switch {
	case n > 0:
	case j.Workload.Dispatcher == "nccl":
		j.collectives()
	case j.Group.Name != "":
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Got: "no output of a dispatcher's benchmark", Want: "a run of " + orElse(j.Workload.Dispatcher, "the dispatcher"),
			Hint: "look at the job's output: the program did not start, or its output was not collected",
		})
	}
}

func (j *judging) dispatch(o output, d *evidence.Dispatch) {
	j.dispatchChecks(o, d)
	j.backend(o, d)
	if len(d.Figures) == 0 {
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Place: dispatchPlace(o, d), Got: d.Program + " printed no figure", Want: "its table of dispatch and combine",
			Hint: "the program stopped before its first measurement: look at the end of its output",
		})
		return
	}
	if len(o.Nodes) > 1 || d.Nodes > 1 {
		j.againstAllToAll(o, d)
	}
}

func dispatchPlace(o output, d *evidence.Dispatch) diag.Place {
	if len(d.Figures) > 0 && d.Figures[0].File != "" {
		return at(d.Figures[0].Excerpt, "")
	}
	return diag.Place{File: o.file(), Resource: o.job.place()}
}

func (j *judging) dispatchChecks(o output, d *evidence.Dispatch) {
	if len(d.Failed) == 0 {
		return
	}
	j.quote(d.Failed[0])
	j.add(diag.Finding{
		Rule: diag.PerfData, Place: at(d.Failed[0], fileless(d.Failed[0], o.job.place())),
		Got: fmt.Sprintf("%s: %s failed: %s", d.Program, count(len(d.Failed), "check"), d.Failed[0].Text), Want: "every check of the results passed",
		Hint: "do not train with it: use the dispatcher's release that fits NCCL and plugin, or NCCL's all-to-all",
	})
}

// backend judges whether the road is the one that the plan wants. A dispatcher that fell back to the CPU's proxy runs as well, slowly.
func (j *judging) backend(o output, d *evidence.Dispatch) {
	want := j.wantedBackend(d)
	have, line := backendOf(o, d)
	if have != "" {
		j.out.Figures = append(j.out.Figures, result.Figure{
			What: d.Program + ": road, " + have, Unit: "", Outcome: result.Passed, Formula: "as the log says: " + orElse(line.Text, have), Source: "the run itself",
			Raw: rawOf(line),
		})
	}
	if want == "" || have == want {
		return
	}
	got := fmt.Sprintf("%s went by %s", d.Program, have)
	if have == "" {
		got = fmt.Sprintf("nothing in the log proves how %s went", d.Program)
	}
	j.quote(line)
	place := dispatchPlace(o, d)
	if line.File != "" {
		place = at(line, "")
	}
	j.add(diag.Finding{
		Rule: diag.MoEDispatcher, Place: place, Got: got, Want: want, Hint: backendHint(want), Source: j.backendSource(),
	})
}

func rawOf(e evidence.Excerpt) []evidence.Excerpt {
	if e.Text == "" {
		return nil
	}
	return []evidence.Excerpt{e}
}

// wantedBackend is what the plan's dispatcher goes by on the group's type. The others have one road only, which their output shows.
func (j *judging) wantedBackend(d *evidence.Dispatch) string {
	row, ok := catalog.DispatcherOf(j.Workload.Dispatcher)
	if !ok || !strings.HasPrefix(d.Program, "deepep") || !row.OverNodes {
		return ""
	}
	family, _, _ := strings.Cut(j.Group.InstanceType, ".")
	switch {
	case row.Name == "deepep-v1-nvshmem":
		return backendNVSHMEM
	case slices.Contains(row.GPUInitiated, family):
		return backendGDA
	case row.Name == "deepep-v2":
		return backendProxy
	default:
		return ""
	}
}

// backendOf is what the logs of a run prove, and the line that does.
func backendOf(o output, d *evidence.Dispatch) (string, evidence.Excerpt) {
	if d.Backend != "" {
		return d.Backend, evidence.Excerpt{}
	}
	for i := range o.Documents {
		p := o.Documents[i].Path
		if p == nil {
			continue
		}
		line := firstOf(p.GIN.Context, p.GIN.Assigned, p.GIN.Failed)
		switch {
		case p.GIN.Type == gpuInitiated && p.GIN.Failed == nil:
			return backendGDA, line
		case p.GIN.Type == proxied:
			return backendProxy, line
		}
	}
	return "", evidence.Excerpt{}
}

func firstOf(lines ...*evidence.Excerpt) evidence.Excerpt {
	for _, e := range lines {
		if e != nil {
			return *e
		}
	}
	return evidence.Excerpt{}
}

func backendHint(want string) string {
	switch want {
	case backendGDA:
		return "set NCCL_GIN_TYPE=5 and NCCL_SYM_GIN_KERNELS_ENABLE=0, with NCCL 2.31.2 and EFA installer 1.50 in the container and efa.ko 3.3.0 and the " +
			"driver option PeerMappingOverride=1 on the host: unset, NCCL takes the CPU's proxy without a word"
	case backendNVSHMEM:
		return "set NVSHMEM_REMOTE_TRANSPORT=libfabric and NVSHMEM_LIBFABRIC_PROVIDER=efa, and leave NVSHMEM_IB_ENABLE_IBGDA off"
	default:
		return "run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,ENV,NET: the lines GIN/Plugin and createContext say it"
	}
}

func (j *judging) backendSource() string {
	row, _ := catalog.DispatcherOf(j.Workload.Dispatcher)
	return cite(row.Source)
}

// againstAllToAll compares what a dispatcher moves over the network with the all-to-all of the same nodes. The slowest rank counts: the
// others wait for it.
func (j *judging) againstAllToAll(o output, d *evidence.Dispatch) {
	have, line, ok := slowestDispatch(d)
	like, size, known := j.allToAllBefore()
	if !ok || !known {
		return
	}
	f := result.Figure{
		What: d.Program + ": dispatch over the network beside the all-to-all, slowest rank", Measured: have, Expected: like.BusGBps, Unit: "GB/s",
		Share: have / like.BusGBps, Least: dispatchLeast, Most: dispatchMost, Outcome: result.Passed, Source: dispatchSource, Raw: rawOf(line),
	}
	f.Formula = fmt.Sprintf("%s / %s (all-to-all at %s, in the step before) = %s, %s to %s", number(have), number(like.BusGBps), size, percent(f.Share),
		percent(f.Least), percent(f.Most))
	switch {
	case f.Share < f.Least:
		f.Outcome = result.Warned
		j.add(diag.Finding{
			Rule: diag.MoEDispatcher, Level: diag.Warn, Place: at(line, fileless(line, o.job.place())),
			Got:  fmt.Sprintf("%s dispatches at %s GB/s over the network, %s of the all-to-all", d.Program, number(have), percent(f.Share)),
			Want: fmt.Sprintf("at least %s of %s GB/s", percent(f.Least), number(like.BusGBps)),
			Hint: "NCCL's all-to-all is faster here: look at the dispatcher's road (proxy), its number of SMs and chunk sizes, or train with NCCL", Source: dispatchSource,
		})
	case f.Share > f.Most:
		j.add(diag.Finding{
			Rule: diag.PerfImpossible, Level: diag.Warn, Place: at(line, fileless(line, o.job.place())),
			Got:  fmt.Sprintf("%s prints %s GB/s over the network, %s of the all-to-all", d.Program, number(have), percent(f.Share)),
			Want: fmt.Sprintf("at most %s of %s GB/s", percent(f.Most), number(like.BusGBps)),
			Hint: "the program counts traffic inside the node as well (--ignore-local-traffic), or the all-to-all before it was slow", Source: dispatchSource,
		})
	}
	j.figure(f)
}

// slowestDispatch is the least bandwidth over the network of a dispatch; of a tuning run its best line.
func slowestDispatch(d *evidence.Dispatch) (gbps float64, line evidence.Excerpt, ok bool) {
	tuned := slices.ContainsFunc(d.Figures, func(f evidence.DispatchFigure) bool { return f.Best })
	for _, f := range d.Figures {
		if f.Operation != "dispatch" || f.ScaleOutGBps <= 0 || tuned && !f.Best {
			continue
		}
		if !ok || f.ScaleOutGBps < gbps {
			gbps, line, ok = f.ScaleOutGBps, f.Excerpt, true
		}
	}
	return gbps, line, ok
}

// allToAllBefore is the all-to-all of a step before, of the container where it ran there, at the size of a dispatch.
func (j *judging) allToAllBefore() (result.Point, string, bool) {
	var best result.Point
	for _, s := range j.before {
		if s.Group != j.Group.Name {
			continue
		}
		for _, c := range s.Curves {
			if c.Collective != string(catalog.AllToAll) || c.Nodes < 2 {
				continue
			}
			for _, p := range c.Points {
				if p.Bytes >= likeLeast && p.Bytes <= likeMost && p.BusGBps > 0 {
					best = p
				}
			}
		}
	}
	return best, size(best.Bytes), best.Bytes > 0
}
