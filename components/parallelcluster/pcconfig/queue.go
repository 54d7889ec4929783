package pcconfig

import (
	"maps"
	"slices"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// ParallelCluster's words for the markets.
var capacityTypes = map[plan.Market]string{plan.OnDemand: "ONDEMAND", plan.CapacityBlock: "CAPACITY_BLOCK"}

func (t translator) scheduling() Scheduling {
	s := t.config.Slurm
	out := Scheduling{
		Scheduler: "slurm",
		SlurmSettings: SlurmSettings{
			ScaledownIdletime:           s.ScaledownIdleMinutes,
			QueueUpdateStrategy:         s.QueueUpdateStrategy,
			EnableMemoryBasedScheduling: s.MemoryScheduling,
		},
	}
	for _, key := range slices.Sorted(maps.Keys(s.Settings)) {
		out.SlurmSettings.CustomSlurmSettings = append(out.SlurmSettings.CustomSlurmSettings, map[string]string{key: s.Settings[key]})
	}
	if d := s.Database; d != nil {
		out.SlurmSettings.Database = &Database{Uri: d.URI, UserName: d.User, PasswordSecretArn: d.PasswordSecret}
	}
	for i, g := range t.plan.Groups {
		out.SlurmQueues = append(out.SlurmQueues, t.queue(g, t.config.Groups[i]))
	}
	return out
}

// queue translates a group. The group of the plan and of the config are the same one.
func (t translator) queue(g plan.NodeGroup, c config.Group) SlurmQueue {
	q := SlurmQueue{
		Name:                   g.Name,
		CapacityType:           capacityTypes[g.Capacity.Market],
		JobExclusiveAllocation: t.config.Slurm.Exclusive,
		Image:                  t.nodeImage(c.Image, g.Name),
		Networking:             t.queueNetworking(g),
		ComputeSettings:        computeSettings(c),
		CustomActions:          t.customActions(bootstrap.Compute, g.Name),
		Iam:                    nodeIam(t.config.IAM.Policies, t.grants(bootstrap.Compute, g.Name)),
		ComputeResources:       []ComputeResource{t.computeResource(g)},
	}
	if t.config.Monitoring.GPUHealthChecks && g.Healthy.Kind == "gpu" {
		q.HealthChecks = &HealthChecks{Gpu: Enabled{true}}
	}
	return q
}

func (t translator) computeResource(g plan.NodeGroup) ComputeResource {
	r := ComputeResource{Name: ComputeResourceName(g.Name), InstanceType: g.InstanceType, MinCount: g.MinNodes, MaxCount: g.Nodes}
	if g.EFA {
		r.Efa = &Enabled{true}
	}
	if g.Capacity.Key() != "" || g.Capacity.Market == plan.CapacityBlock {
		id := known("cr", g.Name, t.ids.Reservations[g.Name], g.Capacity.Reservation)
		r.CapacityReservationTarget = &CapacityReservationTarget{CapacityReservationId: id}
	}
	if g.Rendering.Override {
		template := t.ids.Templates[g.Name]
		r.LaunchTemplateOverrides = &LaunchTemplateOverrides{
			LaunchTemplateId: known("lt", g.Name, template.ID), Version: max(1, template.Version),
		}
	}
	return r
}

func (t translator) queueNetworking(g plan.NodeGroup) NodeNetworking {
	of := g.Name
	if t.plan.Network.Create {
		of = g.Zone // so that a group that moves is seen before its subnet is made
	}
	n := NodeNetworking{
		SubnetIds:      []string{known("subnet", of, t.ids.ComputeSubnets[g.Name], g.Subnet)},
		PlacementGroup: placementGroup(g),
	}
	n.SecurityGroups, n.AdditionalSecurityGroups = t.computeGroups()
	return n
}

// placementGroup writes the plan's placement. ParallelCluster wants on-demand nodes with EFA to say it either way
// (EfaPlacementGroupValidator), and warns of any for a block, even of "no".
func placementGroup(g plan.NodeGroup) *PlacementGroup {
	p := g.Capacity.Placement
	switch {
	case p.Name != "":
		return &PlacementGroup{Name: p.Name}
	case p.Managed:
		return &PlacementGroup{Enabled: ptr(true)}
	case g.EFA && g.Capacity.Market != plan.CapacityBlock:
		return &PlacementGroup{Enabled: ptr(false)}
	default:
		return nil
	}
}

func computeSettings(c config.Group) *ComputeSettings {
	var s LocalStorage
	if c.RootVolumeGiB > 0 {
		s.RootVolume = &RootVolume{Size: c.RootVolumeGiB}
	}
	if c.ScratchMount != "" {
		s.EphemeralVolume = &EphemeralVolume{MountDir: c.ScratchMount}
	}
	if s == (LocalStorage{}) {
		return nil
	}
	return &ComputeSettings{LocalStorage: s}
}

// sharedImage is the image of all nodes, where there is one. ParallelCluster can't tell one queue to take the official image
// when Image/CustomAmi is given: if a group wants that, each other kind of node names the image itself.
func (t translator) sharedImage() string {
	if t.someOfficial() {
		return ""
	}
	return t.imageID(t.config.Image, "")
}

// nodeImage is the image of one kind of nodes, nil where they take the shared one.
func (t translator) nodeImage(own *config.Image, group string) *NodeImage {
	var id string
	switch {
	case own != nil:
		id = t.imageID(*own, group)
	case t.someOfficial():
		id = t.imageID(t.config.Image, "")
	}
	if id == "" {
		return nil
	}
	return &NodeImage{CustomAmi: id}
}

// someOfficial reports whether a group takes the official image in a cluster that has another one.
func (t translator) someOfficial() bool {
	if t.imageID(t.config.Image, "") == "" {
		return false
	}
	return slices.ContainsFunc(t.config.Groups, func(g config.Group) bool {
		return g.Image != nil && t.imageID(*g.Image, g.Name) == ""
	})
}

// imageID gives the id of an image, empty for the official one. Group is empty for the image of the cluster.
func (t translator) imageID(image config.Image, group string) string {
	built, of := t.ids.Images[group], group
	if group == "" {
		built, of = t.ids.Image, "cluster"
	}
	switch {
	case image.AMI != "":
		return image.AMI
	case image.Recipe != "" || built != "":
		return known("ami", of, built)
	default:
		return ""
	}
}

func ptr[T any](v T) *T { return &v }
