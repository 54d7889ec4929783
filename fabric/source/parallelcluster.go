package source

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

func isParallelCluster(root map[string]any) bool {
	for _, key := range []string{"Scheduling", "HeadNode"} {
		switch root[key].(type) {
		case map[string]any, tree.Node:
			return true
		}
	}
	return false
}

func readParallelCluster(d *Document) {
	root, open := openVariables("", d.root)
	d.tellVariables(open)
	d.cluster(tree.New("", root), d.input(""))
}

// openVariables makes values with shell variables unknown. Arguments and settings of Slurm are text that nodes resolve.
func openVariables(path string, value any) (any, []string) {
	var open []string
	switch v := value.(type) {
	case string:
		if variable.MatchString(v) {
			return tree.Hidden(path), []string{path}
		}
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			child, more := openVariables(tree.Index(path, i), item)
			out[i], open = child, append(open, more...)
		}
		return out, open
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = item
			if key != "Args" && key != "CustomSlurmSettings" && key != "CustomSlurmSettingsIncludeFile" {
				child, more := openVariables(tree.Join(path, key), item)
				out[key], open = child, append(open, more...)
			}
		}
		return out, open
	}
	return value, open
}

// cluster reads a configuration, and compares its keys with those of the release.
func (d *Document) cluster(n tree.Node, in rule.Input) {
	if n.Kind != tree.Map {
		in.Place.Path = n.Path
		d.Set.Unread = append(d.Set.Unread, rule.Unread{Input: in, What: "a ParallelCluster configuration"})
		return
	}
	release := d.options.release()
	d.checkKeys(n, in, release)
	d.checkOS(n.Get("Image", "Os"), in, release)
	c := read.ParallelCluster(n, in)
	if d.options.ParallelCluster != "" {
		c.Version = rule.Known(d.options.ParallelCluster)
	}
	d.Set.Clusters = append(d.Set.Clusters, c)
}

// release is the one whose keys count.
func (o Options) release() catalog.Release {
	if r, ok := catalog.ReleaseOf(o.ParallelCluster); ok {
		return r
	}
	return catalog.NewestJudgedRelease()
}

// checkOS names the systems of the release, and the releases of the system.
func (d *Document) checkOS(n tree.Node, in rule.Input, r catalog.Release) {
	if n.Kind != tree.Scalar {
		return
	}
	if _, ok := r.OS(n.String()); ok || len(r.OSes) == 0 {
		return
	}
	var names, with []string
	for _, os := range r.OSes {
		names = append(names, os.Name)
	}
	for _, other := range catalog.Releases() {
		if _, ok := other.OS(n.String()); ok {
			with = append(with, other.Version)
		}
	}
	hint := "take one of these systems"
	if len(with) > 0 {
		hint += fmt.Sprintf("; %s is in %s", n.String(), strings.Join(with, ", "))
	}
	in.Place.Path = n.Path
	d.Findings.Add(diag.Finding{
		Rule: diag.PCOS, Place: in.Place, Got: fmt.Sprintf("Os %q with ParallelCluster %s", n.String(), r.Version),
		Want: "one of " + strings.Join(names, ", "), Hint: hint, Source: "ParallelCluster " + r.Version + ", Image/Os",
	})
}
