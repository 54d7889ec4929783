package config

import "reflect"

// defaulter is a part of the config that has values of its own for keys that are not given.
type defaulter interface{ defaults() }

// Defaulter is a part of another package's file (see Read) that has values of its own for keys that are not given.
type Defaulter interface{ Defaults() }

// Default is the cluster of an empty document: every key at its default. It lacks what has none: name, region, groups.
func Default() Cluster {
	var c Cluster
	SetDefaults(&c)
	return c
}

// SetDefaults sets the default of every key that has one in a part of the config (a pointer to Cluster, Group, Offering
// or any other struct of it) and in the sections inside it. Keys of list elements and optional sections are
// not touched: each of them gets its defaults when it is made. The decoder calls it before it reads what is given, so
// that a given zero value, efa: false, stands.
func SetDefaults(part any) { setDefaults(reflect.ValueOf(part).Elem()) }

func setDefaults(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	switch d := v.Addr().Interface().(type) {
	case defaulter:
		d.defaults()
	case Defaulter:
		d.Defaults()
	}
	for i := range v.NumField() {
		setDefaults(v.Field(i))
	}
}

func (c *Cluster) defaults() {
	// The newest release that weft's own tests judge with ParallelCluster's own code.
	c.ParallelCluster = "3.16.1"
	// The system that every supported release has an official image of, for both architectures, with NVIDIA's software.
	c.OS = "ubuntu2204"
}

func (n *NetworkCreate) defaults() {
	// The largest network that a VPC takes: one private subnet in each zone of a group, with room for
	// one address for each interface of each node.
	n.CIDR = "10.0.0.0/16"
	// Without a VPN a head node in a private subnet is reached by Session Manager alone.
	n.HeadSubnet = "public"
}

func (h *HeadNode) defaults() {
	// Slurm's controller and the NFS server of /home for some hundred nodes: 8 vCPUs, 32 GiB. It is x86_64, as all types
	// with NVIDIA GPUs but the Grace ones are; a cluster of arm64 nodes must name an arm64 type.
	h.InstanceType = "m6i.2xlarge"
}

func (p *LoginPool) defaults() {
	// Who writes a pool wants a node in it.
	p.Count = 1
}

func (g *Group) defaults() {
	// One address a node, not one for each card: large nodes have up to 32 cards, and a subnet of 250 addresses
	// would be full with 8 of them. EC2's documentation names this layout first.
	g.Layout = "save-addresses"
	// Off means TCP between nodes, in silence: that must be somebody's decision.
	g.EFA = true
	// ParallelCluster's own default of EphemeralVolume/MountDir.
	g.ScratchMount = "/scratch"
}

func (s *S3Access) defaults() {
	// Data is read where the job runs, and looked at where people work. A narrower grant is asked for by name.
	s.Nodes = []string{"compute", "head", "login"}
}

func (b *Bootstrap) defaults() {
	// 2100 s, ParallelCluster's own default of both since 3.13.
	b.TimeoutMinutes = 35
	b.HeadTimeoutMinutes = 35
	// A node that is wrong and takes jobs costs more than one that stays out: most of its faults are silent.
	b.NodeCheck = "enforce"
}

func (s *Slurm) defaults() {
	// ParallelCluster's own default. Nodes of a block are static and never end by it.
	s.ScaledownIdleMinutes = 10
	// An update waits for jobs. ParallelCluster's own default, COMPUTE_FLEET_STOP, needs the whole fleet stopped for a
	// change of one queue; TERMINATE ends paid work.
	s.QueueUpdateStrategy = "DRAIN"
}

func (m *Monitoring) defaults() {
	// ParallelCluster's own defaults.
	m.LogRetentionDays = 180
	m.Dashboard = true
}

func (w *Workload) defaults() {
	// What asks least of versions: one rank a model, all-reduce only, over NCCL.
	w.Kind = "dense"
	w.TensorParallel = 1
	w.PipelineParallel = 1
	w.ExpertParallel = 1
	w.Dispatcher = "nccl"
}

func (v *Validation) defaults() {
	// EFA falls back to TCP in silence: a cluster that nobody proved counts as broken.
	v.Enabled = true
}

func (e *EBS) defaults() {
	// The newest general purpose type: throughput without provisioning.
	e.VolumeType = "gp3"
}

func (f *FSxLustre) defaults() {
	// The least that FSx sells for a persistent SSD file system; more costs more, so it is asked for by name.
	f.ThroughputMBps = 125
}

func (o *Offering) defaults() {
	// The market quotes fees in US dollars.
	o.Currency = "USD"
}
