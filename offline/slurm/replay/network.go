package replay

import (
	"fmt"
	"strings"
	"time"
)

// connect prints what NCCL 2.31 with aws-ofi-nccl 1.21.1 says while a communicator is made, and gives the exit code of a rank whose
// network does not start.
func (r rank) connect() int {
	r.info("Bootstrap: Using enp71s0:10.0.1.%d<0>", 10+r.Rank/r.PerNode)
	r.info("cudaDriverVersion 13020")
	r.info("NCCL version 2.31.2+cuda13.2")
	r.echo()
	network := r.plugin()
	if network == "" {
		return 3
	}
	if r.brokenPeer() {
		// A peer has left: NCCL waits for it, and Slurm ends the step when the peer's exit code reaches it.
		time.Sleep(time.Minute)
		return 6
	}
	r.info("Initialized NET plugin %s", network)
	r.info("Assigned NET plugin %s to comm", network)
	r.info("Using network %s", network)
	r.gin()
	r.info("comm 0x55d0f2aa1c60 rank %d nRanks %d nNodes %d localRanks %d localRank %d MNNVL 0", r.Rank, r.Ranks, len(r.Hosts), r.PerNode, r.Local)
	r.affinity()
	r.info("NET/OFI Region base Tuner is chosen for platform: %s", r.Type.Name)
	r.channels(network)
	r.info("Connected all rings, use ring PXN 0 GDR 1")
	r.info("ncclCommInitRankConfig comm 0x55d0f2aa1c60 rank %d nranks %d cudaDev %d nvmlDev %d busId %d commId 0x4b1b0a2c9f55d3e1 - Init COMPLETE",
		r.Rank, r.Ranks, r.Local, r.Local, 53000+r.Local)
	return 0
}

// echo repeats the settings that NCCL found in its environment.
func (r rank) echo() {
	for _, name := range []string{"NCCL_NET", "NCCL_NET_PLUGIN", "NCCL_GIN_TYPE", "NCCL_IB_HCA", "NCCL_IB_DISABLE", "NCCL_PROTO", "NCCL_ALGO"} {
		if v := r.env(name); v != "" {
			r.info("%s set by environment to %s.", name, v)
		}
	}
}

// plugin prints how the network plugin starts, and gives the network that NCCL takes; empty where it has none.
func (r rank) plugin() string {
	if _, missing := r.has(NoPlugin, r.Host); missing {
		r.info("NET/Plugin: Could not find: libnccl-net.so")
		return r.fallBack()
	}
	r.info("NET/Plugin: Loaded net plugin Libfabric (v12)")
	r.info("NET/OFI Initializing aws-ofi-nccl 1.21.1")
	r.info("NET/OFI Using Libfabric version 2.6")
	r.info("NET/OFI Using CUDA driver version 13020 with runtime 13020")
	r.info("NET/OFI Plugin selected platform: AWS")
	r.info("NET/OFI Configuring AWS-specific options")
	r.info("NET/OFI Setting provider_filter to efa")
	r.info("NET/OFI Internode latency set at 35.0 us")
	r.info("NET/OFI Using transport protocol RDMA (platform set)")
	if _, none := r.has(NoDevices, r.Host); none {
		return r.withoutDevices()
	}
	r.info("NET/OFI Selected provider is efa, fabric is efa-direct (found %d nics)", r.nics())
	r.info("NET/OFI Support for global registrations: true")
	r.info("NET/OFI Support for DMA-BUF registrations: true")
	r.info("NET/OFI Adding NCCL_BUFFSIZE=8388608 to environment")
	return "Libfabric"
}

func (r rank) withoutDevices() string {
	r.info("NET/OFI No eligible providers were found")
	r.warn("int nccl_net_ofi_create_plugin(nccl_net_ofi_plugin_t**):278", "NET/OFI Failed to initialize rdma protocol")
	r.warn("int nccl_net_ofi_create_plugin(nccl_net_ofi_plugin_t**):418", "NET/OFI aws-ofi-nccl initialization failed")
	r.warn("ncclResult_t nccl_net_ofi_init(ncclDebugLogger_t):79", "NET/OFI Initializing plugin failed")
	r.info("Failed to initialize NET plugin Libfabric")
	return r.fallBack()
}

