package training

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// timers keeps for each part of an iteration the report in which the ranks lay furthest apart.
type timers struct {
	open  bool // below the headline
	names []string
	by    map[string]*evidence.Timer
}

// maxTimers bounds the different names, of which Megatron-LM has some thirty.
const maxTimers = 200

var (
	timerHead = []byte("(min, max) time across ranks (ms):")
	timerLine = regexp.MustCompile(`^ +([A-Za-z][\w/-]*(?: [\w/-]+)*) \.*: \((\d+\.\d\d), (\d+\.\d\d)\)$`)
)

// line takes the headline and the lines below it, each of which names a timer.
func (t *timers) line(file string, after int, l line.Line) bool {
	if bytes.HasPrefix(l.Text, timerHead) {
		t.open = true
		return true
	}
	if !t.open {
		return false
	}
	m := timerLine.FindSubmatch(l.Text)
	if m == nil {
		t.open = bytes.HasPrefix(l.Text, []byte("    "))
		return false
	}
	least, okLeast := measure(string(m[2]), 1)
	most, okMost := measure(string(m[3]), 1)
	if okLeast && okMost && least <= most {
		t.add(evidence.Timer{Name: strings.TrimSpace(string(m[1])), After: after, MinMS: least, MaxMS: most, Excerpt: l.Excerpt(file)})
	}
	return true
}

func (t *timers) add(timer evidence.Timer) {
	seen := t.by[timer.Name]
	if seen == nil {
		if len(t.names) >= maxTimers {
			return
		}
		if t.by == nil {
			t.by = map[string]*evidence.Timer{}
		}
		t.names = append(t.names, timer.Name)
		timer.Times = 1
		t.by[timer.Name] = &timer
		return
	}
	timer.Times = seen.Times + 1
	if timer.MaxMS-timer.MinMS > seen.MaxMS-seen.MinMS {
		*seen = timer
	}
	seen.Times = timer.Times
}

// list gives the timers by their names.
func (t *timers) list() []evidence.Timer {
	names := slices.Sorted(slices.Values(t.names))
	var out []evidence.Timer
	for _, name := range names {
		out = append(out, *t.by[name])
	}
	return out
}
