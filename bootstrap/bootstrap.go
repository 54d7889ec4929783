// Package bootstrap is what weft runs on a node at boot: small shell scripts, rendered from the plan and pinned by
// their SHA-256.
//
// The scripts report facts of the node and compare them with expectations that were rendered into them. They run
// as ParallelCluster's custom actions, after the node is configured and before Slurm takes it. Each ends within
// the seconds that the plan gives it, keeps to directories of its own node, and changes nothing where nothing is
// wrong.
//
// # Facts
//
// The action nodecheck prints JSON lines and keeps them in /var/lib/weft/facts.jsonl. Every line is an object
// with the member "fact", which says what the others mean; see the fields of [Facts]. A value that the node does
// not tell is null, never zero or empty. Schema 1 may gain members and kinds of lines; a change of meaning makes
// schema 2.
//
// # Findings
//
// An expectation that does not hold is one line, which [ReadFindings] turns into a finding:
//
//	weft: FAIL node/efa-count got 7 EFA devices … want 8 do look at the interfaces of the launch template …
//
// A rule that the user lowered below error says WARN and never fails the boot.
//
// # Tests
//
// With WEFT_ROOT set, every path below /sys, /proc, /dev, /etc, /lib, /opt, /usr and /var is taken below it, so
// that tests can run the scripts over trees of files. No node sets it: ParallelCluster runs scripts with the
// environment of its own boot process.
package bootstrap

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Kind of node, in ParallelCluster's words.
type Kind string

// The kinds.
const (
	Head    Kind = "head"
	Login   Kind = "login"
	Compute Kind = "compute"
)

// NodeActions is what the nodes of one kind run at boot, each list in its order, before scripts of the user's.
type NodeActions struct {
	Kind         Kind
	Name         string   // of the login pool or the group; empty for the head node
	OnStart      []Action // before ParallelCluster configures the node
	OnConfigured []Action // after it
}

// Seconds are what all actions of a node may take together.
func (n NodeActions) Seconds() int {
	sum := 0
	for _, a := range slices.Concat(n.OnStart, n.OnConfigured) {
		sum += a.Seconds
	}
	return sum
}

// Action is one run of a script.
type Action struct {
	Script  Script
	Args    []string // as ParallelCluster passes them
	Seconds int      // after which the script gives up; counted against the bootstrap timeout
}

// Options are what the plan does not say. The zero value enforces and installs nothing.
type Options struct {
	Mode Mode
	// GDRCopy is what to install where an image lacks it or has it too old; zero: such a node fails.
	GDRCopy Archive
}

// OptionsOf are what a cluster's config says beside its plan.
func OptionsOf(c config.Bootstrap) Options {
	o := Options{Mode: Mode(c.NodeCheck)}
	if a := c.GDRCopy; a != nil {
		o.GDRCopy = Archive{Version: a.Version, URL: a.URL, SHA256: a.SHA256}
	}
	return o
}

// Archive is a pinned file: GDRCopy's release archive, or a .tar.gz of its packages for the nodes' system.
type Archive struct {
	Version string // as shown
	URL     string // s3:// or https://
	SHA256  string // 64 hex digits
}

// For lists the actions of every kind of node: the head node, each login pool, each group, in the plan's order.
// Head and login nodes run none: no job runs there. All actions run once the node is configured: ParallelCluster
// starts the services of driver, Fabric Manager and GDRCopy while it configures.
func For(p plan.Cluster, o Options) []NodeActions {
	out := []NodeActions{{Kind: Head}}
	for _, pool := range p.Config.LoginNodes {
		out = append(out, NodeActions{Kind: Login, Name: pool.Name})
	}
	for _, g := range p.Groups {
		out = append(out, NodeActions{Kind: Compute, Name: g.Name, OnConfigured: compute(p, g, o)})
	}
	return out
}

// compute lists the actions of a group. Plain CPU nodes without EFA have nothing to prove.
func compute(p plan.Cluster, g plan.NodeGroup, o Options) []Action {
	known := g.Architecture != ""
	gpu := g.Healthy.Kind == "gpu"
	if known && !gpu && g.Healthy.EFADevices == 0 {
		return nil
	}
	e := expectation(p, g, o)
	names := []Name{NodeCheck}
	if gpu {
		names = slices.Insert(names, 0, GDRCopy)
	}
	if gpu && g.Healthy.EFADevices > 0 {
		names = append(names, NCCLEnv)
	}
	var out []Action
	for _, name := range names {
		s := Render(name, e)
		out = append(out, Action{Script: s, Args: []string{"--sha256", s.SHA256}, Seconds: e.Seconds[name]})
	}
	return out
}

// Scripts lists the different scripts of some actions, in their order: what must be in the bucket.
func Scripts(nodes []NodeActions) []Script {
	var out []Script
	for _, n := range nodes {
		for _, a := range slices.Concat(n.OnStart, n.OnConfigured) {
			if !slices.ContainsFunc(out, func(s Script) bool { return s.SHA256 == a.Script.SHA256 }) {
				out = append(out, a.Script)
			}
		}
	}
	return out
}

// floorOf finds the floor of a component among what a group's nodes must reach.
func floorOf(g plan.NodeGroup, c catalog.Component) (catalog.Floor, bool) {
	for _, v := range g.Versions {
		if v.Component == c {
			return v.Floor, true
		}
	}
	return catalog.Floor{}, false
}