// fallBack is what NCCL does without the plugin's network: it takes sockets, unless NCCL_NET names the plugin's.
func (r rank) fallBack() string {
	r.info("NET/IB : No device found.")
	r.info("NET/Socket : Using [0]enp71s0:10.0.1.%d<0>", 10+r.Rank/r.PerNode)
	if r.network {
		r.warn("plugin/net.cc:306", "Failed to initialize any NET plugin")
		return ""
	}
	return "Socket"
}

func (r rank) nics() int {
	if f, ok := r.has(TooFewNICs, r.Host); ok {
		return f.NICs
	}
	return r.Type.MaxEFA
}

// brokenPeer reports that another rank of the step leaves with an error while this one starts well.
func (r rank) brokenPeer() bool {
	for _, host := range r.Hosts {
		_, none := r.has(NoDevices, host)
		_, missing := r.has(NoPlugin, host)
		if (none || missing) && r.network && host != r.Host {
			return true
		}
	}
	return false
}

// affinity prints the CPUs of the rank's process as NCCL does. What a lab's node claims is more than the machine has, so the list is
// made from what Slurm allocated.
func (r rank) affinity() {
	half := r.Type.VCPUs / 2
	gpu := fmt.Sprintf("0-%d,%d-%d", half/2-1, half, half+half/2-1)
	if r.Local >= r.PerNode/2 {
		gpu = fmt.Sprintf("%d-%d,%d-%d", half/2, half-1, half+half/2, 2*half-1)
	}
	first := r.Local * r.CPUs
	cpus := fmt.Sprintf("%d-%d", first, first+r.CPUs-1)
	if r.CPUs == 1 {
		cpus = fmt.Sprint(first)
	}
	r.info("ncclTopoGetCpuAffinity: Affinity for GPU %d is %s. (GPU affinity = %s ; CPU affinity = %s).", r.Local, cpus, gpu, cpus)
}

// channels prints the roads of a ring: to the next rank of the node by NVLink, and between nodes over the network, one NIC for each GPU.
func (r rank) channels(network string) {
	road := "NET/Socket/0"
	for c := range 2 {
		next := (r.Rank/r.PerNode)*r.PerNode + (r.Local+1)%r.PerNode
		r.info("Channel %02d/0 : %d[%d] -> %d[%d] via P2P/CUMEM", c, r.Rank, r.Local, next, next%r.PerNode)
		if len(r.Hosts) < 2 {
			continue
		}
		if network != "Socket" {
			road = fmt.Sprintf("NET/%s/%d/GDRDMA", network, (r.Local*2+c)%max(1, r.nics()))
		}
		ahead, behind := (r.Rank+r.PerNode)%r.Ranks, (r.Rank-r.PerNode+r.Ranks)%r.Ranks
		r.info("Channel %02d/0 : %d[%d] -> %d[%d] [receive] via %s", c, behind, r.Local, r.Rank, r.Local, road)
		r.info("Channel %02d/0 : %d[%d] -> %d[%d] [send] via %s", c, r.Rank, r.Local, ahead, r.Local, road)
	}
}

// gin prints which road GPU-initiated traffic takes, where it is asked for.
func (r rank) gin() {
	if !strings.HasPrefix(r.Program, "deepep-v2") {
		return
	}
	if _, proxy := r.has(Proxy, r.Host); proxy || r.env("NCCL_GIN_TYPE") != "5" {
		r.info("GIN/Plugin: Skipping external proxy plugin Libfabric index 0; using NCCL GIN proxy over RMA backend Libfabric")
		r.info("GIN/Plugin: Assigned plugin GIN_PROXY type 2 to comm")
		r.info("GIN Proxy will not be using GDRCopy")
		return
	}
	r.info("GIN/Plugin: Loaded gin plugin Libfabric_GDAKI (v14)")
	r.info("NET/OFI gin: Initializing")
	r.info("GIN/Plugin: Assigned plugin Libfabric_GDAKI type 5 to comm")
	r.info("NET/OFI gin GDAKI: createContext done (nranks=%d rank=%d nSignals=33 nCounters=1 nContexts=2 num_rails=2 effective_rails=1)", r.Ranks, r.Rank)
}
