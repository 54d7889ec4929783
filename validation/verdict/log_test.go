package verdict_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse"
	"github.com/weft-hpc/weft/validation/verdict"
)

// read reads logs of validation/testdata.
func read(t testing.TB, names ...string) []evidence.Document {
	t.Helper()
	var out []evidence.Document
	for _, name := range names {
		f, err := os.Open(filepath.Join("../testdata", name))
		require.NoError(t, err)
		d, err := parse.Read(name, f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		out = append(out, d)
	}
	return out
}

// Real runs on two hosts, without EFA: what a reader of the log would say is wrong first.
func TestTwoHosts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		cause diag.ID // empty: nothing at error level
		also  []diag.ID
		text  string // in the cause, or in what is not proved
	}{
		"a_socket_all_reduce":          {diag.NetPlugin, []diag.ID{diag.NetSocket}, "libnccl-net.so"},
		"a_socket_alltoall":            {diag.NetPlugin, []diag.ID{diag.NetSocket}, "libnccl-net.so"},
		"a_socket_two_hostnames":       {diag.NetPlugin, []diag.ID{diag.NetSocket}, "nodeA"},
		"a_nvlink_all_reduce":          {"", nil, "no channel between nodes"},
		"a_socket_nodebug":             {"", nil, "no line of NCCL"},
		"b_ofi_tcp_all_reduce":         {diag.NetProvider, nil, "tcp"},
		"b_ofi_tcp_rdma_protocol":      {diag.NetProvider, []diag.ID{diag.NetPlugin, diag.NetSocket}, "rdma protocol"},
		"b_ofi_subsys_coll":            {"", nil, "no channel between nodes"},
		"b_ofi_warnlevel":              {"", nil, "name no node"},
		"c_net_libfabric":              {diag.NetProvider, nil, "tcp"},
		"c_net_socket_pinned":          {diag.NetProvider, []diag.ID{diag.NetSocket}, "tcp"},
		"c_fi_provider_efa":            {diag.NetProvider, []diag.ID{diag.NetPlugin, diag.NetSocket}, "no EFA"},
		"c_fi_provider_efa_pinned":     {diag.NetProvider, []diag.ID{diag.NetPlugin, diag.JobEnded}, "no EFA"},
		"c_libfabric_absent":           {diag.NetPlugin, []diag.ID{diag.NetSocket}, "libfabric.so.1"},
		"c_libfabric_absent_autoload":  {diag.NetPlugin, []diag.ID{diag.NetSocket}, "libfabric.so.1"},
		"c_libfabric_absent_warnlevel": {"", nil, "name no node"},
		"c_libfabric_too_old":          {diag.VerPair, []diag.ID{diag.NetPlugin, diag.NetSocket}, "FABRIC_1.9"},
		"c_libfabric_too_old_pinned":   {diag.VerPair, []diag.ID{diag.NetPlugin, diag.JobEnded}, "FABRIC_1.9"},
		"c_plugin_name_missing":        {diag.NetPlugin, []diag.ID{diag.NetSocket}, "doesnotexist"},
		"c_ofi1173_no_dmi_segfault":    {diag.NetPlugin, []diag.ID{diag.JobEnded}, "product_name"},
		"d_no_mpi":                     {diag.PerfImpossible, nil, "2 separate runs"},
		"d_no_mpi_nodebug":             {diag.PerfImpossible, nil, "2 separate runs"},
		"d_g2_under_mpi":               {diag.NodeGPUCount, []diag.ID{diag.PerfData, diag.JobEnded}, "4 requested but only 2"},
		"e_mpirun_default_binding":     {diag.NetPlugin, []diag.ID{diag.CPUPerRank, diag.NetSocket}, "libnccl-net.so"},
		"f_straggler_cpu_socket":       {"", nil, "no line of NCCL"},
		"g_killed_socket":              {diag.NetPlugin, []diag.ID{diag.NetSocket, diag.PerfData, diag.JobEnded}, "libnccl-net.so"},
		"g_killed_survivor_ofi":        {diag.NetProvider, []diag.ID{diag.PerfData, diag.JobEnded}, "tcp"},
		"i_torch_nvlink":               {"", nil, "no channel between nodes"},
		"i_torch_two_hosts_socket":     {diag.NetPlugin, []diag.ID{diag.NetSocket}, "libnccl-net.so"},
		"i_torch_two_hosts_ofi":        {diag.NetProvider, nil, "tcp"},
		"j_aws1211_p5en_no_efa":        {diag.NetProvider, []diag.ID{diag.NetPlugin, diag.NetSocket}, "protocol"},
		"h_fi_info_efa":                {diag.NodeEFACount, nil, "-61"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := verdict.Diagnose(read(t, "nccl-two-host/"+name+".txt"), verdict.Expected{})
			diagtest.Complete(t, got.Findings)
			if want.cause == "" {
				require.Nil(t, got.Cause)
				require.Contains(t, texts(got.Findings), want.text)
				require.NotContains(t, rules(got.Findings, diag.Error), diag.NetSocket)
				return
			}
			require.NotNil(t, got.Cause)
			require.Equal(t, want.cause, got.Cause.Rule, got.Cause.Got)
			require.Contains(t, got.Cause.Got+got.Cause.Place.Resource, want.text)
			require.Subset(t, rules(got.Findings, diag.Error), want.also)
		})
	}
}

