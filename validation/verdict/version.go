package verdict

import (
	"maps"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/version"
	"github.com/weft-hpc/weft/validation/result"
)

// installed are the versions that a step's logs and nodes show. A node that differs from the first is judged by itself, see versions.
func (j *judging) installed() map[catalog.Component]string {
	out := map[catalog.Component]string{}
	for _, o := range j.outputs() {
		for i := range o.Documents {
			if p := o.Documents[i].Path; p != nil {
				note(out, catalog.NCCL, p.NCCL)
				note(out, catalog.OFIPlugin, p.Plugin)
				note(out, catalog.Libfabric, p.Libfabric)
			}
			if s := o.Documents[i].Sweep; s != nil {
				note(out, catalog.NCCL, s.NCCL)
			}
		}
	}
	for _, job := range j.Jobs {
		for _, n := range job.Seen {
			for _, c := range slices.Sorted(maps.Keys(n.Versions)) {
				note(out, c, n.Versions[c])
			}
		}
	}
	return out
}

func note(into map[catalog.Component]string, c catalog.Component, text string) {
	if _, there := into[c]; !there && text != "" {
		into[c] = text
	}
}

// versions compares what ran with the floors, the pairs that must fit together and the versions that are known to be bad, and a container
// with its host.
func (j *judging) versions() {
	have := j.installed()
	if len(have) == 0 {
		return
	}
	place := func(catalog.Component) diag.Place { return diag.Place{Resource: j.self()} }
	stack := catalog.Stack{Versions: have, At: place}
	floors := j.floors()
	if j.Name != plan.StepHost && j.Workload.Container != "" {
		stack.Part = catalog.ContainerPart
		for _, f := range stack.On(catalog.Stack{Versions: j.Host, At: place}, floors) {
			j.across(f)
		}
	}
	_, findings := stack.Judge(floors)
	for _, f := range findings {
		j.add(f)
	}
}

// across takes a finding about container and host together. Where the container's own road is proved, a difference is worth a note only.
func (j *judging) across(f diag.Finding) {
	if f.Rule == diag.VerHostContainer && j.road.good() {
		f.Level = diag.Note
	}
	j.add(f)
}

// components lists versions beside their floors.
func components(host, container map[catalog.Component]string, floors []catalog.Floor) []result.Component {
	var out []result.Component
	for _, c := range catalog.Components() {
		if host[c] == "" && container[c] == "" {
			continue
		}
		row := result.Component{Name: string(c), Host: host[c], Container: container[c], Outcome: result.Passed}
		sides := []catalog.Stack{{Versions: host}, {Versions: container, Part: catalog.ContainerPart}}
		for _, side := range sides {
			floor, met := judgeFloor(side, c, floors)
			row.Floor = orElse(row.Floor, floor)
			if !met {
				row.Outcome = result.Failed
			}
		}
		out = append(out, row)
	}
	return out
}

// judgeFloor gives the highest floor of a component, and whether a stack that has it reaches all its floors.
func judgeFloor(side catalog.Stack, c catalog.Component, floors []catalog.Floor) (floor string, met bool) {
	met = true
	verdicts, _ := side.Judge(floors)
	for _, v := range verdicts {
		if v.Component != c || v.Floor.Min == "" {
			continue
		}
		if floor == "" || version.MustParse(v.Floor.Min).Compare(version.MustParse(floor)) > 0 {
			floor = v.Floor.Min
		}
		met = met && (v.State == catalog.Met || v.State == catalog.NotKnown)
	}
	return floor, met
}
