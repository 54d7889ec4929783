package bootstrap

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// Schema is the version of the facts that this package reads.
const Schema = 1

// Facts is what nodecheck tells of a node. Empty texts and nil numbers were not found. Versions are as the
// component prints them.
type Facts struct {
	Node          NodeFacts
	GPU           GPUFacts
	FabricManager FabricManagerFacts
	EFA           EFAFacts
	Plugins       []PluginFacts
	GDRCopy       GDRCopyFacts
	Memlock       MemlockFacts
	NVMe          NVMeFacts
	Containers    ContainerFacts
	Environment   []EnvironmentFacts
}

// NodeFacts is the line "node", the first one.
type NodeFacts struct {
	Schema       int    `json:"schema"`
	InstanceType string `json:"instanceType"`
	OS           string `json:"os"`        // ID of os-release: ubuntu, amzn, rhel, rocky
	OSVersion    string `json:"osVersion"` // 22.04
	Kernel       string `json:"kernel"`    // of uname -r
	Architecture string `json:"architecture"`
}

// GPUFacts is the line "gpu": NVIDIA GPUs.
type GPUFacts struct {
	PCI     *int   `json:"pci"`     // on the bus, whether a driver is there or not
	SMI     *int   `json:"smi"`     // that nvidia-smi lists
	Error   string `json:"error"`   // of nvidia-smi
	Driver  string `json:"driver"`  // of the loaded kernel module
	Library string `json:"library"` // driver version of nvidia-smi's library
	Flavour string `json:"flavour"` // open or closed kernel module
	CUDA    string `json:"cuda"`    // that the driver supports
	Toolkit string `json:"toolkit"` // in /usr/local/cuda
}

// FabricManagerFacts is the line "fabricManager".
type FabricManagerFacts struct {
	State   string   `json:"state"` // of the service, in systemd's words
	Version string   `json:"version"`
	Fabric  []string `json:"fabric"` // different states of the GPUs' NVLink fabric: Completed, In Progress, N/A
}

// EFAFacts is the line "efa".
type EFAFacts struct {
	Devices   *int   `json:"devices"` // that the efa driver runs
	RDMA      *int   `json:"rdma"`    // of all drivers: p6-b200 shows 10 for 8 EFA devices
	Domains   *int   `json:"domains"` // different domains that fi_info lists for provider efa
	Driver    string `json:"driver"`
	Installer string `json:"installer"`
	Libfabric string `json:"libfabric"`
	Plugin    string `json:"plugin"` // version of the package aws-ofi-nccl
}

// PluginFacts is a line "plugin": a network plugin of NCCL.
type PluginFacts struct {
	File string   `json:"file"`
	GIN  []string `json:"gin"` // interfaces that it exports: ncclGinPlugin_v14
}

// GDRCopyFacts is the line "gdrcopy": GDRCopy and the modules through which the network reads GPU memory.
type GDRCopyFacts struct {
	Package string   `json:"package"`
	Module  string   `json:"module"` // of the file for the running kernel: major and minor version only
	Loaded  string   `json:"loaded"`
	Flavour string   `json:"flavour"` // of the NVIDIA module that it was built for
	Device  bool     `json:"device"`  // /dev/gdrdrv
	Peermem []string `json:"peermem"` // loaded peer-memory modules
}

// MemlockFacts is the line "memlock": limits of locked memory.
type MemlockFacts struct {
	Limits  string `json:"limits"`  // for everybody, in /etc/security
	Slurmd  string `json:"slurmd"`  // of slurmd's unit, which its jobs inherit
	Process string `json:"process"` // of the boot process
}

// NVMeFacts is the line "nvme": local instance storage.
type NVMeFacts struct {
	Devices *int     `json:"devices"`
	Mounts  []string `json:"mounts"` // directories
}

// ContainerFacts is the line "containers".
type ContainerFacts struct {
	Enroot      string   `json:"enroot"`
	Pyxis       string   `json:"pyxis"`       // of its package
	PyxisPlugin string   `json:"pyxisPlugin"` // Slurm's plugin file, whatever brought it
	Docker      string   `json:"docker"`
	Hooks       []string `json:"hooks"` // of Enroot, which change what a container sees
}

// EnvironmentFacts is a line "environment": names, never values, of variables that a file sets and that have to
// do with the network or with CPUs.
type EnvironmentFacts struct {
	File  string   `json:"file"`
	Names []string `json:"names"`
}

// ReadFacts reads the lines of nodecheck. Other lines are passed over, so that a whole boot log may be read; of
// several runs the last counts.
func ReadFacts(r io.Reader) (Facts, error) {
	var f Facts
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if !bytes.HasPrefix(line, []byte(`{"fact":`)) {
			continue
		}
		if err := f.read(line); err != nil {
			return Facts{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return Facts{}, fmt.Errorf("reading facts: %w", err)
	}
	if f.Node.Schema == 0 {
		return Facts{}, errors.New(`no facts: there is no line {"fact":"node", …`)
	}
	return f, nil
}

func (f *Facts) read(line []byte) error {
	var kind struct {
		Fact string `json:"fact"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return fmt.Errorf("reading a fact: %w", err)
	}
	if kind.Fact == "node" {
		*f = Facts{}
	}
	if err := json.Unmarshal(line, f.target(kind.Fact)); err != nil {
		return fmt.Errorf("reading fact %s: %w", kind.Fact, err)
	}
	if f.Node.Schema != Schema {
		return fmt.Errorf("facts of schema %d, this program reads schema %d", f.Node.Schema, Schema)
	}
	return nil
}

// target is where a kind of line goes; a kind that a newer schema 1 has is read for its form only.
func (f *Facts) target(kind string) any {
	switch kind {
	case "plugin":
		f.Plugins = append(f.Plugins, PluginFacts{})
		return &f.Plugins[len(f.Plugins)-1]
	case "environment":
		f.Environment = append(f.Environment, EnvironmentFacts{})
		return &f.Environment[len(f.Environment)-1]
	}
	if target, known := map[string]any{
		"node": &f.Node, "gpu": &f.GPU, "fabricManager": &f.FabricManager, "efa": &f.EFA, "gdrcopy": &f.GDRCopy,
		"memlock": &f.Memlock, "nvme": &f.NVMe, "containers": &f.Containers,
	}[kind]; known {
		return target
	}
	return &map[string]any{}
}

// Installed gives the versions that were found, as the catalogue's judge takes them.
func (f Facts) Installed() map[catalog.Component]string {
	out := map[catalog.Component]string{
		catalog.NVIDIADriver: f.GPU.Driver,
		catalog.CUDA:         f.GPU.Toolkit, // what the driver supports is installed nowhere
		catalog.GDRCopy:      first(f.GDRCopy.Package, f.GDRCopy.Module),
		catalog.EFAInstaller: f.EFA.Installer,
		catalog.EFADriver:    f.EFA.Driver,
		catalog.Libfabric:    f.EFA.Libfabric,
		catalog.OFIPlugin:    f.EFA.Plugin,
		catalog.Kernel:       f.Node.Kernel,
		catalog.Enroot:       f.Containers.Enroot,
		catalog.Pyxis:        f.Containers.Pyxis,
	}
	for c, v := range out {
		if v == "" {
			delete(out, c)
		}
	}
	return out
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
