package nccl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/evidence"
)

const host = "n1:10:40 [0] NCCL INFO "

// node reads a log of one node.
func node(t *testing.T, text string) evidence.NodePath {
	t.Helper()
	path := readText(t, text)
	require.Len(t, path.Nodes, 1)
	n := path.Nodes[0]
	n.Host, n.First = "", nil
	return n
}

func TestChannels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]evidence.Channels{
		"Channel 00/0 : 0[101c0] -> 8[101c0] [send] via NET/AWS Libfabric/0/GDRDMA":    {Net: 1, Libfabric: 1, GDR: 1},
		"Channel 00/0 : 8[101c0] -> 0[101c0] [receive] via NET/AWS Libfabric/0":        {Net: 1, Libfabric: 1},
		"Channel 00 : 8[101c0] -> 0[101c0] [receive] via NET/OFI/0/GDRDMA":             {Net: 1, Libfabric: 1, GDR: 1},
		"Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA":                {Net: 1, Libfabric: 1, GDR: 1},
		"Channel 05/0 : 1[1] -> 9[1] [send] via NET/Libfabric/1(0)/GDRDMA":             {Net: 1, Libfabric: 1, GDR: 1},
		"Channel 05/0 : 1[1] -> 9[1] [send] via NET/Libfabric/1(0)/GDRDMA(PCI)/Shared": {Net: 1, Libfabric: 1, GDR: 1},
		"Channel 05/0 : 1[1] -> 9[1] [send] via NET/Libfabric/1/Shared":                {Net: 1, Libfabric: 1},
		"Channel 05/0 : 1[1] -> 9[1] [send] via NET/libfabric/1/GDRDMA ":               {Net: 1, Libfabric: 1, GDR: 1},
		"Channel 00/0 : 1[1] -> 0[0] [receive] via NET/Socket/0":                       {Net: 1, Socket: 1},
		"Channel 00/0 : 1[1] -> 0[0] [receive] via NET/Socket/0/Shared":                {Net: 1, Socket: 1},
		"Channel 00/0 : 1[1] -> 0[0] [receive] via NET/IB/0/GDRDMA":                    {Net: 1, IB: 1},
		"Channel 00/0 : 1[1] -> 0[0] [receive] via NET/IBext_v8/0/GDRDMA":              {Net: 1, IB: 1},
		"Channel 00/0 : 1[1] -> 0[0] [receive] via NET/FasTrak/0":                      {Net: 1, Other: 1},
		"Channel 00/0 : 0[0] -> 8[0] [send] via COLLNET/SHARP/0/GDRDMA":                {Net: 1, Other: 1},
		"Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM":                                    {Local: 1},
		"Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM/read":                               {Local: 1},
		"Channel 00/0 : 1[1b0] -> 0[1a0] via P2P/IPC":                                  {Local: 1},
		"Channel 01 : 0[0] -> 1[1] via SHM/direct/direct":                              {Local: 1},
		"Channel 01 : 0[0] -> 1[1] via direct shared memory":                           {Local: 1},
		"Channel 00/24 : 0 1":              {},
		"Channel 00/02 :    0   1   2   3": {},
	} {
		got := node(t, host+text+"\n")
		require.Equal(t, evidence.NodePath{Channels: want}, got, text)
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]evidence.NodePath{
		"NET/OFI Selected Provider is efa":                                       {Providers: map[string]int{"efa": 1}},
		"NET/OFI Selected Provider is efa (found 4 nics)":                        {Providers: map[string]int{"efa": 1}, NICs: []int{4}},
		"NET/OFI Selected Provider is tcp;ofi_rxm (found 1 nics)":                {Providers: map[string]int{"tcp;ofi_rxm": 1}, NICs: []int{1}},
		"NET/OFI Selected provider is efa, fabric is efa (found 4 nics)":         {Providers: map[string]int{"efa": 1}, NICs: []int{4}, Fabric: "efa"},
		"NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)": {Providers: map[string]int{"efa": 1}, NICs: []int{16}, Fabric: "efa-direct"},
		"NET/OFI Selected provider is EFA, fabric is efa-direct (found 0 nics)":  {Providers: map[string]int{"EFA": 1}, NICs: []int{0}, Fabric: "efa-direct"},
	} {
		require.Equal(t, want, node(t, host+text+"\n"), text)
	}
	require.Equal(t, []int{15, 16}, node(t, host+"NET/OFI Selected Provider is efa (found 16 nics)\n"+
		host+"NET/OFI Selected Provider is efa (found 15 nics)\n"+host+"NET/OFI Selected Provider is efa (found 16 nics)\n").NICs)
}

