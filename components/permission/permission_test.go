package permission_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/inventory"
	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/account/remote"
	"github.com/weft-hpc/weft/account/topology"
	"github.com/weft-hpc/weft/components/permission"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

var update = flag.Bool("update", false, "write the goldens")

const account = "111122223333"

// planned is the plan of an example.
func planned(t *testing.T, example string) *plan.Cluster {
	t.Helper()
	file := filepath.Join("../../examples", example, "cluster.yaml")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, findings := config.Decode(file, data)
	require.False(t, findings.Failed())
	p, _ := plan.New(doc.Cluster)
	return &p
}

func feature(t *testing.T, name string) permission.Feature {
	t.Helper()
	f, ok := permission.Find(name)
	require.True(t, ok, name)
	return f
}

// allowed lists what a document allows, sorted.
func allowed(d permission.Document) []string {
	var out []string
	for _, s := range d.Statement {
		out = append(out, s.Action...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func union(lists ...[]string) []string {
	out := slices.Concat(lists...)
	slices.Sort(out)
	return slices.Compact(out)
}

// A policy allows what its feature's packages call, and nothing else. The lists are held against recorded calls where they are.
func TestPoliciesAllowWhatIsCalled(t *testing.T) {
	market := capacity.Actions()
	want := map[string][]string{
		"capacity-buy":    purchaser.Actions(),
		"capacity-extend": union(market[capacity.Extensions], market[capacity.Extending], market[capacity.ParameterStore]),
		"capacity-find":   market[capacity.Finding],
		"capacity-show":   market[capacity.Showing],
		"check-account":   inventory.Actions(),
		"plan-preflight":  union(slices.Collect(maps.Values(preflight.Actions()))...),
		"topology":        topology.Actions(),
		"validate":        union(remote.Actions(), []string{"ec2:DescribeCapacityReservations"}),
	}
	for _, f := range permission.Features() {
		t.Run(f.Name, func(t *testing.T) {
			d := permission.Policy(permission.Scope{}, f)
			require.Equal(t, f.Actions(permission.Scope{}), allowed(d))
			if f.Unverified != "" {
				require.Contains(t, f.Unverified, "UNVERIFIED")
				return
			}
			require.Equal(t, want[f.Name], allowed(d))
			delete(want, f.Name)
		})
	}
	require.Empty(t, want)
}

// What a config leaves out is not asked for.
func TestSkippedChecksNeedNothing(t *testing.T) {
	p := planned(t, "p5en-capacity-block")
	p.Config.Preflight.Skip = map[diag.ID]string{}
	for check, actions := range preflight.Actions() {
		if slices.Contains(actions, "servicequotas:GetServiceQuota") {
			p.Config.Preflight.Skip[check] = "another team looks after quotas"
		}
	}
	f := feature(t, "plan-preflight")
	require.NotContains(t, f.Actions(permission.Scope{Plan: p}), "servicequotas:GetServiceQuota")
	require.Contains(t, f.Actions(permission.Scope{Plan: p}), "ec2:DescribeCapacityReservations")
}

// reference is what the Service Authorization Reference says about an action.
type reference struct {
	Access     string            `json:"access"`
	Resources  map[string]string `json:"resources"`
	Conditions []string          `json:"conditions"`
}

func references(t *testing.T) map[string]reference {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	require.NoError(t, err)
	var out map[string]reference
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// TestNarrowedAsFarAsIAMLets holds every statement against the reference: actions exist, those that take a resource are never
// for all, resources are of a type that an action takes, and condition keys are keys of all actions.
func TestNarrowedAsFarAsIAMLets(t *testing.T) {
	known, used := references(t), map[string]bool{}
	for _, s := range permission.Policy(permission.Scope{}, permission.Features()...).Statement {
		for _, action := range s.Action {
			ref, ok := known[action]
			require.True(t, ok, "%s: the reference knows no %s", s.Sid, action)
			used[action] = true
			require.Equal(t, len(ref.Resources) == 0, slices.Equal(s.Resource, []string{"*"}), "%s: %s on %v", s.Sid, action, s.Resource)
			require.True(t, s.Resource[0] == "*" || fits(s.Resource, ref.Resources), "%s: %s takes none of %v", s.Sid, action, s.Resource)
			for _, key := range keys(s.Condition) {
				require.True(t, slices.Contains(ref.Conditions, key), "%s: %s has no key %s", s.Sid, action, key)
			}
		}
	}
	require.Len(t, used, len(known), "of the reference only what is used is kept")
}

// fits reports that one of the resources at least can be of a type that an action takes.
func fits(resources []string, types map[string]string) bool {
	for _, resource := range resources {
		for _, kind := range types {
			kind = strings.Replace(kind, "arn:*:", "arn:aws:", 1)
			if matches(kind, resource) || matches(resource, kind) {
				return true
			}
		}
	}
	return false
}

func matches(pattern, text string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(text)
}

var tagKey = regexp.MustCompile(`^((?:aws|ssm):[A-Za-z]+Tag)/.+$`)

func keys(c permission.Condition) []string {
	var out []string
	for _, of := range c {
		for key := range of {
			out = append(out, tagKey.ReplaceAllString(key, "${1}/$${TagKey}"))
		}
	}
	return out
}

// Everything that can be narrowed by Region and account is; a statement's id is its own.
func TestScope(t *testing.T) {
	d := permission.Policy(permission.Scope{Regions: []string{"us-west-2", "us-east-2", "us-west-2"}, Account: account}, permission.Features()...)
	seen := map[string]bool{}
	for _, s := range d.Statement {
		require.Regexp(t, `^[A-Za-z0-9]+$`, s.Sid)
		require.False(t, seen[s.Sid], "%s twice", s.Sid)
		seen[s.Sid] = true
		require.True(t, slices.IsSorted(s.Action))
		require.True(t, slices.IsSorted(s.Resource))
		global := strings.HasPrefix(s.Action[0], "iam:")
		require.Equal(t, !global, slices.Equal(s.Condition["StringEquals"]["aws:RequestedRegion"], []string{"us-east-2", "us-west-2"}), s.Sid)
		for _, resource := range s.Resource {
			if part := strings.Split(resource, ":"); resource != "*" && part[2] != "s3" {
				require.Contains(t, []string{account, ""}, part[4], resource)
				require.Equal(t, part[4] == "", strings.HasSuffix(resource, remote.Document), resource)
			}
		}
	}
	china := permission.Policy(permission.Scope{Regions: []string{"cn-north-1"}}, permission.Features()...)
	text, err := china.JSON()
	require.NoError(t, err)
	require.NotContains(t, string(text), "arn:aws:")
	require.Contains(t, string(text), "ec2.amazonaws.com.cn")
}

// Only the purchase features may spend money, and what reads only reads.
func TestWhoMayBuy(t *testing.T) {
	known := references(t)
	for _, f := range permission.Features() {
		for _, action := range f.Actions(permission.Scope{}) {
			if strings.Contains(action, ":Purchase") {
				require.Contains(t, []string{"capacity-buy", "capacity-extend"}, f.Name)
			}
			if !slices.Contains([]string{"capacity-buy", "capacity-extend", "deploy", "validate"}, f.Name) {
				require.Contains(t, []string{"Read", "List"}, known[action].Access, "%s: %s", f.Name, action)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	require.Equal(t, "capacity-buy", permission.Nearest("capacity-by"))
	require.Equal(t, "deploy", permission.Nearest("deplyo"))
	_, ok := permission.Find("capacity")
	require.False(t, ok)
	require.True(t, slices.IsSorted(permission.Names()))
}

// A document is the same in every run, whatever the order of a feature's lists.
func TestGoldens(t *testing.T) {
	p := planned(t, "p5en-capacity-block")
	tests := map[string]struct {
		scope permission.Scope
		of    string
	}{
		"capacity-buy":               {permission.Scope{Regions: []string{"us-east-2"}, Account: account}, "capacity-buy"},
		"validate":                   {permission.Scope{Plan: p, Account: account}, "validate"},
		"deploy-p5en-capacity-block": {permission.Scope{Plan: p, Account: account}, "deploy"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".json")
			got, err := permission.Policy(tt.scope, feature(t, tt.of), feature(t, tt.of)).JSON()
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(file, got, 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".json")
		_, golden := tests[name]
		require.True(t, golden || name == "reference", "%s is no test's golden", file)
	}
}

// IAM counts no white space. Every feature fits in a managed policy but deploy for any cluster, which is why it is cut by --cluster.
func TestSize(t *testing.T) {
	for _, f := range permission.Features() {
		s := permission.Scope{Regions: []string{"us-east-2"}, Account: account}
		size, err := permission.Policy(s, f).Size()
		require.NoError(t, err)
		text, err := permission.Policy(s, f).JSON()
		require.NoError(t, err)
		require.Len(t, strings.Join(strings.Fields(string(text)), ""), size)
		if f.Name != "deploy" {
			require.Less(t, size, permission.ManagedPolicySize, f.Name)
		}
	}
}
