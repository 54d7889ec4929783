package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fact is a row of the catalogue in one line, for people.
type Fact struct {
	Subject    string // "instance p5en.48xlarge", "efa-installer 1.50.0"
	Value      string
	Source     Source
	Unverified bool // no source settled the value: it must not be shown as a fact
}

// Facts lists every row of every table, table by table. Which rows are too old is for the caller to say, who
// has a clock.
func Facts() []Fact {
	return slices.Concat(
		instanceFacts(), installerFacts(), floorFacts(), pairFacts("pair ", pairTable), pairFacts("across ", crossTable),
		deniedFacts(), dispatcherFacts(), releaseFacts(), keyFacts(), moduleFacts(), nodeFacts(), referenceFacts(), gateFacts(), pluginTestFacts(),
		variableFacts(), pluginSettingFacts(),
	)
}

// list joins what is not empty.
func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// prefixed gives prefix and text, or nothing when the text is empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func instanceFacts() []Fact {
	out := make([]Fact, 0, 3*len(instanceTable)+1)
	for _, t := range instanceTable {
		subject := "instance " + t.Name
		out = append(out, Fact{Subject: subject, Value: t.summary(), Source: t.Source})
		for _, field := range t.Unverified {
			out = append(out, Fact{Subject: subject + " " + field, Value: "not settled by any source", Source: t.Source, Unverified: true})
		}
		if !t.SpellsOutIP() {
			out = append(out, Fact{
				Subject: subject + " IPCards", Value: "the most-bandwidth layout, derived from AWS's general rule: no source spells it out",
				Source: t.Source, Unverified: true,
			})
		}
	}
	return append(out, Fact{
		Subject: "instance types with EFA",
		Value:   fmt.Sprintf("%d types, %d of them known in detail", len(efaTypeNames), len(instanceTable)),
		Source:  instanceTable[0].Source,
	})
}

