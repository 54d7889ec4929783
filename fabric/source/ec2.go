package source

import (
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// reader makes the input of a resource.
type reader func(tree.Node, rule.Input) rule.Set

// section is a part of an answer of AWS's API, as the AWS CLI prints it.
type section struct {
	key    string // of the answer
	ids    []string
	read   reader
	inside string // the key of the list within each item: instances within reservations
}

var sections = []section{
	{key: "LaunchTemplateVersions", ids: []string{"LaunchTemplateId"}, read: describedTemplate},
	{key: "LaunchTemplateVersion", ids: []string{"LaunchTemplateId"}, read: describedTemplate},
	{key: "SecurityGroups", ids: []string{"GroupId"}, read: describedGroup},
	{key: "SecurityGroup", ids: []string{"GroupId"}, read: describedGroup},
	{key: "SecurityGroupRules", ids: []string{"SecurityGroupRuleId"}, read: describedRule},
	{key: "Subnets", ids: []string{"SubnetId"}, read: describedSubnet},
	{key: "Subnet", ids: []string{"SubnetId"}, read: describedSubnet},
	{key: "CapacityReservations", ids: []string{"CapacityReservationId"}, read: describedReservation},
	{key: "CapacityReservation", ids: []string{"CapacityReservationId"}, read: describedReservation},
	{key: "Images", ids: []string{"ImageId"}, read: describedImage},
	{key: "PlacementGroups", ids: []string{"GroupName"}, read: describedPlacement},
	{key: "AutoScalingGroups", ids: []string{"AutoScalingGroupName"}, read: describedScaling},
	{key: "Reservations", ids: []string{"InstanceId"}, read: describedInstance, inside: "Instances"},
	{key: "Instances", ids: []string{"InstanceId"}, read: describedInstance},
	{key: "nodegroup", ids: []string{"nodegroupName"}, read: describedNodes(rule.EKSNodeGroup)},
	{key: "computeNodeGroup", ids: []string{"id", "name"}, read: describedNodes(rule.PCSComputeNodeGroup)},
	{key: "computeEnvironments", ids: []string{"computeEnvironmentName"}, read: describedNodes(rule.BatchComputeEnvironment)},
}

// calls are the answers of an account dump, by the names of the calls.
var calls = []string{
	"DescribeCapacityReservations", "DescribeImages", "DescribeInstances", "DescribeLaunchTemplateVersions", "DescribePlacementGroups",
	"DescribeSecurityGroups", "DescribeSubnets", "DescribeAutoScalingGroups",
}

func isEC2(root map[string]any) bool {
	for _, s := range sections {
		switch root[s.key].(type) {
		case []any, map[string]any:
			return true
		}
	}
	if _, ok := root["LaunchTemplateData"].(map[string]any); ok {
		return true
	}
	_, nics := root["NetworkInterfaces"]
	_, instance := root["InstanceType"]
	_, market := root["InstanceMarketOptions"]
	_, target := root["CapacityReservationSpecification"]
	return nics || instance && (market || target || root["ImageId"] != nil)
}

func isAccount(root map[string]any) bool {
	for _, call := range calls {
		if _, ok := root[call].(map[string]any); ok {
			return true
		}
	}
	return false
}

func readEC2(d *Document) { d.answer(tree.New("", d.root)) }

// readAccount reads a dump: {"DescribeSubnets": {"Subnets": […]}, …}. With reservations in it, they are all that there are.
func readAccount(d *Document) {
	root := tree.New("", d.root)
	for _, call := range root.Keys() {
		answer := root.Get(call)
		if answer.Kind != tree.Map {
			d.unreadable(d.marks[answer.Path], "no answer under "+call, "the JSON that the call gave", "put the AWS CLI's output there, or remove the key")
			continue
		}
		d.answer(answer)
		if call == "DescribeCapacityReservations" {
			d.Set.WholeAccount = d.Set.WholeAccount || !answer.Get("NextToken").Is()
		}
	}
}

func (d *Document) answer(n tree.Node) {
	for _, s := range sections {
		for _, item := range n.Get(s.key).Items() {
			d.item(s, item)
		}
	}
	if data := n.Get("LaunchTemplateData"); data.Kind == tree.Map {
		d.template(n)
	} else if n.Path == "" && (n.Get("NetworkInterfaces").Is() || n.Get("InstanceType").Is()) {
		d.template(n)
	}
}

// template reads a request that makes a template, or bare launch template data.
func (d *Document) template(n tree.Node) {
	in := d.input(n.Path)
	in.ID = n.First("LaunchTemplateId", "LaunchTemplateName").Text()
	d.Set.Add(describedTemplate(n, in))
}

func (d *Document) item(s section, n tree.Node) {
	if s.inside != "" {
		for _, item := range n.Get(s.inside).Items() {
			d.item(section{key: s.key, ids: s.ids, read: s.read}, item)
		}
		return
	}
	if n.Kind != tree.Map {
		return
	}
	in := d.input(n.Path)
	in.ID = n.First(s.ids...).Text()
	d.Set.Add(s.read(n, in))
}

// bareList reads the list of an answer without the answer around it.
func (d *Document) bareList(s section) {
	for _, item := range tree.New("", d.root).Items() {
		d.item(s, item)
	}
}
