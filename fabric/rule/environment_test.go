package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/rule"
)

// settings reads "NAME=VALUE" lines. NAME=? is an unknown value, NAME=text…? one of which the beginning is known.
func settings(lines ...string) []rule.Setting {
	var out []rule.Setting
	for i, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		s := rule.Setting{Name: name, Value: rule.Known(value), Place: diag.Place{File: "job.sh", Line: i + 1, Column: 1}}
		if begins, unknown := strings.CutSuffix(value, "?"); unknown {
			s.Value, s.Begins = rule.Unknown[string](), begins
		}
		out = append(out, s)
	}
	return out
}

// said writes findings as "level rule line".
func said(t *testing.T, list diag.List) []string {
	t.Helper()
	diagtest.Complete(t, list)
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %s %d", f.Level, f.Rule, f.Place.Line))
	}
	return out
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings []string
		want     []string
	}{
		{"nothing", nil, nil},
		{"the shortest set", []string{"NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,ENV,NET", "NCCL_NET=Libfabric", "FI_PROVIDER=efa", "NCCL_NET_PLUGIN=ofi"}, nil},
		{"InfiniBand forced", []string{"NCCL_NET=IB"}, []string{"error env/ib-residue 1"}},
		{"in any case", []string{"NCCL_NET=ib"}, []string{"error env/ib-residue 1"}},
		{"ignored residue", []string{"NCCL_IB_HCA=mlx5_0:1", "NCCL_IBEXT_DISABLE=1", "UCX_TLS=rc", "SHARP_COLL_ENABLE_SAT=1", "NVSHMEM_HCA_LIST=mlx5_0"}, []string{
			"warn env/ib-residue 1", "warn env/ib-residue 2", "warn env/ib-residue 3", "warn env/ib-residue 4", "warn env/ib-residue 5",
		}},
		{"residue whatever it is", []string{"NCCL_IB_HCA=?"}, []string{"warn env/ib-residue 1"}},
		{"IBGDA", []string{"NVSHMEM_IB_ENABLE_IBGDA=1"}, []string{"error env/ib-residue 1"}},
		{"IBGDA turned off", []string{"NVSHMEM_IB_ENABLE_IBGDA=0"}, nil},
		{"a network that nobody knows", []string{"NCCL_NET=?"}, []string{"warn value/unknown 1"}},
		{"interfaces of other machines", []string{"NCCL_SOCKET_IFNAME=ib0", "GLOO_SOCKET_IFNAME=bond0", "NCCL_SOCKET_IFNAME==mlx5_0"}, []string{
			"error env/ib-residue 1", "error env/ib-residue 2", "error env/ib-residue 3",
		}},
		{"interfaces that EC2 has", []string{"NCCL_SOCKET_IFNAME=^lo,docker", "NCCL_SOCKET_IFNAME=en,eth", "NCCL_SOCKET_IFNAME=ens", "GLOO_SOCKET_IFNAME=eth0"}, nil},
		{"an interface that some systems have", []string{"NCCL_SOCKET_IFNAME=eth0"}, []string{"warn env/harmful 1"}},
		{"the pod's only interface excluded", []string{"NCCL_SOCKET_IFNAME=^docker,lo,veth,eth"}, []string{"warn env/harmful 1"}},
		{"HPC-X first", []string{"LD_LIBRARY_PATH=/opt/hpcx/nccl_rdma_sharp_plugin/lib:/opt/amazon/ofi-nccl/lib"}, []string{"error env/ib-residue 1"}},
		{"HPC-X behind", []string{"LD_LIBRARY_PATH=/opt/amazon/ofi-nccl/lib:/opt/hpcx/nccl_rdma_sharp_plugin/lib"}, nil},
		{"HPC-X before what is not known", []string{"LD_LIBRARY_PATH=/opt/hpcx/nccl_rdma_sharp_plugin/lib:?"}, []string{"error env/ib-residue 1"}},
		{"a path that is not known", []string{"LD_LIBRARY_PATH=?", "LD_LIBRARY_PATH=/usr/lib:?"}, nil},
		{"another cloud", []string{"NCCL_FASTRAK_IFNAME=eth1", "NCCL_NET=gIB", "LD_LIBRARY_PATH=/usr/local/tcpxo/lib64"}, []string{
			"warn env/other-cloud 1", "error env/other-cloud 2", "warn env/other-cloud 3",
		}},
		{"sockets forced", []string{"NCCL_NET=Socket", "NCCL_NET_PLUGIN=none", "NCCL_NET_PLUGIN=spcx", "FI_PROVIDER=tcp", "FI_PROVIDER=^efa"}, []string{
			"error env/forced-fallback 1", "error env/forced-fallback 2", "error env/forced-fallback 3", "error env/forced-fallback 4", "error env/forced-fallback 5",
		}},
		{"a broken path hidden", []string{"OFI_NCCL_DISABLE_GDR_REQUIRED_CHECK=1", "OFI_NCCL_DISABLE_GDR_REQUIRED_CHECK=0"}, []string{"error env/forced-fallback 1"}},
		{"half a guard", []string{"FI_PROVIDER=efa"}, []string{"warn env/obsolete 1"}},
		{"a whole guard", []string{"FI_PROVIDER=efa", "NCCL_NET=AWS Libfabric"}, nil},
		{"the plugin named, the network left open", []string{"NCCL_NET_PLUGIN=ofi"}, []string{"note env/forced-fallback 1"}},
		{"what NVSHMEM needs", []string{"FI_PROVIDER=efa", "NVSHMEM_REMOTE_TRANSPORT=libfabric"}, nil},
		{"tuned by hand", []string{"NCCL_ALGO=Ring", "NCCL_PROTO=simple", "NCCL_BUFFSIZE=4194304", "NCCL_TOPO_FILE=/opt/p5.xml", "RDMAV_FORK_SAFE=1"}, []string{
			"warn env/harmful 1", "warn env/harmful 2", "warn env/harmful 3", "warn env/harmful 4", "warn env/harmful 5",
		}},
		{"the plugin's own values", []string{"NCCL_BUFFSIZE=8388608", "NCCL_NETDEVS_POLICY=MAX:1", "FI_EFA_FORK_SAFE=1"}, []string{
			"note env/harmful 1", "note env/harmful 2", "note env/obsolete 3",
		}},
		{"of old recipes", []string{"FI_EFA_USE_DEVICE_RDMA=1", "NCCL_SOCKET_NTHREADS=8", "OFI_NCCL_RDMA_MIN_POSTED_BOUNCE_BUFFERS=1"}, []string{
			"warn env/obsolete 1", "warn env/obsolete 2", "warn env/obsolete 3",
		}},
		{"right in some jobs", []string{"FI_EFA_USE_HUGE_PAGE=0", "NCCL_NVLS_ENABLE=0", "NCCL_NET_GDR_LEVEL=PHB"}, []string{
			"note env/harmful 1", "note env/harmful 2", "note env/harmful 3",
		}},
		{"GPUDirect turned off", []string{"NCCL_NET_GDR_LEVEL=LOC", "NCCL_NET_GDR_READ=0"}, []string{"warn env/harmful 1", "warn env/harmful 2"}},
		{"refused by the plugin", []string{"OFI_NCCL_NIC_DUP_CONNS=4"}, []string{"error env/harmful 1"}},
		{"names that nobody reads", []string{"NCCL_BUFFERSIZE=1", "OFI_NCCL_PROTOCOLL=RDMA", "FI_EFA_USE_DEVICE_RMDA=1", "MY_NCCL=1", "FI_TCP_IFACE=eth0"}, []string{
			"note env/unknown 1", "note env/unknown 2", "note env/unknown 3",
		}},
		{"names of others", []string{"NCCL_TESTS_SPLIT_MASK=0x7", "NCCL_VERSION=2.27.3-1", "NCCL_ASYNC_ERROR_HANDLING=1", "TORCH_NCCL_BLOCKING_WAIT=1"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, said(t, rule.Environment(settings(c.settings...), catalog.Surroundings{})))
		})
	}
}

