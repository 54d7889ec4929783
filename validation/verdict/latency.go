package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

// Small messages, over which latency is judged, in bytes.
const (
	smallLeast = 64
	smallMost  = 4 << 10
)

// latencyMostUS is the upper end of what others published for one way over EFA, in microseconds.
const latencyMostUS = 38

const latencySource = "public runs of fi_pingpong over EFA: 24 to 38 µs one way in 2024, 21 to 31 µs in 2020 (read 2026-11-30)"

// latency judges the runs of fi_pingpong, a pair of nodes each.
func (j *judging) latency() {
	n := 0
	for _, o := range j.outputs() {
		for i := range o.Documents {
			for _, p := range pingpongsOf(&o.Documents[i]) {
				j.pingpong(o, p)
				n++
			}
			if info := o.Documents[i].Info; info != nil {
				j.devices(o, info)
			}
		}
	}
	if n == 0 && j.Group.Name != "" {
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Got: "no table of fi_pingpong", Want: "a run between two nodes",
			Hint: "look at the job's output: the server must be started first, and its control port TCP 47592 be open",
		})
	}
}

// pingpongsOf are the runs of a document, one side of each: the other side tells the same.
func pingpongsOf(d *evidence.Document) []*evidence.Pingpong {
	if d.Pingpong == nil {
		return nil
	}
	out := []*evidence.Pingpong{d.Pingpong}
	for i := range d.Pingpongs {
		if p := &d.Pingpongs[i]; p.Failure != nil && d.Pingpong.Failure == nil {
			out = append(out, p)
		}
	}
	return out
}

func pairName(o output, p *evidence.Pingpong) string {
	from, to := p.From, p.To
	if len(o.Nodes) == 2 {
		from, to = o.Nodes[0], o.Nodes[1]
	}
	if from == "" || to == "" {
		return ""
	}
	return short(from) + " and " + short(to)
}

func (j *judging) pingpong(o output, p *evidence.Pingpong) {
	pair := pairName(o, p)
	if p.Failure != nil {
		j.quote(*p.Failure)
		j.add(diag.Finding{
			Rule: pingpongRule(p.Failure.Text), Place: at(*p.Failure, orElse(pair, fileless(*p.Failure, o.job.place()))),
			Got: "fi_pingpong stopped: " + p.Failure.Text, Want: "a run to its end over provider efa",
			Hint:   "with -61 there is no such EFA domain: names end in -rdm, and /dev/infiniband must be there; otherwise look whether the server ran and TCP 47592 is open",
			Source: "ofiwg/libfabric, util/pingpong.c",
		})
		return
	}
	j.lostAnswers(o, p, pair)
	if p.Provider != "" && !isEFA(p.Provider) {
		j.add(diag.Finding{
			Rule: diag.NetProvider, Place: diag.Place{File: o.file(), Resource: orElse(pair, o.job.place())},
			Got: "fi_pingpong ran over provider " + p.Provider, Want: "provider efa", Hint: "run fi_pingpong -p efa -e rdm",
		})
		return
	}
	us, rows, ok := smallMessages(p)
	if !ok {
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Place: diag.Place{File: o.file(), Resource: orElse(pair, o.job.place())},
			Got: "no row of 64 B to 4 KiB after the first, which carries the set-up of the connection", Want: "warm rows of small messages",
			Hint: "run fi_pingpong -p efa -e rdm -I 1000 -S all",
		})
		return
	}
	j.latencyFigure(o, us, rows, pair)
}

// pingpongRule tells a missing device from a run that broke.
func pingpongRule(text string) diag.ID {
	if strings.Contains(text, "-61") || strings.Contains(text, "No data available") {
		return diag.NetProvider
	}
	return diag.PerfData
}

