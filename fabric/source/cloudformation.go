package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

const (
	clusterResource = "Custom::PclusterCluster"
	noValue         = "AWS::NoValue"
)

// isCloudFormation knows a template by resources with types of CloudFormation.
func isCloudFormation(root map[string]any) bool {
	resources, ok := root["Resources"].(map[string]any)
	if !ok {
		return false
	}
	for _, r := range resources {
		if kind, ok := lookup(r, "Type").(string); ok && strings.Contains(kind, "::") {
			return true
		}
	}
	_, version := root["AWSTemplateFormatVersion"]
	return version
}

func readCloudFormation(d *Document) {
	root, _ := d.root.(map[string]any)
	s := resolver{resources: map[string]bool{}, parameters: map[string]any{}, deciding: map[string]bool{}}
	s.conditions, _ = root["Conditions"].(map[string]any)
	resources, _ := root["Resources"].(map[string]any)
	for name := range resources {
		s.resources[name] = true
	}
	parameters, _ := root["Parameters"].(map[string]any)
	for name, p := range parameters {
		s.parameters[name] = lookup(p, "Default")
	}
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		kind, _ := lookup(resources[name], "Type").(string)
		if made, known := s.condition(lookup(resources[name], "Condition")); known && !made {
			continue
		}
		d.formationResource(name, kind, lookup(resources[name], "Properties"), s)
	}
}

func (d *Document) formationResource(name, kind string, properties any, s resolver) {
	adapt, known := adapters[kind]
	if !known && kind != clusterResource {
		return
	}
	n := tree.New("", s.value("", properties))
	in := d.resource(name, tree.Join(tree.Join("Resources", name), "Properties"))
	in.ID = rule.Unknown[string]().Referring(name)
	if kind == clusterResource {
		d.cluster(n.Get("ClusterConfiguration"), in)
		return
	}
	d.Set.Add(adapt(n, pascal, in))
}

// resolver works out the functions of a template as far as the template itself tells, with parameters at their defaults.
type resolver struct {
	resources  map[string]bool
	parameters map[string]any // defaults, nil where there is none
	conditions map[string]any
	deciding   map[string]bool // conditions that are being worked out
}

// dynamic begins a reference that CloudFormation resolves at deployment.
const dynamic = "{{resolve:"

// value resolves at any depth.
func (s resolver) value(path string, value any) any {
	switch v := value.(type) {
	case []any:
		var out []tree.Node // what stays keeps its number in the file, where others are left out
		for i, item := range v {
			if resolved := s.value(tree.Index(path, i), item); resolved != nil {
				out = append(out, tree.New(tree.Index(path, i), resolved))
			}
		}
		return tree.Sequence(path, out)
	case map[string]any:
		if name, argument, ok := function(v); ok {
			return s.call(path, name, argument)
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = s.value(tree.Join(path, key), item)
		}
		return out
	case string:
		if strings.Contains(v, dynamic) {
			return tree.Hidden(path)
		}
		return v
	default:
		return value
	}
}

// function tells a function from a mapping: it has one key, which says so.
func function(v map[string]any) (name string, argument any, ok bool) {
	if len(v) != 1 {
		return "", nil, false
	}
	for name, argument = range v {
		return name, argument, name == "Ref" || strings.HasPrefix(name, "Fn::")
	}
	return "", nil, false
}

func (s resolver) call(path, name string, argument any) any {
	switch name {
	case "Ref":
		text, _ := argument.(string)
		return s.ref(path, text)
	case "Fn::GetAtt":
		return tree.Hidden(path, s.known(attributeOwner(argument))...)
	case "Fn::Sub":
		return s.sub(path, argument)
	case "Fn::Join":
		return s.join(path, argument)
	case "Fn::If":
		return s.choose(path, argument)
	default:
		return tree.Hidden(path, s.named(argument)...)
	}
}

// ref gives a parameter's default, nothing for NoValue, and an unknown that comes from the resource for a resource.
func (s resolver) ref(path, name string) any {
	if name == noValue {
		return nil
	}
	if value, ok := s.parameters[name]; ok && value != nil {
		return value
	}
	return tree.Hidden(path, s.known(name)...)
}

// known is the resource of a name, if there is one.
func (s resolver) known(name string) []string {
	if s.resources[name] {
		return []string{name}
	}
	return nil
}

