package amibuild

import (
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// Artifact is one file that an image build downloads.
type Artifact struct {
	// Name of what it is: efa-installer, gdrcopy, script:tools.
	Name string `yaml:"name" weft:"required"`
	// Version of it; empty for a script.
	Version string `yaml:"version"`
	// URL that it comes from, https:// or s3://.
	URL string `yaml:"url" weft:"required"`
	// SHA256 of the file, 64 hex digits.
	SHA256 string `yaml:"sha256"`
}

// source says where the makers of a component publish it. VERSION, ARCH and BUNDLE stand for what differs.
type source struct {
	name string                                // of the artifact
	url  func(version, arch, os string) string // the address without a mirror
}

func at(template string, arch map[string]string) func(string, string, string) string {
	return func(version, architecture, _ string) string {
		name := architecture
		if renamed, ok := arch[architecture]; ok {
			name = renamed
		}
		return strings.NewReplacer("VERSION", version, "ARCH", name).Replace(template)
	}
}

var (
	arm64AsAarch64 = map[string]string{"arm64": "aarch64"}
	arm64AsSBSA    = map[string]string{"arm64": "sbsa"}
)

// sources by kind of component, in the order in which they are needed.
var sources = map[string][]source{
	kindNVIDIA: {
		{name: string(catalog.NVIDIADriver), url: at("https://us.download.nvidia.com/tesla/VERSION/NVIDIA-Linux-ARCH-VERSION.run", arm64AsAarch64)},
		{
			name: string(catalog.FabricManager),
			url: at("https://developer.download.nvidia.com/compute/nvidia-driver/redist/fabricmanager/linux-ARCH/fabricmanager-linux-ARCH-VERSION-archive.tar.xz",
				arm64AsSBSA),
		},
	},
	kindEFA: {{name: string(catalog.EFAInstaller), url: func(version, _, _ string) string {
		return catalog.InstallerRelease{Version: version}.Tarball()
	}}},
	kindGDRCopy:   {{name: string(catalog.GDRCopy), url: at("https://github.com/NVIDIA/gdrcopy/archive/refs/tags/vVERSION.tar.gz", nil)}},
	kindNCCL:      {{name: string(catalog.NCCL), url: at("https://github.com/NVIDIA/nccl/archive/refs/tags/vVERSION.tar.gz", nil)}},
	kindOFI:       {{name: string(catalog.OFIPlugin), url: at("https://github.com/aws/aws-ofi-nccl/releases/download/vVERSION/aws-ofi-nccl-VERSION.tar.gz", nil)}},
	kindNCCLTests: {{name: "nccl-tests", url: at("https://github.com/NVIDIA/nccl-tests/archive/refs/tags/vVERSION.tar.gz", nil)}},
	kindEnroot:    {{name: string(catalog.Enroot), url: enrootPackage("enroot")}, {name: "enroot-caps", url: enrootPackage("enroot+caps")}},
	kindPyxis:     {{name: string(catalog.Pyxis), url: at("https://github.com/NVIDIA/pyxis/archive/refs/tags/vVERSION.tar.gz", nil)}},
}

func enrootPackage(name string) func(version, arch, os string) string {
	return func(version, arch, os string) string {
		base := "https://github.com/NVIDIA/enroot/releases/download/v" + version + "/"
		if debian(os) {
			if arch == "x86_64" {
				arch = "amd64"
			}
			return base + name + "_" + version + "-1_" + arch + ".deb"
		}
		if arch == "arm64" {
			arch = "aarch64"
		}
		return base + name + "-" + version + "-1.el8." + arch + ".rpm"
	}
}

// debian says whether a system, in ParallelCluster's words, takes .deb packages.
func debian(os string) bool { return strings.HasPrefix(os, "ubuntu") }

// cudaURL is the address of a toolkit. The bundle is the driver in the archive's name, and says nothing about the image's driver.
func cudaURL(version, bundle, arch string) string {
	suffix := "linux"
	if arch == "arm64" {
		suffix = "linux_sbsa"
	}
	return "https://developer.download.nvidia.com/compute/cuda/" + version + "/local_installers/cuda_" + version + "_" + bundle + "_" + suffix + ".run"
}

// published gives the SHA-256 that the catalogue knows of an artifact; empty when no source gives it.
func published(name, version string) string {
	if name != string(catalog.EFAInstaller) {
		return ""
	}
	installer, _ := catalog.Installer(version)
	return installer.SHA256
}
