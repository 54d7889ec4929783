package source

import (
	"strings"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// pascal is the spelling of AWS's API, with the name that keeps its capitals.
func pascal(name string) string {
	if name == "vpcZoneIdentifier" {
		return "VPCZoneIdentifier"
	}
	return read.Pascal(name)
}

// describedTemplate reads a version of a launch template, a request that makes one, or its bare data.
func describedTemplate(n tree.Node, in rule.Input) rule.Set {
	data := n.Get("LaunchTemplateData")
	if !data.Is() {
		data = n
	}
	in.Alias = n.Get("LaunchTemplateName").Text()
	launch := read.Launch(data, pascal)
	return rule.Set{Templates: []rule.LaunchTemplate{{Input: in, Launch: launch, Maker: read.MakerOf(launch.Tags)}}}
}

// describedGroup reads a security group as an account has it: these are all its rules.
func describedGroup(n tree.Node, in rule.Input) rule.Set {
	in.Alias = n.Get("GroupName").Text()
	return rule.Set{SecurityGroups: []rule.SecurityGroup{{
		Input: in, VPC: n.Get("VpcId").Text(), Whole: true,
		Ingress: tree.Each(n.Get("IpPermissions"), describedPermission), Egress: tree.Each(n.Get("IpPermissionsEgress"), describedPermission),
	}}}
}

func describedPermission(n tree.Node) rule.Permission {
	ranges := tree.Each(n.Get("IpRanges"), func(n tree.Node) rule.Value[string] { return n.Get("CidrIp").Text() })
	long := tree.Each(n.Get("Ipv6Ranges"), func(n tree.Node) rule.Value[string] { return n.Get("CidrIpv6").Text() })
	ranges.Items = append(ranges.Items, long.Items...)
	return rule.Permission{
		Path: n.Path, Protocol: n.Get("IpProtocol").Text(), CIDRs: ranges,
		Groups: tree.Each(n.Get("UserIdGroupPairs"), groupID),
	}
}

func groupID(n tree.Node) rule.Value[string] { return n.Get("GroupId").Text() }

// describedRule reads an item of describe-security-group-rules, where the other group stands in a section.
func describedRule(n tree.Node, in rule.Input) rule.Set {
	r := read.SecurityGroupRule(n, pascal, n.Get("IsEgress").Bool(), in)
	if other := n.Get("ReferencedGroupInfo", "GroupId"); other.Is() {
		r.Groups = other.Texts()
	}
	return rule.Set{SecurityGroupRules: []rule.SecurityGroupRule{r}}
}

func describedSubnet(n tree.Node, in rule.Input) rule.Set {
	s := read.Subnet(n, pascal, in)
	s.Free = n.Get("AvailableIpAddressCount").Int()
	return rule.Set{Subnets: []rule.Subnet{s}}
}

// Names of tags that EC2 puts on the reservation of a Capacity Block.
const (
	tagBought = "aws:ec2capacityreservation:incrementalRequestedQuantity"
	tagKind   = "aws:ec2capacityreservation:capacityReservationType"
)

func describedReservation(n tree.Node, in rule.Input) rule.Set {
	r := read.Reservation(n, pascal, rule.KindODCR, in)
	tags := n.Get("Tags")
	values := read.Tags(tags)
	kind := n.Get("ReservationType")
	r.Kind = kind.Text()
	if r.Kind.IsAbsent() && values[tagKind] != "" {
		r.Kind = rule.Known(values[tagKind]).At(tags.Path)
	}
	// A block that has not started or has ended holds nothing: what was bought is what counts, where a tag tells.
	if r.Kind.Or("") == rule.KindBlock && r.Count.Or(0) == 0 {
		r.Count = rule.Absent[int]()
		if bought := tree.Text(tags.Path, values[tagBought]).Int(); bought.IsKnown() {
			r.Count = bought
		}
	}
	return rule.Set{Reservations: []rule.Reservation{r}}
}

func describedImage(n tree.Node, in rule.Input) rule.Set {
	i := read.Image(n, pascal, in)
	owner := n.Get("ImageOwnerAlias").String()
	i.Public = owner == "amazon" || owner == "aws-marketplace"
	return rule.Set{Images: []rule.Image{i}}
}

func describedPlacement(n tree.Node, in rule.Input) rule.Set {
	in.Alias = n.Get("GroupId").Text()
	return rule.Set{PlacementGroups: []rule.PlacementGroup{{Input: in, Strategy: n.Get("Strategy").Text()}}}
}

// describedScaling splits the subnets, which the API writes as one text.
func describedScaling(n tree.Node, in rule.Input) rule.Set {
	g := read.NodeGroup(rule.AutoScalingGroup, n, pascal, in)
	if subnets := n.Get("VPCZoneIdentifier"); subnets.Kind == tree.Scalar {
		g.Subnets.Items = nil
		for _, id := range strings.Split(subnets.String(), ",") {
			g.Subnets.Items = append(g.Subnets.Items, rule.Known(strings.TrimSpace(id)).At(subnets.Path))
		}
	}
	return rule.Set{Groups: []rule.NodeGroup{g}}
}

func describedNodes(kind rule.GroupKind) reader {
	return func(n tree.Node, in rule.Input) rule.Set {
		return rule.Set{Groups: []rule.NodeGroup{read.NodeGroup(kind, n, read.Camel, in)}}
	}
}

// describedInstance reads an instance that runs. Its interfaces say where they sit in their attachment.
func describedInstance(n tree.Node, in rule.Input) rule.Set {
	state := n.Get("State", "Name").String()
	if state == "terminated" || state == "shutting-down" {
		return rule.Set{}
	}
	l := read.Launch(n, pascal)
	l.Market = n.Get("InstanceLifecycle").Text()
	l.Reservation = n.Get("CapacityReservationId").Text()
	l.SecurityGroups = tree.Each(n.Get("SecurityGroups"), groupID)
	l.Tags = read.Tags(n.Get("Tags"))
	l.Interfaces = tree.Each(n.Get("NetworkInterfaces"), func(n tree.Node) rule.Interface {
		at := n.Get("Attachment")
		return rule.Interface{
			Path: n.Path, Card: at.Get("NetworkCardIndex").Int(), Device: at.Get("DeviceIndex").Int(), Type: n.Get("InterfaceType").Text(),
			Subnet: n.Get("SubnetId").Text(), SecurityGroups: tree.Each(n.Get("Groups"), groupID),
			DeleteOnTermination: at.Get("DeleteOnTermination").Bool(), Existing: n.Get("NetworkInterfaceId").Text(),
		}
	})
	return rule.Set{Instances: []rule.Instance{{Input: in, Launch: l, Exists: true}}}
}
