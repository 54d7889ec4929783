// Package plan decides a cluster: from a user's config and the catalogue of facts it makes one plan, and
// everything else translates that plan or compares with it.
//
// The planner is pure and total: no clock, no network, no account; any config gives a plan and the findings
// about it. A plan with findings at error level is still shown, and never built.
package plan

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// Cluster is the plan of one cluster.
type Cluster struct {
	// Config is what the user wrote, with defaults: the source of every value that needs no decision.
	Config config.Cluster `json:"-"`

	Name            string `json:"name"`
	Region          string `json:"region"`
	ParallelCluster string `json:"parallelcluster"` // the exact version
	OS              OS     `json:"os"`

	Network Network     `json:"network"`
	Groups  []NodeGroup `json:"groups"`
	// Guard of the end of the blocks; nil without a block.
	Guard *Guard `json:"endGuard,omitempty"`
	// Steps of the validation order that have use here, in their order.
	Steps []string `json:"validation"`
}

// OS is the operating system of all nodes.
type OS struct {
	Name      string `json:"name"`      // in ParallelCluster's words
	LoginUser string `json:"loginUser"` // who logs in
	Platform  string `json:"platform"`  // in EC2's words, as a reservation names it
	Official  bool   `json:"official"`  // whether ParallelCluster publishes an image
}

// NodeGroup is the plan of one group of equal nodes: one Slurm queue with one compute resource.
type NodeGroup struct {
	Name         string `json:"name"`
	InstanceType string `json:"instanceType"`
	Architecture string `json:"architecture"`
	Nodes        int    `json:"nodes"`    // at most; all of them static on a block
	MinNodes     int    `json:"minNodes"` // always running
	Zone         string `json:"zone,omitempty"`
	Subnet       string `json:"subnet,omitempty"` // of an existing network

	Capacity Capacity `json:"capacity"`

	EFA        bool        `json:"efa"`
	Layout     string      `json:"layout"`
	Interfaces []Interface `json:"interfaces"`
	Rendering  Rendering   `json:"rendering"`
	Addresses  int         `json:"addresses"` // that one node takes of its subnet

	Ranks   Ranks   `json:"ranks"`
	Healthy Healthy `json:"healthy"`
	Expect  Expect  `json:"expect"`
	// Versions are the floors that the group's images and containers must reach, and what the official image
	// has of them.
	Versions []catalog.Verdict `json:"versions"`
	// Unverified names facts behind this group that no source settled.
	Unverified []string `json:"unverified,omitempty"`
}

// New plans a cluster. Findings carry config paths; Place of the config's document gives them file and line.
func New(c config.Cluster) (Cluster, diag.List) {
	p := &planner{config: c}
	p.plan = Cluster{Config: c, Name: c.Name, Region: c.Region, ParallelCluster: c.ParallelCluster}
	p.chooseRelease()
	p.checkNames()
	for i, g := range c.Groups {
		p.plan.Groups = append(p.plan.Groups, p.group(i, g))
	}
	p.planNetwork()
	p.checkBlocks()
	p.checkWorkload()
	p.checkVersions()
	p.plan.Guard = p.guard()
	p.plan.Steps = steps(p.plan)
	findings := p.findings.Apply(c.Rules)
	findings.Sort()
	return p.plan, findings
}

// Group plans one group by itself, for nodes that no ParallelCluster starts: a launch template for EKS, PCS, Batch or
// plain EC2. Its interfaces follow EC2's guide.
func Group(c config.Group) (NodeGroup, diag.List) {
	p := &planner{config: config.Cluster{Groups: []config.Group{c}, Workload: config.Default().Workload}}
	p.facts = catalog.NewestJudgedRelease()
	p.release = version.MustParse(p.facts.Version)
	p.plan.Groups = []NodeGroup{p.group(0, c)}
	if t, known := catalog.Instance(c.InstanceType); known {
		p.plan.Groups[0].Interfaces = Interfaces(t, c.Layout, p.plan.Groups[0].EFA)
		p.plan.Groups[0].Rendering = Rendering{Reason: "EC2's guide"}
	}
	p.checkBlocks()
	p.findings.Sort()
	return p.plan.Groups[0], p.findings
}

// planner holds what one run of New works on.
type planner struct {
	config   config.Cluster
	release  version.Version // of ParallelCluster
	facts    catalog.Release // of that version; zero if unknown
	plan     Cluster
	findings diag.List
}

func (p *planner) add(rule diag.ID, path, got, want, hint, source string) {
	p.findings.Add(diag.Finding{Rule: rule, Place: diag.Place{Path: path}, Got: got, Want: want, Hint: hint, Source: source})
}

func (p *planner) addAt(level diag.Level, rule diag.ID, path, got, want, hint, source string) {
	p.findings.Add(diag.Finding{Rule: rule, Level: level, Place: diag.Place{Path: path}, Got: got, Want: want, Hint: hint, Source: source})
}

// group plans one group. A type that the catalogue has no row for is planned without interfaces and named in
// a finding: unknown is never unsupported, and never fine.
func (p *planner) group(index int, c config.Group) NodeGroup {
	path := groupPath(index)
	g := NodeGroup{
		Name: c.Name, InstanceType: c.InstanceType, Nodes: c.Count, MinNodes: c.MinCount,
		Zone: c.Zone, Subnet: c.Subnet, EFA: c.EFA, Layout: c.Layout,
	}
	if existing := p.config.Network.Existing; existing != nil && g.Subnet == "" {
		g.Subnet = existing.ComputeSubnet
	}
	t, known := catalog.Instance(c.InstanceType)
	g.EFA = c.EFA && p.checkEFA(t, known, c, path)
	g.Capacity = p.capacity(c, g.EFA)
	if g.Capacity.Market == CapacityBlock {
		g.MinNodes = g.Nodes
	}
	if !known {
		g.Addresses = 1 // the least that any node takes
		g.Rendering.Reason = "the catalogue has no row for the type: ParallelCluster lays out its interfaces"
		return g
	}
	g.Architecture = t.Architecture
	g.Unverified = unverified(t, g)
	p.render(&g, t, path)
	p.checkInterfaces(g, t, path)
	g.Addresses = countAddresses(g.Interfaces)
	g.Ranks = p.ranks(t)
	g.Healthy = healthy(t, g)
	g.Expect = expect(t, g)
	p.checkSystem(index, t.Name)
	return g
}

// unverified names what no source settles of the nodes: facts of the type, and a layout that AWS does not spell out.
func unverified(t catalog.InstanceType, g NodeGroup) []string {
	if g.Layout == MostBandwidth && g.EFA && !t.SpellsOutIP() {
		return append(slices.Clone(t.Unverified), "layout most-bandwidth")
	}
	return t.Unverified
}

// Floors lists the versions that type and workload ask for of a Slurm cluster's nodes.
func (g NodeGroup) Floors(w catalog.Workload) []catalog.Floor {
	return slices.DeleteFunc(catalog.Floors(g.InstanceType, w), func(f catalog.Floor) bool {
		return f.Component == catalog.EFAK8sPlugin
	})
}

func (p *planner) workload() catalog.Workload {
	w := p.config.Workload
	return catalog.Workload{Kind: w.Kind, Dispatcher: w.Dispatcher}
}

func groupPath(i int) string { return fmt.Sprintf("groups[%d]", i) }
