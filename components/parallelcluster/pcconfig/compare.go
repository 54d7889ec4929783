package pcconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// comparison walks two configurations as ParallelCluster's own does (pcluster/config/config_patch.py).
type comparison struct {
	release       string
	before, after map[string]any
	changes       []Change
}

// place is where the walk stands.
type place struct {
	schema                string // Scheduling/SlurmQueues[]/Networking
	shown                 string // Scheduling.SlurmQueues[train].Networking
	queue, resource, pool string // names of the items around it
}

func (p place) key(name string) place {
	p.schema, p.shown = joinPath(p.schema, "/", name), joinPath(p.shown, ".", name)
	return p
}

func (p place) item(list, name string) place {
	switch list {
	case "SlurmQueues":
		p.queue = name
	case "ComputeResources":
		p.resource = name
	case "Pools":
		p.pool = name
	}
	p.schema += "[]"
	p.shown += "[" + name + "]"
	return p
}

// edit is one change before it is judged. The sections are those that hold the key.
type edit struct {
	place
	name          string // of the key
	old, new      any
	isItem        bool // an item of a list of sections appears or disappears
	before, after map[string]any
}

func (c *comparison) section(at place, before, after map[string]any) {
	if c.action(at, before, after) {
		return
	}
	for _, name := range keysOf(before, after) {
		e := edit{place: at.key(name), name: name, old: before[name], new: after[name], before: before, after: after}
		switch {
		case isList(c.release, e.schema) && name != "Sequence":
			c.list(e)
		case hasChildren(c.release, e.schema) && name != "Sequence":
			c.nested(e)
		case !same(e.old, e.new):
			c.add(e)
		}
	}
}

// nested compares a section. One that appears or disappears is a change of its own, unless its policy is to ignore it: then its
// keys count.
func (c *comparison) nested(e edit) {
	before, after := sectionOf(e.old), sectionOf(e.new)
	switch {
	case len(before) == 0 && len(after) == 0:
	case len(before) > 0 && len(after) > 0:
		if e.name == "LaunchTemplateOverrides" && (placeholderIn(before) || placeholderIn(after)) {
			return // a version says nothing without the template that it is of
		}
		c.section(e.place, before, after)
	case c.policy(e.schema) == "IGNORED":
		c.section(e.place, before, after)
	default:
		e.old, e.new = nilIfEmpty(before), nilIfEmpty(after)
		c.add(e)
	}
}

// list compares the items of a list of sections, matched by the key that names them. Items that are equal on both sides are set
// aside first, so that two grants of one bucket are no change of each other.
func (c *comparison) list(e edit) {
	by := nameKey(e.name)
	before, after := without(items(e.old), items(e.new)), without(items(e.new), items(e.old))
	matched := map[int]bool{}
	for _, item := range after {
		i := slices.IndexFunc(before, func(other map[string]any) bool { return same(other[by], item[by]) })
		if i < 0 {
			c.add(edit{place: e.place, name: e.name, new: item, isItem: true})
			continue
		}
		matched[i] = true
		c.section(e.item(e.name, fmt.Sprint(item[by])), before[i], item)
	}
	for i, item := range before {
		if !matched[i] {
			c.add(edit{place: e.place, name: e.name, old: item, isItem: true})
		}
	}
}

// action compares a custom action whose form changes between one script and a sequence: that is one change of the action.
func (c *comparison) action(at place, before, after map[string]any) bool {
	if has, _ := catalog.HasKey(c.release, at.schema+"/Sequence[]"); !has || len(before) == 0 || len(after) == 0 {
		return false
	}
	_, wasSequence := before["Sequence"]
	_, isSequence := after["Sequence"]
	if wasSequence == isSequence {
		return false
	}
	_, name, _ := cutLast(at.schema, "/")
	c.add(edit{place: at, name: name, old: before, new: after})
	return true
}

func (c *comparison) add(e edit) {
	policy := c.policy(e.schema)
	if policy == "IGNORED" {
		return
	}
	needs, login := c.judge(policy, e)
	c.changes = append(c.changes, Change{
		Key: e.shown, Old: e.old, New: e.new, Policy: policy, Needs: needs, LoginStopped: login, strategy: c.strategy(),
	})
}

// policy is the update policy of a key, UNKNOWN for one that the release lacks.
func (c *comparison) policy(schema string) string {
	if policy, ok := catalog.UpdatePolicy(c.release, schema); ok {
		return policy
	}
	return "UNKNOWN"
}

// strategy is the QueueUpdateStrategy that counts: that of the new configuration.
func (c *comparison) strategy() string {
	s, _ := sectionOf(sectionOf(c.after["Scheduling"])["SlurmSettings"])["QueueUpdateStrategy"].(string)
	return s
}

// nameKey is the key that names the items of a list.
func nameKey(list string) string {
	switch list {
	case "AdditionalIamPolicies":
		return "Policy"
	case "S3Access":
		return "BucketName"
	case "Tags":
		return "Key"
	case "Instances":
		return "InstanceType"
	default:
		return "Name"
	}
}

// items gives the sections of a list, without the tags that ParallelCluster adds itself.
func items(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, item := range list {
		section := sectionOf(item)
		if key, _ := section["Key"].(string); section != nil && !strings.HasPrefix(key, "parallelcluster:") {
			out = append(out, section)
		}
	}
	return out
}

func without(list, equal []map[string]any) []map[string]any {
	return slices.DeleteFunc(list, func(item map[string]any) bool {
		return slices.ContainsFunc(equal, func(other map[string]any) bool { return same(item, other) })
	})
}

func sectionOf(v any) map[string]any {
	section, _ := v.(map[string]any)
	return section
}

func nilIfEmpty(section map[string]any) any {
	if len(section) == 0 {
		return nil
	}
	return section
}

func keysOf(a, b map[string]any) []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, m := range []map[string]any{a, b} {
			for key := range m {
				if !yield(key) {
					return
				}
			}
		}
	}))
}

// same compares two values. CloudFormation hands numbers and truth values on as text, so 4 equals "4".
func same(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if isPlaceholder(a) != isPlaceholder(b) {
		return true
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	default:
		one, other := fmt.Sprint(a), fmt.Sprint(b)
		return one == other || sameButBucket(one, other)
	}
}

func isPlaceholder(v any) bool {
	text, ok := v.(string)
	return ok && IsPlaceholder(text)
}

func placeholderIn(section map[string]any) bool {
	for _, v := range section {
		if isPlaceholder(v) {
			return true
		}
	}
	return false
}
