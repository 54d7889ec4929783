package preflight

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agext/levenshtein"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Check is one thing that is compared.
type Check struct {
	// ID of the rule. The config leaves a check out by it.
	ID diag.ID
	// What is compared, in one clause.
	What string

	reads []string
	judge func(*view)
}

// Checks lists all checks, by id.
func Checks() []Check {
	out := checks()
	slices.SortFunc(out, func(a, b Check) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

func checks() []Check {
	return []Check{
		{diag.AccountMissing, "what the config names exists", []string{readReservations, readVPC, readSubnets, readSecurityGroups, readImages}, judgeMissing},

		{diag.BlockKind, "a reservation is of the kind that it is asked for as", []string{readReservations}, judgeKind},
		{diag.BlockState, "a reservation is usable, or will be", []string{readReservations}, judgeState},
		{diag.BlockType, "reservation and group name one instance type", []string{readReservations}, judgeType},
		{diag.BlockZone, "reservation and nodes are in one zone", []string{readReservations, readSubnets}, judgeZone},
		{diag.BlockPlatform, "reservation and image have one platform", []string{readReservations, readImages}, judgePlatform},
		{diag.BlockTenancy, "a reservation has default tenancy", []string{readReservations}, judgeTenancy},
		{diag.BlockSize, "all groups of a reservation fit into it", []string{readReservations}, judgeSize},
		{diag.ODCRPlacementGroup, "a reservation's placement group is the group's", []string{readReservations}, judgePlacementGroup},

		{diag.AccountVPC, "the VPC resolves names and holds all subnets and groups, and a new EFS file system is reached from each", []string{readVPC, readSubnets, readSecurityGroups}, judgeVPC},
		{diag.EFAOneZone, "nodes that talk over EFA stand in one zone", []string{readReservations, readSubnets}, judgeOneZone},
		{diag.NICPublicIP, "no public address is given to nodes with several interfaces", []string{readSubnets}, judgePublicIP},
		{diag.NICAddresses, "subnets have the addresses that nodes need", []string{readSubnets, readHeld}, judgeAddresses},
		{diag.SGSelfIngress, "a security group lets all traffic in from itself", []string{readSecurityGroups}, judgeSelfIngress},
		{diag.SGSelfEgress, "a security group lets all traffic out to itself", []string{readSecurityGroups}, judgeSelfEgress},

		{diag.AMIParallelCluster, "an image is of the cluster's ParallelCluster version", []string{readImages}, judgeImageVersion},
		{diag.AMIBuildStatus, "an image was built to its end and is available", []string{readImages}, judgeBuildStatus},
		{diag.AMIOS, "an image holds the cluster's operating system", []string{readImages}, judgeImageOS},
		{diag.AMIArchitecture, "image and nodes have one architecture", []string{readImages}, judgeArchitecture},
		{diag.AMINVIDIAMissing, "an image for GPU nodes carries NVIDIA software", []string{readImages}, judgeNVIDIA},

		{diag.AccountOffering, "instance types are offered where nodes stand", []string{readOfferings, readSubnets, readReservations}, judgeOffering},
		{diag.AccountQuota, "quotas allow what is made", []string{readQuotas, readUsage}, judgeQuota},
		{diag.PCUpdate, "a running cluster takes the change", []string{readStack, readFleet, readHome}, judgeUpdate},
	}
}

// Judge compares a plan with the account as observed at a time. It is pure. A check that is left out gives a note with
// its reason, and findings have the levels that the config gives its rules.
func Judge(request Request, observed Observed, now time.Time) diag.List {
	out := skips(request.Plan)
	out.Add(denials(request, observed)...)
	for _, c := range checks() {
		if skipped(request, c.ID) {
			continue
		}
		v := &view{plan: request.Plan, observed: observed, now: now.UTC(), compare: request.CompareConfig, rule: c.ID}
		c.judge(v)
		out.Add(v.findings...)
	}
	out = out.Apply(request.Plan.Config.Rules)
	out.Sort()
	return out
}

// view is what one check looks at, and what it found.
type view struct {
	plan     plan.Cluster
	observed Observed
	now      time.Time // UTC
	compare  func([]byte, bool) diag.List
	rule     diag.ID
	findings diag.List
}

// at is a place in the config and the object of the account that it names.
func at(path, resource string) diag.Place { return diag.Place{Path: path, Resource: resource} }

func (v *view) add(place diag.Place, got, want, hint, source string) {
	v.addAt(diag.Unset, place, got, want, hint, source)
}

func (v *view) addAt(level diag.Level, place diag.Place, got, want, hint, source string) {
	v.findings.Add(diag.Finding{Rule: v.rule, Level: level, Place: place, Got: got, Want: want, Hint: hint, Source: source})
}

// skipped says whether the config leaves a check out. It must say why.
func skipped(r Request, id diag.ID) bool {
	return strings.TrimSpace(r.Plan.Config.Preflight.Skip[id]) != ""
}

// skips notes what is left out, and warns of a wish that has no effect.
func skips(p plan.Cluster) diag.List {
	var out diag.List
	all := checks()
	for _, id := range slices.Sorted(maps.Keys(p.Config.Preflight.Skip)) {
		f := diag.Finding{Rule: diag.AccountSkipped, Place: at("preflight.skip."+string(id), "")}
		c, known := first(all, func(c Check) bool { return c.ID == id })
		reason := strings.TrimSpace(p.Config.Preflight.Skip[id])
		switch {
		case !known:
			f.Level, f.Got = diag.Warn, fmt.Sprintf("%q, which is no preflight check: nothing is left out", id)
			f.Want, f.Hint = "the id of a check", fmt.Sprintf("did you mean %s? The checks are %s", nearestCheck(id), join(checkIDs(all)))
		case reason == "":
			f.Level, f.Got = diag.Warn, fmt.Sprintf("%s left out without a reason: it is judged all the same", id)
			f.Want, f.Hint = "a reason", "say why beside the id, or remove it"
		default:
			f.Got, f.Want = "not judged: "+reason, c.What
			f.Hint = fmt.Sprintf("remove %s from preflight.skip to have it judged", id)
		}
		out.Add(f)
	}
	return out
}

func checkIDs(list []Check) []diag.ID {
	var out []diag.ID
	for _, c := range list {
		out = append(out, c.ID)
	}
	slices.Sort(out)
	return out
}

func nearestCheck(id diag.ID) diag.ID {
	return slices.MinFunc(checkIDs(checks()), func(a, b diag.ID) int {
		return levenshtein.Distance(string(id), string(a), nil) - levenshtein.Distance(string(id), string(b), nil)
	})
}

// denials names the checks that nobody could judge because AWS refused what they need.
func denials(r Request, o Observed) diag.List {
	var out diag.List
	for _, d := range o.Denied {
		blind := needing(r, d.Read)
		if len(blind) == 0 {
			continue
		}
		out.Add(diag.Finding{
			Rule: diag.AccountDenied, Place: at("preflight", ""),
			Got:  fmt.Sprintf("%s is refused (%s): not fully judged: %s", d.Action, d.Code, join(blind)),
			Want: "an IAM identity that may call " + d.Action,
			Hint: fmt.Sprintf("allow the action, or leave out what needs it: preflight.skip: {%s: reason}", joinWith(blind, ": reason, ")),
			// The action is AWS's own name for the permission.
			Source: "AWS Service Authorization Reference",
		})
	}
	return out
}

func join(list []diag.ID) string { return joinWith(list, ", ") }

func joinWith(list []diag.ID, by string) string {
	var out []string
	for _, id := range list {
		out = append(out, string(id))
	}
	return strings.Join(out, by)
}

func groupPath(i int) string { return fmt.Sprintf("groups[%d]", i) }
