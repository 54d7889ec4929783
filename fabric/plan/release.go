package plan

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// chooseRelease reads the ParallelCluster version and what it has of operating systems. An unknown version is
// a finding; planning goes on as for the newest one that was read, so that the rest of the config is judged too.
func (p *planner) chooseRelease() {
	asked := p.config.ParallelCluster
	facts, known := catalog.ReleaseOf(asked)
	if !known {
		facts = catalog.NewestJudgedRelease()
		p.add(diag.PCVersion, "parallelcluster", fmt.Sprintf("ParallelCluster %q", asked),
			"one of "+strings.Join(releaseVersions(), ", "), "set a version that weft knows", "AWS ParallelCluster release notes")
	}
	p.facts = facts
	p.release = version.MustParse(facts.Version)
	p.chooseOS()
}

func (p *planner) chooseOS() {
	var names []string
	for _, os := range p.facts.OSes {
		names = append(names, os.Name)
	}
	if os, ok := p.facts.OS(p.config.OS); ok {
		p.plan.OS = OS{Name: os.Name, LoginUser: os.LoginUser, Platform: os.Platform, Official: os.Official}
	}
	switch {
	case p.plan.OS.Name == "":
		p.add(diag.PCOS, "os", fmt.Sprintf("%q with ParallelCluster %s", p.config.OS, p.facts.Version),
			"one of "+strings.Join(names, ", "), osHint(p.config.OS), "ParallelCluster "+p.facts.Version+", Image/Os")
	case !p.plan.OS.Official && p.config.Image.AMI == "" && p.config.Image.Recipe == "":
		p.add(diag.PCOS, "os", p.config.OS+" with the official image", "an image of your own: ParallelCluster publishes none for it",
			"set image.ami or image.recipe, or take another system", "ParallelCluster "+p.facts.Version+", OsCustomAmiValidator")
	case !p.plan.OS.Official:
		p.checkGroupImages()
	}
}

// checkGroupImages finds groups that take the official image of a system which has none, beside a cluster with one of its own.
func (p *planner) checkGroupImages() {
	for i, g := range p.config.Groups {
		if g.Image != nil && g.Image.AMI == "" && g.Image.Recipe == "" {
			p.add(diag.PCOS, groupPath(i)+".image", p.config.OS+" with the official image", "an image of your own: ParallelCluster publishes none for it",
				"leave image out, which takes the cluster's, or set ami or recipe", "ParallelCluster "+p.facts.Version+", OsCustomAmiValidator")
		}
	}
}

// osHint names the versions that have a system which the chosen one lacks.
func osHint(os string) string {
	var with []string
	for _, r := range catalog.Releases() {
		if _, ok := r.OS(os); ok {
			with = append(with, r.Version)
		}
	}
	if len(with) == 0 {
		return "take one of these systems"
	}
	return fmt.Sprintf("take one of these systems; %s is in %s", os, strings.Join(with, ", "))
}

func releaseVersions() []string {
	var out []string
	for _, r := range catalog.Releases() {
		out = append(out, r.Version)
	}
	return out
}

var (
	clusterName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]*$`)
	queueName   = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

func (p *planner) checkNames() {
	limits := p.facts.Limits()
	limit := limits.ClusterName
	if p.config.Slurm.Database != nil {
		limit = limits.ClusterNameAccounting
	}
	p.checkName("name", p.config.Name, clusterName, limit, "letters, digits and hyphens, a letter first")
	for i, g := range p.config.Groups {
		p.checkQueueName(groupPath(i)+".name", g.Name)
	}
	for i, l := range p.config.LoginNodes {
		p.checkQueueName(fmt.Sprintf("loginNodes[%d].name", i), l.Name)
	}
	p.checkCount("groups", len(p.config.Groups), limits.Queues)
	p.checkCount("loginNodes", len(p.config.LoginNodes), limits.LoginPools)
	p.checkHeadType(p.config)
}

func (p *planner) checkQueueName(path, name string) {
	p.checkName(path, name, queueName, p.facts.Limits().QueueName, "lower case letters, digits and hyphens, a letter first")
	if name == "default" {
		p.add(diag.PCName, path, `"default"`, "another name: ParallelCluster keeps this one for itself", "rename it", "ParallelCluster, NameValidator")
	}
}

func (p *planner) checkName(path, name string, form *regexp.Regexp, limit int, says string) {
	if name == "" { // named by the config's own check
		return
	}
	if !form.MatchString(name) || len(name) > limit {
		p.add(diag.PCName, path, fmt.Sprintf("%q, %d characters", name, len(name)),
			fmt.Sprintf("%s, at most %d", says, limit), "rename it", "ParallelCluster, NameValidator")
	}
}

func (p *planner) checkCount(path string, n, limit int) {
	if n > limit {
		p.add(diag.PCSize, path, fmt.Sprintf("%d", n), fmt.Sprintf("at most %d in a cluster", limit),
			"spread them over several clusters", "ParallelCluster "+p.facts.Version+" limits")
	}
}

// checkHeadType compares architectures: ParallelCluster takes one for the whole cluster.
func (p *planner) checkHeadType(c config.Cluster) {
	head, known := catalog.Architecture(c.HeadNode.InstanceType)
	if !known {
		return
	}
	for i, g := range c.Groups {
		t, ok := catalog.Instance(g.InstanceType)
		if ok && t.Architecture != head {
			p.add(diag.ConfigConflict, groupPath(i)+".instanceType",
				fmt.Sprintf("%s is %s", g.InstanceType, t.Architecture),
				fmt.Sprintf("%s, the architecture of head node %s", head, c.HeadNode.InstanceType),
				"take a head node of the compute nodes' architecture", "ParallelCluster, InstanceArchitectureCompatibilityValidator")
		}
	}
}
