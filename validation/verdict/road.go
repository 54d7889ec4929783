package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/symptom"
)

// road is what the logs of a step say of the way between nodes.
type road struct {
	nodes  []nodeRoad // every node that must prove its road, and every one that a log names, sorted
	logged bool       // there is a log of NCCL at all
}

// nodeRoad is one node's part.
type nodeRoad struct {
	name   string
	path   *evidence.NodePath // of all logs together; nil: no log names the node
	proved bool               // every part of the proof is there
}

// good says that every node proved EFA with all cards.
func (r road) good() bool {
	return len(r.nodes) > 0 && !slices.ContainsFunc(r.nodes, func(n nodeRoad) bool { return !n.proved })
}

func (r road) node(name string) *nodeRoad {
	i := slices.IndexFunc(r.nodes, func(n nodeRoad) bool { return n.name == name })
	if i < 0 {
		return nil
	}
	return &r.nodes[i]
}

// proves says whether a step has to prove the road from NCCL's log: those whose programs are weft's own choice, on several nodes.
func (j *judging) proves() bool {
	if j.Name == stepDiagnosis {
		return j.asks()
	}
	return (j.Name == plan.StepHost || j.Name == plan.StepContainer) && j.Group.Healthy.EFADevices > 0
}

// proveRoad judges the road of every node. The proof is a conjunction: network, provider, number of cards, and every channel between nodes
// over Libfabric, with GPUDirect where the type requires it. The channels are the road that was used; the other lines only say what was
// found or loaded, and explain.
func (j *judging) proveRoad() {
	j.road = j.readRoad()
	if j.proves() && len(j.road.nodes) == 0 || !j.road.logged {
		j.unlogged()
		return
	}
	for i := range j.road.nodes {
		j.node(&j.road.nodes[i])
	}
}

// unlogged is a step of which no log tells anything.
func (j *judging) unlogged() {
	if !j.proves() {
		return
	}
	got := "no line of NCCL in any output"
	if j.road.logged {
		got = "NCCL's lines name no node: its version and warnings only"
	}
	j.add(diag.Finding{
		Rule: diag.NetUnproved, Got: got, Want: "NCCL's own lines from every node",
		Hint: "run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,ENV,NET",
	})
}

// readRoad gathers the logs by node. Names of a log are compared without their domain; where a log knows none of the job's nodes by name, its
// own names stand.
func (j *judging) readRoad() road {
	var out road
	seen := map[string]*evidence.NodePath{}
	wanted := []string{}
	for _, o := range j.outputs() {
		for i := range o.Documents {
			if p := o.Documents[i].Path; p != nil && p.Lines > 0 {
				out.logged = true
				gather(seen, p)
			}
		}
		if len(o.Nodes) > 1 {
			wanted = append(wanted, o.Nodes...)
		}
	}
	names := slices.Collect(maps.Keys(seen))
	if len(seen) == 0 || slices.ContainsFunc(wanted, func(n string) bool { return seen[short(n)] != nil }) || len(seen) != len(unique(wanted)) {
		names = append(names, wanted...)
	}
	for _, n := range unique(names) {
		out.nodes = append(out.nodes, nodeRoad{name: n, path: seen[n]})
	}
	return out
}

// short is a host's name without its domain.
func short(host string) string {
	name, _, _ := strings.Cut(host, ".")
	return name
}

// unique sorts names without their domains, each once.
func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if n != "" {
			out = append(out, short(n))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func gather(into map[string]*evidence.NodePath, p *evidence.Path) {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		name := orElse(short(n.Host), "this node")
		if into[name] == nil {
			into[name] = &evidence.NodePath{Host: name, Networks: map[string]int{}, Providers: map[string]int{}, First: map[string]evidence.Excerpt{}}
		}
		into[name].Channels = sum(into[name].Channels, n.Channels)
		merge(into[name], n)
	}
}

func merge(into, n *evidence.NodePath) {
	for k, v := range n.Networks {
		into.Networks[k] += v
	}
	for k, v := range n.Providers {
		into.Providers[k] += v
	}
	for k, v := range n.First {
		if _, there := into.First[k]; !there {
			into.First[k] = v
		}
	}
	into.NICs = append(into.NICs, n.NICs...)
	slices.Sort(into.NICs)
	into.NICs = slices.Compact(into.NICs)
	into.CPUs = orElse(into.CPUs, n.CPUs)
	into.Fabric = orElse(into.Fabric, n.Fabric)
	into.Transport = orElse(into.Transport, n.Transport)
}

