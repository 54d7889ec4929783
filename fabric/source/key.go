package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// keyTree is the keys of a release's cluster configuration, as paths with [] after lists.
type keyTree struct {
	release  string
	children map[string][]string // names by the path of their section
	lists    map[string]bool     // paths whose value is a list
}

// keysOf gives the keys of a release. Those of a release that was not read are the ones of the read release of its minor,
// else of the newest.
func keysOf(r catalog.Release) keyTree {
	near := r.Version
	if !r.Judged {
		near = catalog.NewestJudgedRelease().Version
		minor := r.Version[:strings.LastIndexByte(r.Version, '.')+1]
		for _, other := range catalog.Releases() {
			if other.Judged && strings.HasPrefix(other.Version, minor) {
				near = other.Version
			}
		}
	}
	t := keyTree{release: near, children: map[string][]string{}, lists: map[string]bool{}}
	for _, path := range catalog.Keys(near) {
		plain := strings.TrimSuffix(path, "[]")
		if plain != path {
			t.lists[plain] = true
		}
		section, name := "", plain
		if i := strings.LastIndexByte(plain, '/'); i >= 0 {
			section, name = plain[:i], plain[i+1:]
		}
		if !slices.Contains(t.children[section], name) {
			t.children[section] = append(t.children[section], name)
		}
	}
	return t
}

// keyCheck compares one configuration.
type keyCheck struct {
	*Document
	keyTree
	in   rule.Input
	root tree.Node
}

func (d *Document) checkKeys(n tree.Node, in rule.Input, r catalog.Release) {
	c := keyCheck{Document: d, keyTree: keysOf(r), in: in, root: n}
	c.section(n, "")
}

// section compares the keys of a section. What has no keys in the release is a value.
func (c keyCheck) section(n tree.Node, schema string) {
	names := c.children[schema]
	if len(names) == 0 || n.Kind != tree.Map {
		return
	}
	for _, key := range n.Keys() {
		child, path := n.Get(key), joinSchema(schema, key)
		switch {
		case key == intrinsicMark(n):
		case !slices.Contains(names, key):
			c.unknown(child, schema, key)
		case c.lists[path]:
			for _, item := range child.Items() {
				c.section(item, path+"[]")
			}
		default:
			c.section(child, path)
		}
	}
}

func joinSchema(schema, key string) string {
	if schema == "" {
		return key
	}
	return schema + "/" + key
}

// intrinsicMark is the key of a function of CloudFormation that stands in place of a section.
func intrinsicMark(n tree.Node) string {
	if keys := n.Keys(); len(keys) == 1 && (keys[0] == "Ref" || strings.HasPrefix(keys[0], "Fn::")) {
		return keys[0]
	}
	return ""
}

// unknown tells where the key belongs, or which is like it.
func (c keyCheck) unknown(n tree.Node, schema, key string) {
	place := c.in.Place
	place.Path = n.Path
	section := strings.ReplaceAll(schema, "[]", "")
	if section == "" {
		section = "the top level"
	}
	c.Findings.Add(diag.Finding{
		Rule: diag.PCKey, Place: place, Got: fmt.Sprintf("key %s in %s", key, section),
		Want: "a key that ParallelCluster " + c.release + " has there", Hint: c.way(schema, key),
		Source: "ParallelCluster " + c.release + ", configuration schema",
	})
}

func (c keyCheck) way(schema, key string) string {
	if releases := catalog.KeyReleases(joinSchema(schema, key)); len(releases) > 0 {
		return fmt.Sprintf("remove it, or use a release that has it: %s", strings.Join(releases, ", "))
	}
	near := nearest(key, c.children[schema])
	if near != "" {
		return "write " + near
	}
	if place := c.elsewhere(schema, key); place != "" {
		return "move it to " + strings.ReplaceAll(place, "[]", "")
	}
	return "remove it; keys there are " + strings.Join(c.children[schema], ", ")
}

// elsewhere finds the section that has the key: the one that shares most with where it stands.
func (c keyCheck) elsewhere(schema, key string) string {
	best, most := "", -1
	for _, path := range catalog.Keys(c.release) {
		plain := strings.TrimSuffix(path, "[]")
		if plain != key && !strings.HasSuffix(plain, "/"+key) {
			continue
		}
		if n := shared(plain, schema); n > most {
			best, most = plain, n
		}
	}
	return best
}

func shared(a, b string) int {
	n := 0
	first, second := strings.Split(a, "/"), strings.Split(b, "/")
	for n < min(len(first), len(second)) && first[n] == second[n] {
		n++
	}
	return n
}

// nearest is the name that differs least, where it differs by little or in case only.
func nearest(key string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		d := levenshtein.Distance(strings.ToLower(key), strings.ToLower(name), nil)
		if d < least && d*3 <= len(name) {
			best, least = name, d
		}
	}
	return best
}
