package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// SetBy says who gave a variable its value.
type SetBy uint8

// The ways. The zero SetBy is the user.
const (
	SetByUser     SetBy = iota // a script, a file, an image, or the environment of whoever submitted the job
	SetByPlugin                // aws-ofi-nccl, which never does wrong with it
	SetOverPlugin              // aws-ofi-nccl wanted to set it and found a value of the user's
)

// Setting is a variable of the environment of a job's ranks.
type Setting struct {
	Name  string
	Value Value[string]
	// Begins is what is known of the beginning of a value that is unknown: /opt/hpcx/lib: of /opt/hpcx/lib:$LD_LIBRARY_PATH.
	Begins string
	By     SetBy
	// OneCommand says that it stands before one command and is gone after it.
	OneCommand bool
	// OneNode says that all processes that get it run within one node.
	OneNode bool
	// Conditional says that it is set on some ways through a script only.
	Conditional bool
	Place       diag.Place
}

// Environment judges the variables that the ranks of a job get together: one finding for each that does harm, is left over from another
// fabric or release, or that no program reads. What aws-ofi-nccl sets itself is no finding, and neither is what EFA needs. Findings name
// diag.EnvIBResidue, diag.EnvOtherCloud, diag.EnvUnknown, diag.EnvForcedFallback, diag.EnvHarmful and diag.EnvObsolete, and
// diag.ValueUnknown for a value that decides and that nobody knows. They stand in the order of the settings.
func Environment(settings []Setting, at catalog.Surroundings) diag.List {
	e := environment{settings: settings, Surroundings: at}
	for _, s := range settings {
		if s.By != SetByPlugin {
			e.judge(s)
		}
	}
	return e.findings
}

type environment struct {
	catalog.Surroundings
	settings []Setting
	findings diag.List
}

func (e *environment) judge(s Setting) {
	row, decides, ok := e.row(s)
	switch {
	case ok:
		e.judgeRow(s, row)
	case decides:
		e.findings.Add(diag.Finding{
			Rule: diag.ValueUnknown, Place: s.Place, Got: fmt.Sprintf("the value of %s is not known, so that it was not judged", s.Name),
			Want: "its value", Hint: "write the value itself",
		})
	default:
		e.judgeName(s)
	}
}

// row finds what the catalogue says of a setting. Of a list whose end is unknown its beginning counts, of any other value that is unknown what
// holds for all values. decides reports that a value is needed.
func (e *environment) row(s Setting) (row catalog.Variable, decides, ok bool) {
	value, known := s.Value.Get()
	separator := catalog.Lists(s.Name)
	switch {
	case known || s.Value.IsAbsent():
		row, ok = catalog.VariableOf(s.Name, value, e.Surroundings)
		return row, false, ok
	case separator == "":
		return catalog.VariableOfUnknown(s.Name, e.Surroundings)
	}
	if i := strings.LastIndex(s.Begins, separator); i > 0 {
		row, ok = catalog.VariableOf(s.Name, s.Begins[:i], e.Surroundings)
	}
	return row, false, ok
}

// judgeRow makes the finding of a row, if the setting is one that is in the wrong.
func (e *environment) judgeRow(s Setting, row catalog.Variable) {
	level, rule := levelOf(row), ruleOf(row)
	does := row.Does
	switch {
	case e.unguarded(s, row):
		rule, level, does = diag.EnvForcedFallback, diag.Note, "alone no guard: where the plugin does not load, NCCL goes over TCP without a word"
		row.Instead = "set NCCL_NET=Libfabric beside it, so that NCCL ends instead"
	case row.Effect == catalog.Useful || e.guarded(s) || row.Probe && s.probes(row):
		return
	case e.pluginSets(s):
		level, does = diag.Note, "the value that aws-ofi-nccl sets itself"
	case row.Probe && s.OneNode:
		level, does = diag.Note, does+"; the job has one node"
	case s.Conditional:
		level, does = diag.Note, does+"; set under a condition only"
	}
	e.findings.Add(diag.Finding{
		Rule: rule, Level: level, Place: s.Place, Got: s.show() + ": " + does, Want: want(row), Hint: row.Instead,
		Source: fmt.Sprintf("%s (read %s)", row.Source.Ref, row.Source.Date),
	})
}

