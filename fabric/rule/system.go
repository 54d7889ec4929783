package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// judgeSystem tells of types that ParallelCluster does not run on the cluster's operating system. Without a version the newest release whose
// package was read tells; a system that the release lacks is another finding.
func judgeSystem(v *view) {
	v.eachResource(func(c clusterResource) {
		release, known := catalog.ReleaseOf(c.cluster.Version.Or(""))
		if !known {
			release = catalog.NewestJudgedRelease()
		}
		os, ok := release.OS(c.cluster.OS.Or(""))
		if !ok {
			return
		}
		for _, value := range c.resource.types().Items {
			name := value.Or("")
			if os.Takes(name) {
				continue
			}
			takes := slices.DeleteFunc(slices.Clone(release.OSes), func(o catalog.OS) bool { return !o.Takes(name) })
			names := make([]string, len(takes))
			for i, o := range takes {
				names[i] = o.Name
			}
			v.add(at(c.Input, value.Path), fmt.Sprintf("%s on %s", name, os.Name), "one of "+strings.Join(names, ", "), "set Image/Os to one of these",
				"ParallelCluster "+release.Version)
		}
	})
}
