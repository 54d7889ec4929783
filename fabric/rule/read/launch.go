package read

import (
	"strings"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// source is a tree with the spelling of its names.
type source struct {
	tree.Node
	spell Spelling
}

// get walks names, each in the source's spelling.
func (s source) get(names ...string) source {
	n := s.Node
	for _, name := range names {
		n = n.Get(s.spell(name))
	}
	return source{n, s.spell}
}

// first gives the first of several names that is there.
func (s source) first(names ...string) source {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = s.spell(name)
	}
	return source{s.First(keys...), s.spell}
}

func each[T any](s source, read func(source) T) rule.List[T] {
	return tree.Each(s.Node, func(n tree.Node) T { return read(source{n, s.spell}) })
}

// Launch reads launch template data, or the request of a single instance.
func Launch(n tree.Node, spell Spelling) rule.Launch {
	s := source{n, spell}
	capacity := s.get("capacityReservationSpecification")
	placement := s.get("placement")
	metadata := s.get("metadataOptions")
	return rule.Launch{
		InstanceType:     s.get("instanceType").Text(),
		Image:            s.first("imageId", "ami").Text(),
		Interfaces:       each(s.get("networkInterfaces"), networkInterface),
		SecurityGroups:   s.first("securityGroupIds", "vpcSecurityGroupIds").Texts(),
		Subnet:           s.get("subnetId").Text(),
		PublicIP:         s.get("associatePublicIpAddress").Bool(),
		Market:           s.get("instanceMarketOptions", "marketType").Text(),
		Reservation:      capacity.get("capacityReservationTarget", "capacityReservationId").Text(),
		ReservationGroup: capacity.get("capacityReservationTarget", "capacityReservationResourceGroupArn").Text(),
		Preference:       capacity.get("capacityReservationPreference").Text(),
		PlacementGroup:   placementGroup(s, placement),
		Tenancy:          either(placement.get("tenancy"), s.get("tenancy")).Text(),
		Zone:             either(placement.get("availabilityZone"), s.get("availabilityZone")).Text(),
		MetadataTokens:   metadata.get("httpTokens").Text(),
		MetadataHops:     metadata.get("httpPutResponseHopLimit").Int(),
		Tags:             instanceTags(s.get("tagSpecifications")),
	}
}

// either gives the first node that is there.
func either(nodes ...source) source {
	for _, n := range nodes {
		if n.Is() {
			return n
		}
	}
	return nodes[0]
}

// placementGroup: an empty Placement section is none.
func placementGroup(s, placement source) rule.Value[string] {
	return either(placement.get("groupName"), placement.get("groupId"), s.first("placementGroup", "placementGroupName")).Text()
}

func networkInterface(s source) rule.Interface {
	return rule.Interface{
		Path:                s.Path,
		Card:                s.get("networkCardIndex").Int(),
		Device:              s.get("deviceIndex").Int(),
		Type:                s.get("interfaceType").Text(),
		Subnet:              s.get("subnetId").Text(),
		SecurityGroups:      s.first("securityGroups", "groups", "groupSet", "securityGroupIds").Texts(),
		PublicIP:            s.get("associatePublicIpAddress").Bool(),
		DeleteOnTermination: s.get("deleteOnTermination").Bool(),
		Existing:            s.get("networkInterfaceId").Text(),
	}
}

// instanceTags reads the tags of instances: as a map, or as a list of keys and values.
func instanceTags(s source) map[string]string {
	for _, n := range s.Items() {
		spec := source{n, s.spell}
		if spec.get("resourceType").String() == "instance" {
			return Tags(spec.get("tags").Node)
		}
	}
	return nil
}

// Tags reads tags in both forms that AWS and its tools write: a map, or a list of keys and values. Values that are
// unknown are left out.
func Tags(n tree.Node) map[string]string {
	out := map[string]string{}
	if n.Kind == tree.Map && !n.Get("Key").Is() && !n.Get("key").Is() {
		for _, key := range n.Keys() {
			if value, ok := n.Get(key).Text().Get(); ok {
				out[key] = value
			}
		}
		return out
	}
	for _, item := range n.Items() {
		if value, ok := item.First("Value", "value").Text().Get(); ok {
			out[item.First("Key", "key").String()] = value
		}
	}
	return out
}

// MakerOf tells from the tags of instances which tool made a template.
func MakerOf(tags map[string]string) rule.Maker {
	if attributes, ok := tags["parallelcluster:attributes"]; ok {
		maker := rule.Maker{Tool: rule.MakerParallelCluster, Version: tags["parallelcluster:version"]}
		if parts := strings.Split(attributes, ","); maker.Version == "" && len(parts) > 2 {
			maker.Version = strings.TrimSpace(parts[2])
		}
		return maker
	}
	for key := range tags {
		switch {
		case strings.HasPrefix(key, "parallelcluster:"):
			return rule.Maker{Tool: rule.MakerParallelCluster, Version: tags["parallelcluster:version"]}
		case strings.HasPrefix(key, "alpha.eksctl.io/"):
			return rule.Maker{Tool: rule.MakerEKSCTL}
		}
	}
	return rule.Maker{}
}