func TestNodes(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for text, want := range map[string]evidence.NodePath{
		"Using network Socket":                                 {Networks: map[string]int{"Socket": 1}},
		"Using network AWS Libfabric":                          {Networks: map[string]int{"AWS Libfabric": 1}},
		"Bootstrap : Using eth0:10.0.0.1<0>":                   {Bootstrap: "eth0"},
		"Bootstrap: Using enp71s0:10.0.0.1<0>":                 {Bootstrap: "enp71s0"},
		"NET/OFI Using transport protocol SENDRECV":            {Transport: "SENDRECV"},
		"NET/OFI Using transport protocol RDMA (platform set)": {Transport: "RDMA"},
		"NET/OFI Support for DMA-BUF registrations: true":      {DMABuf: &yes},
		"NET/OFI Support for DMA-BUF registrations: false":     {DMABuf: &no},
		"ncclTopoGetCpuAffinity: Affinity for GPU 0 is empty, ignoring. (GPU affinity =  ; CPU affinity = 0-31).": {CPUs: "0-31"},
		"Setting affinity for GPU 0 to ffff,ffffffff":                                                             {CPUs: "ffff,ffffffff"},
	} {
		require.Equal(t, want, node(t, host+text+"\n"), text)
	}
	require.Equal(t, "0; 1", node(t, host+"ncclTopoGetCpuAffinity: x (GPU affinity =  ; CPU affinity = 0).\n"+
		host+"ncclTopoGetCpuAffinity: x (GPU affinity =  ; CPU affinity = 1).\n").CPUs)
}

