package verdict

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/symptom"
)

// symptoms judges the known texts of all logs.
func (j *judging) symptoms() {
	for _, o := range j.outputs() {
		for i := range o.Documents {
			for _, s := range symptomsOf(&o.Documents[i]) {
				j.symptom(s)
			}
		}
	}
}

// symptomsOf are the known texts of a document: its own list, or those of its parts where a parser left it empty.
func symptomsOf(d *evidence.Document) []evidence.Symptom {
	if len(d.Symptoms) > 0 {
		return d.Symptoms
	}
	var out []evidence.Symptom
	if d.Path != nil {
		out = append(out, d.Path.Symptoms...)
	}
	if d.Dispatch != nil {
		out = append(out, d.Dispatch.Symptoms...)
	}
	if d.Training != nil {
		out = append(out, d.Training.Symptoms...)
	}
	return out
}

// symptom makes the finding of a known text. On a node whose road is proved, a text about what lies below the road explains nothing: it is
// kept as a note.
func (j *judging) symptom(s evidence.Symptom) {
	row, ok := symptom.Lookup(s.ID)
	if !ok || row.Harmless || row.Rule == "" {
		return
	}
	f := diag.Finding{
		Rule: row.Rule, Place: at(s.Excerpt, short(s.Host)), Got: fmt.Sprintf("%s: %s", row.Says, s.Text),
		Want: row.Rule.Says(), Hint: row.Hint, Source: row.Source,
	}
	if s.Times > 1 {
		f.Got += fmt.Sprintf(" (%d times)", s.Times)
	}
	if j.told(f) {
		return
	}
	if row.Cause < symptom.Environment {
		f.Level = j.explains(f.Severity(), s.Host)
	}
	if f.Severity() > diag.Note {
		j.quote(s.Excerpt)
	}
	j.addRanked(ranked{Finding: f, cause: row.Cause, order: byRule(f).order})
}

// told says that a finding of the same rule about the same line is there already.
func (j *judging) told(f diag.Finding) bool {
	return f.Place.Line > 0 && slices.ContainsFunc(j.found, func(r ranked) bool {
		return r.Rule == f.Rule && r.Place.File == f.Place.File && r.Place.Line == f.Place.Line
	})
}

// explains is the level of a text about what lies below the road: none but a note where the road is proved, a warning where no byte left the
// node, so that nothing came of it.
func (j *judging) explains(level diag.Level, host string) diag.Level {
	if j.roadProved(host) {
		return diag.Note
	}
	if j.apart() {
		return min(level, diag.Warn)
	}
	if n := j.road.node(short(host)); n != nil && channels(n.path).Net == 0 && channels(n.path).Local > 0 {
		return min(level, diag.Warn)
	}
	return level
}

// apart says that the step's programs ran each for itself: whatever is wrong below them did nothing yet.
func (j *judging) apart() bool {
	sweeps := j.sweeps()
	return len(sweeps) > 0 && !slices.ContainsFunc(sweeps, func(s *sweep) bool { return s.Worlds < 2 })
}

// roadProved says that a host's road is proved, or every node's where a text names none.
func (j *judging) roadProved(host string) bool {
	if host == "" {
		return j.road.good()
	}
	n := j.road.node(short(host))
	return n != nil && n.proved
}
