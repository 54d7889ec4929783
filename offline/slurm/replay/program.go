package replay

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// fabricInfo acts as fi_info of libfabric 2.6 for provider efa: each device stands in it twice, as efa-direct and as efa.
func (r rank) fabricInfo(c Call) int {
	if slices.Contains(c.Args, "--version") {
		r.printf("fi_info: 2.6.0amzn1.0\nlibfabric: 2.6.0amzn1.0\nlibfabric api: 2.6")
		return 0
	}
	if _, none := r.has(NoDevices, r.Host); none {
		r.printf("fi_getinfo: -61 (No data available)")
		return 61
	}
	for _, fabric := range []string{"efa-direct", "efa"} {
		for i := range r.nics() {
			r.printf("provider: efa\n    fabric: %s\n    domain: rdmap%ds0-rdm\n    version: 206.0\n    type: FI_EP_RDM\n    protocol: FI_PROTO_EFA", fabric, 79+i)
		}
	}
	return 0
}

// perNode is the number of processes that a program starts on each node by itself.
func (c Call) perNode(names ...string) int {
	for i, arg := range c.Args {
		for _, name := range names {
			if arg == name && i+1 < len(c.Args) {
				return number(c.Args[i+1])
			}
			if v, ok := strings.CutPrefix(arg, name+"="); ok {
				return number(v)
			}
		}
	}
	return 1
}

// dispatch acts as a benchmark of an expert-parallel library, which starts a node's ranks from one process.
func (r rank) dispatch(c Call) int {
	perNode := c.perNode("--num-processes", "--nproc_per_node", "--nproc-per-node")
	all := r.spread(perNode)
	for local := range perNode {
		one := all
		one.Rank, one.Local, one.PID = all.Rank+local, local, all.PID+local
		if code := one.connect(); code != 0 {
			r.printf("torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:94, invalid usage, NCCL version 2.31.2")
			return code
		}
	}
	share := 1.0
	if r.any(Proxy) != "" {
		share = 0.22
	}
	out := 61 * r.Type.EFAGBpsPerAccelerator() / 50 * share * all.share()
	if len(r.Hosts) == 1 {
		out = 0
	}
	switch r.Program {
	case "deepep-v2":
		all.elastic(perNode, out, share)
	case "hybridep":
		all.hybrid()
	default:
		all.internode(out)
	}
	return 0
}

// elastic prints DeepEP v2's test_ep.py: every rank its lines.
func (r rank) elastic(perNode int, out, share float64) {
	if r.Rank == 0 {
		r.printf("Config:\n > Ranks: %d x %d\n > Experts: 8/256\n > Tokens: 8192 (max: 8192), hidden: 7168\n > #SM: 12, #QPs: 13/13\n", len(r.Hosts), perNode)
		r.printf("Running all test cases:")
		r.printf(" > Testing with do_handle_copy=0, expert_alignment=1, use_fp8_dispatch=1, num_bias=0, with_previous_event=0, async_with_compute_stream=0, allocate_on_comm_stream=0 ...")
	}
	up := max(out*3.26, 199*share)
	for i := range perNode {
		us := 1010.4/share + float64(i)
		r.printf("   * EP: %3d/%d | dispatch: %.0f GB/s (SO), %.0f GB/s (SU), %.3f us, 201114880 bytes | copy: 2610 GB/s, 154.103 us", r.Rank+i, r.Ranks, out, up, us)
		r.printf("   - EP: %3d/%d | expanded dispatch: %.0f GB/s (SO), %.0f GB/s (SU), %.3f us, 201114880 bytes | copy: 2471 GB/s, 189.266 us", r.Rank+i, r.Ranks, out*0.98, up, us)
		r.printf("   # EP: %3d/%d | cached dispatch: %.0f GB/s (SO), %.0f GB/s (SU), %.3f us, 201114880 bytes | copy: 2644 GB/s, 152.122 us", r.Rank+i, r.Ranks, out, up, us)
		r.printf("   @ EP: %3d/%d | combine: %.0f GB/s (SO), %.0f GB/s (SU), %.3f us, 389259264 bytes | reduce: 1977 GB/s, 313.800 us", r.Rank+i, r.Ranks, out*0.94, up*0.94, us*2)
		r.printf("   + EP: %3d/%d | reduced combine: %.0f GB/s (SO), %.0f GB/s (SU), %.3f us, 389259264 bytes | reduce: 1980 GB/s, 313.011 us", r.Rank+i, r.Ranks, out*0.94, up*0.94, us*2)
	}
}

