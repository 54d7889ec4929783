package amibuild

import (
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Recipe is what a user writes about one image.
type Recipe struct {
	// Name of the image and of what builds it: lower case letters, digits and hyphens, a letter first, 60 at most.
	Name string `yaml:"name" weft:"required,eg=p5en-training"`
	// ParallelCluster version that the image is for; the cluster's when left out, so that one place sets the version.
	ParallelCluster string `yaml:"parallelcluster"`
	// OS of the image in ParallelCluster's words; the cluster's when left out.
	OS string `yaml:"os"`
	// Architecture of the image; that of the instance types when left out.
	Architecture string `yaml:"architecture" weft:"oneof=x86_64|arm64"`
	// InstanceTypes that the image must serve beside those of the cluster.
	InstanceTypes []string `yaml:"instanceTypes"`
	// Dispatcher of expert-parallel traffic that the image must serve; the cluster's when left out.
	Dispatcher string `yaml:"dispatcher"`
	// Parent is what the image is built from.
	Parent Parent `yaml:"parent" weft:"required"`
	// Components are installed in this order: kernel, NVIDIA driver, EFA, GDRCopy, then the rest.
	Components []Component `yaml:"components"`
	// Build says where and how the image is built.
	Build Build `yaml:"build"`
	// Tags of the image. The prefixes aws: and parallelcluster: are reserved.
	Tags map[string]string `yaml:"tags" weft:"free"`
}

// Parent is what an image is built from: one of official, dlami and ami.
type Parent struct {
	// Official takes ParallelCluster's own image of the version, system and architecture: it brings NVIDIA software, EFA and GDRCopy.
	Official bool `yaml:"official"`
	// DLAMI is the SSM parameter of a Deep Learning AMI. The lock pins the image that it stood for.
	DLAMI string `yaml:"dlami"`
	// AMI is the id of another image, of a plain operating system say. It must not be an image of another ParallelCluster version.
	AMI string `yaml:"ami" weft:"id=ami"`
	// Holds names versions that the parent brings, by component (efa-installer, nvidia-driver, gdrcopy). Those of official images are known.
	Holds map[string]string `yaml:"holds"`
	// Modules is the flavour of the NVIDIA kernel modules that the parent brings. That of official images is known.
	Modules string `yaml:"modules" weft:"oneof=open|closed"`
}

// Component is one thing that is put on the image. Exactly one of its keys is given.
type Component struct {
	// Kernel is a kernel of the operating system's own packages, held at its version from there on.
	Kernel *Versioned `yaml:"kernel"`
	// NVIDIA driver and Fabric Manager.
	NVIDIA *NVIDIA `yaml:"nvidia"`
	// CUDA toolkit, without a driver.
	CUDA *CUDA `yaml:"cuda"`
	// EFA installer: kernel driver, peer memory, libfabric, Open MPI and, from 1.38.0 on, aws-ofi-nccl.
	EFA *Versioned `yaml:"efa"`
	// GDRCopy, kernel module and library.
	GDRCopy *Versioned `yaml:"gdrcopy"`
	// NCCL, built from source.
	NCCL *Versioned `yaml:"nccl"`
	// OFIPlugin is aws-ofi-nccl, for EFA installers that do not bring it.
	OFIPlugin *Versioned `yaml:"ofiPlugin"`
	// NCCLTests are NVIDIA's nccl-tests, built with MPI.
	NCCLTests *Versioned `yaml:"ncclTests"`
	// Enroot runs containers without a daemon.
	Enroot *Versioned `yaml:"enroot"`
	// Pyxis is Slurm's plugin for Enroot.
	Pyxis *Versioned `yaml:"pyxis"`
	// Script of your own.
	Script *Script `yaml:"script"`
}

// Versioned is a component that its version tells all about.
type Versioned struct {
	// Version as its makers write it.
	Version string `yaml:"version" weft:"required"`
}

// NVIDIA says which driver.
type NVIDIA struct {
	// Driver version. Left out, ParallelCluster installs the driver, CUDA, Fabric Manager, DCGM and GDRCopy of its own release, which
	// build-image leaves out by default.
	Driver string `yaml:"driver"`
	// Modules is the flavour of the kernel modules.
	Modules string `yaml:"modules" weft:"oneof=open|closed"`
}

// Defaults of the keys that are not given.
func (n *NVIDIA) Defaults() {
	// What ParallelCluster's own images have since 3.8.0, and all that newer GPUs take.
	n.Modules = string(catalog.OpenModules)
}

// CUDA says which toolkit.
type CUDA struct {
	// Version of the toolkit.
	Version string `yaml:"version" weft:"required"`
	// Bundle is the driver version in the archive's name. It is part of the name only: the image's driver is another.
	Bundle string `yaml:"bundle" weft:"required"`
}

// Script is a script of the user's own. It is run as root by bash, once, and must be fit for that.
type Script struct {
	// Name of the script.
	Name string `yaml:"name" weft:"required,eg=tools"`
	// File of the script, relative to the recipe.
	File string `yaml:"file"`
	// URL of the script, s3:// or https://; its SHA-256 stands in the lock.
	URL string `yaml:"url"`
	// Minutes it may take.
	Minutes int `yaml:"minutes" weft:"min=1,max=360"`
}

// Defaults of the keys that are not given.
func (s *Script) Defaults() {
	// What most installations stay below.
	s.Minutes = 30
}

// Build says where and how an image is built.
type Build struct {
	// InstanceType of the machine that builds. Left out, one with an NVIDIA GPU of the image's architecture.
	InstanceType string `yaml:"instanceType"`
	// Subnet of the machine; the default VPC when left out.
	Subnet string `yaml:"subnet" weft:"id=subnet"`
	// SecurityGroups of the machine, needed with a subnet.
	SecurityGroups []string `yaml:"securityGroups" weft:"id=sg"`
	// InstanceProfile is the ARN of the machine's profile. Left out, one is made.
	InstanceProfile string `yaml:"instanceProfile"`
	// CleanupRole is the ARN of the role with which ParallelCluster removes what a build leaves. Left out, ParallelCluster
	// makes one, even in a dry run.
	CleanupRole string `yaml:"cleanupRole"`
	// RootVolumeGiB of the image; 0 takes the parent's.
	RootVolumeGiB int `yaml:"rootVolumeGiB" weft:"min=0,max=16384"`
	// KMSKey encrypts the image's volume.
	KMSKey string `yaml:"kmsKey"`
	// UpdatePackages brings the system's packages up to date, the kernel with them, before anything is installed.
	UpdatePackages bool `yaml:"updatePackages"`
	// Scripts is where the scripts of a build-image configuration are put, s3://bucket/prefix.
	Scripts string `yaml:"scripts"`
}

// firstKeys are those without which there is no recipe.
const firstKeys = "name, parent and components"

// Decode reads a recipe from YAML or JSON: every key and value strictly, all faults in one pass. The name is the file's.
func Decode(name string, data []byte) (config.File[Recipe], diag.List) {
	return config.Read[Recipe](name, data, firstKeys)
}

// kinds lists the names of a component's keys that are given, in the order of the type.
func (c Component) kinds() []string {
	var out []string
	for _, k := range []struct {
		name  string
		given bool
	}{
		{kindKernel, c.Kernel != nil},
		{kindNVIDIA, c.NVIDIA != nil},
		{kindCUDA, c.CUDA != nil},
		{kindEFA, c.EFA != nil},
		{kindGDRCopy, c.GDRCopy != nil},
		{kindNCCL, c.NCCL != nil},
		{kindOFI, c.OFIPlugin != nil},
		{kindNCCLTests, c.NCCLTests != nil},
		{kindEnroot, c.Enroot != nil},
		{kindPyxis, c.Pyxis != nil},
		{kindScript, c.Script != nil},
	} {
		if k.given {
			out = append(out, k.name)
		}
	}
	return out
}

// The kinds of components, by their keys.
const (
	kindKernel    = "kernel"
	kindNVIDIA    = "nvidia"
	kindCUDA      = "cuda"
	kindEFA       = "efa"
	kindGDRCopy   = "gdrcopy"
	kindNCCL      = "nccl"
	kindOFI       = "ofiPlugin"
	kindNCCLTests = "ncclTests"
	kindEnroot    = "enroot"
	kindPyxis     = "pyxis"
	kindScript    = "script"
)
