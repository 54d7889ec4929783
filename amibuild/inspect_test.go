package amibuild_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
)

// goodTags are what an image of ParallelCluster 3.16.1 for p5en carries.
func goodTags() map[string]string {
	return map[string]string{
		"parallelcluster:version": "3.16.1", "parallelcluster:build_status": "available", "parallelcluster:os": "ubuntu2204",
		"parallelcluster:nvidia_version": "595.71.05", "parallelcluster:cuda_version": "13.2.2", "parallelcluster:efa_version": "3.3.0-1.amzn1",
	}
}

// describeImages is what EC2 answers for one image.
func describeImages(architecture, state string, tags map[string]string) []byte {
	var list []string
	for key, value := range tags {
		list = append(list, fmt.Sprintf(`{"Key": %q, "Value": %q}`, key, value))
	}
	return fmt.Appendf(nil, `{"Images": [{"ImageId": "ami-0a1b2c3d4e5f60000", "Name": "mine", "State": %q, "Architecture": %q, "Tags": [%s]}]}`, state, architecture, strings.Join(list, ","))
}

const rebuild = "weft ami render image.yaml --cluster cluster.yaml"

func TestCheckExisting(t *testing.T) {
	type tags map[string]string
	for name, c := range map[string]struct {
		change tags // an empty value removes the tag
		arch   string
		state  string
		target amibuild.Target
		want   []string
	}{
		"fits": {},
		"another version": {change: tags{"parallelcluster:version": "3.14.2"}, want: []string{"error ami/pcluster-version: an image of ParallelCluster 3.14.2 | 3.16.1, as the cluster says | " +
			"an image can't be lifted to another version; build it anew on a parent of 3.16.1: " + rebuild}},
		"a longer version": {change: tags{"parallelcluster:version": "3.16.10"}, want: []string{"error ami/pcluster-version: an image of ParallelCluster 3.16.10 | 3.16.1, as the cluster says | " +
			"an image can't be lifted to another version; build it anew on a parent of 3.16.1: " + rebuild}},
		"no version": {change: tags{"parallelcluster:version": ""}, want: []string{"warn ami/pcluster-version: no tag parallelcluster:version | 3.16.1, as the cluster says | " +
			"tags do not travel to another account; where nobody knows what built the image, build it anew: " + rebuild}},
		"failed build": {change: tags{"parallelcluster:build_status": "failed"}, want: []string{`error ami/build-status: "failed" in tag parallelcluster:build_status | "available" | its build did not end well: build it anew: ` + rebuild}},
		"no status":    {change: tags{"parallelcluster:build_status": ""}, want: []string{`error ami/build-status: no tag parallelcluster:build_status | "available" | its build did not end well: build it anew: ` + rebuild}},
		"pending":      {state: "pending", want: []string{"error ami/build-status: an image that is pending | available | wait for it, or build it anew: " + rebuild}},
		"another system": {change: tags{"parallelcluster:os": "alinux2023"}, want: []string{"error ami/os: an image of alinux2023 | ubuntu2204, as the cluster says | " +
			"set os to alinux2023, or build an image of ubuntu2204: " + rebuild}},
		"no system":            {change: tags{"parallelcluster:os": ""}, want: []string{"warn ami/os: no tag parallelcluster:os | ubuntu2204 in that tag | see to it that the image holds ubuntu2204"}},
		"another architecture": {arch: "arm64", want: []string{"error ami/architecture: an image for arm64 | x86_64 for group train, p5en.48xlarge | name an image of that architecture"}},
		"no driver": {change: tags{"parallelcluster:nvidia_version": ""}, want: []string{"error ami/nvidia-missing: no version in tag parallelcluster:nvidia_version | the NVIDIA driver that group train, p5en.48xlarge needs | " +
			"add - nvidia: {} to the recipe (build-image leaves NVIDIA software out by default) and build the image anew: " + rebuild}},
		"old driver": {change: tags{"parallelcluster:nvidia_version": "535.54.03", "parallelcluster:cuda_version": "12.2.0"}, want: []string{"error ver/floor: nvidia-driver 535.54.03 | nvidia-driver 550 or later (p5en) | " +
			"install nvidia-driver 550 or later; change the recipe and build the image anew: " + rebuild}},
		"driver and EFA": {change: tags{"parallelcluster:efa_version": "2.17.2-1"}, want: []string{"error ver/pair: nvidia-driver 595.71.05 with efa-driver 2.17.2-1 | efa-driver >= 2.17.3 where nvidia-driver >= 580: " +
			"older EFA drivers have no peer-to-peer with NVIDIA drivers from 580 on: GPUDirect RDMA is lost | install efa-driver 2.17.3 or later; change the recipe and build the image anew: " + rebuild}},
		"weft's own tags": {change: tags{"weft:efa-installer": "1.47.0"}, want: []string{"error ver/denied: efa-installer 1.47.0 | not efa-installer 1.47.0 up to, not with, 1.49.0: its aws-ofi-nccl (1.18.0, and 1.19.0 before the fix) " +
			"hangs on large broadcasts between nodes | install efa-installer 1.49.0 or later; change the recipe and build the image anew: " + rebuild}},
		"unreadable": {change: tags{"parallelcluster:nvidia_version": "newest"}, want: []string{`error ver/unreadable: nvidia-driver "newest": unreadable version "newest": it does not begin with a number | a version of a known form, for example 2.31.2-1 | ` +
			"give the version as the package or the program itself prints it; change the recipe and build the image anew: " + rebuild}},
	} {
		t.Run(name, func(t *testing.T) {
			all := goodTags()
			for key, value := range c.change {
				all[key] = value
				if value == "" {
					delete(all, key)
				}
			}
			images, found := amibuild.ReadExisting("tags.json", describeImages(orText(c.arch, "x86_64"), orText(c.state, "available"), all))
			require.Empty(t, found)
			require.Len(t, images, 1)
			var got []string
			for _, f := range images[0].Check(target("3.16.1", "ubuntu2204", "p5en.48xlarge"), rebuild) {
				require.Equal(t, "ami-0a1b2c3d4e5f60000", f.Place.Resource)
				got = append(got, fmt.Sprintf("%s %s: %s | %s | %s", f.Level, f.Rule, f.Got, f.Want, f.Hint))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func orText(s, without string) string {
	if s == "" {
		return without
	}
	return s
}

func TestReadPclusterDescribeImage(t *testing.T) {
	images, found := amibuild.ReadExisting("image.json", []byte(`{
	  "imageId": "p5en-training", "version": "3.14.2", "imageBuildStatus": "BUILD_COMPLETE",
	  "ec2AmiInfo": {"amiId": "ami-01234567", "amiName": "p5en-training 2026-11-30", "architecture": "x86_64", "state": "AVAILABLE",
	    "tags": [{"key": "parallelcluster:build_status", "value": "available"}]}}`))
	require.Empty(t, found)
	require.Equal(t, amibuild.Existing{
		ID: "ami-01234567", Name: "p5en-training 2026-11-30", State: "available", Architecture: "x86_64",
		Tags: map[string]string{"parallelcluster:build_status": "available", "parallelcluster:version": "3.14.2"},
	}, images[0])
	require.Equal(t, "3.14.2", images[0].PclusterVersion())
}

func TestUnreadableImages(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "a file that is no JSON object: unexpected end of JSON input",
		"[]":                           "a file that is no JSON object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage",
		`{"Images": []}`:               "no image",
		`{"Reservations": []}`:         "no image",
		`{"Images": [{"ImageId": 3}]}`: "images that can't be read: json: cannot unmarshal number into Go struct field .Images.ImageId of type string",
		`{"imageId": "a", "imageBuildStatus": "BUILD_FAILED"}`: "image a without an AMI: its build is BUILD_FAILED",
	} {
		images, found := amibuild.ReadExisting("tags.json", []byte(text))
		require.Empty(t, images, text)
		require.Len(t, found, 1, text)
		require.Equal(t, want, found[0].Got)
		require.Equal(t, "tags.json", found[0].Place.File)
	}
}

// The tags that a build puts on are those that a check reads: an image that was built for a cluster is one that it can use.
func TestBuiltImagesPassTheirCheck(t *testing.T) {
	for _, name := range situations {
		r := situation(t, name)
		r.Lock = lock(t, read(t, name, amibuild.LockFile))
		i, found := amibuild.New(r)
		require.False(t, found.Failed())
		images, found := amibuild.ReadExisting("tags.json", describeImages(i.Architecture, "available", i.AMITags()))
		require.Empty(t, found)
		for _, instanceType := range r.Recipe.Value.InstanceTypes {
			cluster := target(i.ParallelCluster, i.OS, instanceType)
			require.Empty(t, show(images[0].Check(cluster, rebuild)), name)
			next := images[0].Check(target("3.16.3", i.OS, instanceType), rebuild)
			require.Equal(t, []string{"error ami/pcluster-version "}, rules(next), "the next version needs an image of its own")
		}
	}
}

func TestCheckParent(t *testing.T) {
	i := planEverything(t)
	for name, c := range map[string]struct {
		image amibuild.Existing
		want  []string
	}{
		"plain":           {image: amibuild.Existing{ID: "ami-1", Architecture: "x86_64", State: "available"}},
		"same version":    {image: amibuild.Existing{ID: "ami-1", Architecture: "x86_64", Name: "aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64-202609"}},
		"another version": {image: amibuild.Existing{ID: "ami-1", Tags: map[string]string{"parallelcluster:version": "3.14.2"}}, want: []string{"error ami/pcluster-version "}},
		"official of another version": {
			image: amibuild.Existing{ID: "ami-1", Name: "aws-parallelcluster-3.15.1-ubuntu-2204-lts-hvm-x86_64-202605"}, want: []string{"error ami/pcluster-version "},
		},
		"another architecture": {image: amibuild.Existing{ID: "ami-1", Architecture: "arm64"}, want: []string{"error ami/architecture "}},
		"pending":              {image: amibuild.Existing{ID: "ami-1", State: "pending"}, want: []string{"error ami/parent "}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, rules(c.image.CheckParent(i))) })
	}
}