func (j *judging) lostAnswers(o output, p *evidence.Pingpong, pair string) {
	for _, r := range p.Rows {
		if r.Acked == r.Sent {
			continue
		}
		j.quote(r.Excerpt)
		j.add(diag.Finding{
			Rule: diag.PerfData, Place: at(r.Excerpt, orElse(pair, fileless(r.Excerpt, o.job.place()))),
			Got: fmt.Sprintf("%d messages of %s sent, %d answered", r.Sent, size(r.Bytes), r.Acked), Want: "an answer for each message",
			Hint: "run it again between the same nodes and each of them with another: `rdma -p statistic show` before and after tells where packets are dropped",
		})
		return
	}
}

// smallMessages is the median one-way time of the warm rows of small messages.
func smallMessages(p *evidence.Pingpong) (us float64, rows []evidence.Excerpt, ok bool) {
	var times []float64
	for _, r := range p.Rows {
		if r.Warm && r.Bytes >= smallLeast && r.Bytes <= smallMost && r.OneWayUS > 0 {
			times, rows = append(times, r.OneWayUS), append(rows, r.Excerpt)
		}
	}
	if len(times) == 0 {
		return 0, nil, false
	}
	return median(times), rows, true
}

func (j *judging) latencyFigure(o output, us float64, rows []evidence.Excerpt, pair string) {
	f := result.Figure{
		What:     strings.TrimSuffix(fmt.Sprintf("latency one way, median of %s of 64 B to 4 KiB, %s", count(len(rows), "size"), pair), ", "),
		Measured: us, Expected: latencyMostUS, Unit: "µs", Share: us / latencyMostUS, Most: 1, Outcome: result.Passed,
		Formula: fmt.Sprintf("%s µs / %d µs = %s, at most 100 %%", number(us), latencyMostUS, percent(us/latencyMostUS)),
		Source:  latencySource, Raw: rows,
	}
	if f.Share > f.Most {
		f.Outcome = result.Warned
		j.add(diag.Finding{
			Rule: diag.PerfLatency, Place: at(rows[0], orElse(pair, fileless(rows[0], o.job.place()))),
			Got: fmt.Sprintf("%s µs one way", number(us)), Want: fmt.Sprintf("at most %d µs", latencyMostUS),
			Hint:   "measure each of the two with another node: a node that is slow with all is at fault, else the distance; run with -I 1000, ten iterations alone are set-up",
			Source: latencySource,
		})
	}
	j.figure(f)
}

// devices compares what fi_info lists with the type's EFA devices.
func (j *judging) devices(o output, info *evidence.FabricInfo) {
	want := j.Group.Healthy.EFADevices
	if want == 0 {
		return
	}
	if info.Failure != nil {
		j.add(diag.Finding{
			Rule: diag.NodeEFACount, Place: at(*info.Failure, fileless(*info.Failure, o.job.place())),
			Got: "fi_info finds no EFA device: " + info.Failure.Text, Want: fmt.Sprintf("%d EFA devices", want),
			Hint: "look at /dev/infiniband and at module efa; in a container the devices must be passed in",
		})
		return
	}
	for label, names := range info.Devices("efa") {
		if len(names) == want {
			continue
		}
		j.add(diag.Finding{
			Rule: diag.NodeEFACount, Place: diag.Place{File: o.file(), Resource: orElse(label, strings.Join(unique(o.Nodes), ", "))},
			Got: fmt.Sprintf("fi_info lists %d EFA devices", len(names)), Want: fmt.Sprintf("%d, as %s has", want, j.Group.InstanceType),
			Hint: "compare with `lspci -d 1d0f:` on the node: what lspci lacks is not attached, what only fi_info lacks has no driver or no device file",
		})
	}
}

// pairsOf are the latencies of a step, by pair of nodes.
func (j *judging) pairsOf() []result.Pair {
	var out []result.Pair
	for _, o := range j.outputs() {
		for i := range o.Documents {
			p := o.Documents[i].Pingpong
			if p == nil || len(o.Nodes) != 2 {
				continue
			}
			if us, _, ok := smallMessages(p); ok && !slices.ContainsFunc(out, func(q result.Pair) bool { return q.A == o.Nodes[0] && q.B == o.Nodes[1] }) {
				out = append(out, result.Pair{A: o.Nodes[0], B: o.Nodes[1], LatencyUS: us})
			}
		}
	}
	return out
}
