package permission

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/blockguard/endguard"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// registered lists the types of AWS's that a recording of a program holds, sorted.
func registered(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var recorded []struct {
		Type string `json:"type"`
	}
	require.NoError(t, json.Unmarshal(data, &recorded), file)
	var out []string
	for _, r := range recorded {
		if strings.HasPrefix(r.Type, "aws:") {
			out = append(out, r.Type)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every type that an example registers is covered by the policy for its config, and no part is in it of which it registers nothing.
func TestDeployCoversWhatExamplesRegister(t *testing.T) {
	files, err := filepath.Glob("../cluster/testdata/*-update.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		example := strings.TrimSuffix(filepath.Base(file), "-update.json")
		t.Run(example, func(t *testing.T) {
			config, findings := config.Decode(example, read(t, filepath.Join("../../examples", example, "cluster.yaml")))
			require.False(t, findings.Failed())
			p, _ := plan.New(config.Cluster)
			made := registered(t, file)
			require.Subset(t, Scope{Plan: &p}.types(), made)
			for _, part := range parts() {
				own := slices.ContainsFunc(made, func(kind string) bool {
					_, ok := part.types[kind]
					return ok && !strings.HasPrefix(kind, "aws:iam/")
				})
				require.Equal(t, own, part.wanted(p), part.name)
			}
		})
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

// The table has the types that components register, and no other. A placement group is an input of launch templates that
// stand alone: no cluster registers one.
func TestTableIsWhatComponentsRegister(t *testing.T) {
	var made []string
	for _, pattern := range []string{"../*/testdata/*update.json", "../*/testdata/*/update.json"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			if !strings.Contains(file, "componenttest") {
				made = append(made, registered(t, file)...)
			}
		}
	}
	made = slices.DeleteFunc(made, func(kind string) bool { return kind == "aws:ec2/placementGroup:PlacementGroup" })
	slices.Sort(made)
	require.Equal(t, slices.Compact(made), Scope{}.types())
}

// The guard's actions are those that it lists for a deployment, all of them.
func TestGuardIsWhole(t *testing.T) {
	var want, got []string
	for _, p := range endguard.Deployment() {
		want = append(want, p.Actions...)
	}
	for _, g := range guard().grants() {
		got = append(got, g.actions...)
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}

// The names that a guard's parts get are among those that the policy grants: those of the examples, and those that a long or a
// reserved name of a cluster makes. Pulumi puts a suffix behind each.
func TestGuardsNamesAreGranted(t *testing.T) {
	kinds := map[string]string{"aws:ssm/document:Document": "document/", "aws:cloudwatch/eventRule:EventRule": "rule/", "aws:iam/role:Role": "role/"}
	granted := func(cluster, kind, name string) bool {
		var all []string
		for _, g := range guard().grants() {
			all = append(all, Scope{Plan: &plan.Cluster{Name: cluster, Region: "us-east-2"}}.resources(g.on)...)
		}
		return slices.ContainsFunc(all, func(arn string) bool {
			pattern := arn[strings.LastIndex(arn, ":")+1:]
			ok, err := path.Match(pattern, kinds[kind]+name+"-0a1b2c3")
			require.NoError(t, err)
			return ok
		})
	}
	files, err := filepath.Glob("../cluster/testdata/*-update.json")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		var recorded []struct{ Type, Name string }
		require.NoError(t, json.Unmarshal(read(t, file), &recorded))
		i := slices.IndexFunc(recorded, func(r struct{ Type, Name string }) bool { return r.Type == "weft:index:BlockGuard" })
		for _, r := range recorded {
			if i >= 0 && kinds[r.Type] != "" && (r.Type != "aws:iam/role:Role" || strings.HasSuffix(r.Name, "-guard")) {
				require.True(t, granted(recorded[i].Name, r.Type, r.Name), "%s: %s", file, r.Name)
				seen[r.Type] = true
			}
		}
	}
	require.Len(t, seen, len(kinds))
	for _, cluster := range []string{strings.Repeat("x", 60), "aws-" + strings.Repeat("y", 56)} {
		require.True(t, granted(cluster, "aws:ssm/document:Document", endguard.DocumentName(cluster)))
		require.True(t, granted(cluster, "aws:cloudwatch/eventRule:EventRule", endguard.Name(cluster)+"-delivered"))
		require.True(t, granted(cluster, "aws:iam/role:Role", endguard.Name(cluster)+"-guard"))
	}
}
