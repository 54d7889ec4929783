package account

import (
	"crypto/sha1" //nolint:gosec // makes ids, protects nothing
	"encoding/hex"
	"fmt"
	"slices"
)

// officialRootSize is the root volume of ParallelCluster's own images in GiB.
const officialRootSize = 45

// osName pairs ParallelCluster's name of an operating system with its part of the image names.
type osName struct{ os, part string }

// release is what the names of one version's official images are made of. Rocky Linux has no official images.
type release struct {
	date    string // end of the names; the dates are made up
	systems []osName
}

// official lists the images that ParallelCluster publishes: its package's OS_TO_IMAGE_NAME_PART_MAP without the
// operating systems that it calls private.
func official() map[string]release {
	since316 := []osName{
		{"alinux2023", "amzn2023-hvm"},
		{"ubuntu2204", "ubuntu-2204-lts-hvm"},
		{"ubuntu2404", "ubuntu-2404-lts-hvm"},
		{"rhel8", "rhel8-hvm"},
		{"rhel9", "rhel9-hvm"},
	}
	since314 := append([]osName{{"alinux2", "amzn2-hvm"}}, since316...)
	since313 := append([]osName{{"ubuntu2004", "ubuntu-2004-lts-hvm"}}, since314...)
	return map[string]release{
		"3.13.2": {"202506261111", since313},
		"3.14.2": {"202602131200", since314},
		"3.15.1": {"202605271200", since314},
		"3.16.1": {"202609081200", since316},
	}
}

// OfficialImages are the images that ParallelCluster publishes for a version, for both architectures. Their ids depend
// on their names only.
func OfficialImages(version string) ([]Image, error) {
	known := official()
	release, ok := known[version]
	if !ok {
		versions := make([]string, 0, len(known))
		for v := range known {
			versions = append(versions, v)
		}
		slices.Sort(versions)
		return nil, fmt.Errorf("no official images are known for ParallelCluster %q, only for %v", version, versions)
	}
	images := make([]Image, 0, 2*len(release.systems))
	for _, system := range release.systems {
		for _, arch := range []string{"x86_64", "arm64"} {
			name := fmt.Sprintf("aws-parallelcluster-%s-%s-%s-%s", version, system.part, arch, release.date)
			images = append(images, Image{
				ID: ImageID(name), Name: name, Owner: "amazon", Architecture: arch, OS: system.os, RootSize: officialRootSize,
			})
		}
	}
	return images, nil
}

// CustomImage is an image of the account as `pcluster build-image` leaves it, tags included.
func CustomImage(name, version, system, arch string) Image {
	return Image{
		ID: ImageID(name), Name: name, Architecture: arch, OS: system, RootSize: officialRootSize,
		Tags: map[string]string{
			"parallelcluster:image_id":     name,
			"parallelcluster:image_name":   name,
			"parallelcluster:version":      version,
			"parallelcluster:build_status": "available",
			"parallelcluster:os":           system,
		},
	}
}

// ImageID makes an image id out of a name: always the same one, of the form that EC2 gives.
func ImageID(name string) string {
	sum := sha1.Sum([]byte(name)) //nolint:gosec // makes ids, protects nothing
	return "ami-0" + hex.EncodeToString(sum[:8])
}
