package bootstrap

import (
	"maps"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

// environment is the least that a job needs to go over EFA, or to stop if it cannot, and to tell in its log which
// of both. The plugin sets the rest itself for each platform, and a value of the user's would take its place
// (aws/aws-ofi-nccl, src/platform-aws.cpp).
//
// Neither NCCL_NET nor FI_PROVIDER is a guard alone: with the first the plugin takes libfabric's tcp provider,
// with the second NCCL falls back to its own sockets. Together NCCL ends with an error (measured with plugins
// 1.17.3 and 1.21.1).
func environment(p plan.Cluster, g plan.NodeGroup) map[string]string {
	if g.Healthy.Provider == "" {
		return nil
	}
	env := map[string]string{
		"NCCL_DEBUG":        "INFO",
		"NCCL_DEBUG_SUBSYS": "INIT,ENV,NET", // without ENV and INIT the log has no line that proves the network
		"NCCL_NET":          "Libfabric",
		"FI_PROVIDER":       g.Healthy.Provider,
	}
	if g.InstanceType == "p5.4xlarge" { // no GPUDirect RDMA (EC2 User Guide, gpu-instances-started)
		env["FI_HMEM_DISABLE_P2P"] = "1"
	}
	maps.Copy(env, dispatcherEnvironment(p, g))
	return env
}

// dispatcherEnvironment is what the expert-parallel dispatcher wants of a job on the group's nodes.
func dispatcherEnvironment(p plan.Cluster, g plan.NodeGroup) map[string]string {
	w := p.Config.Workload
	d, known := catalog.DispatcherOf(w.Dispatcher)
	if !known || w.Kind != "moe" {
		return nil
	}
	t, _ := catalog.Instance(g.InstanceType)
	if len(d.GPUInitiated) > 0 && !slices.Contains(d.GPUInitiated, t.Family()) {
		return nil
	}
	return d.Env
}

// residue is a setting of another fabric or of an old recipe.
type residue struct {
	pattern string // of the shell, for NAME=VALUE
	effect  string // on EFA, in one clause
}

// residues, the first that fits counts. The effects are those of aws-ofi-nccl's and libfabric's sources and of
// AWS's EFA cheat sheet (awslabs/awsome-distributed-ai, efa-cheatsheet.md).
var residues = []residue{
	{"NCCL_NET=IB*", "NCCL does not start: EC2 has no InfiniBand"},
	{"NCCL_NET=Socket", "NCCL goes over TCP"},
	{"NCCL_NET_PLUGIN=none", "NCCL goes over TCP without a word"},
	{"NCCL_NET_PLUGIN=spcx", "a plugin for another fabric: NCCL goes over TCP without a word"},
	{"FI_PROVIDER=efa", "not needed since aws-ofi-nccl 1.6, and harmless"},
	{"FI_PROVIDER=*", "libfabric takes another provider than EFA"},
	{"NCCL_SOCKET_IFNAME=*", "NCCL does not start where no interface has that name"},
	{"NCCL_IB_*=*", "a setting of InfiniBand, which EFA ignores"},
	{"NCCL_IBEXT_DISABLE=*", "a setting of InfiniBand, which EFA ignores"},
	{"UCX_*=*", "a setting of InfiniBand, which EFA ignores"},
	{"SHARP_*=*", "a setting of InfiniBand, which EFA ignores"},
	{"NCCL_COLLNET_ENABLE=*", "a setting of InfiniBand, which EFA ignores"},
	{"NVSHMEM_HCA_LIST=*", "a setting of InfiniBand, which EFA ignores"},
	{"NVSHMEM_IB*=*", "IBGDA cannot start on EFA"},
	{"RDMAV_*=*", "breaks newer kernels"},
	{"NCCL_ALGO=*", "turns the tuner for this platform off"},
	{"NCCL_PROTO=*", "turns the tuner for this platform off"},
	{"NCCL_TUNER_PLUGIN=*", "turns the tuner for this platform off"},
	{"NCCL_TOPO_FILE=*", "takes the place of the topology that the plugin makes"},
	{"NCCL_NET_GDR_LEVEL=0", "turns GPUDirect RDMA off"},
	{"NCCL_NET_GDR_LEVEL=LOC", "turns GPUDirect RDMA off"},
	{"NCCL_NET_GDR_READ=0", "turns GPUDirect RDMA off"},
	{"NCCL_BUFFSIZE=*", "takes the place of the value for this platform"},
	{"NCCL_P2P_NET_CHUNKSIZE=*", "takes the place of the value for this platform"},
	{"NCCL_NVLS*CHUNKSIZE=*", "takes the place of the value for this platform"},
	{"NCCL_NETDEVS_POLICY=*", "takes the place of the value for this platform"},
	{"NCCL_MIN_NCHANNELS=*", "splits messages until they starve EFA"},
	{"NCCL_NCHANNELS_PER_NET_PEER=*", "splits messages until they starve EFA"},
	{"NCCL_CROSS_NIC=*", "a setting of InfiniBand"},
	{"NCCL_P2P_DISABLE=*", "takes NVLink away"},
	{"NCCL_SHM_DISABLE=*", "takes shared memory away"},
	{"NCCL_SOCKET_NTHREADS=*", "has no effect on EFA"},
	{"NCCL_NSOCKS_PERTHREAD=*", "has no effect on EFA"},
	{"NCCL_FASTRAK_*=*", "a setting of another cloud's fabric"},
	{"OFI_NCCL_PROTOCOL=SENDRECV", "loses the rails of p5 and later"},
	{"OFI_NCCL_DISABLE_*_CHECK=*", "hides a broken GPUDirect path"},
	{"OFI_NCCL_NIC_DUP_CONNS=*", "is refused on platforms with GPUDirect"},
	{"FI_EFA_USE_DEVICE_RDMA=0", "emulates RDMA in software"},
	{"FI_EFA_USE_DEVICE_RDMA=*", "not needed since libfabric 1.18, and fatal on a device without RDMA"},
	{"FI_EFA_FORK_SAFE=*", "the plugin sets it itself"},
	{"FI_EFA_SET_CUDA_SYNC_MEMOPS=*", "works around EFA installers before 1.29.1"},
	{"OMP_NUM_THREADS=1", "one thread a rank, whatever Slurm gives it"},
}
