package catalog

// InstanceType is what EC2 says about one instance type, as far as EFA clusters need it.
// Numbers come from a DescribeInstanceTypes answer; what EC2 does not answer comes from dated notes.
type InstanceType struct {
	Name         string      // p5en.48xlarge
	Architecture string      // x86_64 or arm64
	VCPUs        int         // default vCPUs
	Cores        int         // default physical cores; 0 where EC2's answer was not read
	MemoryMiB    int         // main memory
	Accelerator  Accelerator // what computes; zero value for a type without one
	Cards        []Card      // network cards by index
	MaxEFA       int         // EFA interfaces at most; 0: the type takes no EFA
	NVMeGB       int         // local instance storage in all
	UsageClasses []string    // on-demand, spot, capacity-block
	Strategies   []string    // placement strategies: cluster, partition, spread

	EFA                EFA       // bandwidth and kind of the fabric
	UltraServer        string    // UltraServer types this instance is part of, for example "u-p6e-gb200x36"; else empty
	Blocks             BlockKind // how capacity blocks offer the type
	SaveAddressesCards []int     // cards that carry an EFA interface when AWS recommends a subset (p6e-gb200); nil: every card that takes EFA

	// IPCards are the further cards that carry a plain interface, on device 1, in the most-bandwidth layout.
	// Nil where AWS publishes none: then every further card that takes two interfaces does, unverified.
	IPCards []int

	Unverified []string // names of fields that no source settled; such a value is never shown as a fact
	Source     Source
}

// Accelerator is the GPUs or Neuron devices of a node.
type Accelerator struct {
	Kind      string // gpu or neuron
	Maker     string // NVIDIA, AWS, ...
	Name      string // H200
	Count     int    // devices in one node
	MemoryMiB int    // of one device
}

// Card is one network card.
type Card struct {
	Index         int
	MaxInterfaces int     // interfaces that the card takes; 0: unverified
	BaselineGbps  float64 // as EC2 answers, both directions the same
	PeakGbps      float64
	Types         []string // interface types it takes: interface, efa, efa-only
}

// EFA is what is known of a type's EFA fabric.
type EFA struct {
	Generation  int     // 1 to 4; 0 where no source says
	Gbps        float64 // all EFA interfaces of a node together
	GDRRequired bool    // aws-ofi-nccl refuses to run the type without GPUDirect RDMA
	RDMAWrite   bool    // the device writes by RDMA (Nitro v4 and later)
}

// BlockKind says how capacity blocks offer a type.
type BlockKind string

// The kinds of capacity block offers.
const (
	NoBlocks          BlockKind = ""            // not offered
	InstanceBlocks    BlockKind = "instance"    // 1 to 64 instances
	UltraServerBlocks BlockKind = "ultraserver" // whole UltraServers only
	BothBlocks        BlockKind = "instance,ultraserver"
)

// Source says where a row comes from and when it was read.
type Source struct {
	Ref  string // document, repository path or recorded answer
	Date string // 2026-11-30
}