// hybrid prints hybrid-EP's test_hybrid_ep.py inside a node: rank 0 alone.
func (r rank) hybrid() {
	if r.Rank != 0 {
		return
	}
	r.printf("\n=== Correctness Check (BF16, %d ranks) ===\n  dispatch+combine API: PASS\n  dispatch_with_permute+combine_with_unpermute API: PASS\n", r.Ranks)
	r.printf("=== Torch API Benchmark (BF16, %d ranks) ===", r.Ranks)
	r.printf("%-48s 419.00 GB/s (NVL), t: 702.1 us [min=698.2, max=709.9], nvl_recv_bytes: 294.15 MB", "dispatch (BF16):")
	r.printf("%-48s 512.00 GB/s (NVL), t: 574.5 us [min=570.0, max=579.4], combine_send_bytes: 294.15 MB", "combine:")
}

// internode prints DeepEP v1's tests: the first rank of each node.
func (r rank) internode(out float64) {
	r.printf("[config] num_tokens=4096, hidden=7168, num_topk_groups=%d, num_topk=8\n[layout] Kernel performance: 0.046 ms\n", len(r.Hosts))
	r.printf("[testing] Running with BF16, with top-k (async=False, previous=False) ... passed\n[testing] Running with FP8, with top-k (async=True, previous=True) ... passed\n")
	r.printf("[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 28: 69 + 1342 us, %.2f GB/s (RDMA), %.2f GB/s (NVL)", out*0.75, out*2.4)
	r.printf("[tuning] Best combine: SMs 24, NVL chunk 4, RDMA chunk 32, 63.00 + 2540.00 us, %.2f GB/s (RDMA), %.2f GB/s (NVL)", out*0.76, out*2.5)
}

// training acts as Megatron-LM, whose last rank prints the iterations, or as weft's own loop, whose first rank does.
func (r rank) training(c Call) int {
	megatron := strings.Contains(strings.Join(c.Args, " "), "pretrain_gpt.py")
	if code := r.connect(); code != 0 {
		r.printf("torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:94, invalid usage, NCCL version 2.31.2")
		return code
	}
	nan := r.any(NaN) != ""
	switch steps := c.steps(); {
	case megatron && r.Rank == r.Ranks-1:
		r.iterations(steps, nan, r.megatronLine)
	case !megatron && r.Rank == 0:
		r.iterations(steps, nan, func(i, of int, loss, ms float64) {
			r.printf("weft step=%d of=%d loss=%s ms=%.3f", i, of, lossText(loss, 'e', 6), ms)
		})
	}
	return 0
}

func (c Call) steps() int {
	n := c.perNode("--train-iters", "--steps")
	if n < 2 {
		return 24
	}
	return n
}

func (r rank) iterations(of int, nan bool, show func(i, of int, loss, ms float64)) {
	for i := 1; i <= of; i++ {
		loss, ms := 12.6-0.41*float64(i-1)+0.02*float64(i%3), 6241.9+20*float64(i%3)
		if i == 1 {
			ms = 31187
		}
		if nan && i > of/2 {
			loss = math.NaN()
		}
		show(i, of, max(loss, 2.1), ms/r.share())
	}
}

func (r rank) megatronLine(i, of int, loss, ms float64) {
	nans := 0
	if math.IsNaN(loss) {
		nans = 1
	}
	r.printf(" [%s] iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | throughput per GPU (TFLOP/s/GPU): %.1f | learning rate: %.6E | global batch size: %5d | lm loss: %s | loss scale: 1.0 | grad norm: %.3f | number of skipped iterations: %3d | number of nan iterations: %3d |",
		r.now().UTC().Format("2006-01-02 15:04:05.000000"), i, of, i*256, ms, 1068000/ms, 1.5e-6*float64(i), 256, lossText(loss, 'E', 6), 1+9/float64(i), 0, nans)
}

// lossText writes a loss as Python does, whose NaN is nan.
func lossText(v float64, format byte, precision int) string {
	if math.IsNaN(v) {
		return "nan"
	}
	return strconv.FormatFloat(v, format, precision, 64)
}

// cutPower ends the node's daemon and all that runs under it, as a power cut would: nobody is told.
func (r rank) cutPower() {
	data, err := os.ReadFile(filepath.Join(r.env(Folder), "slurmd."+r.Host+".pid"))
	if err != nil {
		r.printf("%v", err)
		return
	}
	daemon := number(strings.TrimSpace(string(data)))
	for _, pid := range append(stepsOf(r.Host), daemon, os.Getpid()) {
		end(pid)
	}
}
