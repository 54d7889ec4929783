// Package permission writes IAM policies: what a person, a pipeline or a role needs for each feature of weft, and no more.
//
// What a feature calls is listed by the package that makes the calls, and held there against recorded calls. This package
// adds what IAM lets each action be narrowed to: resources, tags, the Region. What `pulumi up` calls through Pulumi's AWS
// provider is a table by resource type, put together from public tables of its calls and not recorded: see Feature.Unverified.
package permission

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/inventory"
	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/account/remote"
	"github.com/weft-hpc/weft/account/topology"
)

// Feature is something that weft does in an account.
type Feature struct {
	// Name as the command line takes it: capacity-buy.
	Name string
	// Does says in a few words what the feature is.
	Does string
	// Unverified says what about its actions no test has seen; empty where the calls are recorded by tests.
	Unverified string

	grants func(Scope) []grant
}

// Features lists every feature, by name.
func Features() []Feature {
	out := []Feature{
		{Name: "capacity-buy", Does: "buy a capacity block in an update, once, with its journal", grants: called(buying)},
		{Name: "capacity-extend", Does: "weft capacity extend, with its journal", grants: called(extending)},
		{Name: "capacity-find", Does: "weft capacity find", grants: called(always(capacity.Actions()[capacity.Finding]))},
		{Name: "capacity-show", Does: "weft capacity show", grants: called(always(capacity.Actions()[capacity.Showing]))},
		{Name: "check-account", Does: "weft check --dump-account", grants: called(always(inventory.Actions()))},
		{Name: "deploy", Does: "make, change and delete the resources of a cluster's stack", grants: deployment, Unverified: unverified},
		{Name: "plan-preflight", Does: "compare the plan with the account before anything is registered", grants: called(preflighting)},
		{Name: "topology", Does: "weft topology --cluster, --block", grants: called(always(topology.Actions()))},
		{Name: "validate", Does: "run the validation order on the head node through Systems Manager", grants: called(always(validating()))},
	}
	slices.SortFunc(out, func(a, b Feature) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Names lists the names of all features, sorted.
func Names() []string {
	var out []string
	for _, f := range Features() {
		out = append(out, f.Name)
	}
	return out
}

// Find gives a feature by its name.
func Find(name string) (Feature, bool) {
	all := Features()
	i := slices.IndexFunc(all, func(f Feature) bool { return f.Name == name })
	if i < 0 {
		return Feature{}, false
	}
	return all[i], true
}

// Nearest gives the name of a feature that is most like another text.
func Nearest(name string) string {
	return slices.MinFunc(Names(), func(a, b string) int {
		return levenshtein.Distance(name, a, nil) - levenshtein.Distance(name, b, nil)
	})
}

// Actions lists the IAM actions of a feature in a scope, sorted.
func (f Feature) Actions(s Scope) []string {
	var out []string
	for _, g := range f.grants(s) {
		out = append(out, g.actions...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func always(actions []string) func(Scope) []string {
	return func(Scope) []string { return actions }
}

// buying is what resource weft:index:CapacityBlock calls: a preview, an update, its journal, a change of tags, the zone.
func buying(Scope) []string {
	all := capacity.Actions()
	return slices.Concat(all[capacity.Previewing], all[capacity.Buying], all[capacity.ParameterStore], []string{"ec2:DeleteTags", "ec2:DescribeAvailabilityZones"})
}

func extending(Scope) []string {
	all := capacity.Actions()
	return slices.Concat(all[capacity.Extensions], all[capacity.Extending], all[capacity.ParameterStore])
}

// preflighting is what the checks call that the cluster's config does not skip; without a config, all.
func preflighting(s Scope) []string {
	var out []string
	for check, actions := range preflight.Actions() {
		if s.Plan != nil {
			if _, skipped := s.Plan.Config.Preflight.Skip[check]; skipped {
				continue
			}
		}
		out = append(out, actions...)
	}
	return out
}

// validating also reads when a block starts: a validation of the stack waits for it.
func validating() []string {
	return append(remote.Actions(), capacity.Actions()[capacity.Adopting]...)
}