func TestWholeLog(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]evidence.Path{
		"NCCL version 2.18.5+cuda12.2\n":                                                            {NCCL: "2.18.5+cuda12.2", Lines: 1},
		host + "NCCL version 2.28.3+cuda13.0\n":                                                     {NCCL: "2.28.3+cuda13.0", Lines: 1},
		host + "NET/OFI Using aws-ofi-nccl 1.4.0aws\n":                                              {Plugin: "1.4.0aws", Lines: 1},
		host + "NET/OFI Initializing aws-ofi-nccl 1.7.4-aws\n":                                      {Plugin: "1.7.4-aws", Lines: 1},
		host + "NET/OFI Using Libfabric version 2.6\n":                                              {Libfabric: "2.6", Lines: 1},
		host + "NET/OFI Plugin selected platform: AWS\n":                                            {Platform: "AWS", Lines: 1},
		host + "comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n":              {Ranks: 16, NNodes: 2, Lines: 1},
		host + "comm 0x1 rank 0 nranks 16 cudaDev 0 nvmlDev 0 busId 53000 - Init COMPLETE\n":        {Ranks: 16, Lines: 1},
		host + "ncclCommInitRankConfig comm 0x1 rank 0 nranks 8 cudaDev 0 nvmlDev 0 - Init START\n": {Ranks: 8, Lines: 1},
	} {
		got := readText(t, text)
		got.Nodes = nil
		require.Equal(t, want, got, text)
	}
	largest := readText(t, host+"comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n"+
		host+"comm 0x2 rank 0 nRanks 2 nNodes 1 localRanks 2 localRank 0 MNNVL 0\n"+
		host+"comm 0x1 rank 0 nranks 16 cudaDev 0 - Init COMPLETE\n")
	require.Equal(t, [2]int{16, 2}, [2]int{largest.Ranks, largest.NNodes})
	require.Equal(t, "p5.48xlarge", readText(t, host+"NET/OFI Plugin selected platform: AWS\n"+
		host+"NET/OFI Running on p5.48xlarge platform, Setting NCCL_TOPO_FILE environment variable to /x.xml\n").Platform)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	type short struct{ name, value, by string }
	for text, want := range map[string][]short{
		"NCCL_NET set by environment to Libfabric.":                         {{"NCCL_NET", "Libfabric", "environment"}},
		"NCCL_IB_HCA set to mlx5_0,mlx5_1":                                  {{"NCCL_IB_HCA", "mlx5_0,mlx5_1", "environment"}},
		"NCCL_DEBUG set by config file to WARN":                             {{"NCCL_DEBUG", "WARN", "file"}},
		"NET/OFI Adding NCCL_BUFFSIZE=8388608 to environment":               {{"NCCL_BUFFSIZE", "8388608", "plugin"}},
		"NET/OFI Adding NCCL_NETDEVS_POLICY=max:1 to environment":           {{"NCCL_NETDEVS_POLICY", "max:1", "plugin"}},
		"NET/OFI Skipping adding NCCL_BUFFSIZE to environment, already set": {{"NCCL_BUFFSIZE", "", "plugin, overridden"}},
		"NET/OFI Setting FI_EFA_FORK_SAFE environment variable to 1":        {{"FI_EFA_FORK_SAFE", "1", "plugin"}},
		"NET/OFI Setting NCCL_NET_FORCE_FLUSH=0 for Hopper GPUs":            {{"NCCL_NET_FORCE_FLUSH", "0", "plugin"}},
		"NET/OFI Setting NCCL_NVLS_CHUNKSIZE to 512KiB":                     {{"NCCL_NVLS_CHUNKSIZE", "512KiB", "plugin"}},
		"NET/OFI Setting provider_filter to efa":                            nil,
		"NET/OFI Adding AWS_SECRET_ACCESS_KEY=abc to environment":           nil,
		"NCCL_secret set by environment to x":                               nil,
		"NCCL_DEBUG_FILE set by environment to /home/alice/x.log":           {{"NCCL_DEBUG_FILE", "/home/[user]/x.log", "environment"}},
		"NCCL_NET is odd": nil,
		"NET/OFI Adding NCCL_PROTO=simple to environment\n" + host + "NCCL_PROTO set by environment to simple": {{"NCCL_PROTO", "simple", "plugin"}},
		"NCCL_PROTO set by environment to LL\n" + host + "NCCL_PROTO set by environment to LL":                 {{"NCCL_PROTO", "LL", "environment"}},
		"NET/OFI Running on p4d.24xlarge platform, Setting NCCL_TOPO_FILE environment variable to /opt/p4d.xml": {
			{"NCCL_TOPO_FILE", "/opt/p4d.xml", "plugin"},
		},
	} {
		var got []short
		for _, s := range readText(t, host+text+"\n").Settings {
			got = append(got, short{s.Name, s.Value, s.By})
			require.Equal(t, []string{"n1"}, s.Hosts)
			require.NotEmpty(t, s.Text)
		}
		require.Equal(t, want, got, text)
	}
}

func TestGIN(t *testing.T) {
	t.Parallel()
	good := readFile(t, "formats/nccl-debug/ok_ofi-1.21_nccl-2.31_p5en_gin-gdaki.log").GIN
	require.Equal(t, "Libfabric_GDAKI", good.Plugin)
	require.Equal(t, 5, good.Type)
	require.NotNil(t, good.Assigned)
	require.Contains(t, good.Context.Text, "createContext done")
	require.Nil(t, good.Failed)

	proxy := readFile(t, "formats/nccl-debug/bad_gin-fell-back-to-proxy.log").GIN
	require.Equal(t, "GIN_PROXY", proxy.Plugin)
	require.Equal(t, 2, proxy.Type)
	require.Contains(t, proxy.Failed.Text, "cntr_open_ext failed")

	mixed := readText(t, host+"GIN/Plugin: Assigned plugin GIN_PROXY type 2 to comm\n"+host+"GIN/Plugin: Assigned plugin Libfabric_GDAKI type 5 to comm\n"+
		host+"GIN/Plugin: Failed to initialize any GIN plugin\n").GIN
	require.Equal(t, 2, mixed.Type)
	require.Contains(t, mixed.Failed.Text, "any GIN plugin")
}

