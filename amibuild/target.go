package amibuild

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Target is the cluster that will boot an image.
type Target struct {
	Name            string // of the cluster
	ParallelCluster string
	OS              string
	Region          string
	Nodes           []Node
	Workload        catalog.Workload
}

// Node is one kind of machine that boots an image.
type Node struct {
	Who          string // "group train", "the head node"
	InstanceType string
	// Compute nodes bind the floors of their type; head and login nodes only need the architecture.
	Compute bool
}

// TargetOf is what a cluster asks of an image that a recipe builds: of the groups that name the recipe by this path, or, where
// no image of the cluster is named by it, of all its nodes.
func TargetOf(p plan.Cluster, recipe string) Target {
	t := Target{
		Name: p.Name, ParallelCluster: p.ParallelCluster, OS: p.OS.Name, Region: p.Region,
		Workload: catalog.Workload{Kind: p.Config.Workload.Kind, Dispatcher: p.Config.Workload.Dispatcher},
	}
	named := names(p.Config, recipe)
	if !named || p.Config.Image.Recipe == recipe {
		t.Nodes = append(t.Nodes, Node{Who: "the head node", InstanceType: p.Config.HeadNode.InstanceType})
		for i, pool := range p.Config.LoginNodes {
			t.Nodes = append(t.Nodes, Node{Who: fmt.Sprintf("login pool %d", i), InstanceType: pool.InstanceType})
		}
	}
	for i, g := range p.Config.Groups {
		if !named || imageOf(p.Config, i).Recipe == recipe {
			t.Nodes = append(t.Nodes, Node{Who: "group " + g.Name, InstanceType: g.InstanceType, Compute: true})
		}
	}
	return t
}

// Recipes lists the paths of the recipes that a cluster names, each once, in the order of the config.
func Recipes(c config.Cluster) []string {
	var out []string
	seen := map[string]bool{"": true}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			out = append(out, path)
		}
	}
	add(c.Image.Recipe)
	for i := range c.Groups {
		add(imageOf(c, i).Recipe)
	}
	return out
}

func names(c config.Cluster, recipe string) bool {
	for _, path := range Recipes(c) {
		if path == recipe {
			return true
		}
	}
	return false
}

// imageOf is what a group boots.
func imageOf(c config.Cluster, group int) config.Image {
	if own := c.Groups[group].Image; own != nil {
		return *own
	}
	return c.Image
}
