package read

import (
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// Resource is a resource as a Pulumi program registered it, or as a stack's state holds it.
type Resource struct {
	Type       string // aws:ec2/launchTemplate:LaunchTemplate
	URN        string
	Properties tree.Node
	// Later says when its unknown properties become known.
	Later rule.Later
}

// adapter puts a resource of one type into a set.
type adapter func(*rule.Set, resource)

// resource is a Resource that is being read.
type resource struct {
	tree.Node
	rule.Input
	urn string
}

// Registered reads a resource. The set is empty for a resource that no rule is about.
func Registered(r Resource) rule.Set {
	var set rule.Set
	read, ok := adapters[typeName(r.Type)]
	if !ok {
		return set
	}
	read(&set, resource{Node: r.Properties, urn: r.URN, Input: rule.Input{
		Place: diag.Place{Resource: r.URN},
		Key:   r.URN,
		ID:    r.Properties.Get("id").Text(),
		Alias: r.Properties.First("name", "launchTemplateName", "groupName").Text(),
		Later: r.Later,
	}})
	return set
}

// Stack reads all resources of a stack, and what they say about each other.
func Stack(resources []Resource) rule.Set {
	var set rule.Set
	for _, r := range resources {
		set.Add(Registered(r))
	}
	linkVersions(&set, resources)
	return set
}

// Reads reports whether a type of resource is one that rules are about.
func Reads(token string) bool {
	_, ok := adapters[typeName(token)]
	return ok
}

// typeName drops the module's file from a token of the classic provider: aws:ec2/launchTemplate:LaunchTemplate is
// aws:ec2:LaunchTemplate.
func typeName(token string) string {
	parts := strings.Split(token, ":")
	if len(parts) != 3 {
		return token
	}
	module, _, _ := strings.Cut(parts[1], "/")
	return parts[0] + ":" + module + ":" + parts[2]
}

// adapters by type, without the file of the classic provider's modules.
var adapters = map[string]adapter{
	"aws:ec2:LaunchTemplate":                  template(func(n tree.Node) tree.Node { return n }),
	"aws:ec2:Instance":                        instance,
	"aws:ec2:PlacementGroup":                  placementGroupResource,
	"aws:ec2:SecurityGroup":                   securityGroup,
	"aws:ec2:DefaultSecurityGroup":            securityGroup,
	"aws:ec2:SecurityGroupRule":               securityGroupRule(rule.Absent[bool]()),
	"aws:vpc:SecurityGroupIngressRule":        securityGroupRule(rule.Known(false)),
	"aws:vpc:SecurityGroupEgressRule":         securityGroupRule(rule.Known(true)),
	"aws:ec2:Subnet":                          subnet,
	"aws:ec2:DefaultSubnet":                   subnet,
	"aws:ec2:CapacityReservation":             reservation(rule.KindODCR),
	"aws:ec2:CapacityBlockReservation":        reservation(rule.KindBlock),
	"aws:ec2:Ami":                             image,
	"aws:ec2:AmiCopy":                         image,
	"aws:ec2:Fleet":                           group(rule.Fleet),
	"aws:autoscaling:Group":                   group(rule.AutoScalingGroup),
	"aws:eks:NodeGroup":                       group(rule.EKSNodeGroup),
	"aws:batch:ComputeEnvironment":            group(rule.BatchComputeEnvironment),
	"aws:cloudformation:Stack":                stack,
	"aws:imagebuilder:Component":              component,
	"aws-native:ec2:LaunchTemplate":           template(func(n tree.Node) tree.Node { return n.Get("launchTemplateData") }),
	"aws-native:ec2:Instance":                 instance,
	"aws-native:ec2:PlacementGroup":           placementGroupResource,
	"aws-native:ec2:SecurityGroup":            securityGroup,
	"aws-native:ec2:SecurityGroupIngress":     securityGroupRule(rule.Known(false)),
	"aws-native:ec2:SecurityGroupEgress":      securityGroupRule(rule.Known(true)),
	"aws-native:ec2:Subnet":                   subnet,
	"aws-native:ec2:CapacityReservation":      reservation(rule.KindODCR),
	"aws-native:ec2:Ec2Fleet":                 group(rule.Fleet),
	"aws-native:autoscaling:AutoScalingGroup": group(rule.AutoScalingGroup),
	"aws-native:eks:Nodegroup":                group(rule.EKSNodeGroup),
	"aws-native:batch:ComputeEnvironment":     group(rule.BatchComputeEnvironment),
	"aws-native:pcs:ComputeNodeGroup":         group(rule.PCSComputeNodeGroup),
	"aws-native:cloudformation:Stack":         stack,
	"aws-native:imagebuilder:Component":       component,
}

func template(data func(tree.Node) tree.Node) adapter {
	return func(set *rule.Set, r resource) {
		launch := Launch(data(r.Node), Camel)
		r.ID = orElse(r.ID, r.Get("launchTemplateId").Text())
		set.Templates = append(set.Templates, rule.LaunchTemplate{Input: r.Input, Launch: launch, Maker: MakerOf(launch.Tags)})
	}
}

func orElse(v, other rule.Value[string]) rule.Value[string] {
	if v.IsAbsent() {
		return other
	}
	return v
}

func instance(set *rule.Set, r resource) {
	r.ID = orElse(r.ID, r.Get("instanceId").Text())
	set.Instances = append(set.Instances, rule.Instance{
		Input: r.Input, Launch: Launch(r.Node, Camel), Template: templateRef(source{r.Get("launchTemplate"), Camel}),
	})
}

func placementGroupResource(set *rule.Set, r resource) {
	set.PlacementGroups = append(set.PlacementGroups, rule.PlacementGroup{Input: r.Input, Strategy: r.Get("strategy").Text()})
}

func securityGroup(set *rule.Set, r resource) {
	r.ID = orElse(r.ID, r.Get("groupId").Text())
	set.SecurityGroups = append(set.SecurityGroups, SecurityGroup(r.Node, Camel, r.Input))
}

func securityGroupRule(egress rule.Value[bool]) adapter {
	return func(set *rule.Set, r resource) {
		set.SecurityGroupRules = append(set.SecurityGroupRules, SecurityGroupRule(r.Node, Camel, egress, r.Input))
	}
}

func subnet(set *rule.Set, r resource) {
	r.ID = orElse(r.ID, r.Get("subnetId").Text())
	set.Subnets = append(set.Subnets, Subnet(r.Node, Camel, r.Input))
}

func reservation(kind string) adapter {
	return func(set *rule.Set, r resource) {
		r.ID = orElse(r.ID, r.Get("capacityReservationId").Text())
		set.Reservations = append(set.Reservations, Reservation(r.Node, Camel, kind, r.Input))
	}
}

func image(set *rule.Set, r resource) {
	set.Images = append(set.Images, Image(r.Node, Camel, r.Input))
}

func group(kind rule.GroupKind) adapter {
	return func(set *rule.Set, r resource) {
		set.Groups = append(set.Groups, NodeGroup(kind, r.Node, Camel, r.Input))
	}
}

// component reads the steps of an Image Builder component.
func component(set *rule.Set, r resource) {
	name := r.Get("name").Text()
	text := r.Get("data").Text()
	if text.IsAbsent() {
		return // the document lies elsewhere, at its uri
	}
	set.NodeScripts = append(set.NodeScripts, rule.NodeScript{Input: r.Input, What: "image component " + rule.Show(name), Text: text})
}
