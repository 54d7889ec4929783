package topology

import (
	"errors"
	"fmt"
	"strings"
)

// Switch is a network node with what stands under it.
type Switch struct {
	ID       string    `json:"id"` // nn-…
	Zone     string    `json:"zone,omitempty"`
	Switches []*Switch `json:"switches,omitempty"`
	// Places right under it. Not only leaves have them: a path can be shorter than others.
	Places []Place `json:"places,omitempty"`
}

// Tree is the network above the places that are known, from its tops down, in the order of the places.
func (t Topology) Tree() []*Switch {
	var root Switch
	found := map[string]*Switch{}
	for _, p := range t.Places {
		above := &root
		for depth, id := range p.Path {
			key := at(p, 0) + "\n" + prefix(p.Path[:depth+1])
			s := found[key]
			if s == nil {
				s = &Switch{ID: id, Zone: p.Zone}
				found[key] = s
				above.Switches = append(above.Switches, s)
			}
			above = s
		}
		if p.Known() {
			above.Places = append(above.Places, p)
		}
	}
	return root.Switches
}

// Unplaced are the places of which nobody knows where they sit.
func (t Topology) Unplaced() []Place {
	var out []Place
	for _, p := range t.Places {
		if !p.Known() {
			out = append(out, p)
		}
	}
	return out
}

// Hosts are the names of the places in their order, as programs reach them; Slurm's nodes without an instance are none. Missing are the
// instances that have no name.
func (t Topology) Hosts() (hosts, missing []string) {
	for _, p := range t.Places {
		switch name := p.Name(); {
		case p.Instance == "":
		case name == p.Instance:
			missing = append(missing, name)
		default:
			hosts = append(hosts, name)
		}
	}
	return hosts, missing
}

// Hostfile is the hosts in order, one a line. An error names instances without a host name: a file without them would run a smaller job.
func (t Topology) Hostfile() (string, error) {
	hosts, missing := t.Hosts()
	if len(missing) > 0 {
		return "", fmt.Errorf("writing a hostfile: no host name for %s: give the answer of aws ec2 describe-instances too", few(missing))
	}
	if len(hosts) == 0 {
		return "", errors.New("writing a hostfile: nobody told of an instance")
	}
	return strings.Join(hosts, "\n") + "\n", nil
}

// Renamed are the places that ParallelCluster gave other names in Slurm, as long as nobody said which: Slurm does not know them as they are
// called here.
func (t Topology) Renamed() []string {
	var out []string
	for _, p := range t.Places {
		if p.renamed && p.Node == "" {
			out = append(out, p.Name())
		}
	}
	return out
}
