package verdict

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
)

// place of a step's programs.
func (j *judging) where() string {
	if j.Name == plan.StepHost || j.Workload.Container == "" {
		return "host"
	}
	return "container"
}

// curve keeps a run's bandwidths by size, with what they are compared with.
func (j *judging) curve(s *sweep) {
	c := result.Curve{
		Name: fmt.Sprintf("%s %s", j.where(), orElse(s.Collective, "collective")), Where: j.where(), Collective: s.Collective, Nodes: s.nodes, Ranks: s.ranks,
	}
	if s.from.Round > 0 {
		c.Name += fmt.Sprintf(", round %d, %s", s.from.Round, list(unique(s.from.Nodes)))
	}
	for _, r := range s.rows {
		c.Points = append(c.Points, result.Point{Bytes: r.Bytes, BusGBps: r.half.BusGBps, AlgGBps: r.half.AlgGBps, TimeUS: r.half.TimeUS})
	}
	if e, ok := j.expect(s); ok {
		c.FloorGBps, c.Source = e.share*e.gbps, e.source
		c.CeilingGBps = e.physical
		if e.reference != nil {
			c.Reference = points(*e.reference)
		}
	}
	j.out.Curves = append(j.out.Curves, c)
}

// points are a published run's rows that have a size.
func points(r catalog.Reference) []result.Point {
	var out []result.Point
	for _, p := range r.Points {
		if p.Bytes > 0 {
			out = append(out, result.Point{Bytes: p.Bytes, BusGBps: p.GBps})
		}
	}
	return out
}

// againstHost compares a container with its host: the same collective, nodes and size, the largest that both ran.
func (j *judging) againstHost() {
	if j.Name != plan.StepContainer {
		return
	}
	for _, mine := range j.out.Curves {
		for _, s := range j.before {
			if s.Name == plan.StepHost && s.Group == j.Group.Name {
				j.againstCurves(mine, s.Curves)
			}
		}
	}
}

// containerShare is what a container reaches of its host. Equal clusters measure within 5 % of one another.
const containerShare = 0.95

func (j *judging) againstCurves(mine result.Curve, others []result.Curve) {
	for _, host := range others {
		if host.Collective != mine.Collective || host.Nodes != mine.Nodes || host.Ranks != mine.Ranks {
			continue
		}
		m, h, ok := largestShared(mine.Points, host.Points)
		if !ok {
			continue
		}
		j.besideHost(mine, m, h)
		return
	}
}

func (j *judging) besideHost(mine result.Curve, m, h result.Point) {
	f := result.Figure{
		What:     fmt.Sprintf("%s, container beside host, at %s", mine.Collective, size(m.Bytes)),
		Measured: m.BusGBps, Expected: h.BusGBps, Unit: "GB/s", Share: m.BusGBps / h.BusGBps, Least: containerShare, Outcome: result.Passed,
		Source: "the host step of this run; equal clusters measure within 5 %",
	}
	f.Formula = fmt.Sprintf("%s / %s = %s, at least %s", number(m.BusGBps), number(h.BusGBps), percent(f.Share), percent(f.Least))
	if f.Share < f.Least {
		f.Outcome = result.Warned
		j.add(diag.Finding{
			Rule: diag.VerHostContainer,
			Got:  fmt.Sprintf("%s at %s: %s GB/s in the container, %s of the host's", mine.Collective, size(m.Bytes), number(m.BusGBps), percent(f.Share)),
			Want: fmt.Sprintf("at least %s of the host's %s GB/s", percent(containerShare), number(h.BusGBps)),
			Hint: "compare the versions and settings of both in this report: the container brings its own libfabric, plugin and NCCL", Source: f.Source,
		})
	}
	j.figure(f)
}

func largestShared(a, b []result.Point) (pa, pb result.Point, ok bool) {
	for _, p := range a {
		for _, q := range b {
			if p.Bytes == q.Bytes && p.Bytes > pa.Bytes && p.BusGBps > 0 && q.BusGBps > 0 {
				pa, pb, ok = p, q, true
			}
		}
	}
	return pa, pb, ok
}
