package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A row that another one hides, a clause that is missing or a name that nobody reads are slips of the pen.
func TestVariableTable(t *testing.T) {
	for i, v := range variableTable {
		require.NotEmpty(t, v.Does, v.Name)
		require.NotEmpty(t, v.Effect, v.Name)
		require.NotEmpty(t, v.Origin, v.Name)
		require.NotEmpty(t, v.Source.Ref, v.Name)
		requireDay(t, v.Source.Date)
		require.Equal(t, v.Effect == Useful, v.Instead == "", "%s: a way out, where one is needed", v.Name)
		for _, earlier := range variableTable[:i] {
			hides := matches(earlier.Name, v.Name) && len(earlier.Values) == 0 && len(earlier.Since) == 0 && len(earlier.Types) == 0
			require.False(t, hides, "%s %v is hidden by %s", v.Name, v.Values, earlier.Name)
		}
		if program, judged := ReadBy(v.Name); judged {
			require.NotEmpty(t, program, v.Name)
		}
	}
}

// The public table of what residue does on EFA, row by row.
func TestVariableEffects(t *testing.T) {
	for _, c := range []struct {
		setting string
		effect  Effect
		origin  Origin
	}{
		{"NCCL_NET=IB", Fatal, OfInfiniBand},
		{"NCCL_NET=Socket", Fatal, OfFallback},
		{"NCCL_NET=Libfabric", Useful, OfEFA},
		{"NCCL_NET=AWS Libfabric", Useful, OfEFA},
		{"NCCL_NET=OFI", Useful, OfEFA},
		{"NCCL_NET=made-up", Fatal, OfEFA},
		{"NCCL_NET_PLUGIN=none", Fatal, OfFallback},
		{"NCCL_NET_PLUGIN=ofi", Useful, OfEFA},
		{"NCCL_NET_PLUGIN=aws-ofi", Useful, OfEFA},
		{"NCCL_NET_PLUGIN=/opt/amazon/ofi-nccl/lib/libnccl-net-ofi.so", Useful, OfEFA},
		{"NCCL_NET_PLUGIN=foo,ofi", Useful, OfEFA},
		{"NCCL_NET_PLUGIN=foo", Harmful, OfEFA},
		{"NCCL_NET_PLUGIN=spcx", Fatal, OfFallback},
		{"NCCL_TUNER_PLUGIN=other", Remove, OfEFA},
		{"NCCL_TUNER_PLUGIN=libnccl-ofi-tuner.so", Useful, OfEFA},
		{"LD_LIBRARY_PATH=/opt/hpcx/nccl_rdma_sharp_plugin/lib:/opt/amazon/ofi-nccl/lib", Fatal, OfInfiniBand},
		{"NCCL_IB_HCA=mlx5_0", Remove, OfInfiniBand},
		{"NCCL_IB_GID_INDEX=3", Remove, OfInfiniBand},
		{"NCCL_IB_TC=106", Remove, OfInfiniBand},
		{"NCCL_IB_PCI_RELAXED_ORDERING=1", Remove, OfInfiniBand},
		{"NCCL_IB_DISABLE=1", Remove, OfInfiniBand},
		{"NCCL_SOCKET_IFNAME=ib0", Fatal, OfInfiniBand},
		{"NCCL_SOCKET_IFNAME=bond0", Fatal, OfInfiniBand},
		{"NCCL_SOCKET_IFNAME=mlx5_0", Fatal, OfInfiniBand},
		{"NCCL_SOCKET_IFNAME=^docker,lo,veth,eth", Harmful, OfEFA},
		{"NCCL_SOCKET_IFNAME=^lo,docker", Useful, OfEFA},
		{"NCCL_SOCKET_IFNAME=en,eth", Useful, OfEFA},
		{"NCCL_SOCKET_IFNAME=wlan0", Situational, OfEFA},
		{"NCCL_ALGO=Ring", Harmful, OfEFA},
		{"NCCL_PROTO=simple", Harmful, OfEFA},
		{"NCCL_BUFFSIZE=1", Remove, OfEFA},
		{"NCCL_P2P_NET_CHUNKSIZE=1", Remove, OfEFA},
		{"NCCL_NVLS_CHUNKSIZE=1", Remove, OfEFA},
		{"NCCL_NVLSTREE_MAX_CHUNKSIZE=1", Remove, OfEFA},
		{"NCCL_NETDEVS_POLICY=auto", Remove, OfEFA},
		{"NCCL_NET_FORCE_FLUSH=1", Remove, OfEFA},
		{"NCCL_MIN_NCHANNELS=32", Remove, OfEFA},
		{"NCCL_NCHANNELS_PER_NET_PEER=4", Remove, OfEFA},
		{"NCCL_CROSS_NIC=1", Remove, OfEFA},
		{"NCCL_NET_GDR_LEVEL=0", Harmful, OfEFA},
		{"NCCL_NET_GDR_LEVEL=LOC", Harmful, OfEFA},
		{"NCCL_NET_GDR_LEVEL=PHB", Situational, OfEFA},
		{"NCCL_NET_GDR_READ=0", Harmful, OfEFA},
		{"NCCL_P2P_DISABLE=1", Harmful, OfEFA},
		{"NCCL_SHM_DISABLE=1", Harmful, OfEFA},
		{"NCCL_TOPO_FILE=/opt/p5.xml", Remove, OfEFA},
		{"NCCL_SOCKET_NTHREADS=8", Obsolete, OfEFA},
		{"NCCL_NSOCKS_PERTHREAD=8", Obsolete, OfEFA},
		{"FI_PROVIDER=efa", Obsolete, OfEFA},
		{"FI_PROVIDER=verbs", Fatal, OfFallback},
		{"FI_PROVIDER=tcp", Fatal, OfFallback},
		{"FI_PROVIDER=^efa", Fatal, OfFallback},
		{"FI_PROVIDER=^tcp", Situational, OfEFA},
		{"FI_EFA_USE_DEVICE_RDMA=1", Obsolete, OfEFA},
		{"FI_EFA_USE_DEVICE_RDMA=0", Harmful, OfEFA},
		{"FI_EFA_FORK_SAFE=1", Obsolete, OfEFA},
		{"FI_EFA_USE_HUGE_PAGE=0", Situational, OfEFA},
		{"FI_EFA_SET_CUDA_SYNC_MEMOPS=0", Obsolete, OfEFA},
		{"FI_EFA_ENABLE_SHM_TRANSFER=0", Situational, OfEFA},
		{"RDMAV_FORK_SAFE=1", Harmful, OfEFA},
		{"RDMAV_HUGEPAGES_SAFE=1", Harmful, OfEFA},
		{"OFI_NCCL_PROTOCOL=SENDRECV", Harmful, OfEFA},
		{"OFI_NCCL_DISABLE_GDR_REQUIRED_CHECK=1", Harmful, OfFallback},
		{"OFI_NCCL_DISABLE_NATIVE_RDMA_CHECK=1", Harmful, OfFallback},
		{"OFI_NCCL_NIC_DUP_CONNS=4", Fatal, OfEFA},
		{"OFI_NCCL_TUNER_TYPE=INTERNAL", Remove, OfEFA},
		{"OFI_NCCL_FORCE_NUM_RAILS=2", Remove, OfEFA},
		{"OFI_NCCL_EAGER_MAX_SIZE=-1", Remove, OfEFA},
		{"OFI_NCCL_ENDPOINT_PER_COMM=1", Obsolete, OfEFA},
		{"OFI_NCCL_RDMA_MAX_POSTED_BOUNCE_BUFFERS=1", Obsolete, OfEFA},
		{"OFI_NCCL_ABORT_ON_ERROR=1", Useful, OfEFA},
		{"NCCL_IBEXT_DISABLE=1", Remove, OfInfiniBand},
		{"NCCL_NVLS_ENABLE=0", Situational, OfEFA},
		{"NCCL_TREE_THRESHOLD=0", Situational, OfEFA},
		{"OFI_NCCL_GDR_FLUSH_DISABLE=1", Situational, OfEFA},
		{"FI_EFA_TX_MIN_CREDITS=64", Situational, OfEFA},
		{"NCCL_FASTRAK_CTRL_DEV=eth0", Remove, OfOtherCloud},
		{"LD_LIBRARY_PATH=/usr/local/tcpxo/lib64", Remove, OfOtherCloud},
		{"UCX_TLS=rc", Remove, OfInfiniBand},
		{"NVSHMEM_HCA_LIST=mlx5_0", Remove, OfInfiniBand},
		{"NVSHMEM_IB_GID_INDEX=3", Remove, OfInfiniBand},
		{"NVSHMEM_IBGDA_NIC_HANDLER=gpu", Remove, OfInfiniBand},
		{"NVSHMEM_IB_ENABLE_IBGDA=1", Fatal, OfInfiniBand},
		{"SHARP_COLL_LOG_LEVEL=3", Remove, OfInfiniBand},
		{"NCCL_COLLNET_ENABLE=1", Remove, OfInfiniBand},
	} {
		name, value, _ := strings.Cut(c.setting, "=")
		v, ok := VariableOf(name, value, Surroundings{})
		require.True(t, ok, c.setting)
		require.Equal(t, []any{c.effect, c.origin}, []any{v.Effect, v.Origin}, c.setting)
	}
	for _, free := range []string{"NCCL_NVLS_ENABLE=1", "NCCL_DEBUG_FILE=/tmp/x", "LD_LIBRARY_PATH=/usr/lib", "PATH=/bin", "GLOO_SOCKET_IFNAME=eth0"} {
		name, value, _ := strings.Cut(free, "=")
		_, ok := VariableOf(name, value, Surroundings{})
		require.False(t, ok, free)
	}
}

