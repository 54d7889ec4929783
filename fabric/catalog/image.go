package catalog

import "strings"

// Tags that ParallelCluster's build-image puts on an image. Its CustomAmiTagValidator reads the first three.
const (
	TagPrefix        = "parallelcluster:"
	TagVersion       = TagPrefix + "version"
	TagBuildStatus   = TagPrefix + "build_status"
	TagOS            = TagPrefix + "os"
	TagNVIDIAVersion = TagPrefix + "nvidia_version"
	TagBootstrapFile = TagPrefix + "bootstrap_file"
)

// ImageBuildDone is what TagBuildStatus holds on an image that is fit for use.
const ImageBuildDone = "available"

// OfficialImageName begins the names of ParallelCluster's own images; the version follows. The tags of another account's image are not
// visible, so that the name is all that tells.
const OfficialImageName = "aws-parallelcluster-"

// ImageBuilt reports that ParallelCluster built an image, as far as its tags tell.
func ImageBuilt[V any](tags map[string]V) bool {
	for key := range tags {
		if strings.HasPrefix(key, TagPrefix) {
			return true
		}
	}
	return false
}

// ImageVersion is the ParallelCluster version that an image was built for, and where that is written: its tag, or the name of an official
// image. Both are empty where neither tells.
func ImageVersion(tag, name string, official bool) (version, where string) {
	if version := strings.TrimSpace(tag); version != "" {
		return version, "tag " + TagVersion
	}
	if rest, ok := strings.CutPrefix(name, OfficialImageName); ok && official {
		version, _, _ = strings.Cut(rest, "-")
		return version, "its name " + name
	}
	return "", ""
}
