package source

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// isTerraform knows plans and states by the version of their format, and state files by theirs.
func isTerraform(root map[string]any) bool {
	_, format := root["format_version"]
	_, changes := root["resource_changes"]
	_, values := root["values"]
	_, planned := root["planned_values"]
	return format && (changes || values || planned) || isStateFile(root)
}

func isStateFile(root map[string]any) bool {
	_, version := root["terraform_version"]
	_, resources := root["resources"].([]any)
	return version && resources && root["lineage"] != nil
}

func readTerraform(d *Document) {
	root, _ := d.root.(map[string]any)
	if isStateFile(root) {
		d.unreadable(0, "a state file of Terraform", "what terraform show -json prints",
			"run terraform show -json > state.json, and check that: the form of the file itself is Terraform's own; nothing was judged")
		return
	}
	if changes, ok := root["resource_changes"].([]any); ok {
		references := referencesOf(lookup(root, "configuration", "root_module"), "")
		for i, change := range changes {
			d.change(change, tree.Index("resource_changes", i), references)
		}
		return
	}
	d.module(lookup(root, "values", "root_module"), "values.root_module")
}

// module reads the resources of a state, and of the modules within.
func (d *Document) module(value any, path string) {
	resources, _ := lookup(value, "resources").([]any)
	for i, r := range resources {
		values, ok := lookup(r, "values").(map[string]any)
		if ok && lookup(r, "mode") != "data" {
			d.terraformResource(r, tree.Join(tree.Join(path, tree.Index("resources", i)), "values"), plainNode("", values), rule.LaterNever)
		}
	}
	children, _ := lookup(value, "child_modules").([]any)
	for i, child := range children {
		d.module(child, tree.Join(path, tree.Index("child_modules", i)))
	}
}

// change reads what a resource will be. What is known after apply only is unknown.
func (d *Document) change(value any, path string, references map[string]references) {
	after, ok := lookup(value, "change", "after").(map[string]any)
	if !ok || lookup(value, "mode") == "data" {
		return // deleted
	}
	unknown, _ := lookup(value, "change", "after_unknown").(map[string]any)
	address, _ := lookup(value, "address").(string)
	merged := map[string]any{}
	for key, item := range after {
		merged[key] = item
	}
	for key := range unknown {
		merged[key] = overlay(after[key], unknown[key])
	}
	keys := map[string]tree.Node{}
	for key, item := range merged {
		keys[key] = plainNode(key, item).Referring(references[withoutIndex(address)][key]...)
	}
	d.terraformResource(value, tree.Join(path, "change.after"), tree.Object("", keys), rule.LaterAtApply)
}

// overlay puts unknown nodes where a plan says true.
func overlay(known, unknown any) any {
	switch u := unknown.(type) {
	case bool:
		if u {
			return tree.Hidden("")
		}
	case []any:
		list, _ := known.([]any)
		out := append([]any(nil), list...)
		for i, item := range u {
			if i < len(out) {
				out[i] = overlay(out[i], item)
			} else if part := overlay(nil, item); part != nil {
				out = append(out, part)
			}
		}
		return out
	case map[string]any:
		m, _ := known.(map[string]any)
		out := map[string]any{}
		for key, item := range m {
			out[key] = item
		}
		for key, item := range u {
			out[key] = overlay(m[key], item)
		}
		return out
	}
	return known
}

// plainNode leaves out empty texts and lists, which Terraform writes for what nobody gave.
func plainNode(path string, value any) tree.Node { return tree.New(path, withoutEmpty(value)) }

func withoutEmpty(value any) any {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = withoutEmpty(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = withoutEmpty(item)
		}
		return out
	}
	return value
}

func (d *Document) terraformResource(value any, path string, n tree.Node, later rule.Later) {
	kind, _ := lookup(value, "type").(string)
	address, _ := lookup(value, "address").(string)
	adapt, ok := adapters[terraformTypes[kind]]
	if !ok {
		return
	}
	in := d.resource(address, path)
	in.ID, in.Later = n.Get("id").Text(), later
	set := adapt(n, terraformSpelling(kind), in)
	linkPlain(&set, address)
	d.Set.Add(set)
}

// linkPlain lets resources be named by their address without an index, as expressions name them.
func linkPlain(set *rule.Set, address string) {
	for _, in := range inputs(set) {
		in.Key = withoutIndex(address)
	}
}

// terraformSpelling: EKS says scaling_config and subnet_ids as the API does, but for blocks that providers name otherwise.
func terraformSpelling(kind string) read.Spelling {
	if kind != "aws_launch_template" && kind != "aws_ec2_fleet" && kind != "aws_autoscaling_group" {
		return read.Snake
	}
	return func(name string) string {
		switch name {
		case "launchTemplateConfigs":
			return "launch_template_config"
		case "overrides":
			return "override"
		default:
			return read.Snake(name)
		}
	}
}

// references are the addresses that the properties of a resource come from.
type references map[string][]string

// referencesOf collects what expressions name, by the address of the resource without index.
func referencesOf(module any, prefix string) map[string]references {
	out := map[string]references{}
	resources, _ := lookup(module, "resources").([]any)
	for _, r := range resources {
		address, _ := lookup(r, "address").(string)
		expressions, _ := lookup(r, "expressions").(map[string]any)
		refs := references{}
		for key, expression := range expressions {
			for _, name := range referencesIn(expression) {
				if target := resourceOf(name); target != "" && !slices.Contains(refs[key], prefix+target) {
					refs[key] = append(refs[key], prefix+target)
				}
			}
		}
		out[prefix+address] = refs
	}
	calls, _ := lookup(module, "module_calls").(map[string]any)
	for name, call := range calls {
		for address, refs := range referencesOf(lookup(call, "module"), prefix+"module."+name+".") {
			out[address] = refs
		}
	}
	return out
}

// referencesIn collects references at any depth of an expression.
func referencesIn(value any) []string {
	var out []string
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			out = append(out, referencesIn(item)...)
		}
	case map[string]any:
		if list, ok := v["references"].([]any); ok {
			for _, item := range list {
				if text, ok := item.(string); ok {
					out = append(out, text)
				}
			}
			return out
		}
		for _, item := range v {
			out = append(out, referencesIn(item)...)
		}
	}
	return out
}

// resourceOf is the resource that a reference names with two words alone: aws_subnet.a of aws_subnet.a and not of
// aws_subnet.a.id, because Terraform lists both.
func resourceOf(reference string) string {
	parts := strings.Split(withoutIndex(reference), ".")
	if len(parts) != 2 || terraformTypes[parts[0]] == "" {
		return ""
	}
	return strings.Join(parts, ".")
}

// withoutIndex drops the brackets of an address.
func withoutIndex(address string) string {
	var b strings.Builder
	depth := 0
	for _, r := range address {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}