func TestVariableOfUnknown(t *testing.T) {
	for name, want := range map[string][2]bool{ // decides, ok
		"NCCL_IB_HCA": {false, true}, "NCCL_IB_DISABLE": {false, true}, "NCCL_NET": {true, false}, "FI_PROVIDER": {true, false}, "NCCL_DEBUG": {false, true},
		"NCCL_NET_GDR_LEVEL": {false, false}, "PATH": {false, false}, "NCCL_ALGO": {false, true},
	} {
		_, decides, ok := VariableOfUnknown(name, Surroundings{})
		require.Equal(t, want, [2]bool{decides, ok}, name)
	}
}

func TestReadBy(t *testing.T) {
	for name, want := range map[string]string{
		"NCCL_BUFFSIZE": "NCCL", "NCCL_BUFFERSIZE": "", "OFI_NCCL_PROTOCOL": "aws-ofi-nccl", "FI_EFA_USE_DEVICE_RDMA": "libfabric", "FI_EFA_IFACE": "libfabric",
		"FI_EFA_NOT_THERE": "", "NCCL_TESTS_SPLIT_MASK": "nccl-tests", "NCCL_ASYNC_ERROR_HANDLING": "PyTorch", "FI_LOG_LEVEL": "libfabric", "FI_LOGLEVEL": "",
	} {
		program, judged := ReadBy(name)
		require.True(t, judged, name)
		require.Equal(t, want, program, name)
	}
	for _, other := range []string{"PATH", "FI_TCP_IFACE", "UCX_TLS", "FIRST", "NCCLX"} {
		_, judged := ReadBy(other)
		require.False(t, judged, other)
	}
	require.Equal(t, "NCCL_BUFFSIZE", NearestVariable("NCCL_BUFFERSIZE"))
	require.Equal(t, "FI_EFA_USE_DEVICE_RDMA", NearestVariable("FI_EFA_USE_DEVICE_RMDA"))
}

