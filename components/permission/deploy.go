package permission

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/components/blockguard/endguard"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

const unverified = "UNVERIFIED: what Pulumi's AWS provider calls for each resource type is put together from public tables of its calls; " +
	"no deployment was recorded. The two CloudFormation stacks act with the caller's identity: what ParallelCluster's own " +
	"templates make needs ParallelCluster's user policy beside this one (ParallelCluster User Guide, IAM permissions)"

// part of a stack: the resource types of one component, and what their actions are narrowed to.
type part struct {
	name   string
	wanted func(plan.Cluster) bool
	// on are the resources of the actions of each service that take one.
	on    map[string][]string
	types map[string][]string // actions by resource type
	// when narrows single actions further, which makes grants of their own.
	when map[string]Condition
}

// deployment is what `pulumi up`, refresh and destroy call for the resources that weft registers itself: of the parts that
// the plan has, or of all.
func deployment(s Scope) []grant {
	var out []grant
	for _, p := range parts() {
		if s.Plan == nil || p.wanted(*s.Plan) {
			out = append(out, p.grants()...)
		}
	}
	return out
}

// types lists the resource types that a scope's deployment covers, sorted.
func (s Scope) types() []string {
	var out []string
	for _, p := range parts() {
		if s.Plan == nil || p.wanted(*s.Plan) {
			for t := range p.types {
				out = append(out, t)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (p part) grants() []grant {
	var out []grant
	for _, actions := range p.types {
		for _, action := range actions {
			service, _, _ := strings.Cut(action, ":")
			g := grant{name: p.name + camel(service), actions: []string{action}, on: p.on[service], when: p.when[action]}
			switch {
			case takesNone(action):
				g.name, g.on = p.name+"Read", []string{"*"}
			case action == "iam:CreateServiceLinkedRole":
				g.on = []string{"iam:role/aws-service-role/*"}
			}
			out = append(out, g)
		}
	}
	return merge(out)
}

// takesNone says of an action that it takes no resource (AWS Service Authorization Reference).
func takesNone(action string) bool {
	return strings.HasPrefix(action, "ec2:Describe") && action != "ec2:DescribeVpcAttribute" || slices.Contains([]string{
		"elasticfilesystem:CreateFileSystem", "fsx:DescribeDataRepositoryAssociations", "fsx:DescribeFileSystems",
	}, action)
}

func anyPlan(plan.Cluster) bool { return true }

func hasScripts(p plan.Cluster) bool { return len(bootstrap.Scripts(pcconfig.BootActions(p))) > 0 }

func hasStorage(p plan.Cluster) bool {
	return slices.ContainsFunc(p.Config.Storage, func(s config.Storage) bool {
		return s.EFS != nil && s.EFS.Existing == "" || s.FSxLustre != nil && s.FSxLustre.Existing == ""
	})
}

func hasImage(p plan.Cluster) bool {
	return p.Config.Image.Recipe != "" || slices.ContainsFunc(p.Config.Groups, func(g config.Group) bool { return g.Image != nil && g.Image.Recipe != "" })
}

func hasTemplate(p plan.Cluster) bool {
	return slices.ContainsFunc(p.Groups, func(g plan.NodeGroup) bool { return g.Rendering.Override })
}

func hasGuard(p plan.Cluster) bool { return p.Guard != nil }

// of lists the actions of one of the guard's groups.
func of(what string) []string {
	for _, p := range endguard.Deployment() {
		if p.For == what {
			return p.Actions
		}
	}
	return nil
}

// passes lets a role be given to one service only.
func passes(service string) Condition {
	return Condition{"StringEquals": {"iam:PassedToService": {service}}}
}
