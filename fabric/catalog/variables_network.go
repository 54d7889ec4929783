package catalog

// networkVariables say which network NCCL takes, and what is loaded first.
var networkVariables = []Variable{
	{
		Name: "NCCL_NET", Values: []string{"IB*"}, Effect: Fatal, Origin: OfInfiniBand,
		Does: "NCCL does not start: EC2 has no InfiniBand", Instead: "set NCCL_NET=Libfabric, or remove it", Source: ncclSource,
	},
	{
		Name: "NCCL_NET", Values: []string{"Socket"}, Effect: Fatal, Origin: OfFallback, Probe: true,
		Does: "NCCL goes over TCP", Instead: "set NCCL_NET=Libfabric, or remove it", Source: ncclSource,
	},
	{
		Name: "NCCL_NET", Values: []string{"FasTrak*", "GPUDirectTCPX*", "gIB*"}, Effect: Fatal, Origin: OfOtherCloud,
		Does: "NCCL does not start: that network is Google's", Instead: "set NCCL_NET=Libfabric, or remove it", Source: gpuDirectTCPX,
	},
	{
		Name: "NCCL_NET", Values: []string{"Libfabric", "OFI"}, Since: map[Component]string{OFIPlugin: "1.13.0"}, Effect: Useful, Origin: OfEFA,
		Does: "NCCL stops where the plugin is not there", Source: pluginSource,
	},
	{
		Name: "NCCL_NET", Values: []string{"AWS Libfabric"}, Effect: Useful, Origin: OfEFA,
		Does: "NCCL stops where the plugin is not there", Source: pluginSource,
	},
	{
		Name: "NCCL_NET", Values: []string{"Libfabric", "OFI"}, Effect: Fatal, Origin: OfEFA,
		Does: "NCCL does not start: until aws-ofi-nccl 1.12 the plugin's only name is AWS Libfabric", Instead: `set NCCL_NET="AWS Libfabric", or take a newer plugin`,
		Source: pluginSource,
	},
	{
		Name: "NCCL_NET", Values: []string{""}, Effect: Situational, Origin: OfEFA,
		Does: "nothing is pinned: NCCL takes what it finds", Instead: "set NCCL_NET=Libfabric", Source: ncclSource,
	},
	{
		Name: "NCCL_NET", Effect: Fatal, Origin: OfEFA,
		Does: "NCCL does not start where no plugin has that name", Instead: "set NCCL_NET=Libfabric, or remove it", Source: ncclSource,
	},
	{
		Name: "NCCL_NET_PLUGIN", Values: []string{"none"}, Effect: Fatal, Origin: OfFallback, Probe: true,
		Does: "NCCL takes no plugin and goes over TCP without a word", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_NET_PLUGIN", Values: []string{"spcx*"}, Effect: Fatal, Origin: OfFallback,
		Does: "a plugin for another fabric, which some NVIDIA images set: NCCL goes over TCP without a word", Instead: "set NCCL_NET_PLUGIN=ofi, or unset it in the job",
		Source: Source{"NVIDIA-NeMo/Megatron-Bridge pull request 5033", factsRead},
	},
	{
		Name: "NCCL_NET_PLUGIN", Values: []string{"*tcpx*", "*fastrak*", "/usr/local/gib*"}, Effect: Fatal, Origin: OfOtherCloud,
		Does: "a plugin of Google's fabric: NCCL goes over TCP without a word", Instead: "set NCCL_NET_PLUGIN=ofi, or remove it", Source: gpuDirectTCPX,
	},
	{
		Name: "NCCL_NET_PLUGIN", Values: []string{"*hpcx*", "*sharp*", "ib*", "ucx*"}, Effect: Fatal, Origin: OfInfiniBand,
		Does: "the InfiniBand plugin takes the place of AWS's", Instead: "set NCCL_NET_PLUGIN=ofi, or remove it", Source: sharpPlugin,
	},
	{
		Name: "NCCL_NET_PLUGIN", List: ",", Values: []string{"", "ofi", "aws-ofi", "*libnccl-net.so", "*nccl-net-ofi*", "*ofi-nccl*", "*nccl-net-aws-ofi*"},
		Effect: Useful, Origin: OfEFA, Does: "NCCL takes AWS's plugin", Source: ncclSource,
	},
	{
		Name: "NCCL_NET_PLUGIN", Effect: Harmful, Origin: OfEFA,
		Does:    "not a name of AWS's plugin: where no such plugin loads, NCCL goes over TCP without a word",
		Instead: "set NCCL_NET_PLUGIN=ofi and NCCL_NET=Libfabric, or remove it", Source: ncclSource,
	},
	{
		Name: "FI_PROVIDER", Values: []string{"^*efa*"}, Effect: Fatal, Origin: OfFallback,
		Does: "takes EFA away from libfabric", Instead: "set FI_PROVIDER=efa, or remove it", Source: libfabricSource,
	},
	{
		Name: "FI_PROVIDER", Values: []string{"^*"}, Effect: Situational, Origin: OfEFA,
		Does: "takes other providers away from libfabric, which the plugin does itself", Instead: noSetting, Source: libfabricSource,
	},
	{
		Name: "FI_PROVIDER", Values: []string{"efa", "efa,*", "efa;*", "*,efa", "*,efa,*", "*,efa;*"}, Since: map[Component]string{OFIPlugin: "1.6.0"},
		Effect: Obsolete, Origin: OfEFA,
		Does:    "not needed since aws-ofi-nccl 1.6, and alone no guard: NCCL falls back to sockets",
		Instead: "set NCCL_NET=Libfabric beside it, which together stop a job that would fall back to TCP, or remove it", Source: fallbackTest,
	},
	{
		Name: "FI_PROVIDER", Values: []string{"", "efa", "efa,*", "efa;*", "*,efa", "*,efa,*", "*,efa;*"}, Effect: Useful, Origin: OfEFA,
		Does: "aws-ofi-nccl needs it until 1.5", Source: cheatSheet,
	},
	{
		Name: "FI_PROVIDER", Effect: Fatal, Origin: OfFallback, Probe: true,
		Does: "libfabric takes another provider than EFA", Instead: "set FI_PROVIDER=efa, or remove it", Source: libfabricSource,
	},
	{
		Name: "LD_LIBRARY_PATH", List: ":", Values: []string{"*/amazon/ofi-nccl*", "*/aws-ofi-nccl*"}, Effect: Useful, Origin: OfEFA,
		Does: "AWS's plugin is found first", Source: pluginSource,
	},
	{
		Name: "LD_LIBRARY_PATH", List: ":", Values: []string{"*nccl_rdma_sharp_plugin*", "*nccl-rdma-sharp*"}, Effect: Fatal, Origin: OfInfiniBand,
		Does:    "HPC-X's libnccl-net.so is found first: the InfiniBand plugin takes the place of AWS's",
		Instead: "put the folder of AWS's plugin (/opt/amazon/ofi-nccl/lib) before it, or leave HPC-X out", Source: sharpPlugin,
	},
	{
		Name: "LD_LIBRARY_PATH", List: ":", Values: []string{"*tcpx*", "*fastrak*", "/usr/local/gib*"}, Effect: Remove, Origin: OfOtherCloud,
		Does: "libraries of Google's fabric are found before AWS's", Instead: "take that folder out", Source: gpuDirectTCPX,
	},
}