// probes reports that a test wants the setting: in front of one command, and, where it takes EFA away, within one node.
func (s Setting) probes(row catalog.Variable) bool {
	return s.OneCommand && (s.OneNode || row.Origin != catalog.OfFallback)
}

// guarded reports that FI_PROVIDER=efa has its other half beside it: with NCCL_NET it stops a job that would fall back, and NVSHMEM needs it.
func (e *environment) guarded(s Setting) bool {
	if s.Name != "FI_PROVIDER" || !strings.EqualFold(s.Value.Or(""), "efa") {
		return false
	}
	return slices.ContainsFunc(e.settings, func(other Setting) bool {
		value := strings.ToLower(other.Value.Or(""))
		return other.Name == "NCCL_NET" && slices.Contains([]string{"libfabric", "aws libfabric", "ofi"}, value) ||
			other.Name == "NVSHMEM_REMOTE_TRANSPORT" && value == "libfabric"
	})
}

// unguarded reports that a job names AWS's plugin and leaves the network open.
func (e *environment) unguarded(s Setting, row catalog.Variable) bool {
	return s.Name == "NCCL_NET_PLUGIN" && row.Effect == catalog.Useful && HasText(s.Value) && !s.Conditional &&
		!slices.ContainsFunc(e.settings, func(other Setting) bool { return other.Name == "NCCL_NET" })
}

func (e *environment) pluginSets(s Setting) bool {
	value, known := s.Value.Get()
	return known && catalog.PluginSets(s.Name, value, e.InstanceType)
}

// judgeName tells of a name that no program reads. It is never treated as the name that it is like.
func (e *environment) judgeName(s Setting) {
	if program, judged := catalog.ReadBy(s.Name); !judged || program != "" {
		return
	}
	near := catalog.NearestVariable(s.Name)
	e.findings.Add(diag.Finding{
		Rule: diag.EnvUnknown, Place: s.Place, Got: s.Name + ", which no release of NCCL, aws-ofi-nccl or libfabric reads",
		Want: "a name that one of them reads", Hint: fmt.Sprintf("remove it, or write %s if that is what it should be", near),
		Source: "NVIDIA/nccl, aws/aws-ofi-nccl, ofiwg/libfabric: names in all releases",
	})
}

// levelOf: an error is what takes EFA away or keeps the job from starting.
func levelOf(v catalog.Variable) diag.Level {
	switch {
	case v.Effect == catalog.Fatal, v.Origin == catalog.OfFallback:
		return diag.Error
	case v.Effect == catalog.Situational:
		return diag.Note
	default:
		return diag.Warn
	}
}

func ruleOf(v catalog.Variable) diag.ID {
	switch {
	case v.Origin == catalog.OfInfiniBand:
		return diag.EnvIBResidue
	case v.Origin == catalog.OfOtherCloud:
		return diag.EnvOtherCloud
	case v.Origin == catalog.OfFallback:
		return diag.EnvForcedFallback
	case v.Effect == catalog.Obsolete:
		return diag.EnvObsolete
	default:
		return diag.EnvHarmful
	}
}

func want(v catalog.Variable) string {
	if v.Effect == catalog.Fatal || v.Origin == catalog.OfFallback {
		return "an environment in which NCCL goes over EFA"
	}
	return "the shortest environment: NCCL and its plugin choose the rest for each type"
}

// maxShown bounds a value in a finding, in characters.
const maxShown = 120

// show is the setting as people write it.
func (s Setting) show() string {
	text, known := s.Value.Get()
	switch {
	case s.Value.IsSecret():
		return s.Name
	case !known && s.Begins != "":
		text = s.Begins + "…"
	case !known:
		return s.Name
	}
	if r := []rune(text); len(r) > maxShown {
		text = string(r[:maxShown]) + "…"
	}
	return s.Name + "=" + text
}
