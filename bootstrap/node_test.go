package bootstrap_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
)

const testKernel = "6.8.0-1021-aws"

// system is an operating system as the scripts see it.
type system struct {
	release string // os-release
	kernel  string
	deb     bool
	service string
}

var (
	ubuntu = system{"ID=ubuntu\nVERSION_ID=\"22.04\"\nID_LIKE=debian\n", testKernel, true, "gdrdrv"}
	al2023 = system{"ID=\"amzn\"\nVERSION_ID=\"2023\"\nID_LIKE=\"fedora\"\n", "6.12.41-63.109.amzn2023.x86_64", false, "gdrcopy"}
	rhel9  = system{"ID=\"rhel\"\nVERSION_ID=\"9.6\"\nID_LIKE=\"fedora\"\n", "5.14.0-570.12.1.el9_6.x86_64", false, "gdrcopy"}
)

// packages is where the stand-ins of dpkg and rpm keep what is installed.
func (s system) packages() string {
	return map[bool]string{true: "var/lib/dpkg", false: "var/lib/rpm"}[s.deb]
}

// plugin is where the EFA installer puts NCCL's network plugin.
func (s system) plugin() string {
	return map[bool]string{true: "opt/amazon/ofi-nccl/lib/x86_64-linux-gnu", false: "opt/amazon/ofi-nccl/lib64"}[s.deb] + "/libnccl-net-ofi.so"
}

func (s system) libfabric() string {
	return map[bool]string{true: "opt/amazon/efa/lib", false: "opt/amazon/efa/lib64"}[s.deb] + "/libfabric.so.1"
}

// boot makes a node with one GPU, the open driver, its sources, headers and all tools; no GDRCopy.
func (s *sandbox) boot(os system) {
	s.writeAll("etc/os-release", os.release)
	s.write("proc/sys/kernel/osrelease", os.kernel)
	s.write("proc/sys/kernel/arch", "x86_64")
	s.write("sys/bus/pci/devices/0000:00:03.0/vendor", "0x1d0f")
	s.write("sys/bus/pci/devices/0000:00:03.0/class", "0x020000")
	s.write("sys/bus/pci/devices/0000:53:00.0/vendor", "0x10de")
	s.write("sys/bus/pci/devices/0000:53:00.0/class", "0x030200")
	s.driver("open", "580.126.20")
	s.write("usr/src/nvidia-580.126.20/nvidia/nv-p2p.c", "")
	s.write("lib/modules/"+os.kernel+"/build/Makefile", "")
	s.tools("dkms", "make", "gcc", "rmmod", "curl", "aws", "gdrcopy_sanity")
	if os.deb {
		s.tools("dpkg-query", "apt-get", "debuild")
	} else {
		s.tools("rpm", "dnf", "rpmbuild")
	}
}

// driver loads an NVIDIA module.
func (s *sandbox) driver(flavour, version string) {
	name := "NVIDIA UNIX x86_64 Kernel Module"
	if flavour == "open" {
		name = "NVIDIA UNIX Open Kernel Module for x86_64"
	}
	s.write("proc/driver/nvidia/version", fmt.Sprintf("NVRM version: %s  %s  Release Build  (dvs-builder)", name, version))
}

// installed puts GDRCopy on the node: package, the module's file, and what of it is loaded.
func (s *sandbox) installed(os system, pkg, file, loaded string) {
	if pkg != "" {
		name := map[bool]string{true: "gdrdrv-dkms", false: "gdrcopy-kmod"}[os.deb]
		s.write(os.packages()+"/"+name, pkg)
		s.write("etc/systemd/"+os.service+"/unit", "")
	}
	if file != "" {
		s.module(os.kernel, "gdrdrv", file, "opensource")
	}
	if loaded != "" {
		s.write("sys/module/gdrdrv/version", loaded)
		s.write("sys/module/gdrdrv/srcversion", "SRC"+loaded)
		s.write("dev/gdrdrv", "")
	}
}

func (s *sandbox) module(kernel, name, version, flavour string) {
	info := "lib/modules/" + kernel + "/info/" + name
	s.write(info+"/version", version)
	s.write(info+"/srcversion", "SRC"+version)
	s.write(info+"/description", "GDRCopy kernel-mode driver built for "+flavour+" NVIDIA driver")
	s.write("lib/modules/"+kernel+"/updates/dkms/"+name+".ko", "")
}

// archive puts a .tar.gz where curl and aws find it, and pins it.
func (s *sandbox) archive(files map[string]string) bootstrap.Archive {
	s.t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	t := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		require.NoError(s.t, t.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(files[name]))}))
		_, err := t.Write([]byte(files[name]))
		require.NoError(s.t, err)
	}
	require.NoError(s.t, t.Close())
	require.NoError(s.t, zip.Close())
	s.writeAll("fake/archive", b.String())
	sum := sha256.Sum256(b.Bytes())
	return bootstrap.Archive{Version: "2.5.1", URL: "https://mirror.example.com/gdrcopy.tar.gz", SHA256: hex.EncodeToString(sum[:])}
}

func debs() map[string]string {
	return map[string]string{"gdrcopy/gdrdrv-dkms_2.5.1-1_amd64.Ubuntu22_04.deb": "", "gdrcopy/libgdrapi_2.5.1-1_amd64.Ubuntu22_04.deb": ""}
}

func rpms() map[string]string {
	return map[string]string{"gdrcopy-kmod-2.5.1-1dkms.el9.noarch.rpm": "", "gdrcopy-2.5.1-1.el9.x86_64.rpm": "", "gdrcopy-2.5.1-1.el9.src.rpm": ""}
}

// upstream is GDRCopy's own source archive, as far as its recipe for packages.
func upstream() map[string]string {
	const recipe = "gdrcopy-2.5.1/packages/build-deb-packages.sh"
	return map[string]string{recipe: "#!/bin/bash\n[ -n \"$CUDA\" ] || exit 1\ndebuild\n: >gdrdrv-dkms_2.5.1-1_amd64.Ubuntu22_04.deb\n"}
}
