package pcconfig

import (
	"fmt"
	"strings"
	"sync"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// readRelease gives the release whose schema tells about a version: itself, or the read one of the same minor, whose keys
// and policies patch releases have not changed so far.
func readRelease(version string) (string, error) {
	minor, _, _ := cutLast(version, ".")
	near := ""
	for _, r := range catalog.Releases() {
		switch {
		case r.Judged && r.Version == version:
			return version, nil
		case r.Judged && strings.HasPrefix(r.Version, minor+"."):
			near = r.Version
		}
	}
	if near == "" {
		return "", fmt.Errorf("the update policies of ParallelCluster %s are not known", version)
	}
	return near, nil
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// parents holds, for each read release, the keys that have keys below them.
var parents sync.Map // release → map[string]bool

// hasChildren reports whether a key is a section or a list of sections. Others are compared and checked as a whole, even if
// their value is a map, as CustomSlurmSettings is.
func hasChildren(version, schema string) bool {
	release, err := readRelease(version)
	if err != nil {
		return false
	}
	cached, ok := parents.Load(release)
	if !ok {
		cached, _ = parents.LoadOrStore(release, parentsOf(release))
	}
	known := cached.(map[string]bool) //nolint:forcetypeassert // this file alone writes the map
	return known[schema] || known[schema+"[]"]
}

// isList reports whether a section is a list of sections.
func isList(version, schema string) bool {
	return hasChildren(version, schema+"[]")
}

func parentsOf(release string) map[string]bool {
	out := map[string]bool{}
	for _, key := range catalog.Keys(release) {
		if parent, _, ok := cutLast(key, "/"); ok {
			out[parent] = true
		}
	}
	return out
}