func TestEnvironmentByVersionAndType(t *testing.T) {
	versions := func(pairs ...string) catalog.Surroundings {
		out := catalog.Surroundings{Versions: map[catalog.Component]string{}}
		for i := 0; i < len(pairs); i += 2 {
			out.Versions[catalog.Component(pairs[i])] = pairs[i+1]
		}
		return out
	}
	on := func(instanceType string) catalog.Surroundings {
		return catalog.Surroundings{InstanceType: instanceType}
	}
	for _, c := range []struct {
		name, setting string
		at            catalog.Surroundings
		want          []string
	}{
		{"an old plugin's protocol", "NCCL_PROTO=simple", versions("aws-ofi-nccl", "1.5.0"), nil},
		{"its other protocols", "NCCL_PROTO=LL", versions("aws-ofi-nccl", "1.5.0"), []string{"warn env/harmful 1"}},
		{"a new plugin's", "NCCL_PROTO=simple", versions("aws-ofi-nccl", "1.21.1"), []string{"warn env/harmful 1"}},
		{"RDMA of an old libfabric", "FI_EFA_USE_DEVICE_RDMA=1", versions("libfabric", "1.16.1"), nil},
		{"RDMA of an old plugin", "FI_EFA_USE_DEVICE_RDMA=1", versions("libfabric", "1.18.0", "aws-ofi-nccl", "1.6.0"), nil},
		{"RDMA of new ones", "FI_EFA_USE_DEVICE_RDMA=1", versions("libfabric", "2.6.0amzn1.0"), []string{"warn env/obsolete 1"}},
		{"by the installer's contents", "FI_EFA_USE_DEVICE_RDMA=1", versions("efa-installer", "1.50.0"), []string{"warn env/obsolete 1"}},
		{"the provider of an old plugin", "FI_PROVIDER=efa", versions("aws-ofi-nccl", "1.5.0"), nil},
		{"a name before its time", "NCCL_NET=Libfabric", versions("aws-ofi-nccl", "1.12.1"), []string{"error env/harmful 1"}},
		{"its name then", "NCCL_NET=AWS Libfabric", versions("aws-ofi-nccl", "1.12.1"), nil},
		{"several receives at once", "OFI_NCCL_EAGER_MAX_SIZE=-1", versions("aws-ofi-nccl", "1.19.0"), []string{"note env/harmful 1"}},
		{"the same later", "OFI_NCCL_EAGER_MAX_SIZE=-1", versions("aws-ofi-nccl", "1.20.0"), []string{"warn env/harmful 1"}},
		{"a work-around in its time", "FI_EFA_SET_CUDA_SYNC_MEMOPS=0", versions("efa-installer", "1.28.0"), nil},
		{"a work-around later", "FI_EFA_SET_CUDA_SYNC_MEMOPS=0", versions("efa-installer", "1.34.0"), []string{"warn env/obsolete 1"}},
		{"the plugin's value on another type", "NCCL_NETDEVS_POLICY=max:1", on("p5.48xlarge"), []string{"warn env/harmful 1"}},
		{"the plugin's value on its type", "NCCL_NETDEVS_POLICY=max:1", on("p6-b200.48xlarge"), []string{"note env/harmful 1"}},
		{"no GPUDirect to lose", "FI_HMEM_DISABLE_P2P=1", on("p5.4xlarge"), nil},
		{"GPUDirect lost", "FI_HMEM_DISABLE_P2P=1", on("p5.48xlarge"), []string{"warn env/harmful 1"}},
		{"nobody knows whether", "FI_HMEM_DISABLE_P2P=1", on(""), []string{"note env/harmful 1"}},
		{"one rail on p5", "OFI_NCCL_PROTOCOL=SENDRECV", on("p5.48xlarge"), []string{"warn env/harmful 1"}},
		{"the protocol of p4d", "OFI_NCCL_PROTOCOL=SENDRECV", on("p4d.24xlarge"), []string{"note env/harmful 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, said(t, rule.Environment(settings(c.setting), c.at)))
		})
	}
}

