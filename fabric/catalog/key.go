package catalog

import (
	_ "embed" // the key list
	"slices"
	"strings"
	"sync"
)

//go:embed data/pcluster-keys.tsv
var keyFile string

// NoPolicy is the update policy of a key that has none: build-image configurations are never updated.
const NoPolicy = "none"

// keyTable holds, for one part of ParallelCluster's configuration, the update policy of each key by
// release; an absent release lacks the key.
type keyTable map[string]map[string]string

var keyTables = sync.OnceValue(func() map[string]keyTable { return parseKeys(keyFile) })

// HasKey says whether a key stands in the cluster configuration of a ParallelCluster release. Keys are
// paths with [] after lists, "Scheduling/SlurmQueues[]/ComputeResources[]/LaunchTemplateOverrides"; the []
// at the end may be left out.
//
// known tells what the answer rests on: true for releases whose schema was read and for keys whose first or
// last release the release notes name. With known false, has is the answer of a read release of the same
// minor, or false when there is none.
func HasKey(version, path string) (has, known bool) { return hasKey("cluster", version, path) }

// HasImageKey is HasKey for build-image configurations.
func HasImageKey(version, path string) (has, known bool) { return hasKey("image", version, path) }

// UpdatePolicy is ParallelCluster's rule for changing a key of a running cluster, for example
// QUEUE_UPDATE_STRATEGY. False when the release was not read or lacks the key.
func UpdatePolicy(version, path string) (policy string, ok bool) {
	policy, ok = policies("cluster", path)[version]
	return policy, ok
}

// Keys lists the keys of a release's cluster configuration, sorted; nil when its schema was not read.
func Keys(version string) []string {
	var out []string
	for path, policy := range keyTables()["cluster"] {
		if _, ok := policy[version]; ok {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// KeyReleases lists the read releases whose cluster configuration has the key, oldest first.
func KeyReleases(path string) []string {
	var out []string
	for _, r := range releaseTable {
		if _, ok := policies("cluster", path)[r.Version]; ok {
			out = append(out, r.Version)
		}
	}
	return out
}

func hasKey(part, version, path string) (has, known bool) {
	byRelease := policies(part, path)
	if r, ok := ReleaseOf(version); ok && r.Judged {
		_, has = byRelease[version]
		return has, true
	}
	if has, known = boundary(part, version, path); known {
		return has, true
	}
	for _, r := range releaseTable {
		if _, ok := byRelease[r.Version]; ok && minor(r.Version) == minor(version) {
			return true, false
		}
	}
	return false, false
}

// policies finds a key with or without the [] at its end.
func policies(part, path string) map[string]string {
	table := keyTables()[part]
	if p, ok := table[path]; ok {
		return p
	}
	return table[path+"[]"]
}

// keyBoundary is a key whose first or last release the release notes name, so that releases whose schema
// was not read can be told too.
type keyBoundary struct {
	part, prefix string // the key and everything below it
	since, until string // first release with it, first release without it; empty: none
	source       Source
}

var keyBoundaries = []keyBoundary{
	{"cluster", "Scheduling/SlurmQueues[]/ComputeResources[]/LaunchTemplateOverrides", "3.15.0", "", Source{"aws/aws-parallelcluster pull requests 7268, 7277", factsRead}},
	{"cluster", "DevSettings/EfaInterfaceType", "3.15.0", "", Source{"aws/aws-parallelcluster pull request 7262", factsRead}},
	{"cluster", "LoginNodes/Pools[]/Ssh/KeyName", "", "3.15.0", Source{"awslabs/awsome-distributed-ai pull request 1211", factsRead}},
	{"cluster", "Scheduling/AwsBatchQueues[]", "", "3.16.0", Source{"aws/aws-parallelcluster pull request 7394", factsRead}},
	{"cluster", "Scheduling/AwsBatchSettings", "", "3.16.0", Source{"aws/aws-parallelcluster pull request 7394", factsRead}},
}

func boundary(part, version, path string) (has, known bool) {
	at := releaseIndex(version)
	if at < 0 {
		return false, false
	}
	for _, b := range keyBoundaries {
		if b.part != part || (path != b.prefix && !strings.HasPrefix(path, b.prefix+"/")) {
			continue
		}
		if len(policies(part, path)) == 0 {
			return false, false
		}
		return (b.since == "" || at >= releaseIndex(b.since)) && (b.until == "" || at < releaseIndex(b.until)), true
	}
	return false, false
}

func releaseIndex(version string) int {
	return slices.IndexFunc(releaseTable, func(r Release) bool { return r.Version == version })
}

func minor(version string) string {
	i := strings.LastIndexByte(version, '.')
	return version[:max(i, 0)]
}

// parseKeys reads the committed table; a test holds its form, so that a line is taken as it stands.
func parseKeys(file string) map[string]keyTable {
	out := map[string]keyTable{"cluster": {}, "image": {}}
	var releases []string
	for line := range strings.Lines(file) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if strings.HasPrefix(line, "#") {
			releases = cells[2:]
			continue
		}
		byRelease := make(map[string]string, len(releases))
		policy := ""
		for i, cell := range cells[2:] {
			if cell != "=" {
				policy = cell
			}
			if policy != "-" {
				byRelease[releases[i]] = policy
			}
		}
		out[cells[0]][cells[1]] = byRelease
	}
	return out
}
