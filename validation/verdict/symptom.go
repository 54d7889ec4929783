package verdict

import (
	"fmt"

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
	if row.Cause < symptom.Environment && j.roadProved(s.Host) {
		f.Level = diag.Note
	} else {
		j.quote(s.Excerpt)
	}
	j.addRanked(ranked{Finding: f, cause: row.Cause, order: byRule(f).order})
}

// roadProved says that a host's road is proved, or every node's where a text names none.
func (j *judging) roadProved(host string) bool {
	if host == "" {
		return j.road.good()
	}
	n := j.road.node(short(host))
	return n != nil && n.path != nil && !n.bad
}