func TestPluginSets(t *testing.T) {
	require.True(t, PluginSets("NCCL_BUFFSIZE", "8388608", "p5.48xlarge"))
	require.True(t, PluginSets("NCCL_NETDEVS_POLICY", "max:1", ""))
	require.False(t, PluginSets("NCCL_NETDEVS_POLICY", "max:1", "p6-b300.48xlarge"))
	require.False(t, PluginSets("NCCL_BUFFSIZE", "1", ""))
	for _, p := range PluginSettings() {
		_, judged := ReadBy(p.Name)
		require.True(t, judged, p.Name)
		for _, name := range p.Types {
			require.True(t, isFamily(name), name)
		}
	}
}

func isFamily(name string) bool {
	for _, t := range instanceTable {
		if t.Name == name || family(t.Name) == name {
			return true
		}
	}
	return name == "g7e"
}

func TestJobEnvironment(t *testing.T) {
	env := JobEnvironment("p5.48xlarge", "efa")
	require.Equal(t, map[string]string{"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,NET", "NCCL_NET": "Libfabric", "FI_PROVIDER": "efa"}, env)
	require.Equal(t, "1", JobEnvironment("p5.4xlarge", "efa")["FI_HMEM_DISABLE_P2P"])
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"IB*", "ibext", true},
		{"*a*b*", "xaxbx", true},
		{"*a*b*", "xbxax", false},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"*", "", true},
		{"", "", true},
		{"", "x", false},
		{"^*efa*", "^tcp,efa", true},
		{"NCCL_NVLS*_CHUNKSIZE", "NCCL_NVLSTREE_MAX_CHUNKSIZE", true},
	} {
		require.Equal(t, c.want, matches(c.pattern, c.text), "%s %s", c.pattern, c.text)
	}
}

func TestSlurm(t *testing.T) {
	for version, want := range map[string][2]bool{ // inherits, known
		"21.08.8": {true, true}, "22.05": {false, true}, "23.02.7": {false, true}, "23.11.0": {true, true}, "25.11.8": {true, true}, "": {true, false}, "new": {true, false},
	} {
		inherits, known, _ := SrunInherits(version)
		require.Equal(t, want, [2]bool{inherits, known}, version)
	}
	require.Equal(t, "25.11.8", SlurmOf("3.16.1"))
	require.Empty(t, SlurmOf("3.14.1"))
}

func TestPlacementAndSwitches(t *testing.T) {
	for name, want := range map[string][2]bool{"t3.large": {false, true}, "p5.48xlarge": {true, true}, "x9.large": {true, false}} {
		takes, known, _ := ClusterPlacement(name)
		require.Equal(t, want, [2]bool{takes, known}, name)
	}
	for name, want := range map[string]bool{"p5.48xlarge": true, "p4d.24xlarge": true, "p5.4xlarge": false, "g6e.48xlarge": false, "trn1.32xlarge": false} {
		switched, _ := NVSwitched(name)
		require.Equal(t, want, switched, name)
	}
	kernel, _ := DMABufKernel()
	require.Equal(t, "5.12", kernel)
}

func FuzzVariableOf(f *testing.F) {
	f.Add("NCCL_SOCKET_IFNAME", "^a,b,=c")
	f.Add("LD_LIBRARY_PATH", "::/opt/hpcx:")
	f.Fuzz(func(t *testing.T, name, value string) {
		v, ok := VariableOf(name, value, Surroundings{})
		require.Equal(t, ok, v.Name != "")
		_, _, _ = VariableOfUnknown(name, Surroundings{})
		_, _ = ReadBy(name)
	})
}