// attributeOwner is the resource of GetAtt, in its form of text and of list.
func attributeOwner(argument any) string {
	if list, ok := argument.([]any); ok && len(list) > 0 {
		argument = list[0]
	}
	text, _ := argument.(string)
	owner, _, _ := strings.Cut(text, ".")
	return owner
}

// named lists the resources that an expression refers to.
func (s resolver) named(value any) []string {
	var out []string
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			out = append(out, s.named(item)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "Ref" || key == "Fn::GetAtt" {
				out = append(out, s.known(attributeOwner(v[key]))...)
			} else {
				out = append(out, s.named(v[key])...)
			}
		}
	}
	return out
}

// sub fills a text where all its variables are known.
func (s resolver) sub(path string, argument any) any {
	text, ok := argument.(string)
	values := map[string]any{}
	if list, is := argument.([]any); is && len(list) > 0 {
		text, ok = list[0].(string)
		if len(list) > 1 {
			values, _ = list[1].(map[string]any)
		}
	}
	if !ok {
		return tree.Hidden(path)
	}
	var out strings.Builder
	var refers []string
	open := false
	for text != "" {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			break
		}
		text = after
		if strings.HasPrefix(name, "!") {
			out.WriteString("${" + name[1:] + "}")
			continue
		}
		part, fits := s.variable(values, name)
		open = open || !fits
		refers = append(refers, s.known(attributeOwner(name))...)
		out.WriteString(part)
	}
	if open {
		return tree.Hidden(path, refers...)
	}
	return out.String()
}

func (s resolver) variable(values map[string]any, name string) (string, bool) {
	value := s.value("", values[name])
	if _, own := values[name]; !own {
		value = s.ref("", name)
	}
	text, ok := value.(string)
	return text, ok
}

// join joins texts that are all known.
func (s resolver) join(path string, argument any) any {
	list, _ := argument.([]any)
	if len(list) != 2 {
		return tree.Hidden(path)
	}
	separator, _ := list[0].(string)
	parts := tree.New("", s.value("", list[1]))
	ok := parts.Kind == tree.List
	var texts []string
	for _, part := range parts.Items() {
		ok = ok && part.Kind == tree.Scalar
		texts = append(texts, part.String())
	}
	if !ok {
		return tree.Hidden(path, s.named(argument)...)
	}
	return strings.Join(texts, separator)
}

// choose takes the way of the condition. Where it is not known, the value is only where both ways give the same.
func (s resolver) choose(path string, argument any) any {
	list, _ := argument.([]any)
	if len(list) != 3 {
		return tree.Hidden(path)
	}
	if holds, known := s.condition(list[0]); known {
		if holds {
			return s.value(path, list[1])
		}
		return s.value(path, list[2])
	}
	yes, no := s.value(path, list[1]), s.value(path, list[2])
	if a, ok := yes.(string); ok && a == no {
		return a
	}
	return tree.Hidden(path, s.named(list[1:])...)
}

// condition works out a condition by its name.
func (s resolver) condition(name any) (holds, known bool) {
	text, ok := name.(string)
	if !ok || s.deciding[text] || s.conditions[text] == nil {
		return false, false
	}
	s.deciding[text] = true
	defer delete(s.deciding, text)
	return s.decide(s.conditions[text])
}

// decide works out the functions of conditions.
func (s resolver) decide(value any) (holds, known bool) {
	m, _ := value.(map[string]any)
	for name, argument := range m {
		list, _ := argument.([]any)
		switch {
		case len(m) != 1:
			return false, false
		case name == "Condition":
			return s.condition(argument)
		case name == "Fn::Equals" && len(list) == 2:
			a, okA := s.value("", list[0]).(string)
			b, okB := s.value("", list[1]).(string)
			return a == b, okA && okB
		case name == "Fn::Not" && len(list) == 1:
			holds, known := s.decide(list[0])
			return !holds, known
		case name == "Fn::And":
			return s.all(list, true)
		case name == "Fn::Or":
			return s.all(list, false)
		}
	}
	return false, false
}

// all is And and Or: one part that differs decides, else all parts must be known.
func (s resolver) all(list []any, want bool) (holds, known bool) {
	known = true
	for _, part := range list {
		holds, ok := s.decide(part)
		if ok && holds != want {
			return !want, true
		}
		known = known && ok
	}
	return want, known
}
