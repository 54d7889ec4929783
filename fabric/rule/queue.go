package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// What ParallelCluster takes where a compute resource is silent.
const (
	defaultMinCount = 0
	defaultMaxCount = 10
)

var clusterRules = []Rule{
	{
		diag.BlockPairing, Alone,
		"A queue with CapacityType: CAPACITY_BLOCK names the reservation of its block. The ARN of a resource group does not do.",
		judgeQueuePairing,
	},
	{
		diag.BlockPlacementGroup, Everything,
		"ParallelCluster lets a placement group on a Capacity Block pass with a warning; the launch then finds no capacity.",
		judgeQueuePlacement,
	},
	{
		diag.BlockCount, Alone,
		"ParallelCluster keeps nodes of a Capacity Block running: MinCount equals MaxCount and is above 0, and a compute resource has one type, which is written, since an expired block can no longer tell it.",
		judgeCount,
	},
	{
		diag.NICPublicIP, Everything,
		"ParallelCluster gives nodes of types with several network cards several interfaces, and EC2 then no public address of itself.",
		judgeQueuePublicIP,
	},
	{
		diag.NICEFACard, Alone,
		"ParallelCluster before 3.15 puts EFA on every card, also on one that takes none.",
		judgeReleaseCards,
	},
	{
		diag.PCOS, Alone,
		"ParallelCluster refuses some types on some operating systems, and has no driver for others in its images.",
		judgeSystem,
	},
	{
		diag.NICEFACount, Together,
		"LaunchTemplateOverrides replaces all interfaces of a compute resource; ParallelCluster does not compare them with the type's cards.",
		judgeOverride,
	},
	{
		diag.BootURL, Alone,
		"Custom actions are fetched from s3:// or https://; nothing else ever works.",
		judgeURL,
	},
	{
		diag.BootS3Access, Alone,
		"A script in S3 is read with the node's own role. ParallelCluster checks it with yours, so that a missing grant shows at the node's boot.",
		judgeS3Access,
	},
}

// clusterQueue is a queue with the cluster that it belongs to.
type clusterQueue struct {
	Input
	cluster *ParallelCluster
	queue   Queue
}

// clusterResource is a compute resource with its queue.
type clusterResource struct {
	clusterQueue
	resource *ComputeResource
}

// target is a place where a reservation is named: of a compute resource, or of a queue that none of its compute
// resources overrides.
type target struct {
	clusterResource
	ReservationTarget
}

func (v *view) eachQueue(do func(clusterQueue)) {
	for i := range v.Clusters {
		c := &v.Clusters[i]
		if c.Queues.IsUnknown() {
			v.wait(c.Input, c.Queues.Path)
		}
		for _, q := range c.Queues.Items {
			do(clusterQueue{Input: c.Input, cluster: c, queue: q})
		}
	}
}

func (v *view) eachResource(do func(clusterResource)) {
	v.eachQueue(func(q clusterQueue) {
		if q.queue.Resources.IsUnknown() {
			v.wait(q.Input, q.queue.Resources.Path)
		}
		for i := range q.queue.Resources.Items {
			do(clusterResource{q, &q.queue.Resources.Items[i]})
		}
	})
}

func (v *view) eachTarget(do func(target)) {
	v.eachResource(func(c clusterResource) {
		if t := c.target(); t.given() {
			do(target{c, t})
		}
	})
}

func (t ReservationTarget) given() bool { return !t.ID.IsAbsent() || !t.Group.IsAbsent() }

// target is the compute resource's own, else its queue's.
func (c clusterResource) target() ReservationTarget {
	if !c.resource.Target.given() && c.queue.Target.given() {
		return c.queue.Target
	}
	return c.resource.Target
}

// placement is the compute resource's own section, else its queue's.
func (c clusterResource) placement() ClusterPlacement {
	if c.resource.Placement.Given {
		return c.resource.Placement
	}
	return c.queue.Placement
}

func (q Queue) onBlock() bool { return isBlockWord(q.CapacityType) }

func (q clusterQueue) usesEFA() bool {
	return slices.ContainsFunc(q.queue.Resources.Items, func(r ComputeResource) bool { return IsTrue(r.EFA) })
}

func judgeQueuePairing(v *view) {
	v.eachResource(func(c clusterResource) {
		t := c.target()
		if !c.queue.onBlock() || !t.ID.IsAbsent() {
			return
		}
		got := "a compute resource on a capacity block without a reservation"
		if !t.Group.IsAbsent() {
			got = "a resource group's ARN alone: " + Show(t.Group)
		}
		v.add(at(c.Input, cmp.Or(t.ID.Path, c.resource.Path)), got, "CapacityReservationTarget: {CapacityReservationId: cr-…}",
			"write the id that describe-capacity-reservations shows for the block", "ParallelCluster, CapacityTypeValidator")
	})
}