func TestEnvironmentOfAProbe(t *testing.T) {
	for _, c := range []struct {
		name    string
		setting rule.Setting
		want    []string
	}{
		{"one command within a node", rule.Setting{Name: "NCCL_NET", Value: rule.Known("Socket"), OneCommand: true, OneNode: true}, nil},
		{"one command over nodes", rule.Setting{Name: "NCCL_NET", Value: rule.Known("Socket"), OneCommand: true}, []string{"error env/forced-fallback 0"}},
		{"a job of one node", rule.Setting{Name: "NCCL_NET", Value: rule.Known("Socket"), OneNode: true}, []string{"note env/forced-fallback 0"}},
		{"a check turned off in front of one command", rule.Setting{Name: "OFI_NCCL_DISABLE_GDR_REQUIRED_CHECK", Value: rule.Known("1"), OneCommand: true, OneNode: true}, []string{"error env/forced-fallback 0"}},
		{"EFA alone", rule.Setting{Name: "NCCL_P2P_DISABLE", Value: rule.Known("1"), OneCommand: true}, nil},
		{"NVLink taken from the job", rule.Setting{Name: "NCCL_P2P_DISABLE", Value: rule.Known("1")}, []string{"warn env/harmful 0"}},
		{"under a condition", rule.Setting{Name: "NCCL_NET", Value: rule.Known("Socket"), Conditional: true}, []string{"note env/forced-fallback 0"}},
		{"the plugin's doing", rule.Setting{Name: "NCCL_BUFFSIZE", Value: rule.Known("1"), By: rule.SetByPlugin}, nil},
		{"the plugin overridden", rule.Setting{Name: "NCCL_BUFFSIZE", Value: rule.Unknown[string](), By: rule.SetOverPlugin}, []string{"warn env/harmful 0"}},
		{"a secret", rule.Setting{Name: "NCCL_TOPO_FILE", Value: rule.Known("hidden").AsSecret()}, []string{"warn env/harmful 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.setting.Place = diag.Place{File: "job.sh"}
			got := rule.Environment([]rule.Setting{c.setting}, catalog.Surroundings{})
			require.Equal(t, c.want, said(t, got))
			for _, f := range got {
				require.NotContains(t, f.Got, "hidden")
			}
		})
	}
}
