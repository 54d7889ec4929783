package topology

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SlurmConf is a topology.conf for Slurm's plugin topology/tree: a switch for each network node, one above all of a zone, and one for the nodes
// of which nobody knows where they sit. Between zones there is no switch: Slurm then gives no job nodes of two, and EFA would not reach. An error names places whose names Slurm does not know: it would not start.
func (t Topology) SlurmConf() (string, error) {
	_, missing := t.Hosts()
	if missing = append(missing, t.Renamed()...); len(missing) > 0 {
		return "", fmt.Errorf("writing a topology.conf: nobody told Slurm's names of %s: give the output of scontrol show nodes, and the answer of "+
			"aws ec2 describe-instances by which they are found", few(missing))
	}
	if len(t.Places) == 0 {
		return "", errors.New("writing a topology.conf: nobody told of an instance")
	}
	return t.slurmConf(), nil
}

func (t Topology) slurmConf() string {
	if slices.ContainsFunc(t.Places, isNode) {
		t.Places = slices.DeleteFunc(slices.Clone(t.Places), func(p Place) bool { return !isNode(p) })
	}
	w := slurmWriter{used: map[string]bool{}}
	w.line("# topology.conf for TopologyPlugin=topology/tree, by weft topology. Slurm reads it where slurm.conf lies, after a restart of slurmctld,")
	w.line("# and not at all where a topology.yaml lies beside it. ParallelCluster writes such a file for GB200 only. Every node of the cluster must")
	w.line("# stand here; instances move when they are stopped and started: write it anew then.")
	zones := map[string][]string{}
	var names []string
	for _, s := range t.Tree() {
		if zones[s.Zone] == nil {
			names = append(names, s.Zone)
		}
		zones[s.Zone] = append(zones[s.Zone], w.add(s))
	}
	if unplaced := t.Unplaced(); len(unplaced) > 0 {
		zone := ""
		if len(names) == 1 {
			zone = names[0] // beside the others, so that jobs can have both
		}
		if zones[zone] == nil {
			names = append(names, zone)
		}
		zones[zone] = append(zones[zone], w.nodes("unknown", unplaced))
	}
	for _, zone := range names {
		if len(zones[zone]) > 1 {
			w.line("SwitchName=%s Switches=%s", w.name("zone-"+cmp.Or(zone, "unknown")), strings.Join(zones[zone], ","))
		}
	}
	return w.b.String()
}

// isNode reports that Slurm knows the place. Slurm does not start with a topology that names others.
func isNode(p Place) bool { return p.Node != "" }

type slurmWriter struct {
	b    strings.Builder
	used map[string]bool
}

func (w *slurmWriter) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// add writes a network node behind those under it, and gives its name. One with places and further nodes under it gets a switch of its own for
// the places: Slurm's switches have either.
func (w *slurmWriter) add(s *Switch) string {
	if len(s.Switches) == 0 {
		return w.nodes(s.ID, s.Places)
	}
	var under []string
	for _, below := range s.Switches {
		under = append(under, w.add(below))
	}
	if len(s.Places) > 0 {
		under = append(under, w.nodes(s.ID+"-nodes", s.Places))
	}
	name := w.name(s.ID)
	w.line("SwitchName=%s Switches=%s", name, strings.Join(under, ","))
	return name
}

func (w *slurmWriter) nodes(name string, places []Place) string {
	name = w.name(name)
	var nodes []string
	for _, p := range places {
		nodes = append(nodes, first(p.Name()))
	}
	w.line("SwitchName=%s Nodes=%s", name, strings.Join(nodes, ","))
	return name
}

// name makes a name that Slurm takes, which is there once.
func (w *slurmWriter) name(text string) string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, text)
	name := clean
	for n := 2; w.used[name]; n++ {
		name = fmt.Sprintf("%s-%d", clean, n)
	}
	w.used[name] = true
	return name
}

// first is the first label of a host's name: Slurm's names have no domain.
func first(host string) string {
	label, _, _ := strings.Cut(host, ".")
	return label
}