func texts(l diag.List) string {
	var out []string
	for _, f := range l {
		out = append(out, f.Got)
	}
	return strings.Join(out, "\n")
}

// Reported failures: the first cause is the one that the report came to in the end, not the last line.
func TestReportedCases(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id, file string
		cause    diag.ID
		text     string
	}{
		{"NCCL-01", "NCCL-01.log", diag.NetPlugin, "No plugin found"},
		{"NCCL-02", "NCCL-02.log", diag.NetProvider, "Could not find any optimal provider"},
		{"NCCL-03", "NCCL-03.log", diag.VerPair, "IBVERBS_PRIVATE_34"},
		{"NCCL-05, a good run", "NCCL-05.log", "", ""},
		{"CPU-03", "CPU-03.log", diag.CPUSrunInherit, "two different environment variables"},
		{"GDR-01", "GDR-01.log", diag.NodeGDRDrv, "Module gdrdrv not found"},
		{"GDR-02", "GDR-02.txt", diag.NodeGDRDrv, "1.1"},
		{"GDR-04", "GDR-04.log", diag.NodeGDRDrv, "disagrees about version"},
		{"CB-05", "CB-05.log", diag.JobNode, "maintenance reservation"},
		{"KRN-04", "KRN-04.log", diag.NodeDriver, "Module nvidia not found"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			got := verdict.Diagnose(read(t, "reported/"+tt.file), verdict.Expected{})
			diagtest.Complete(t, got.Findings)
			if tt.cause == "" {
				require.Nil(t, got.Cause, got.Findings)
				return
			}
			require.NotNil(t, got.Cause)
			require.Equal(t, tt.cause, got.Cause.Rule)
			require.Contains(t, got.Cause.Got, tt.text)
		})
	}
}

// Good runs accuse nobody, whatever versions of NCCL and plugin they are of.
func TestGoodLogsAccuseNobody(t *testing.T) {
	t.Parallel()
	for name, instanceType := range map[string]string{
		"formats/nccl-debug/ok_ofi-1.13_nccl-2.23_p5en.log":                "p5en.48xlarge",
		"formats/nccl-debug/ok_ofi-1.16_nccl-2.27.7_p6-b200.log":           "p6-b200.48xlarge",
		"formats/nccl-debug/ok_ofi-1.7.4_nccl-2.18.5_p5.log":               "p5.48xlarge",
		"formats/nccl-tests/all_reduce_v2.18.3_p5en_4n.txt":                "p5en.48xlarge",
		"formats/nccl-tests/alltoall_v2.18.3_p5en_4n.txt":                  "p5en.48xlarge",
		"formats/nccl-tests/all_reduce_v2.13_p5_2n_srun-label.txt":         "p5.48xlarge",
		"formats/libfabric/fi_pingpong_-I_1000_-S_all_good.txt":            "p5en.48xlarge",
		"formats/ep/deepep-v2_test_ep_2n_gin.txt":                          "p5en.48xlarge",
		"formats/libfabric/fi_info_efa_libfabric-2.x_two-fabrics.txt":      "",
		"formats/megatron/megatron_v0.17plus_log-interval-1_one-stall.txt": "",
		"reported/NCCL-05.log":                                             "p5en.48xlarge",
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			got := verdict.Diagnose(read(t, name), verdict.Expected{InstanceType: instanceType})
			diagtest.Complete(t, got.Findings)
			require.Nil(t, got.Cause, texts(got.Findings.AtLeast(diag.Error)))
			require.NotEmpty(t, got.Files[0].Kinds)
		})
	}
}

// What other logs are of, by their first cause.
func TestBadLogs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]diag.ID{
		"formats/nccl-tests/all_reduce_v2.18.3_ABORTED_no_footer.txt":          diag.PerfData,
		"formats/nccl-tests/all_reduce_v2.18.3_FAILED_data.txt":                diag.PerfData,
		"formats/nccl-tests/all_reduce_v2.18.3_NOT_MPI_two_worlds.txt":         diag.PerfImpossible,
		"formats/nccl-tests/all_reduce_v2.18.3_FAILED_min_bw_socket-speed.txt": diag.PerfBelow,
		"formats/nccl-debug/bad_plugin-not-found_by-nccl-version.log":          diag.NetPlugin,
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			got := verdict.Diagnose(read(t, name), verdict.Expected{InstanceType: "p5en.48xlarge"})
			diagtest.Complete(t, got.Findings)
			require.NotNil(t, got.Cause)
			require.Equal(t, want, got.Cause.Rule, got.Cause.Got)
		})
	}
}

// Without a type nothing is compared, and the diagnosis says so.
func TestDiagnosisSaysWhatItCompares(t *testing.T) {
	t.Parallel()
	docs := read(t, "formats/nccl-tests/alltoall_v2.18.3_p5en_4n.txt")
	got := verdict.Diagnose(docs, verdict.Expected{})
	require.Contains(t, got.Compared, "nothing")
	require.Contains(t, strings.Join(got.Proves, "\n"), "alltoall over 4 nodes, 32 ranks: 57.85 GB/s")
	got = verdict.Diagnose(docs, verdict.Expected{InstanceType: "p5en.48xlarge"})
	require.Contains(t, got.Compared, "p5en.48xlarge, as given: 16 EFA devices, 400 GB/s a node")
	require.Empty(t, verdict.Diagnose(nil, verdict.Expected{}).Proves)
}
