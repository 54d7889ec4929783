package source

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// How the engine writes what it does not know or does not show (sdk/go/common/resource of Pulumi): a text in place of an
// unknown value of each type, and an object with a signature in place of a secret.
var unknownTexts = []string{
	"04da6b54-80e4-46f7-96ec-b56ff0331ba9", // text, or any
	"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // switch
	"3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
	"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // list
	"dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // map
	"030794c1-ac77-496b-92df-f27374a8bd58", // asset
	"e48ece36-62e2-4504-bad9-02848725956a", // archive
}

const (
	signatureKey = "4dabf18193072939515e22adb298388d"
	secretMark   = "1b47061264138c4ac30d75fd1eb44270"
	outputMark   = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
	hiddenSecret = "[secret]"
)

func isPulumi(root map[string]any) bool {
	_, steps := pulumiStates(root)
	return steps
}

// pulumiStates lists the states of a preview or a stack export, with their paths.
func pulumiStates(root map[string]any) (states []pulumiState, ok bool) {
	if steps, is := root["steps"].([]any); is {
		for i, step := range steps {
			path := tree.Join(tree.Index("steps", i), "newState")
			states = appendState(states, path, lookup(step, "newState"))
		}
		return states, true
	}
	deployment, _ := root["deployment"].(map[string]any)
	resources, is := deployment["resources"].([]any)
	for i, r := range resources {
		if doomed, _ := lookup(r, "delete").(bool); !doomed {
			states = appendState(states, tree.Index("deployment.resources", i), r)
		}
	}
	return states, is || deployment != nil && deployment["manifest"] != nil
}

type pulumiState struct {
	path   string
	fields map[string]any
}

func appendState(states []pulumiState, path string, value any) []pulumiState {
	fields, ok := value.(map[string]any)
	if !ok || fields["urn"] == nil {
		return states
	}
	return append(states, pulumiState{path, fields})
}

// lookup walks keys of plain values.
func lookup(value any, keys ...string) any {
	for _, key := range keys {
		m, _ := value.(map[string]any)
		value = m[key]
	}
	return value
}

func readPulumi(d *Document) {
	root, _ := d.root.(map[string]any)
	states, _ := pulumiStates(root)
	_, preview := root["steps"]
	seen := map[string]bool{}
	var resources []read.Resource
	for _, s := range states {
		r := s.resource(preview)
		if seen[r.URN] {
			continue // a replacement has several steps
		}
		seen[r.URN] = true
		d.roots[r.URN] = tree.Join(s.path, "inputs")
		resources = append(resources, r)
	}
	set := read.Stack(resources)
	d.own(&set)
	d.Set.Add(set)
}

// resource gives the inputs of a state. Its id stands beside them.
func (s pulumiState) resource(preview bool) read.Resource {
	urn, _ := s.fields["urn"].(string)
	kind, _ := s.fields["type"].(string)
	later := rule.LaterNever
	if preview {
		later = rule.LaterAtApply
	}
	inputs, _ := s.fields["inputs"].(map[string]any)
	nodes := make(map[string]tree.Node, len(inputs)+1)
	for key, value := range inputs {
		if strings.HasPrefix(key, "__") {
			continue
		}
		nodes[key] = tree.New(key, pulumiValue(key, value)).Referring(s.refers(key)...)
	}
	if id, ok := s.fields["id"].(string); ok && id != "" && !slices.Contains(unknownTexts, id) {
		nodes["id"] = tree.Text("id", id)
	}
	return read.Resource{Type: kind, URN: urn, Properties: tree.Object("", nodes), Later: later}
}

// refers are the resources that a property comes from.
func (s pulumiState) refers(key string) []string {
	list, _ := lookup(s.fields, "propertyDependencies", key).([]any)
	var out []string
	for _, urn := range list {
		if text, ok := urn.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// pulumiValue makes unknown and secret values unknown nodes. Texts that are empty are left out: providers take them for none.
func pulumiValue(path string, value any) any {
	switch v := value.(type) {
	case string:
		if slices.Contains(unknownTexts, v) {
			return tree.Hidden(path)
		}
		if v == hiddenSecret {
			return secret(path)
		}
		if v == "" {
			return nil
		}
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = pulumiValue(tree.Index(path, i), item)
		}
		return out
	case map[string]any:
		return pulumiObject(path, v)
	}
	return value
}

func pulumiObject(path string, v map[string]any) any {
	switch v[signatureKey] {
	case secretMark:
		return secret(path)
	case outputMark:
		if inner, ok := v["value"]; ok {
			return pulumiValue(path, inner)
		}
		return tree.Hidden(path)
	}
	out := make(map[string]any, len(v))
	for key, item := range v {
		out[key] = pulumiValue(tree.Join(path, key), item)
	}
	return out
}

func secret(path string) tree.Node {
	n := tree.Hidden(path)
	n.Secret = true
	return n
}

// own puts the name of the file on everything that a resource gave.
func (d *Document) own(set *rule.Set) {
	for _, in := range inputs(set) {
		in.Place.File = d.Name
	}
}

// inputs lists what the inputs of a set have in common.
func inputs(s *rule.Set) []*rule.Input {
	var out []*rule.Input
	out = collect(out, s.Templates, func(v *rule.LaunchTemplate) *rule.Input { return &v.Input })
	out = collect(out, s.Instances, func(v *rule.Instance) *rule.Input { return &v.Input })
	out = collect(out, s.Groups, func(v *rule.NodeGroup) *rule.Input { return &v.Input })
	out = collect(out, s.PlacementGroups, func(v *rule.PlacementGroup) *rule.Input { return &v.Input })
	out = collect(out, s.SecurityGroups, func(v *rule.SecurityGroup) *rule.Input { return &v.Input })
	out = collect(out, s.SecurityGroupRules, func(v *rule.SecurityGroupRule) *rule.Input { return &v.Input })
	out = collect(out, s.Subnets, func(v *rule.Subnet) *rule.Input { return &v.Input })
	out = collect(out, s.Reservations, func(v *rule.Reservation) *rule.Input { return &v.Input })
	out = collect(out, s.Images, func(v *rule.Image) *rule.Input { return &v.Input })
	out = collect(out, s.Clusters, func(v *rule.ParallelCluster) *rule.Input { return &v.Input })
	out = collect(out, s.NodeScripts, func(v *rule.NodeScript) *rule.Input { return &v.Input })
	out = collect(out, s.JobScripts, func(v *rule.JobScript) *rule.Input { return &v.Input })
	return collect(out, s.Unread, func(v *rule.Unread) *rule.Input { return &v.Input })
}

func collect[T any](out []*rule.Input, items []T, input func(*T) *rule.Input) []*rule.Input {
	for i := range items {
		out = append(out, input(&items[i]))
	}
	return out
}
