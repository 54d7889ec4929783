package bootstrap

import (
	"maps"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

// environment is what a job on the group's nodes sets: the least that it needs to go over EFA, and what its expert-parallel dispatcher wants.
func environment(p plan.Cluster, g plan.NodeGroup) map[string]string {
	if g.Healthy.Provider == "" {
		return nil
	}
	env := catalog.JobEnvironment(g.InstanceType, g.Healthy.Provider)
	maps.Copy(env, dispatcherEnvironment(p, g))
	return env
}

// dispatcherEnvironment is what the expert-parallel dispatcher wants of a job on the group's nodes.
func dispatcherEnvironment(p plan.Cluster, g plan.NodeGroup) map[string]string {
	w := p.Config.Workload
	d, known := catalog.DispatcherOf(w.Dispatcher)
	if !known || w.Kind != "moe" {
		return nil
	}
	t, _ := catalog.Instance(g.InstanceType)
	if len(d.GPUInitiated) > 0 && !slices.Contains(d.GPUInitiated, t.Family()) {
		return nil
	}
	return d.Env
}

// Residue is a setting that a node should not have: of another fabric, or of an old recipe.
type Residue struct {
	Pattern string // of the shell, for NAME=VALUE
	Effect  string // on EFA, in one clause; empty for one that is right, and that no later pattern is to take
}

// residues are the catalogue's rows as patterns of the shell. Lists of folders are left out: which folder comes first no pattern can tell.
func residues(instanceType string) []Residue {
	var out []Residue
	seen := map[string]bool{}
	for _, v := range catalog.VariablesAt(catalog.Surroundings{InstanceType: instanceType}) {
		effect := v.Does
		if v.Effect == catalog.Useful {
			effect = ""
		}
		for _, pattern := range patterns(v) {
			if !seen[pattern] {
				seen[pattern] = true
				out = append(out, Residue{pattern, effect})
			}
		}
	}
	return out
}

// patterns of a row: of a value that is a list, for its first item and for later ones.
func patterns(v catalog.Variable) []string {
	switch {
	case v.List == ":":
		return nil
	case len(v.Values) == 0:
		return []string{v.Name + "=*"}
	}
	var out []string
	for _, value := range v.Values {
		out = append(out, v.Name+"="+value)
		if v.List != "" && value != "" && value[0] != '^' && value[0] != '*' {
			out = append(out, v.Name+"=*"+v.List+value)
		}
	}
	return out
}
