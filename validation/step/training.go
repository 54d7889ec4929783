package step

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/parse/training"
)

//go:embed fsdp.py
var fsdp string

// iterations of a training run. The first few are slow (compilation, caches) and are not judged.
const iterations = 24

// trainingLimit is how long they may take: the first alone took five minutes on a big model.
const trainingLimit = 30 * minute

// training runs the model's framework for a short while on all nodes: an iteration time as the baseline, and a loss that falls.
func (b *builder) training(g plan.NodeGroup) {
	w := b.plan.Config.Workload
	env := road(g)
	if g.Nodes == 1 {
		env = []string{"NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,ENV,NET"}
	}
	if d, ok := catalog.DispatcherOf(w.Dispatcher); ok && w.Kind == "moe" {
		env = unique(append(env, settings(d)...))
	}
	s := script{
		step: plan.StepTraining, group: g, nodes: g.Nodes, hosts: b.known(g), image: w.Container, mpi: b.options.MPI,
		environment: append(env, "CUDA_DEVICE_MAX_CONNECTIONS=1"), limit: trainingLimit + 5*minute + imageMinutes,
	}
	folders, run, why := b.trainer(g)
	if run == "" {
		b.skip(plan.StepTraining, g, "%s", why)
		return
	}
	s.do(`all=$(pick 0 "${#nodes[@]}")`)
	s.facts(`"$all"`)
	if strings.Contains(run, "fsdp.py") {
		s.do("cat >\"$out/fsdp.py\" <<'END'\n%sEND", strings.ReplaceAll(fsdp, "@FORMAT@", training.StepFormat))
	}
	s.run("training", `program training 0 "$all" %d ranks "$all" bash -c "$rank_wise" rank "$(address "${nodes[0]}")" 29400 %s %s`,
		int(trainingLimit.Seconds()), quote(folders), run)
	if g.Nodes > 1 && g.EFA {
		s.do("gate_road training")
	}
	s.do("gate_loss training")
	b.add(s, b.framework()+": the time of an iteration is the baseline, the loss must fall")
}

func (b *builder) framework() string {
	switch {
	case b.plan.Config.Validation.Commands.Training != "":
		return "training by your own command"
	case b.plan.Config.Workload.Framework == "megatron-lm":
		return fmt.Sprintf("%d iterations of Megatron-LM with the plan's parallelism", iterations)
	default:
		return fmt.Sprintf("%d iterations of a small transformer under torch's FSDP", iterations)
	}
}

// trainer is the command of the plan's framework, quoted for the script, and where its images have it. Empty with the reason where there
// is none.
func (b *builder) trainer(g plan.NodeGroup) (folders, command, why string) {
	w := b.plan.Config.Workload
	switch own := b.plan.Config.Validation.Commands.Training; {
	case own != "":
		return "", quote(own), ""
	case w.Framework == "megatron-lm":
		flags, why := b.megatron(g)
		if flags == nil {
			return "", "", why
		}
		return "/opt/megatron-lm /opt/Megatron-LM /workspace/Megatron-LM", quote("python3 -u pretrain_gpt.py " + strings.Join(flags, " ")), ""
	case w.Framework == "other":
		return "", "", "weft knows no training of framework other: name one in validation.commands.training"
	case g.Healthy.Kind != "gpu":
		return "", "", "weft's own training is for GPUs: name one in validation.commands.training"
	default:
		return "", fmt.Sprintf(`"python3 -u '$PWD/$out/fsdp.py' --steps %d"`, iterations), ""
	}
}

// megatron are the arguments of pretrain_gpt.py: a model of a size that starts in minutes, split as the plan splits the user's. It learns
// from mock data, so that no data set is needed, and prints every iteration.
func (b *builder) megatron(g plan.NodeGroup) (flags []string, why string) {
	w := b.plan.Config.Workload
	tp, pp := max(1, w.TensorParallel), max(1, w.PipelineParallel)
	world := g.Nodes * g.Ranks.PerNode
	if world%(tp*pp) != 0 {
		return nil, fmt.Sprintf("%d ranks can't be split by tensor × pipeline parallel %d × %d", world, tp, pp)
	}
	flags = strings.Fields(fmt.Sprintf("--tensor-model-parallel-size %d --pipeline-model-parallel-size %d", tp, pp))
	if tp > 1 {
		flags = append(flags, "--sequence-parallel")
	}
	flags = append(flags, strings.Fields(fmt.Sprintf("--num-layers %d --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32"+
		" --group-query-attention --num-query-groups 8 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1"+
		" --global-batch-size %d --train-iters %d --lr 1.5e-5 --lr-decay-style constant --clip-grad 1.0 --bf16 --use-distributed-optimizer"+
		" --swiglu --normalization RMSNorm --position-embedding-type rope --disable-bias-linear --untie-embeddings-and-output-weights"+
		" --mock-data --tokenizer-type NullTokenizer --vocab-size 32000 --split 99,1,0 --eval-iters 0 --log-interval 1 --log-throughput"+
		" --seed 1234 --distributed-timeout-minutes 10", 4*pp, 4*world/(tp*pp), iterations))...)
	if w.Kind == "moe" {
		flags = append(flags, b.experts(tp)...)
	}
	return flags, ""
}

// experts are Megatron's arguments of a mixture of experts. Router and probabilities stay in 32 bits, which the flex dispatcher asks for.
func (b *builder) experts(tp int) []string {
	w := b.plan.Config.Workload
	ep, etp := max(1, w.ExpertParallel), w.ExpertTensorParallel
	if etp == 0 {
		etp = tp
	}
	flags := strings.Fields(fmt.Sprintf("--num-experts %d --expert-model-parallel-size %d --expert-tensor-parallel-size %d --moe-ffn-hidden-size 2048"+
		" --moe-router-topk 8 --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2 --moe-router-dtype fp32 --moe-grouped-gemm"+
		" --moe-permute-fusion", expertsOf(ep), ep, etp))
	backend := map[string]string{
		"hybridep": "hybridep", "deepep-v1": "deepep", "deepep-v1-nvshmem": "deepep", "deepep-v2": "deepepv2", "uccl": "deepep",
	}[w.Dispatcher]
	if backend == "" {
		return append(flags, "--moe-token-dispatcher-type", "alltoall")
	}
	return append(flags, "--moe-token-dispatcher-type", "flex", "--moe-flex-dispatcher-backend", backend)
}

// expertsOf is a number of experts that all ranks of a group share evenly, 64 or more.
func expertsOf(ep int) int { return ep * ((64 + ep - 1) / ep) }