func sum(a, b evidence.Channels) evidence.Channels {
	return evidence.Channels{
		Net: a.Net + b.Net, Libfabric: a.Libfabric + b.Libfabric, GDR: a.GDR + b.GDR, Socket: a.Socket + b.Socket, IB: a.IB + b.IB,
		Other: a.Other + b.Other, Local: a.Local + b.Local,
	}
}

// node judges one node's road.
func (j *judging) node(n *nodeRoad) {
	before := len(j.found)
	switch c := channels(n.path); {
	case n.path == nil:
		j.unproved(n, "no log has a line of this node", "look whether its output was collected, and whether NCCL_DEBUG=INFO reached it")
	case c.Net == 0:
		j.noChannel(n)
	case c.Socket > 0:
		j.socket(n)
	case c.Libfabric < c.Net:
		j.otherNetwork(n)
	default:
		j.libfabric(n)
	}
	n.proved = channels(n.path).Net > 0 && len(j.found) == before
}

func channels(p *evidence.NodePath) evidence.Channels {
	if p == nil {
		return evidence.Channels{}
	}
	return p.Channels
}

// line is the first line of a kind, as a place on the node.
func (n *nodeRoad) line(kinds ...string) diag.Place {
	for _, k := range kinds {
		if e, ok := n.path.First[k]; ok {
			return at(e, n.name)
		}
	}
	return diag.Place{Resource: n.name}
}

func (j *judging) unproved(n *nodeRoad, got, hint string) {
	place := diag.Place{Resource: n.name}
	if n.path != nil {
		place = n.line("network", "provider")
	}
	j.add(diag.Finding{
		Rule: diag.NetUnproved, Place: place, Got: got,
		Want: "the lines that prove EFA: network, provider, number of NICs, and channels via NET/Libfabric", Hint: hint,
	})
}

// noChannel is a node that shows no road at all. What a log found or loaded is not what was used.
func (j *judging) noChannel(n *nodeRoad) {
	if !j.proves() && n.path.Channels.Local > 0 {
		return // a program that stays inside its node needs no road
	}
	got := "no channel between nodes in the log"
	if len(n.path.Networks) > 0 {
		got += fmt.Sprintf("; \"Using network %s\" says what was loaded, not what was used", keys(n.path.Networks))
	}
	if n.path.Channels.Local > 0 {
		got += fmt.Sprintf("; its %s stay inside the node", count(n.path.Channels.Local, "channel"))
	}
	j.unproved(n, got, "run over two nodes or more, with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,ENV,NET")
}

func keys(m map[string]int) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

func (j *judging) socket(n *nodeRoad) {
	c := n.path.Channels
	got := fmt.Sprintf("%d of %d channels between nodes go via NET/Socket", c.Socket, c.Net)
	if e, ok := n.path.First["socket"]; ok {
		j.quote(e)
		got += ": " + e.Text
	}
	j.add(diag.Finding{
		Rule: diag.NetSocket, Place: n.line("socket", "network"), Got: got, Want: "every channel between nodes via NET/Libfabric",
		Hint:   "set NCCL_NET=Libfabric and FI_PROVIDER=efa together: NCCL then stops with the cause instead of falling back to sockets",
		Source: "NCCL's channel lines are the road that was used",
	})
	j.provider(n)
}

// explainSockets names the plugin on nodes that went over sockets where no text and no variable says why.
func (j *judging) explainSockets() {
	for _, r := range j.found {
		if r.Severity() == diag.Error && r.cause <= symptom.Environment {
			return
		}
	}
	for i := range j.road.nodes {
		if n := &j.road.nodes[i]; channels(n.path).Socket > 0 {
			j.plugin(n)
		}
	}
}

// plugin explains sockets where nothing of the plugin was seen on the node.
func (j *judging) plugin(n *nodeRoad) {
	if len(n.path.Providers) > 0 || len(n.path.Networks) == 0 || hasLibfabric(n.path.Networks) {
		return
	}
	j.add(diag.Finding{
		Rule: diag.NetPlugin, Place: n.line("network"),
		Got:  fmt.Sprintf("\"Using network %s\" and no line of the EFA plugin", keys(n.path.Networks)),
		Want: "the plugin aws-ofi-nccl loaded: \"Using network Libfabric\" after \"Selected provider is efa\"",
		Hint: "look for libnccl-net.so or libnccl-net-ofi.so where the program runs, in the container too: put /opt/amazon/ofi-nccl/lib and " +
			"/opt/amazon/efa/lib on LD_LIBRARY_PATH, and set NCCL_NET_PLUGIN=ofi where only the latter is there",
		Source: "aws/aws-ofi-nccl, doc; awslabs/awsome-distributed-ai PR 1215",
	})
}

func hasLibfabric(networks map[string]int) bool {
	for n := range networks {
		if l := strings.ToLower(n); strings.HasSuffix(l, "libfabric") || l == "ofi" {
			return true
		}
	}
	return false
}

