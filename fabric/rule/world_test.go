package rule_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// tokens are short names for the types of resources in tests.
var tokens = map[string]string{
	"template": "aws:ec2/launchTemplate:LaunchTemplate", "instance": "aws:ec2/instance:Instance",
	"placement": "aws:ec2/placementGroup:PlacementGroup", "group": "aws:ec2/securityGroup:SecurityGroup",
	"in": "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "out": "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
	"rule": "aws:ec2/securityGroupRule:SecurityGroupRule", "subnet": "aws:ec2/subnet:Subnet",
	"odcr": "aws:ec2/capacityReservation:CapacityReservation", "block": "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
	"ami": "aws:ec2/ami:Ami", "asg": "aws:autoscaling/group:Group", "eks": "aws:eks/nodeGroup:NodeGroup", "fleet": "aws:ec2/fleet:Fleet",
	"batch": "aws:batch/computeEnvironment:ComputeEnvironment", "pcs": "aws-native:pcs:ComputeNodeGroup",
	"component": "aws:imagebuilder/component:Component",
}

// world reads a few resources in short form, one a line: "kind name: {properties}". "?" is an unknown value, "$name" one
// that comes from the resource of that name. "nics: TYPE LAYOUT" stands for the interfaces that the plan gives a type.
// "cluster name:" holds a ParallelCluster configuration.
func world(t *testing.T, text string) rule.Set {
	t.Helper()
	var doc yaml.MapSlice
	require.NoError(t, yaml.UnmarshalWithOptions([]byte(text), &doc, yaml.UseOrderedMap()))
	var resources []read.Resource
	var clusters []rule.ParallelCluster
	for _, item := range doc {
		kind, name, _ := strings.Cut(item.Key.(string), " ")
		properties := node("", item.Value)
		if kind == "cluster" {
			c := read.ParallelCluster(properties, rule.Input{Place: diag.Place{File: name}, Key: name})
			c.Version = properties.Get("Version").Text()
			clusters = append(clusters, c)
			continue
		}
		require.Contains(t, tokens, kind)
		resources = append(resources, read.Resource{Type: tokens[kind], URN: name, Properties: properties, Later: rule.LaterAtApply})
	}
	set := read.Stack(resources)
	set.Clusters = clusters
	return set
}

func node(path string, value any) tree.Node {
	switch v := value.(type) {
	case yaml.MapSlice:
		keys := map[string]tree.Node{}
		for _, item := range v {
			key := item.Key.(string)
			if key == "nics" {
				keys["networkInterfaces"] = nics(tree.Join(path, "networkInterfaces"), item.Value.(string))
				continue
			}
			keys[key] = node(tree.Join(path, key), item.Value)
		}
		return tree.Object(path, keys)
	case []any:
		items := make([]tree.Node, len(v))
		for i := range v {
			items[i] = node(tree.Index(path, i), v[i])
		}
		return tree.Sequence(path, items)
	case string:
		if v == "?" {
			return tree.Hidden(path)
		}
		if name, ok := strings.CutPrefix(v, "$"); ok {
			return tree.Hidden(path, strings.Split(name, ",")...)
		}
	}
	return tree.New(path, value)
}

// nics gives the interfaces of a type: "p5.48xlarge", "p5.48xlarge most-bandwidth", "p5.48xlarge save-addresses $sg".
func nics(path, text string) tree.Node {
	words := strings.Fields(text)
	layout := plan.SaveAddresses
	if len(words) > 1 {
		layout = words[1]
	}
	t, _ := catalog.Instance(words[0])
	var items []tree.Node
	for i, n := range plan.Interfaces(t, layout, true) {
		at := tree.Index(path, i)
		keys := map[string]tree.Node{
			"networkCardIndex":    tree.New(at+".networkCardIndex", n.Card),
			"deviceIndex":         tree.New(at+".deviceIndex", n.Device),
			"interfaceType":       tree.New(at+".interfaceType", n.Type),
			"deleteOnTermination": tree.New(at+".deleteOnTermination", "true"),
		}
		if len(words) > 2 {
			keys["securityGroups"] = node(at+".securityGroups", []any{words[2]})
		}
		items = append(items, tree.Object(at, keys))
	}
	return tree.Sequence(path, items)
}

// told writes findings as "level rule place", with the part of the place that is in the source's words.
func told(list diag.List) []string {
	var out []string
	for _, f := range list {
		place := f.Place.Resource
		if place == "" {
			place = f.Place.File
		}
		out = append(out, strings.TrimSpace(f.Level.String()+" "+string(f.Rule)+" "+place+" "+f.Place.Path))
	}
	return out
}

// spec is one row of a table: resources, and what is found in them.
type spec struct {
	name  string
	world string
	want  []string
}

func (s spec) run(t *testing.T, o rule.Options) {
	t.Helper()
	t.Run(s.name, func(t *testing.T) {
		findings := rule.Judge(world(t, s.world), o)
		diagtest.Complete(t, findings)
		got := told(findings)
		if len(s.want) == 0 {
			require.Empty(t, got)
			return
		}
		require.ElementsMatch(t, s.want, got, "%v", findings)
	})
}

func runAll(t *testing.T, specs []spec) {
	t.Helper()
	for _, s := range specs {
		s.run(t, rule.Options{})
	}
}
