package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

const (
	sourceTopology = "EC2 User Guide, how-ec2-instance-topology-works"
	sourceEFA      = "EC2 User Guide, efa: EFA traffic can't cross Availability Zones or VPCs"
	sourceBlocks   = "EC2 User Guide, ec2-capacity-blocks"
)

func (j *joiner) judge(t Topology) {
	j.judgePages()
	j.judgePlaces()
	j.judgeAccounts()
	j.judgeNames(t)
	j.judgeZones(t)
	j.judgeParents(t)
	for _, block := range t.Blocks() {
		j.judgeSpread(t, block)
	}
	j.judgeReservations(t)
	j.judgeSeveral(t)
	j.judgeDrift(t)
}

// judgePages tells of answers whose further pages are not there.
func (j *joiner) judgePages() {
	last := map[string]Page{}
	for _, p := range j.Pages {
		last[p.List] = p
	}
	for _, key := range []string{"Instances", "CapacityReservations", "Reservations"} {
		if p := last[key]; p.More {
			j.findings.Add(diag.Finding{
				Rule: diag.FileUnreadable, Place: diag.Place{File: p.File, Path: "NextToken"}, Got: "a page of " + key + " that says there are more, without the next",
				Want: "all pages", Hint: "ask without --no-paginate and --max-items, or give the further pages behind this one", Source: sourceTopology,
			})
		}
	}
}

// file that told of the instances first; empty for answers of EC2 itself.
func (j *joiner) file() string {
	for _, p := range j.Positions {
		return p.File
	}
	for _, i := range j.Instances {
		return i.File
	}
	return ""
}

// judgePlaces names the instances that nobody can place. They are as far from the others as can be, and never under one leaf with them.
func (j *joiner) judgePlaces() {
	for _, c := range []struct {
		ids               []string
		level             diag.Level
		says, want, hints string
	}{
		{
			j.silent, diag.Unset, "of which EC2 tells no network nodes", "their network nodes",
			"ask again in some minutes: right after a launch EC2 does not know yet; where they stay away, EC2 tells no topology of the type",
		},
		{
			j.absent, diag.Unset, "that the answer of describe-instance-topology does not hold", "an answer for every instance",
			"ask for all of them, 100 ids in a call at most; right after a launch EC2 does not know them yet; where they stay away, EC2 tells no topology of the type",
		},
		{
			j.stopped, diag.Unset, "not running", "running instances: EC2 places one when it starts",
			"start them, or wait until they run, and ask again",
		},
		{
			j.moved, diag.Unset, "that two answers place differently", "one answer for each",
			"instances move when they are stopped and started: ask for all of them again, and give that answer only",
		},
		{
			j.other, diag.Note, "left out, of types of which EC2 tells nothing here", "instances of the types that the answer tells of",
			"nothing, where they take no part in the jobs: head nodes, login nodes",
		},
	} {
		if len(c.ids) > 0 {
			j.findings.Add(diag.Finding{
				Rule: diag.TopoUnknown, Level: c.level, Place: diag.Place{File: j.file(), Resource: few(c.ids)},
				Got: count(len(c.ids), "instance") + " " + c.says, Want: c.want, Hint: c.hints, Source: sourceTopology,
			})
		}
	}
}

func (j *joiner) judgeAccounts() {
	if len(j.owners) < 2 {
		return
	}
	var of []string
	for account := 1; account <= len(j.owners); account++ {
		i := slices.IndexFunc(j.Instances, func(i Instance) bool { return j.owners[i.Owner] == account })
		of = append(of, j.Instances[i].ID)
	}
	j.findings.Add(diag.Finding{
		Rule: diag.TopoAccount, Place: diag.Place{File: j.file(), Resource: few(of)},
		Got:  fmt.Sprintf("instances of %d accounts: %s, each of another one", len(of), few(of)),
		Want: "answers of one account", Hint: "ids of network nodes are hashed for each account: look at each account by itself, and measure between them",
		Source: "EC2 API Reference, InstanceTopology",
	})
}

func (j *joiner) judgeNames(t Topology) {
	if len(j.nameless) > 0 {
		j.findings.Add(diag.Finding{
			Rule: diag.TopoHost, Place: diag.Place{File: j.file(), Resource: few(j.nameless)}, Got: count(len(j.nameless), "instance") + " without a host name",
			Want: "the name of every host", Hint: "give the answer of aws ec2 describe-instances too: names of EC2 do not tell the topology, and its topology no names",
			Source: "NVIDIA/nccl#1340: ranks follow the order of hosts",
		})
	}
	if len(j.strange) > 0 {
		j.findings.Add(diag.Finding{
			Rule: diag.TopoHost, Place: diag.Place{File: j.Nodes[0].File, Resource: few(j.strange)},
			Got: count(len(j.strange), "instance") + " that none of Slurm's nodes runs on", Want: "a node of Slurm for every instance",
			Hint: "give the answer of aws ec2 describe-instances, by which nodes are found (NodeAddr, NodeHostName), and the output of scontrol show nodes of the " +
				"same cluster",
		})
	}
	if names := t.Renamed(); len(names) > 0 {
		j.findings.Add(diag.Finding{
			Rule: diag.TopoHost, Level: diag.Note, Place: diag.Place{File: j.file(), Resource: few(names)},
			Got: "names of EC2 for nodes that ParallelCluster calls by queue and compute resource", Want: "Slurm's names, where Slurm is to use them",
			Hint: "give the output of scontrol show nodes too",
		})
	}
}