func (j *judging) otherNetwork(n *nodeRoad) {
	c := n.path.Channels
	got := fmt.Sprintf("%d of %d channels between nodes go over another network than Libfabric", c.Net-c.Libfabric, c.Net)
	if e, ok := n.path.First["channel"]; ok {
		j.quote(e)
		got += ": " + e.Text
	}
	j.add(diag.Finding{
		Rule: diag.NetPlugin, Place: n.line("channel", "network"), Got: got, Want: "every channel between nodes via NET/Libfabric",
		Hint: "take NCCL_NET, NCCL_NET_PLUGIN and HPC-X's libraries out of the environment: EC2 has no InfiniBand, the plugin is aws-ofi-nccl",
	})
}

// libfabric judges a node whose channels all go over Libfabric: over which provider, through how many cards, and whether the GPU is read
// directly.
func (j *judging) libfabric(n *nodeRoad) {
	j.quote(n.path.First["provider"], n.path.First["channel"])
	if len(n.path.Providers) == 0 {
		j.unproved(n, fmt.Sprintf("%s over Libfabric, and no line names the provider", count(n.path.Channels.Net, "channel")),
			"run with NCCL_DEBUG_SUBSYS=INIT,ENV,NET: Libfabric can run over TCP as well")
		return
	}
	if !j.provider(n) {
		return
	}
	j.cards(n)
	j.direct(n)
}

// provider judges the provider of libfabric where a line names it.
func (j *judging) provider(n *nodeRoad) bool {
	var other []string
	for p := range n.path.Providers {
		if !isEFA(p) {
			other = append(other, p)
		}
	}
	if len(other) == 0 {
		return true
	}
	slices.Sort(other)
	j.add(diag.Finding{
		Rule: diag.NetProvider, Place: n.line("provider"),
		Got:  fmt.Sprintf("libfabric's provider is %s", strings.Join(other, ", ")),
		Want: "provider efa",
		Hint: "look at `fi_info -p efa -t FI_EP_RDM` in the place where the program runs: without a line there is no EFA device, or the " +
			"container has no /dev/infiniband; with lines, take FI_PROVIDER out of the environment",
		Source: "aws/aws-ofi-nccl issue 803",
	})
	return false
}

func isEFA(provider string) bool {
	name, _, _ := strings.Cut(strings.ToLower(provider), ";")
	return name == "efa" || name == "efa-direct"
}

func (j *judging) cards(n *nodeRoad) {
	want := j.Group.Healthy.EFADevices
	if want == 0 {
		return // nobody said what the node should have
	}
	if len(n.path.NICs) == 0 {
		j.unproved(n, "no line says how many NICs the plugin found", "plugin versions from 1.6 on say it: \"Selected provider is efa … (found 8 nics)\"")
		return
	}
	for _, have := range n.path.NICs {
		if have == want {
			continue
		}
		j.quote(n.path.First["provider"])
		j.add(diag.Finding{
			Rule: diag.NetNICs, Place: n.line("provider"),
			Got:  fmt.Sprintf("the plugin found %s", count(have, "NIC")),
			Want: fmt.Sprintf("%d NICs, as %s has", want, j.Group.InstanceType),
			Hint: "compare `fi_info -p efa -t FI_EP_RDM`, different domains counted once, with `lspci -d 1d0f:` on this node: a card without a driver " +
				"is the node's, a container that sees fewer lacks devices; replace the node where lspci shows fewer",
			Source: "aws/aws-ofi-nccl, platform data",
		})
	}
}

func (j *judging) direct(n *nodeRoad) {
	c := n.path.Channels
	if !j.Group.Healthy.GDR || c.GDR >= c.Libfabric {
		return
	}
	got := fmt.Sprintf("%d of %d channels over Libfabric without GDRDMA", c.Libfabric-c.GDR, c.Libfabric)
	if e, ok := n.path.First["gdr-missing"]; ok {
		j.quote(e)
		got += ": " + e.Text
	}
	j.add(diag.Finding{
		Rule: diag.NetGDR, Place: n.line("gdr-missing", "channel"), Got: got,
		Want: fmt.Sprintf("/GDRDMA on every channel between nodes of %s", j.Group.InstanceType),
		Hint: "load efa_nv_peermem, or use a kernel from 5.12 on with the open NVIDIA modules (DMA-BUF); take NCCL_NET_GDR_LEVEL and " +
			"FI_HMEM_DISABLE_P2P out of the environment; `fi_info -p efa -c FI_HMEM` must list the devices where the program runs",
		Source: "aws/aws-ofi-nccl issue 889",
	})
}
