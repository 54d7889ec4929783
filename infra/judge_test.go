package main

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// remark is something that ParallelCluster says about a configuration and that weft can't avoid.
type remark struct{ level, validator, begins, why string }

var tolerated = []remark{
	{
		"WARNING", "KeyPairValidator", "If you do not specify a key pair, you can't connect",
		"a cluster without headNode.key is reached by Session Manager, whose policy weft gives the head node",
	},
	{
		"INFO", "DeletionPolicyValidator", "The DeletionPolicy is set to Delete. The storage 'tools' will be deleted",
		"an EBS volume goes with its cluster unless the config says keep",
	},
	{
		"WARNING", "EfaPlacementGroupValidator", "Placement group is disabled for queue 'l40s'. This is expected when using a capacity reservation",
		"instances can't use a reservation from within a placement group that it was not made in",
	},
	{
		"WARNING", "EfaPlacementGroupValidator", "You may see better performance using a placement group for the queue.",
		"the same in the words of 3.14",
	},
}

func (r remark) fits(f judge.Finding) bool {
	return r.level == f.Level && r.validator == f.Type && strings.HasPrefix(f.Message, r.begins)
}

// refused are examples that a version can't serve: weft's own plan refuses them, by these rules.
var refused = map[string]map[string]diag.ID{
	"3.14.2": {"p6-b300-capacity-block": diag.NICEFACard, "p6-b300-most-bandwidth": diag.NICEFACard, "p5en-custom-image": diag.AMILock},
	"3.15.1": {"p5en-custom-image": diag.AMILock},
}

// The real ParallelCluster takes every example, with nothing to say that weft could have avoided, in an account that
// holds what the config names and what `pulumi up` has registered.
func TestParallelClusterTakesEveryExample(t *testing.T) {
	t.Parallel()
	said, heard := make([]atomic.Bool, len(tolerated)), atomic.Int32{}
	t.Run("versions", func(t *testing.T) {
		for _, version := range judgeVersions {
			t.Run(version, func(t *testing.T) {
				t.Parallel()
				emulated := judgetest.Account(t)
				j := judgetest.Judge(t, version, emulated)
				for name, text := range clusters(t) {
					t.Run(name, func(t *testing.T) {
						heard.Add(1)
						text := of(version, text)
						if rule, unserved := refused[version][name]; unserved {
							require.Contains(t, rules(t, text), rule)
							return
						}
						for _, f := range judged(t, j, deploy(t, text, emulated).render()) {
							i := slices.IndexFunc(tolerated, func(r remark) bool { return r.fits(f) })
							require.GreaterOrEqual(t, i, 0, "%s %s: %s", f.Level, f.Type, f.Message)
							said[i].Store(true)
						}
					})
				}
			})
		}
	})
	if int(heard.Load()) < len(judgeVersions)*len(clusters(t)) {
		return // a pattern leaves some out, or a version that is not installed
	}
	for i, r := range tolerated {
		require.True(t, said[i].Load(), "nobody says %q any more: take it off the list", r.begins)
	}
}

// clusters are the configs of all examples, and two more.
func clusters(t testing.TB) map[string]string {
	t.Helper()
	everything, err := os.ReadFile("../offline/mirror/testdata/everything/cluster.yaml")
	require.NoError(t, err)
	out := map[string]string{"p5en-most-bandwidth": mostBandwidth(t), "everything": string(everything)}
	for _, name := range examples(t) {
		out[name] = example(t, name)
	}
	return out
}

// judgeVersions are one release of each minor version that weft renders for.
var judgeVersions = []string{"3.14.2", "3.15.1", "3.16.1"}

// judged requires that ParallelCluster takes a configuration, and gives its remarks.
func judged(t *testing.T, j *judge.Judge, rendered string) []judge.Finding {
	t.Helper()
	verdict, err := j.Create(t.Context(), "weft", rendered)
	require.NoError(t, err)
	require.True(t, verdict.Accepted, "%s %v\n%s", verdict.Message, verdict.Findings, rendered)
	return verdict.Findings
}

// of sets the ParallelCluster version of a config.
func of(version, text string) string {
	text = strings.Replace(text, "\nparallelcluster: 3.16.1\n", "\n", 1)
	return text + "\nparallelcluster: " + version + lowered[version] + "\n"
}

// lowered are rules that a version's official image breaks. A judge of configurations does not look into images.
var lowered = map[string]string{
	"3.15.1": "\nrules: {ver/denied: {level: warn, reason: only the configuration is judged here}}",
}

// rules lists the rules that the plan of a config breaks at error level.
func rules(t testing.TB, text string) []diag.ID {
	t.Helper()
	doc, found := config.Decode("cluster.yaml", []byte(text))
	p, findings := plan.New(doc.Cluster)
	s := stack{sources: map[string][]byte{}}
	_, judged, err := s.images(projectOf(t, p), p)
	require.NoError(t, err)
	var out []diag.ID
	for _, f := range slices.Concat(found, findings, judged).AtLeast(diag.Error) {
		out = append(out, f.Rule)
	}
	return out
}

// mostBandwidth is the p5en example with interfaces that need weft's own launch template.
func mostBandwidth(t testing.TB) string {
	t.Helper()
	return strings.Replace(example(t, "p5en-capacity-block"), "count: 4", "count: 4\n    layout: most-bandwidth", 1)
}

// A version without LaunchTemplateOverrides lays the interfaces out by itself, and the plan says what that loses.
func TestLayoutThatAVersionCannotMake(t *testing.T) {
	t.Parallel()
	for _, version := range judgeVersions {
		d := deploy(t, of(version, mostBandwidth(t)), nil)
		rendered, rendering := d.render(), planned(t, of(version, mostBandwidth(t))).Groups[0].Rendering
		templates := d.made().IDs("aws:ec2/launchTemplate:LaunchTemplate")
		if version == "3.14.2" {
			require.Contains(t, rendering.Lost, "most-bandwidth is not possible before 3.15.0")
			require.NotContains(t, rendered, "LaunchTemplateOverrides")
			require.Empty(t, templates)
			continue
		}
		require.Empty(t, rendering.Lost)
		require.Len(t, templates, 1)
		require.Contains(t, rendered, "LaunchTemplateId: "+templates[0]+"\n")
	}
}
