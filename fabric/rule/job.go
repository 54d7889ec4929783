package rule

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

var jobRules = []Rule{
	{
		diag.EnvIBResidue, Alone,
		"EC2 has no InfiniBand. Settings for it end a job at its start, or are ignored and show that the job was never converted.",
		judgeSettings(diag.EnvIBResidue),
	},
	{
		diag.EnvOtherCloud, Alone,
		"Settings of another cloud's fabric do nothing here, or take the place of AWS's plugin.",
		judgeSettings(diag.EnvOtherCloud),
	},
	{
		diag.EnvForcedFallback, Alone,
		"A job that is forced onto sockets, or whose checks are off, runs to its end: slowly, and without a word.",
		judgeSettings(diag.EnvForcedFallback),
	},
	{
		diag.EnvHarmful, Alone,
		"The plugin sets for each type what was measured there. A value of the job's own takes its place.",
		judgeSettings(diag.EnvHarmful),
	},
	{
		diag.EnvObsolete, Alone,
		"Recipes live longer than the releases that they were written for.",
		judgeSettings(diag.EnvObsolete),
	},
	{
		diag.EnvUnknown, Alone,
		"A name that no program reads does nothing, and looks as if it did.",
		judgeSettings(diag.EnvUnknown),
	},
	{
		diag.CPUPerRank, Together,
		"A rank needs its share of the node's vCPUs to feed EFA: one core a rank moves a quarter of the bandwidth.",
		judgeCPUs,
	},
	{
		diag.CPUSrunInherit, Together,
		"From Slurm 22.05 to 23.02 srun does not take --cpus-per-task of its job. Setting it twice, with two numbers, ends srun in some versions.",
		judgeInheritance,
	},
	{
		diag.MoEEPSpansNodes, Together,
		"An expert-parallel group within a node talks over NVLink. One that leaves its node gets the GPU's share of EFA, a tenth of that.",
		judgeSpan,
	},
	{
		diag.MoEDispatcher, Together,
		"Some libraries for expert-parallel traffic have no road over EFA, or go through the CPU there: the job ends at its start, or is slow.",
		judgeBackend,
	},
	{
		diag.MoERankOrder, Together,
		"Megatron-LM makes expert-parallel groups of consecutive ranks. Slurm fills a node before the next unless --distribution says otherwise; then a group that would fit into a node is spread over several.",
		judgeRankOrder,
	},
}

// judgeSettings judges the environment for one rule's findings; values that are needed and not known are told once.
func judgeSettings(id diag.ID) func(*view) {
	return func(v *view) {
		for i := range v.JobScripts {
			s := &v.JobScripts[i]
			at := catalog.Surroundings{InstanceType: v.oneTypeOf(s)}
			for _, f := range Environment(s.Settings, at) {
				if f.Rule == id || f.Rule == diag.ValueUnknown && id == diag.EnvForcedFallback {
					v.findings.Add(f)
				}
			}
			if id == diag.EnvOtherCloud {
				v.sourcedElsewhere(s)
			}
		}
	}
}

// otherClouds are files that set up another cloud's fabric.
var otherClouds = []string{"nccl-env-profile.sh", "/usr/local/gib/"}

func (v *view) sourcedElsewhere(s *JobScript) {
	for _, file := range s.Sourced {
		name := file.Name.Or("")
		if slices.ContainsFunc(otherClouds, func(part string) bool { return strings.Contains(name, part) }) {
			v.add(file.Place, name+", which sets up Google's fabric", "/opt/weft/nccl-env.sh, or nothing", "leave it out: EFA needs none of its settings",
				"Google Cloud, GPUDirect-TCPX and TCPXO set-up of NCCL")
		}
	}
}

// home is where a job may run: a type of node, and what the cluster says of it.
type home struct {
	instanceType string
	exclusive    bool // every job has its nodes alone
	slurm        string
}

// homes lists where a job may run: on the nodes of its queue, or the type that it or the options name. One home of which nothing is known
// stands where nobody tells.
func (v *view) homes(s *JobScript) []home {
	var out []home
	add := func(h home) {
		h.slurm = cmp.Or(s.Slurm.Or(""), h.slurm)
		if !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	for i := range v.Clusters {
		c := &v.Clusters[i]
		if q, ok := c.queueOf(s); ok {
			for _, name := range q.types(s) {
				add(home{name, IsTrue(q.ExclusiveJobs), catalog.SlurmOf(c.Version.Or(""))})
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	types := v.options.InstanceTypes
	if name, ok := s.InstanceType.Get(); ok {
		types = []string{name}
	} else if name, ok := s.Job.typeOfConstraint(); ok {
		types = []string{name}
	}
	for _, name := range types {
		add(home{instanceType: name})
	}
	if len(out) == 0 {
		add(home{})
	}
	return out
}

// oneTypeOf is the type of node that a job runs on; empty where there are several, or nobody knows.
func (v *view) oneTypeOf(s *JobScript) string {
	homes := v.homes(s)
	for _, h := range homes[1:] {
		if h.instanceType != homes[0].instanceType {
			return ""
		}
	}
	return homes[0].instanceType
}

// queueOf is the queue that a job asks for, or the first, which is ParallelCluster's default.
func (c *ParallelCluster) queueOf(s *JobScript) (Queue, bool) {
	name, named := s.Job.Partition.Get()
	if !s.Job.Batch || s.Job.Partition.IsUnknown() || len(c.Queues.Items) == 0 {
		return Queue{}, false
	}
	if !named {
		return c.Queues.Items[0], true
	}
	i := slices.IndexFunc(c.Queues.Items, func(q Queue) bool { return q.Name.Or("") == name })
	if i < 0 {
		return Queue{}, false
	}
	return c.Queues.Items[i], true
}

// types lists the types of a queue's nodes that a job may get: a constraint can name one, as ParallelCluster gives nodes their type as a feature.
func (q Queue) types(s *JobScript) []string {
	if name, ok := s.Job.typeOfConstraint(); ok {
		return []string{name}
	}
	var out []string
	for _, r := range q.Resources.Items {
		for _, t := range r.types().Items {
			if name, ok := t.Get(); ok && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// typeOfConstraint is the instance type that --constraint names.
func (a Allocation) typeOfConstraint() (string, bool) {
	for _, word := range strings.FieldsFunc(a.Constraint.Or(""), func(r rune) bool { return strings.ContainsRune("&|[]()*, ", r) }) {
		if _, ok := catalog.Instance(word); ok {
			return word, true
		}
	}
	return "", false
}
