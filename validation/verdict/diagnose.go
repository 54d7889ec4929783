package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

// Expected is what somebody says of the run that logs are of. Both may be left out.
type Expected struct {
	InstanceType string // empty: as the logs say
	Nodes        int    // 0: as the logs say
}

// Diagnosis is what logs tell by themselves, without a plan.
type Diagnosis struct {
	Files []Recognised `json:"files"`
	// Proves are sentences: what was measured, and which road each node took.
	Proves []string `json:"proves"`
	// Compared says what bandwidths and counts are compared with, and how that is known.
	Compared string          `json:"compared"`
	Outcome  result.Outcome  `json:"outcome"`
	Cause    *diag.Finding   `json:"cause,omitempty"` // the finding to mend first
	Findings diag.List       `json:"findings"`        // in the order of their causes
	Figures  []result.Figure `json:"figures,omitempty"`
}

// Recognised is what a file was found to be.
type Recognised struct {
	File  string   `json:"file"`
	Kinds []string `json:"kinds"` // the main thing first; empty for a file of no known kind
}

// stepDiagnosis is no step of the validation order: all that the logs hold is judged.
const stepDiagnosis = "diagnosis"

// Diagnose judges logs that no plan belongs to, all of them as those of one run. That something is not proved is a warning here: nobody says
// that the run was to prove it. Bandwidths are compared only where the instance type is given, or named by a log and known.
func Diagnose(docs []evidence.Document, e Expected) Diagnosis {
	group, compared := groupOf(docs, e)
	job := Job{State: Completed}
	for _, d := range docs {
		job.Outputs = append(job.Outputs, Output{Documents: []evidence.Document{d}})
	}
	j := newJudging(Step{Name: stepDiagnosis, Group: group, Jobs: []Job{job}}, nil)
	j.nodes = e.Nodes
	j.judge()
	out := Diagnosis{
		Proves: j.proofs(), Compared: compared, Outcome: j.out.Outcome, Findings: j.out.Findings, Figures: j.out.Figures, Files: []Recognised{},
	}
	for _, d := range docs {
		out.Files = append(out.Files, Recognised{d.File, d.Kinds})
	}
	if c := first(j.found); c != nil {
		out.Cause = &c.Finding
	}
	if out.Findings == nil {
		out.Findings = diag.List{}
	}
	return out
}

// groupOf plans nodes of the type that is given or named by a log.
func groupOf(docs []evidence.Document, e Expected) (plan.NodeGroup, string) {
	name, how := e.InstanceType, "as given"
	if name == "" {
		name, how = platformOf(docs), "a log names it"
	}
	t, known := catalog.Instance(name)
	if !known {
		return plan.NodeGroup{}, "nothing: no log names an instance type that is known; --type gives it"
	}
	nodes := max(2, e.Nodes)
	g, _ := plan.Group(config.Group{InstanceType: t.Name, Count: nodes, EFA: t.MaxEFA > 0, Layout: "auto"})
	return g, fmt.Sprintf("%s, %s: %d EFA devices, %s GB/s a node", t.Name, how, g.Healthy.EFADevices, number(g.Expect.NodeGBps))
}

func platformOf(docs []evidence.Document) string {
	for i := range docs {
		if p := docs[i].Path; p != nil && p.Platform != "" {
			return p.Platform
		}
	}
	return ""
}

// everything judges all kinds of evidence.
func (j *judging) everything() {
	j.collectives()
	j.latency()
	j.dispatcher()
	j.training()
}

// asks says whether logs without a plan are ones from which a road can be asked: of a run over several ranks.
func (j *judging) asks() bool {
	for _, o := range j.outputs() {
		for i := range o.Documents {
			d := &o.Documents[i]
			if d.Sweep != nil && len(d.Sweep.Ranks) > 1 || d.Path != nil && d.Path.Lines > 0 {
				return true
			}
		}
	}
	return false
}

// soften makes a warning of what is only not proved.
func (j *judging) soften(r ranked) ranked {
	if j.Name == stepDiagnosis && (r.Rule == diag.NetUnproved || r.Rule == diag.PerfUnjudged) {
		r.Level = min(r.Level, diag.Warn)
	}
	return r
}

// proofs are sentences about what the logs show.
func (j *judging) proofs() []string {
	out := []string{}
	for i := range j.road.nodes {
		if text := j.road.nodes[i].describe(); text != "" {
			out = append(out, text)
		}
	}
	for _, s := range j.sweeps() {
		if len(s.rows) > 0 {
			top := peak(s.rows)
			text := fmt.Sprintf("%s: %s GB/s bus bandwidth, %s GB/s algorithm bandwidth at %s", s.name(), number(top.half.BusGBps), number(top.half.AlgGBps), size(top.Bytes))
			if e, ok := j.expect(s); ok {
				text += fmt.Sprintf("; %s of %s", percent(top.half.BusGBps/e.gbps), e.formula)
			}
			out = append(out, text)
		}
	}
	for _, f := range j.out.Figures {
		if !slices.Contains([]string{"GB/s"}, f.Unit) {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s", f.What, number(f.Measured), f.Unit)))
		}
	}
	return out
}

// describe says in one sentence which road a node took.
func (n *nodeRoad) describe() string {
	c := channels(n.path)
	if n.path == nil || c.Net+c.Local == 0 {
		return ""
	}
	if c.Net == 0 {
		return fmt.Sprintf("node %s: %s inside the node, none between nodes", n.name, count(c.Local, "channel"))
	}
	var roads []string
	for _, r := range []struct {
		n    int
		text string
	}{
		{c.GDR, "Libfabric with GDRDMA"}, {c.Libfabric - c.GDR, "Libfabric without GDRDMA"}, {c.Socket, "Socket"}, {c.IB, "InfiniBand"}, {c.Other, "another network"},
	} {
		if r.n > 0 {
			roads = append(roads, fmt.Sprintf("%d over %s", r.n, r.text))
		}
	}
	text := fmt.Sprintf("node %s: %s between nodes: %s", n.name, count(c.Net, "channel"), strings.Join(roads, ", "))
	if len(n.path.Providers) > 0 {
		text += "; provider " + keys(n.path.Providers)
	}
	for _, found := range n.path.NICs {
		text += fmt.Sprintf(", %s", count(found, "NIC"))
	}
	return text
}
