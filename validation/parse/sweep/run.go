package sweep

import (
	"reflect"
	"slices"

	"github.com/weft-hpc/weft/validation/evidence"
)

// world is what the first lines of one process tell of its run: nccl-tests prints them before it lists the ranks.
type world struct {
	tests, headers, nccl, program, json string
}

// run is one run of a program: one world, or several that ran side by side.
type run struct {
	sweep           evidence.Sweep
	first           world
	asked           evidence.Asked
	alone           bool // each world so far is one process
	wrong, averages int  // footers seen
	hosts           map[string]bool
}

// run begins a run with a world.
func (w world) run(asked evidence.Asked) *run {
	r := &run{first: w, asked: asked, alone: true, hosts: map[string]bool{}}
	asked.Modes = slices.Clone(asked.Modes)
	r.sweep = evidence.Sweep{
		Program: w.program, Tests: w.tests, Headers: w.headers, NCCL: w.nccl, JSONFile: w.json, Asked: asked, Worlds: 1,
	}
	return r
}

// begin starts a world at the line that every version prints, "# nThread …".
func (p *Parser) begin(s *stream, asked evidence.Asked) {
	w := s.next
	s.next = world{}
	p.end(s)
	p.table(s, nil)
	if r := p.last(); r != nil && r.beside(w, asked) {
		s.run = r
		r.sweep.Worlds++
		return
	}
	s.run = w.run(asked)
	p.runs = append(p.runs, s.run)
}

// beside reports whether a world belongs to a run that has begun: the same program, asked for the same, and a process that runs alone, as a
// program without MPI does. Otherwise a second header is a second run.
func (r *run) beside(w world, asked evidence.Asked) bool {
	return r.alone && len(r.sweep.Failures) == 0 && r.first.program == w.program && reflect.DeepEqual(r.asked, asked)
}

func (p *Parser) last() *run {
	if len(p.runs) == 0 {
		return nil
	}
	return p.runs[len(p.runs)-1]
}

// current is the run of a stream, which begins here where its first lines are missing.
func (p *Parser) current(s *stream) *run {
	if s.run == nil && s.next == (world{}) {
		s.run = p.last()
	}
	if s.run == nil {
		s.run = s.next.run(evidence.Asked{})
		s.next = world{}
		p.runs = append(p.runs, s.run)
	}
	return s.run
}

// rank adds a rank. Ranks of more than one process mean that the processes know each other.
func (p *Parser) rank(s *stream, k evidence.Rank) {
	r := p.current(s)
	if len(r.sweep.Ranks) >= maxRanks {
		p.over.ranks++
		return
	}
	if k.Rank > 0 && len(r.sweep.Ranks) > 0 {
		before := r.sweep.Ranks[len(r.sweep.Ranks)-1]
		r.alone = r.alone && before.PID == k.PID && before.Host == k.Host
	}
	r.sweep.Ranks = append(r.sweep.Ranks, k)
	r.hosts[k.Host] = true
}

// closed reports whether each world of the run printed its footer.
func (r *run) closed() bool {
	return r.wrong >= r.sweep.Worlds && r.averages >= r.sweep.Worlds
}

// finish gives the run's sweep.
func (r *run) finish() evidence.Sweep {
	out := r.sweep
	out.Complete = r.closed()
	out.RankCount = distinct(out.Ranks)
	out.Collective = collective(&out)
	return out
}

// distinct counts the different ranks.
func distinct(ranks []evidence.Rank) int {
	seen := make(map[int]bool, len(ranks))
	for _, k := range ranks {
		seen[k.Rank] = true
	}
	return len(seen)
}

// addMode notes a way of measuring, once.
func addMode(a *evidence.Asked, name string) {
	if !slices.Contains(a.Modes, name) {
		a.Modes = append(a.Modes, name)
		slices.Sort(a.Modes)
	}
}