// summary tells the verified fields of a type.
func (t InstanceType) summary() string {
	parts := []string{t.Architecture, fmt.Sprintf("%d vCPUs", t.VCPUs)}
	say := func(field, format string, args ...any) {
		if t.Verified(field) {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if t.Accelerator.Count > 0 {
		say("Accelerator", "%d x %s", t.Accelerator.Count, t.Accelerator.Name)
	}
	parts = append(parts, fmt.Sprintf("%d network cards", len(t.Cards)))
	say("MaxEFA", "%d EFA interfaces", t.MaxEFA)
	say("EFA.Gbps", "%v Gbps EFA", t.EFA.Gbps)
	say("EFA.Generation", "EFA generation %d", t.EFA.Generation)
	if t.Blocks != NoBlocks {
		parts = append(parts, "capacity blocks by "+string(t.Blocks))
	}
	return list(parts...)
}

func installerFacts() []Fact {
	out := make([]Fact, 0, len(installerTable))
	for _, i := range installerTable {
		out = append(out, Fact{
			Subject: string(EFAInstaller) + " " + i.Version,
			Value: list(i.Date, prefixed("efa ", i.EFADriver), prefixed("rdma-core ", i.RDMACore), prefixed("libfabric ", i.Libfabric),
				prefixed("aws-ofi-nccl ", i.Plugin), prefixed("Open MPI ", strings.Join(i.OpenMPI, " and ")), i.Note,
				prefixed("sha256 ", i.SHA256)),
			Source: i.Source, Unverified: i.Reported,
		})
	}
	return out
}

func floorFacts() []Fact {
	rules := floorRules()
	out := make([]Fact, 0, len(rules))
	for _, r := range rules {
		value := "any version"
		if r.Min != "" {
			value = r.Min + " or later"
		}
		out = append(out, Fact{
			Subject: fmt.Sprintf("floor of %s for %s", r.Component, r.For),
			Value:   list(value, r.Reason, prefixed("other figures: ", strings.Join(r.Conflicts, "; "))),
			Source:  r.Source,
		})
	}
	return out
}

func pairFacts(prefix string, pairs []Pair) []Fact {
	out := make([]Fact, 0, len(pairs))
	for _, p := range pairs {
		then := make([]string, len(p.Then))
		for i, c := range p.Then {
			then[i] = c.String()
		}
		out = append(out, Fact{
			Subject: prefix + p.Name,
			Value:   fmt.Sprintf("%s needs %s: %s", p.when(), strings.Join(then, " and "), list(p.Reason, prefixed("other figures: ", strings.Join(p.Conflicts, "; ")))),
			Source:  p.Source,
		})
	}
	return out
}

func deniedFacts() []Fact {
	out := make([]Fact, 0, len(denyTable))
	for _, d := range denyTable {
		out = append(out, Fact{
			Subject: fmt.Sprintf("denied %s %s", d.Component, d.Range()),
			Value:   list(d.Reason, prefixed("take ", d.Fixed)),
			Source:  d.Source,
		})
	}
	return out
}

func dispatcherFacts() []Fact {
	out := make([]Fact, 0, len(dispatcherTable))
	for _, d := range dispatcherTable {
		over := "within a node only"
		if d.OverNodes {
			over = "over nodes"
		}
		out = append(out, Fact{
			Subject: "dispatcher " + d.Name,
			Value:   list(over, prefixed("GPU-initiated on ", strings.Join(d.GPUInitiated, " ")), d.Note),
			Source:  d.Source,
		})
	}
	return out
}

func releaseFacts() []Fact {
	out := make([]Fact, 0, len(releaseTable)+1)
	for _, r := range releaseTable {
		oses := make([]string, len(r.OSes))
		for i, o := range r.OSes {
			oses[i] = o.Name
		}
		ships := make([]string, 0, len(r.Ships))
		for _, c := range slices.Sorted(maps.Keys(r.Ships)) {
			ships = append(ships, string(c)+" "+r.Ships[c])
		}
		out = append(out, Fact{
			Subject: "parallelcluster " + r.Version,
			Value: list(r.Date, "interfaces "+string(r.Interfaces), prefixed("images with ", strings.Join(ships, " ")),
				"systems "+strings.Join(oses, " "), r.Note),
			Source: r.Source,
		})
	}
	limits := NewestRelease().Limits()
	return append(out, Fact{
		Subject: "parallelcluster limits",
		Value: fmt.Sprintf("%d queues, %d compute resources, names of %d characters, cluster names of %d (%d with accounting)",
			limits.Queues, limits.ComputeResources, limits.QueueName, limits.ClusterName, limits.ClusterNameAccounting),
		Source: limits.Source,
	})
}

func keyFacts() []Fact {
	out := make([]Fact, 0, len(keyBoundaries))
	for _, b := range keyBoundaries {
		out = append(out, Fact{
			Subject: "parallelcluster key " + b.prefix,
			Value:   list(prefixed("since ", b.since), prefixed("gone in ", b.until)),
			Source:  b.source,
		})
	}
	return out
}

func referenceFacts() []Fact {
	out := make([]Fact, 0, len(referenceTable))
	for _, r := range referenceTable {
		points := make([]string, len(r.Points))
		for i, p := range r.Points {
			points[i] = fmt.Sprintf("%s %v GB/s", sizeName(p.Bytes), p.GBps)
		}
		out = append(out, Fact{
			Subject: fmt.Sprintf("reference %s on %d x %s", r.Collective, r.Nodes, strings.Join(r.InstanceTypes, " or ")),
			Value:   list(r.Program, strings.Join(points, ", "), r.Note),
			Source:  r.Source,
		})
	}
	return out
}

func sizeName(bytes int64) string {
	switch {
	case bytes == 0:
		return "peak"
	case bytes >= gib:
		return fmt.Sprintf("%d GiB", bytes/gib)
	default:
		return fmt.Sprintf("%d MiB", bytes/mib)
	}
}

func gateFacts() []Fact {
	out := make([]Fact, 0, len(gateTable))
	for _, g := range gateTable {
		nodes := fmt.Sprintf("from %d nodes on", g.MinNodes)
		if g.MaxNodes > 0 {
			nodes = fmt.Sprintf("on %d to %d nodes", g.MinNodes, g.MaxNodes)
		}
		at := "at the peak"
		if g.MinBytes > 0 {
			at = "from " + sizeName(g.MinBytes) + " on"
		}
		out = append(out, Fact{
			Subject: fmt.Sprintf("gate of %s %s", g.Collective, nodes),
			Value:   fmt.Sprintf("%v of the %s, %s", g.Share, g.Of, at),
			Source:  g.Source,
		})
	}
	return out
}

func pluginTestFacts() []Fact {
	out := make([]Fact, 0, len(pluginTestTable))
	for _, p := range pluginTestTable {
		out = append(out, Fact{
			Subject: "aws-ofi-nccl " + p.Plugin,
			Value:   "tested by its makers with NCCL " + strings.Join(p.NCCL, ", "),
			Source:  p.Source,
		})
	}
	return out
}
