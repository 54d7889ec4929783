package preflight_test

import (
	"testing"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
)

const atImage = "image.ami " + ami + ": "

func image(edit func(*preflight.Image)) func(*preflight.Observed) {
	return func(o *preflight.Observed) { edit(&o.Images[0]) }
}

func tag(key, value string) func(*preflight.Observed) {
	return image(func(i *preflight.Image) { i.Tags["parallelcluster:"+key] = value })
}

func untag(key string) func(*preflight.Observed) {
	return image(func(i *preflight.Image) { delete(i.Tags, "parallelcluster:"+key) })
}

func TestImageVersion(t *testing.T) {
	official := func(name string, amazon bool) func(*preflight.Observed) {
		return image(func(i *preflight.Image) { i.Tags, i.Name, i.Amazon = nil, name, amazon })
	}
	const unknown = "warn ami/pcluster-version " + atImage + ami + " has no parallelcluster: tag | an image that ParallelCluster 3.16.1 built"
	judge(t, map[string]row{
		"another version": {
			world: tag("version", "3.14.2"),
			want:  []string{"error ami/pcluster-version " + atImage + ami + " is of ParallelCluster 3.14.2 (tag parallelcluster:version) | 3.16.1, as parallelcluster says"},
		},
		"a version that begins alike": {
			world: tag("version", "3.16.10"),
			want:  []string{"error ami/pcluster-version " + atImage + ami + " is of ParallelCluster 3.16.10 (tag parallelcluster:version) | 3.16.1, as parallelcluster says"},
		},
		"no version tag": {
			world: untag("version"),
			want:  []string{"error ami/pcluster-version " + atImage + ami + " has ParallelCluster's tags, but none parallelcluster:version | 3.16.1 in that tag"},
		},
		"not of ParallelCluster":           {world: image(func(i *preflight.Image) { i.Tags = map[string]string{"team": "ml"} }), want: []string{unknown}},
		"the official one, tags invisible": {world: official("aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64-202609", true)},
		"the official one of another version": {
			world: official("aws-parallelcluster-3.15.1-ubuntu-2204-lts-hvm-x86_64-202605", true),
			want: []string{"error ami/pcluster-version " + atImage + ami + " is of ParallelCluster 3.15.1 (its name aws-parallelcluster-3.15.1-ubuntu-2204-lts-hvm-x86_64-202605)" +
				" | 3.16.1, as parallelcluster says"},
		},
		"one that only bears the name": {world: official("aws-parallelcluster-3.16.1-mine", false), want: []string{unknown}},
		"each group's own": {
			config: func(c *config.Cluster) { c.Groups[0].Image = &config.Image{AMI: "ami-0aaaaaaaaaaaaaaa2"} },
			world: func(o *preflight.Observed) {
				own := healthy().Images[0]
				own.ID, own.Tags["parallelcluster:version"] = "ami-0aaaaaaaaaaaaaaa2", "3.15.1"
				o.Images = append(o.Images, own)
			},
			want: []string{"error ami/pcluster-version groups[0].image.ami ami-0aaaaaaaaaaaaaaa2: ami-0aaaaaaaaaaaaaaa2 is of ParallelCluster 3.15.1 (tag parallelcluster:version)" +
				" | 3.16.1, as parallelcluster says"},
		},
	})
}

func TestBuildStatus(t *testing.T) {
	judge(t, map[string]row{
		"no tag": {
			world: untag("build_status"),
			want:  []string{"error ami/build-status " + atImage + ami + " has tag parallelcluster:version and none parallelcluster:build_status | available in that tag"},
		},
		"not available": {
			world: tag("build_status", "pending"),
			want:  []string{"error ami/build-status " + atImage + ami + ` has "pending" in tag parallelcluster:build_status | "available"`},
		},
		"disabled": {
			world: image(func(i *preflight.Image) { i.State = "disabled" }),
			want:  []string{"error ami/build-status " + atImage + ami + " is disabled | available"},
		},
	})
}

func TestImageOS(t *testing.T) {
	judge(t, map[string]row{
		"another system": {
			world: tag("os", "alinux2023"),
			want:  []string{"error ami/os " + atImage + ami + " holds alinux2023 (tag parallelcluster:os) | ubuntu2204, as os says"},
		},
		"no tag": {world: untag("os"), want: []string{"warn ami/os " + atImage + ami + " has no tag parallelcluster:os | ubuntu2204 in that tag"}},
	})
}

func TestArchitecture(t *testing.T) {
	judge(t, map[string]row{
		"another": {
			world: image(func(i *preflight.Image) { i.Architecture = "arm64" }),
			want:  []string{"error ami/architecture " + atImage + ami + " is for arm64 | x86_64, the architecture of the head node, group train"},
		},
	})
}

func TestNVIDIA(t *testing.T) {
	trainium := func(c *config.Cluster) { c.Groups[0].InstanceType = "trn1.32xlarge" }
	judge(t, map[string]row{
		"no tag":    {world: untag("nvidia_version"), want: []string{"error ami/nvidia-missing " + atImage + ami + " names no version in tag parallelcluster:nvidia_version | the NVIDIA driver that group train needs"}},
		"empty tag": {world: tag("nvidia_version", " "), want: []string{"error ami/nvidia-missing " + atImage + ami + " names no version in tag parallelcluster:nvidia_version | the NVIDIA driver that group train needs"}},
		"no GPUs":   {config: trainium, world: all(untag("nvidia_version"), reservation(func(r *preflight.Reservation) { r.Type = "trn1.32xlarge" }))},
	})
}