// interfaceVariables name the interfaces of NCCL's sockets, by which ranks find each other.
var interfaceVariables = []Variable{
	{
		Name: "NCCL_SOCKET_IFNAME", List: ",", Values: []string{"^en", "^ens*", "^enp*", "^e"}, Effect: Fatal, Origin: OfEFA,
		Does: "takes away the only interface that an EC2 node has: NCCL does not start", Instead: "set NCCL_SOCKET_IFNAME=^lo,docker, or remove it", Source: ncclSource,
	},
	{
		Name: "NCCL_SOCKET_IFNAME", List: ",", Values: []string{"^eth*"}, Effect: Harmful, Origin: OfEFA,
		Does: "takes eth0 away, the only interface in a pod and on Amazon Linux 2", Instead: "set NCCL_SOCKET_IFNAME=^lo,docker, or remove it",
		Source: Source{"awslabs/awsome-distributed-ai issue 519", factsRead},
	},
	{
		Name: "NCCL_SOCKET_IFNAME", List: ",", Values: []string{"^*", "", "en*", "e"}, Effect: Useful, Origin: OfEFA,
		Does: "leaves the interfaces of EC2 nodes", Source: ncclSource,
	},
	{
		Name: "NCCL_SOCKET_IFNAME", List: ",", Values: []string{"eth*"}, Effect: Harmful, Origin: OfEFA,
		Does:    "NCCL does not start where no interface has that name: it is eth0 in pods and on Amazon Linux 2, and en… on Ubuntu and Amazon Linux 2023",
		Instead: "set NCCL_SOCKET_IFNAME=^lo,docker, or remove it", Source: cheatSheet,
	},
	{
		Name: "*_SOCKET_IFNAME", List: ",", Values: []string{"ib*", "bond*", "mlx*", "hsn*", "roce*", "rdma*"}, Effect: Fatal, Origin: OfInfiniBand,
		Does: "no interface of an EC2 node has that name: the job does not start, or hangs", Instead: "set NCCL_SOCKET_IFNAME=^lo,docker, or remove it", Source: cheatSheet,
	},
	{
		Name: "NCCL_SOCKET_IFNAME", List: ",", Effect: Situational, Origin: OfEFA,
		Does: "NCCL does not start where no interface has that name", Instead: "set NCCL_SOCKET_IFNAME=^lo,docker, or remove it", Source: ncclSource,
	},
	{
		Name: "NCCL_SOCKET_NTHREADS", Effect: Obsolete, Origin: OfEFA,
		Does: "has no effect on EFA", Instead: noSetting, Source: cheatSheet,
	},
	{
		Name: "NCCL_NSOCKS_PERTHREAD", Effect: Obsolete, Origin: OfEFA,
		Does: "has no effect on EFA", Instead: noSetting, Source: cheatSheet,
	},
}
