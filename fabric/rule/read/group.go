package read

import (
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// nodeGroup reads one kind of group.
type nodeGroup func(s source) rule.NodeGroup

func autoScalingGroup(s source) rule.NodeGroup {
	mixed := s.get("mixedInstancesPolicy", "launchTemplate")
	template := either(s.get("launchTemplate"), mixed.get("launchTemplateSpecification"))
	return rule.NodeGroup{
		Kind:           rule.AutoScalingGroup,
		Template:       templateRef(template),
		InstanceTypes:  each(mixed.first("overrides", "override"), func(s source) rule.Value[string] { return s.get("instanceType").Text() }),
		Subnets:        s.first("vpcZoneIdentifiers", "vpcZoneIdentifier").Texts(),
		Zones:          s.get("availabilityZones").Texts(),
		Min:            s.get("minSize").Int(),
		Max:            s.get("maxSize").Int(),
		PlacementGroup: s.get("placementGroup").Text(),
	}
}

func eksNodeGroup(s source) rule.NodeGroup {
	scaling := s.get("scalingConfig")
	return rule.NodeGroup{
		Kind:          rule.EKSNodeGroup,
		Template:      templateRef(s.get("launchTemplate")),
		InstanceTypes: s.get("instanceTypes").Texts(),
		Subnets:       s.first("subnetIds", "subnets").Texts(),
		Min:           scaling.get("minSize").Int(),
		Max:           scaling.get("maxSize").Int(),
		CapacityType:  s.get("capacityType").Text(),
	}
}

func pcsNodeGroup(s source) rule.NodeGroup {
	scaling := s.get("scalingConfiguration")
	return rule.NodeGroup{
		Kind:          rule.PCSComputeNodeGroup,
		Template:      s.get("customLaunchTemplate").first("templateId", "id").Text(),
		InstanceTypes: each(s.get("instanceConfigs"), func(s source) rule.Value[string] { return s.get("instanceType").Text() }),
		Subnets:       s.get("subnetIds").Texts(),
		Min:           scaling.get("minInstanceCount").Int(),
		Max:           scaling.get("maxInstanceCount").Int(),
		CapacityType:  s.get("purchaseOption").Text(),
		Image:         s.get("amiId").Text(),
	}
}

// batchEnvironment counts vCPUs, not nodes, so that its size is not known.
func batchEnvironment(s source) rule.NodeGroup {
	resources := s.get("computeResources")
	return rule.NodeGroup{
		Kind:           rule.BatchComputeEnvironment,
		Template:       templateRef(resources.get("launchTemplate")),
		InstanceTypes:  resources.get("instanceTypes").Texts(),
		Subnets:        resources.get("subnets").Texts(),
		PlacementGroup: resources.get("placementGroup").Text(),
		SecurityGroups: resources.get("securityGroupIds").Texts(),
	}
}

func fleet(s source) rule.NodeGroup {
	configs := s.get("launchTemplateConfigs")
	target := s.get("targetCapacitySpecification")
	g := rule.NodeGroup{
		Kind:         rule.Fleet,
		Max:          target.get("totalTargetCapacity").Int(),
		CapacityType: target.get("defaultTargetCapacityType").Text(),
	}
	for i, n := range configs.Items() {
		config := source{n, s.spell}
		if i == 0 {
			g.Template = templateRef(config.first("launchTemplateSpecification"))
		}
		types := each(config.get("overrides"), func(s source) rule.Value[string] { return s.get("instanceType").Text() })
		subnets := each(config.get("overrides"), func(s source) rule.Value[string] { return s.get("subnetId").Text() })
		g.InstanceTypes.Items = append(g.InstanceTypes.Items, given(types.Items)...)
		g.Subnets.Items = append(g.Subnets.Items, given(subnets.Items)...)
	}
	return g
}

// given leaves out what an override does not say.
func given(values []rule.Value[string]) []rule.Value[string] {
	var out []rule.Value[string]
	for _, v := range values {
		if !v.IsAbsent() {
			out = append(out, v)
		}
	}
	return out
}

// templateRef reads the reference to a launch template, by id or by name.
func templateRef(s source) rule.Value[string] {
	return s.first("id", "launchTemplateId", "name", "launchTemplateName").Text()
}

// NodeGroup reads a group of nodes of a kind.
func NodeGroup(kind rule.GroupKind, n tree.Node, spell Spelling, in rule.Input) rule.NodeGroup {
	readers := map[rule.GroupKind]nodeGroup{
		rule.AutoScalingGroup: autoScalingGroup, rule.EKSNodeGroup: eksNodeGroup, rule.PCSComputeNodeGroup: pcsNodeGroup,
		rule.BatchComputeEnvironment: batchEnvironment, rule.Fleet: fleet,
	}
	g := rule.NodeGroup{Kind: kind}
	if read, ok := readers[kind]; ok {
		g = read(source{n, spell})
	}
	g.Input = in
	return g
}
