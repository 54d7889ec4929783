package topology

import (
	"cmp"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

// joiner puts together what several answers tell of one instance.
type joiner struct {
	Answers
	places   []Place
	findings diag.List
	zones    map[string]string    // ids by name
	known    map[string]*Instance // by id
	owners   map[string]int       // accounts, from 1
	// What is wrong with the place of an instance, by what it is.
	silent, absent, moved, stopped, other, nameless, strange []string
}

func (j *joiner) join() {
	j.zones, j.known, j.owners = map[string]string{}, map[string]*Instance{}, map[string]int{}
	j.learn()
	at := map[string]int{} // places by instance
	for _, p := range j.Positions {
		i, ok := at[p.Instance]
		if !ok {
			at[p.Instance] = len(j.places)
			j.places = append(j.places, j.place(p))
			continue
		}
		j.again(&j.places[i], p)
	}
	for i := range j.Instances {
		one := &j.Instances[i]
		if _, ok := at[one.ID]; !ok && j.known[one.ID] == one {
			at[one.ID] = len(j.places)
			j.addAbsent(*one)
		}
	}
	j.name()
}

// learn takes what is needed of every answer before places can be made.
func (j *joiner) learn() {
	for _, p := range j.Positions {
		j.zone(p.Zone)
	}
	for _, r := range j.Reservations {
		j.zone(r.Zone)
	}
	for i := range j.Instances {
		one := &j.Instances[i]
		j.zone(one.Zone)
		j.known[one.ID] = one // the last answer is the newest
		if _, ok := j.owners[one.Owner]; !ok && one.Owner != "" {
			j.owners[one.Owner] = len(j.owners) + 1
		}
	}
}

// zone learns the id of a zone: not every answer has it.
func (j *joiner) zone(z Zone) {
	if z.Name != "" && z.ID != "" {
		j.zones[z.Name] = z.ID
	}
}

func (j *joiner) zoneOf(z Zone) string {
	if z.ID == "" {
		return cmp.Or(j.zones[z.Name], z.Name)
	}
	return z.ID
}

func (j *joiner) place(p Position) Place {
	out := Place{Instance: p.Instance, Type: p.Type, Zone: j.zoneOf(p.Zone), UltraServer: p.UltraServer, Path: slices.Clone(p.Path)}
	if i := j.known[p.Instance]; i != nil {
		j.fill(&out, *i)
	}
	return out
}

func (j *joiner) fill(p *Place, i Instance) {
	p.Host, p.Reservation, p.Block, p.renamed = i.Host, i.Reservation, i.Block, i.Pcluster
	p.Type, p.Zone = cmp.Or(p.Type, i.Type), cmp.Or(p.Zone, j.zoneOf(i.Zone))
	if len(j.owners) > 1 {
		p.Account = j.owners[i.Owner]
	}
}

// again takes a second answer for an instance. Right after a launch the first has no network nodes; later ones that differ tell that the
// instance was stopped and started in between, and then nobody knows which is the newer one.
func (j *joiner) again(p *Place, second Position) {
	switch {
	case slices.Contains(j.moved, p.Instance) || len(second.Path) == 0 || slices.Equal(p.Path, second.Path):
	case !p.Known():
		p.Path = slices.Clone(second.Path)
	default:
		j.moved, p.Path = append(j.moved, p.Instance), nil
	}
}

// addAbsent adds an instance of which the topology says nothing, if it could: EC2 tells the topology of some types only, and none of them is a
// head node. Its types grow, so no list of them decides here, but what EC2 told of the others.
func (j *joiner) addAbsent(i Instance) {
	ended := slices.Contains([]string{"shutting-down", "terminated"}, i.State)
	belongs := i.Block || slices.ContainsFunc(j.Positions, func(p Position) bool { return p.Type == i.Type }) || j.isNode(i)
	switch {
	case ended || i.Head:
	case !belongs:
		j.other = append(j.other, i.ID)
	default:
		p := Place{Instance: i.ID}
		j.fill(&p, i)
		j.places = append(j.places, p)
	}
}

func (j *joiner) isNode(i Instance) bool {
	return slices.ContainsFunc(j.Nodes, func(n Node) bool { return n.is(i.Host, i.Address) })
}

// is reports that a node of Slurm runs on the host. ParallelCluster gives nodes names of its own, and tells Slurm the instance's address and
// the first part of its name (scontrol update nodeaddr, nodehostname); elsewhere the node is called like the host.
func (n Node) is(host, address string) bool {
	if address != "" && n.Address == address {
		return true
	}
	return host != "" && (first(n.Host) == first(host) || first(n.Address) == first(host) || n.Name == first(host))
}

// name gives places the names that Slurm has for them, and adds the nodes that run on no instance.
func (j *joiner) name() {
	used := make([]bool, len(j.Nodes))
	for i := range j.places {
		p := &j.places[i]
		address := ""
		if known := j.known[p.Instance]; known != nil {
			address = known.Address
		}
		n := slices.IndexFunc(j.Nodes, func(n Node) bool { return n.is(p.Host, address) })
		switch {
		case n >= 0:
			p.Node, used[n] = j.Nodes[n].Name, true
		case len(j.Nodes) > 0:
			j.strange = append(j.strange, p.Name())
		case p.Host == "":
			j.nameless = append(j.nameless, p.Instance)
		}
		j.unplaced(*p)
	}
	for i, n := range j.Nodes {
		if !used[i] {
			j.places = append(j.places, Place{Node: n.Name})
		}
	}
}

// unplaced takes note of why nobody knows where a place is.
func (j *joiner) unplaced(p Place) {
	i := j.known[p.Instance]
	inAnswer := slices.ContainsFunc(j.Positions, func(at Position) bool { return at.Instance == p.Instance })
	switch {
	case p.Known() || slices.Contains(j.moved, p.Instance):
	case i != nil && i.State != "" && i.State != "running":
		j.stopped = append(j.stopped, p.Name())
	case inAnswer:
		j.silent = append(j.silent, p.Name())
	default:
		j.absent = append(j.absent, p.Name())
	}
}

func reservationsOf(list []Reservation) []Reservation {
	var out []Reservation
	for _, r := range list {
		i := slices.IndexFunc(out, func(o Reservation) bool { return o.ID == r.ID })
		switch {
		case i < 0:
			out = append(out, r)
		case len(r.Path) > len(out[i].Path):
			out[i] = r
		}
	}
	slices.SortStableFunc(out, func(a, b Reservation) int { return natural(a.ID, b.ID) })
	return out
}
