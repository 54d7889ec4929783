package read

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// clusterType is the resource by which ParallelCluster's provider takes a cluster configuration in CloudFormation.
const clusterType = "Custom::PclusterCluster"

// stack reads the ParallelCluster configurations that a CloudFormation stack holds.
func stack(set *rule.Set, r resource) {
	body := r.Get("templateBody")
	text, known := body.Text().Get()
	switch {
	case body.Kind == tree.Unknown:
		set.Unread = append(set.Unread, unread(r.Input, body.Path, "the template of a stack, which may hold a ParallelCluster configuration"))
	case known && strings.Contains(text, clusterType):
		Template(set, text, body, r.Input)
	}
}

// Template reads the ParallelCluster configurations of a CloudFormation template's text. Paths begin with the path of
// the node that holds the text. A text that is no template is not read: CloudFormation refuses it.
func Template(set *rule.Set, text string, body tree.Node, in rule.Input) {
	var value any
	if yaml.Unmarshal([]byte(text), &value) != nil {
		set.Unread = append(set.Unread, unread(in, body.Path, "the template of a stack that holds a ParallelCluster configuration, and is neither JSON nor YAML"))
		return
	}
	resources := tree.New(body.Path, value).Get("Resources").Referring(body.Refers...)
	for _, key := range resources.Keys() {
		r := resources.Get(key)
		if r.Get("Type").String() != clusterType {
			continue
		}
		set.Clusters = append(set.Clusters, ParallelCluster(configuration(r.Get("Properties", "ClusterConfiguration")), in))
	}
}

func unread(in rule.Input, path, what string) rule.Unread {
	in.Place.Path = path
	return rule.Unread{Input: in, What: what}
}

// configuration is a map, or a text that holds one.
func configuration(n tree.Node) tree.Node {
	text, ok := n.Text().Get()
	if !ok {
		return n
	}
	var value any
	if yaml.Unmarshal([]byte(text), &value) != nil {
		return tree.Hidden(n.Path, n.Refers...)
	}
	return tree.New(n.Path, value).Referring(n.Refers...)
}

// release finds the version in the address of the provider's template.
var release = regexp.MustCompile(`/parallelcluster/(\d+\.\d+\.\d+)/templates/custom_resource/`)

// provider is a stack that makes the provider of ParallelCluster clusters, of one version.
type provider struct {
	urn, version string
}

// linkVersions gives clusters the version of the provider that their stack takes its service token from: the one that
// the stack depends on, or the only one there is.
func linkVersions(set *rule.Set, resources []Resource) {
	var providers []provider
	uses := map[string][]string{}
	for _, r := range resources {
		if typeName(r.Type) != "aws:cloudformation:Stack" && typeName(r.Type) != "aws-native:cloudformation:Stack" {
			continue
		}
		uses[r.URN] = r.Properties.Get("parameters").Refers
		if m := release.FindStringSubmatch(r.Properties.First("templateUrl", "templateURL").String()); m != nil {
			providers = append(providers, provider{r.URN, m[1]})
		}
	}
	for i := range set.Clusters {
		c := &set.Clusters[i]
		for _, p := range providers {
			if len(providers) == 1 || slices.Contains(uses[c.Key], p.urn) {
				c.Version = rule.Known(p.version)
			}
		}
	}
}