func TestTuner(t *testing.T) {
	t.Parallel()
	path := readText(t, host+"TUNER/Plugin: Using nccl_ofi_tuner (v3)\n"+host+"NET/OFI Region base Tuner is chosen for platform: p5en.48xlarge\n")
	require.Contains(t, path.Tuner.Text, "Region base Tuner")
	require.Equal(t, "p5en.48xlarge", path.Platform)
	path = readText(t, host+"NET/OFI NCCL_OFI_TUNER is not available for platform : m5.large, Fall back to NCCL's tuner\n")
	require.Equal(t, "m5.large", path.Platform)
	path = readText(t, host+"NET/OFI Region base Tuner is chosen for platform: x\n"+
		host+"NET/OFI The tuner plugin can not be loaded when explicitly choosing an algorithm or protocol with NCCL_ALGO/NCCL_PROTO\n")
	require.Contains(t, path.Tuner.Text, "can not be loaded")
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	path := readText(t, "[2026-09-18 05:10:44] a:1:2 [0] x.cc:1 NCCL WARN Request 0x7f02b4003c10 to 10.0.0.1<4321> failed\n"+
		"b:1:2 [0] x.cc:1 NCCL WARN Request 0x7e to 10.0.0.1<9> failed\na:1:2 [0] x.cc:1 NCCL WARN NET/OFI fi_nic attributes not available.\n")
	require.Len(t, path.Warnings, 2)
	require.Equal(t, 2, path.Warnings[0].Times)
	require.Equal(t, []string{"a", "b"}, path.Warnings[0].Hosts)
	require.Equal(t, "[2026-09-18 05:10:44] a:1:2 [0] x.cc:1 NCCL WARN Request 0x7f02b4003c10 to 10.0.0.1<4321> failed", path.Warnings[0].Text)
	require.Empty(t, path.Warnings[0].Harmless)
	require.Equal(t, "ok-nic-attributes", path.Warnings[1].Harmless)
}

func TestGluedLines(t *testing.T) {
	t.Parallel()
	const send = "Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA"
	for text, want := range map[string]int64{
		"vm:1:2 [0] NCCL INFO a\nvm:1:2 [0] NCCL INFO " + send + "vm:3:4 [1] NCCL INFO " + send:                          3,
		"vm:1:2 [0] NCCL INFO a\n   8  2  float  sum  -1vm:1:2 [0] NCCL INFO " + send + " vm:3:4 [1] NCCL INFO " + send:  3,
		"vm:1:2 [0] NCCL INFO Trees [0] -1/-1->0vm:1:2 [0] NCCL INFO " + send + "\nvm:3:4 [1] NCCL INFO " + send:         3,
		"8h2:1:2 [0] NCCL INFO a\n 8  2  float  sum  08h2:1:2 [0] NCCL INFO " + send + "\n8h2:1:2 [0] NCCL INFO " + send: 3,
	} {
		path := readText(t, text+"\n")
		require.Len(t, path.Nodes, 1, text)
		require.Equal(t, evidence.Channels{Net: 2, Libfabric: 2, GDR: 2}, path.Nodes[0].Channels, text)
		require.Len(t, path.Nodes[0].First["channel"].Text, len(path.Nodes[0].Host)+len(":1:2 [0] NCCL INFO ")+len(send), text)
		require.Equal(t, want, path.Lines, text)
	}
	path := readText(t, "vm:1:2 [0] NCCL INFO Trees [0] 1/-1->0 vm:1:3 [1] NCCL INFO NET/Plugin: Could not find: libnccl-net.so\n")
	require.Len(t, path.Symptoms, 1)
	require.Equal(t, "vm", path.Symptoms[0].Host)
	require.Equal(t, "vm:1:3 [1] NCCL INFO NET/Plugin: Could not find: libnccl-net.so", path.Symptoms[0].Text)
}