func judgeQueuePlacement(v *view) {
	v.eachResource(func(c clusterResource) {
		p := c.placement()
		why := ""
		switch {
		case c.queue.onBlock() && v.is(Alone):
			why = "CapacityType: CAPACITY_BLOCK"
		case !c.queue.onBlock() && v.is(Together) && v.targetsBlock(c.target().ID):
			why = "target " + Show(c.target().ID) + ", a capacity block"
		default:
			return
		}
		// With a name alone the section is on; Enabled: false turns it off whatever it names.
		switch {
		case IsFalse(p.Enabled):
		case IsTrue(p.Enabled) || HasText(p.Name):
			v.add(at(c.Input, p.Path), "a placement group with "+why, "none", "remove the PlacementGroup section, or set Enabled: false; ParallelCluster only warns",
				"aws/aws-parallelcluster#6311; "+sourceBlocks)
		case p.Enabled.IsUnknown() || p.Name.IsUnknown():
			v.wait(c.Input, p.Path)
		}
	})
}

func judgeCount(v *view) {
	v.eachResource(func(c clusterResource) {
		if !c.queue.onBlock() {
			return
		}
		v.fixedCount(c)
		v.oneType(c)
	})
}

func (v *view) fixedCount(c clusterResource) {
	r := c.resource
	lowest, okMin := need(v, c.Input, r.Min)
	highest, okMax := need(v, c.Input, r.Max)
	if r.Min.IsUnknown() || r.Max.IsUnknown() {
		return
	}
	if !okMin {
		lowest = defaultMinCount
	}
	if !okMax {
		highest = defaultMaxCount
	}
	if lowest == highest && lowest > 0 {
		return
	}
	v.add(at(c.Input, orElse(r.Min.Path, r.Path)), fmt.Sprintf("MinCount %d, MaxCount %d on a capacity block", lowest, highest), "both equal and above 0",
		fmt.Sprintf("set both to %d, or to the number of instances that the block holds for this compute resource", max(highest, 1)), "ParallelCluster, CapacityTypeValidator; aws/aws-parallelcluster#5817")
}

func (v *view) oneType(c clusterResource) {
	r := c.resource
	switch types := r.types(); {
	case types.Len() > 1:
		v.add(at(c.Input, r.Instances.Path), fmt.Sprintf("%d instance types on a capacity block", types.Len()), "one", "keep the type that the block is of",
			"ParallelCluster, CapacityReservationValidator")
	case types.Len() == 0 && !types.IsUnknown():
		v.addAt(diag.Warn, at(c.Input, orElse(r.InstanceType.Path, r.Path)), "no InstanceType on a capacity block: ParallelCluster asks the reservation", "InstanceType, written",
			"write InstanceType: once the block has ended, ParallelCluster cannot read this configuration without it", "aws/aws-parallelcluster#6870")
	}
}

func judgeQueuePublicIP(v *view) {
	v.eachResource(func(c clusterResource) {
		name, n := c.mostInterfaces()
		if n < 2 {
			return
		}
		got, given := need(v, c.Input, c.queue.PublicIP)
		switch {
		case v.is(Alone) && given && got:
			v.add(at(c.Input, c.queue.PublicIP.Path), fmt.Sprintf("AssignPublicIp: true, and ParallelCluster gives %s %d interfaces", name, n), "no automatic public address",
				"remove AssignPublicIp, and give the nodes a NAT gateway for their way out", sourcePublic)
		case v.is(Together) && c.queue.PublicIP.IsAbsent():
			v.publicQueueSubnet(c, name, n)
		}
	})
}

// mostInterfaces is the type of a compute resource that ParallelCluster gives most interfaces, and how many.
func (c clusterResource) mostInterfaces() (name string, most int) {
	for _, t := range c.resource.types().Items {
		if n := interfacesOf(c.cluster, t.Or(""), IsTrue(c.resource.EFA)); n > most {
			name, most = t.Or(""), n
		}
	}
	return name, most
}

// publicQueueSubnet: the subnet's setting counts where the queue does not say false itself.
func (v *view) publicQueueSubnet(c clusterResource, name string, n int) {
	for _, ref := range c.queue.Subnets.Items {
		s, ok := v.subnet(ref)
		if !ok {
			continue
		}
		if public, ok := need(v, s.Input, s.MapPublicIP); ok && public {
			v.add(at(c.Input, ref.Path), fmt.Sprintf("subnet %s gives new instances a public address, and ParallelCluster gives %s %d interfaces", s.name(), name, n),
				"a subnet that does not", "name a subnet without automatic public addresses, with a NAT gateway for the way out", sourcePublic)
			return
		}
	}
}

func judgeOverride(v *view) {
	v.eachResource(func(c clusterResource) {
		if c.resource.Override.IsAbsent() || !IsTrue(c.resource.EFA) {
			return
		}
		l, ok := find(v.launches, launchInput, c.resource.Override)
		if !ok || l.hasEFA() || !v.laidOut(l) {
			return
		}
		v.addAt(diag.Error, at(c.Input, c.resource.Override.Path), "Efa is enabled, and launch template "+l.name()+" has no EFA interface", "the EFA interfaces of the type",
			"add them to the template: ParallelCluster takes its list of interfaces as it is", "ParallelCluster, LaunchTemplateOverrides")
	})
}

func judgeURL(v *view) {
	v.eachBoot(func(b boot) {
		for _, s := range b.Scripts.Items {
			url, ok := need(v, b.Input, s.URL)
			if !ok || strings.HasPrefix(url, "s3://") || strings.HasPrefix(url, "https://") {
				continue
			}
			v.add(at(b.Input, s.URL.Path), Show(s.URL), "a URL with s3:// or https://", "put the script into a bucket, or serve it by https", "ParallelCluster, UrlValidator")
		}
	})
}
