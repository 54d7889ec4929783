package installed

import (
	"regexp"
	"strings"
	"sync"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// named maps names of one kind to a component.
type named struct {
	name      *regexp.Regexp
	component catalog.Component
}

func name(pattern string, c catalog.Component) named {
	return named{regexp.MustCompile("^(?:" + pattern + ")$"), c}
}

func componentIn(table []named, text string) (catalog.Component, bool) {
	for _, n := range table {
		if n.name.MatchString(text) {
			return n.component, true
		}
	}
	return "", false
}

// packages are the names of packages of dpkg, rpm and pip. Header, debug and metapackages whose version is another
// one's are left out. The table names no package of the kernel: several are installed side by side, and which one
// runs only uname tells.
var packages = []named{
	name(`libnccl2?|nvidia-nccl(-cu\d+)?`, catalog.NCCL),
	name(`gdrcopy|libgdrapi|gdrdrv-dkms|gdrdrv-kmod|gdrcopy-kmod(-dkms)?`, catalog.GDRCopy),
	name(`libfabric1?(-aws)?`, catalog.Libfabric),
	name(`libnccl-(net-)?ofi(-ngc(-v\d+)?)?|aws-ofi-nccl`, catalog.OFIPlugin),
	name(`efa(-dkms)?`, catalog.EFADriver),
	name(`ena(-dkms)?`, catalog.ENADriver),
	name(`rdma-core`, catalog.RDMACore),
	name(`openmpi(\d+-aws)?`, catalog.OpenMPI),
	name(`nvidia-driver(-\d+)?(-server)?(-open)?|nvidia-open(-\d+)?|cuda-drivers(-\d+)?|nvidia-driver-cuda`, catalog.NVIDIADriver),
	name(`nvidia-dkms-\d+(-server)?(-open)?|nvidia-kernel(-open)?-dkms|kmod-nvidia-(open|latest)-dkms`, catalog.NVIDIADriver),
	name(`cuda(-toolkit|-runtime|-cudart|-nvcc)?(-\d+-\d+)?|nvidia-cuda-(runtime(-cu\d+)?|toolkit)`, catalog.CUDA),
	name(`cuda-compat(-\d+-\d+)?`, catalog.CUDACompat),
	name(`datacenter-gpu-manager(-\d+-(core|cuda\d+))?`, catalog.DCGM),
	name(`(cuda-)?nvidia-fabric-?manager(-\d+)?|cuda-fabric-?manager(-\d+)?`, catalog.FabricManager),
	name(`(nvidia-|lib)?nvshmem\d*(-cuda-\d+|-cu\d+)?`, catalog.NVSHMEM),
	name(`torch`, catalog.PyTorch),
	name(`slurm`, catalog.Slurm),
	name(`enroot`, catalog.Enroot),
}

// openPackages and closedPackages are packages that say which flavour of NVIDIA's kernel modules they build.
var (
	openPackages   = regexp.MustCompile(`^(nvidia-dkms-\d+(-server)?-open|nvidia-kernel-open-dkms|kmod-nvidia-open-dkms)$`)
	closedPackages = regexp.MustCompile(`^(nvidia-dkms-\d+(-server)?|nvidia-kernel-dkms|kmod-nvidia-latest-dkms)$`)
)

// labels are what tables and lists call a component, in the form that labelOf gives. The names of the components
// themselves hold too, and those of packages.
var labels = sync.OnceValue(func() map[string]catalog.Component {
	out := map[string]catalog.Component{
		"driver":              catalog.NVIDIADriver,
		"cuda-driver":         catalog.NVIDIADriver,
		"nvidia-cuda":         catalog.CUDA,
		"default-cuda":        catalog.CUDA,
		"gdr-copy":            catalog.GDRCopy,
		"nccl-version-code":   catalog.NCCL,
		"ofi":                 catalog.OFIPlugin,
		"ofi-nccl":            catalog.OFIPlugin,
		"ofi-plugin":          catalog.OFIPlugin,
		"aws-ofi-nccl-plugin": catalog.OFIPlugin,
		"linux-kernel":        catalog.Kernel,
		"open-mpi":            catalog.OpenMPI,
		"fabric-manager":      catalog.FabricManager,
		"efa-kernel-driver":   catalog.EFADriver,
	}
	for _, c := range catalog.Components() {
		out[string(c)] = c
	}
	return out
})

var labelEnd = regexp.MustCompile(`(-version|-release|:)+$`)

// labelOf is a label in the form of the table: "EFA installer version:" and "efa_installer_version" are
// "efa-installer".
func labelOf(text string) string {
	text = strings.ToLower(strings.Trim(strings.TrimSpace(text), "*`\"'"))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), "-")
	return labelEnd.ReplaceAllString(text, "")
}

// labelled finds the component of a label. A bare "efa" is the installer where the value is one of its releases, as
// in the tables of AWS's images (efa_version), else the kernel driver: the two never had a version in common.
func labelled(text, value string) (catalog.Component, bool) {
	label := labelOf(text)
	if label == "efa" {
		if _, ok := catalog.Installer(value); ok {
			return catalog.EFAInstaller, true
		}
		return catalog.EFADriver, true
	}
	if c, ok := labels()[label]; ok {
		return c, true
	}
	return componentIn(packages, label)
}

// variables are the names of build arguments and environment variables, without what variableEnd takes off.
var variables = []named{
	name(`(AWS_)?EFA(_INSTALLER)?`, catalog.EFAInstaller),
	name(`NCCL(_INSTALL)?`, catalog.NCCL),
	name(`GDR_?COPY`, catalog.GDRCopy),
	name(`(AWS_)?OFI_NCCL(_PLUGIN)?`, catalog.OFIPlugin),
	name(`LIBFABRIC`, catalog.Libfabric),
	name(`RDMA_?CORE`, catalog.RDMACore),
	name(`OPEN_?MPI`, catalog.OpenMPI),
	name(`CUDA`, catalog.CUDA),
	name(`CUDA_DRIVER|CUDA_COMPAT`, catalog.CUDACompat), // NVIDIA's images: the driver that their cuda-compat is from
	name(`NVIDIA_DRIVER`, catalog.NVIDIADriver),
	name(`NVSHMEM`, catalog.NVSHMEM),
	name(`(PY)?TORCH`, catalog.PyTorch),
	name(`DCGM`, catalog.DCGM),
}

var variableEnd = regexp.MustCompile(`_(VERSION|VER|TAG)$`)

// variable finds the component whose version a variable holds.
func variable(text string) (catalog.Component, bool) {
	stem := variableEnd.ReplaceAllString(strings.ToUpper(text), "")
	if len(stem) == len(text) {
		return "", false
	}
	return componentIn(variables, stem)
}