func (j *joiner) judgeZones(t Topology) {
	number := map[string]int{}
	var zones []string
	for _, p := range t.Places {
		if p.Zone == "" {
			continue
		}
		if number[p.Zone] == 0 {
			zones = append(zones, p.Zone)
		}
		number[p.Zone]++
	}
	if len(zones) < 2 {
		return
	}
	numbers := make([]string, len(zones))
	for i, z := range zones {
		numbers[i] = fmt.Sprintf("%d in %s", number[z], z)
	}
	j.findings.Add(diag.Finding{
		Rule: diag.EFAOneZone, Level: diag.Warn, Place: diag.Place{File: j.file(), Resource: few(zones)}, Got: "instances in " + count(len(zones), "zone") + ": " + few(numbers),
		Want: "one zone for all that are to talk over EFA", Hint: "run one job in each zone", Source: sourceEFA,
	})
}

// judgeParents finds network nodes that stand under two others: the answers are of different times, or not what they seem.
func (j *joiner) judgeParents(t Topology) {
	parent := map[string]string{}
	for _, p := range t.Places {
		for depth, id := range p.Path {
			above := prefix(p.Path[:depth])
			if was, ok := parent[id]; ok && was != above {
				j.findings.Add(diag.Finding{
					Rule: diag.TopoUnknown, Place: diag.Place{File: j.file(), Resource: p.Instance}, Got: id + " stands under two network nodes",
					Want: "one way from the top to each network node", Hint: "ask for all instances again, in one call, and give that answer only", Source: sourceTopology,
				})
				return
			}
			parent[id] = above
		}
	}
}

func (j *joiner) judgeSpread(t Topology, block string) {
	var tops []string
	n, account := 0, -1
	for _, p := range t.Places {
		if p.Reservation == block && p.Known() && (account < 0 || p.Account == account) {
			account = p.Account
			n++
			if !slices.Contains(tops, p.Path[0]) {
				tops = append(tops, p.Path[0])
			}
		}
	}
	if len(tops) > 1 {
		j.findings.Add(diag.Finding{
			Rule: diag.TopoSpread, Place: diag.Place{File: j.file(), Resource: block},
			Got:    fmt.Sprintf("%s under %s that share nothing: %s", count(n, "instance"), count(len(tops), "network node"), few(tops)),
			Want:   "a network node above all of them: the instances of a block sit close together",
			Hint:   "measure pairs by distance (weft topology lists some of each) before long jobs, order the hosts by weft topology -o hostfile, and ask AWS about the block",
			Source: sourceBlocks,
		})
	}
}

// judgeReservations names the reservations of which EC2 tells nothing.
func (j *joiner) judgeReservations(t Topology) {
	for _, r := range t.Reservations {
		if len(r.Path) == 0 {
			j.findings.Add(diag.Finding{
				Rule: diag.TopoUnknown, Place: diag.Place{File: r.File, Resource: r.ID}, Got: "no network nodes, in state " + cmp.Or(r.State, "unknown"),
				Want: "its network nodes", Hint: "EC2 tells them of active and pending reservations, of some types: ask again when it is one", Source: sourceTopology,
			})
		}
	}
	for _, id := range j.Asked {
		if !slices.ContainsFunc(t.Reservations, func(r Reservation) bool { return r.ID == id }) {
			j.findings.Add(diag.Finding{
				Rule: diag.TopoUnknown, Place: diag.Place{Resource: id}, Got: "no answer of describe-capacity-reservation-topology",
				Want: "its network nodes", Hint: "EC2 tells them of active and pending reservations, of some types: ask again when it is one", Source: sourceTopology,
			})
		}
	}
}

// judgeSeveral says what blocks have in common, before a job or a test is paid for.
func (j *joiner) judgeSeveral(t Topology) {
	pairs := t.Compare()
	if len(pairs) == 0 {
		return
	}
	worst := slices.MaxFunc(pairs, func(a, b Comparison) int { return a.rank() - b.rank() })
	both := fmt.Sprintf("%s and %s: %s", worst.A, worst.B, worst.Says)
	if len(pairs) > 1 {
		both = fmt.Sprintf("%s of reservations, of which the farthest apart are %s", count(len(pairs), "pair"), both)
	}
	j.findings.Add(diag.Finding{
		Rule: diag.BlockSeveral, Place: diag.Place{File: j.file(), Resource: worst.A + ", " + worst.B}, Got: both,
		Want: "one block, or knowledge of the bandwidth between them",
		Hint: "keep tensor and expert parallel groups inside a block; measure pairs inside and between them: weft validate run --steps blocks", Source: sourceBlocks,
	})
}

// rank orders comparisons by how bad they are.
func (c Comparison) rank() int { return int(c.kind)*1000 - min(len(c.Shared), 999) }
