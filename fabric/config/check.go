package config

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/diag"
)

// check is one rule over several keys of a config. A check sees only sound values and reports by path.
type check struct {
	name  string
	says  string
	judge func(*view)
}

// checks are all rules over several keys, and those over one key that a tag can't say. They judge what the config says
// by itself; what depends on instance types, versions or the account is judged later.
var checks = []check{
	{"region/name", "a Region is named by its code", (*view).regionName},
	{"network/one", "a network is either made or existing", (*view).networkOne},
	{"network/cidr", "the VPC's range is a private IPv4 prefix of 16 to 20 bits", (*view).networkCIDR},
	{"network/head-groups", "head node security groups come with those of the compute nodes", (*view).networkHeadGroups},
	{"head/allowed-ips", "SSH sources are CIDRs or prefix lists", (*view).headAllowedIPs},
	{"name/unique", "groups, pools and file systems have names of their own", (*view).namesUnique},
	{"group/place", "a group has a zone where the network is made, a subnet where it exists", (*view).groupPlace},
	{"zone/region", "a zone lies in the Region", (*view).zones},
	{"instance/form", "an instance type is a family and a size", (*view).instanceTypes},
	{"group/count", "minCount is at most count, and not given with a block", (*view).groupCount},
	{"group/scratch", "the scratch directory is free to mount on", (*view).groupScratch},
	{"capacity/one", "a group has one kind of capacity", (*view).capacityOne},
	{"capacity/block", "a block is bought or to be bought", (*view).blockOne},
	{"capacity/id", "reservations and offerings have ids of their kind", (*view).capacityIDs},
	{"offering/price", "the fee is within the confirmed price", (*view).offeringPrice},
	{"offering/duration", "the duration is one that the market sells, and ends at 11:30 UTC", (*view).offeringDuration},
	{"offering/currency", "a currency is three capital letters", (*view).offeringCurrency},
	{"purchase/offering", "only an offering is bought", (*view).purchaseOffering},
	{"purchase/budget", "the fee is within the budget", (*view).purchaseBudget},
	{"image/one", "an image comes from one place", (*view).imageOne},
	{"storage/one", "a file system is of one kind", (*view).storageOne},
	{"storage/mount", "mount directories are absolute, free, and not inside each other", (*view).storageMounts},
	{"storage/existing", "an existing file system takes no settings of a new one", (*view).storageExisting},
	{"storage/capacity", "FSx for Lustre has a size that is sold", (*view).storageCapacity},
	{"storage/link", "links to buckets name a directory and a bucket", (*view).storageLinks},
	{"storage/limit", "file systems stay within ParallelCluster's numbers", (*view).storageLimits},
	{"s3/bucket", "buckets have names of S3, prefixes end with *", (*view).s3Buckets},
	{"s3/nodes", "a grant names nodes", (*view).s3Nodes},
	{string(diag.BootURL), "scripts come by s3:// or https://", (*view).bootURLs},
	{string(diag.BootChecksum), "scripts are pinned", (*view).bootChecksums},
	{"gdrcopy/version", "the archive of GDRCopy has a version", (*view).gdrcopyVersion},
	{string(diag.BootTimeout), "scripts end within the bootstrap timeout", (*view).bootTimeouts},
	{"tag/form", "tags are within AWS's limits", (*view).tagForms},
	{"arn/form", "policies and secrets are named by ARN", (*view).arnForms},
	{"iam/prefix", "the resource prefix is a path", (*view).iamPrefix},
	{"guard/requeue", "jobs move to a queue that outlives the block", (*view).guardRequeue},
	{"guard/length", "a block is longer than its end", (*view).guardLength},
	{"slurm/database", "the database is host:port", (*view).slurmDatabase},
	{"rule/override", "overrides name rules, with reasons where they lower", (*view).ruleOverrides},
	{"rule/skip", "skipped checks are ones of the preflight, with reasons", (*view).preflightSkips},
}

func judge(v *view) {
	for _, c := range checks {
		c.judge(v)
	}
}

// view is a decoded cluster as checks see it.
type view struct {
	cluster *Cluster
	walker  *walker
}

// given says whether a path stands in the document, readable or not.
func (v *view) given(path string) bool {
	if _, ok := v.walker.positions[path]; ok {
		return true
	}
	_, ok := v.walker.unsound[path]
	return ok
}

// sound says whether the values at all paths can be relied on.
func (v *view) sound(paths ...string) bool {
	return v.walker.sound(paths...)
}

func (v *view) report(rule diag.ID, path, got, want, hint string) {
	v.reportFrom("", rule, path, got, want, hint)
}

// reportFrom reports with the document that says so.
func (v *view) reportFrom(source string, rule diag.ID, path, got, want, hint string) {
	v.walker.found.Add(diag.Finding{Rule: rule, Place: diag.Place{Path: path}, Got: got, Want: want, Hint: hint, Source: source})
}

// choice is one of several keys of a section that exclude each other.
type choice struct {
	key string
	set bool
}

// chosen lists the keys that are given, in their order. A given key that could not be read counts: somebody meant it.
func (v *view) chosen(section string, choices ...choice) []string {
	var out []string
	for _, c := range choices {
		path := child(section, c.key)
		if c.set || v.given(path) && !v.sound(path) {
			out = append(out, c.key)
		}
	}
	return out
}

// exclusive reports more than one given key, at the second.
func (v *view) exclusive(section, want string, given []string) {
	if len(given) < 2 {
		return
	}
	v.report(diag.ConfigConflict, child(section, given[1]), fmt.Sprintf("%s beside %s", given[1], given[0]), want, "keep one of "+oneOf(given))
}

// each hands out the paths of a list's elements.
func each[T any](section string, list []T, use func(path string, value *T)) {
	for i := range list {
		use(item(section, i), &list[i])
	}
}
