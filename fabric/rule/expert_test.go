package rule_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/rule"
)

func TestExpertsInAScript(t *testing.T) {
	const (
		nodes   = "--nodes=4 --ntasks-per-node=8 --gpus-per-node=8 --exclusive\n\nsrun "
		ep16    = "python pretrain_gpt.py --expert-model-parallel-size 16"
		flex    = " --moe-token-dispatcher-type flex --moe-flex-dispatcher-backend "
		spans   = "moe/ep-spans-nodes an expert-parallel group of 16 ranks on nodes of 8 GPUs"
		backend = "moe/dispatcher --moe-flex-dispatcher-backend "
	)
	for _, c := range []struct {
		name, types, text string
		want              []string
	}{
		{"within a node", "p6-b200.48xlarge", nodes + "python pretrain_gpt.py --expert-model-parallel-size 8" + flex + "hybridep", nil},
		{"no experts", "p6-b200.48xlarge", nodes + "python pretrain_gpt.py --tensor-model-parallel-size 16", nil},
		{"over nodes", "p6-b200.48xlarge", nodes + ep16, []string{"warn " + spans}},
		{"over nodes, on a type that nobody names", "", nodes + ep16, []string{"warn " + spans}},
		{"on a node of four GPUs", "g6e.24xlarge", "--nodes=4 --exclusive\n\nsrun python pretrain_gpt.py --expert-model-parallel-size=8", []string{"warn moe/ep-spans-nodes an expert-parallel group of 8 ranks on nodes of 4 GPUs"}},
		{"times the tensor parallel size", "p6-b200.48xlarge", nodes + "python pretrain_gpt.py --tensor-model-parallel-size 2 --expert-model-parallel-size 8", []string{"warn " + spans}},
		{"experts have their own", "p6-b200.48xlarge", nodes + "python pretrain_gpt.py --tensor-model-parallel-size 2 --expert-tensor-parallel-size 1 --expert-model-parallel-size 8", nil},
		{"by torchrun", "p6-b200.48xlarge", "--nodes=4 --exclusive\n\nsrun torchrun --nproc_per_node=8 pretrain_gpt.py --expert-model-parallel-size 16", []string{"warn " + spans}},
		{"arguments in an array", "p6-b200.48xlarge", "--nodes=4 --exclusive\n\nMOE=(--expert-model-parallel-size 16)\nsrun python pretrain_gpt.py \"${MOE[@]}\"", []string{"warn " + spans}},
		{"a size from elsewhere", "p6-b200.48xlarge", nodes + "python pretrain_gpt.py --expert-model-parallel-size $EP", []string{"warn value/unknown --expert-model-parallel-size of this start is not known, so that moe/ep-spans-nodes was not judged"}},
		{"a size with a default", "p6-b200.48xlarge", "--nodes=4 --exclusive\n\nEP=${EP:-16}\nsrun python pretrain_gpt.py --expert-model-parallel-size $EP", []string{"warn " + spans}},
		{"a tensor parallel size from elsewhere", "p6-b200.48xlarge", nodes + "python pretrain_gpt.py --expert-model-parallel-size 8 --tensor-model-parallel-size $TP", []string{"warn value/unknown --expert-tensor-parallel-size, or --tensor-model-parallel-size in its place, of this start"}},
		{"a job of one node", "p6-b200.48xlarge", "--nodes=1 --exclusive\n\nsrun " + ep16, nil},
		{"a library of one node", "p6-b200.48xlarge", nodes + ep16 + flex + "hybridep", []string{"error " + backend + "hybridep over nodes", "error " + spans}},
		{"DeepEP, whichever", "p6-b200.48xlarge", nodes + ep16 + flex + "deepep", []string{"warn " + backend + "deepep over nodes", "warn " + spans}},
		{"DeepEP v2", "p6-b200.48xlarge", nodes + ep16 + flex + "deepepv2", []string{"warn " + spans}},
		{"DeepEP v2 where the CPU starts it", "p5.48xlarge", nodes + ep16 + flex + "deepepv2", []string{"warn moe/dispatcher deepep-v2 on p5.48xlarge", "warn " + spans}},
		{"ranks dealt out", "p6-b200.48xlarge", nodes + "-m cyclic:block python pretrain_gpt.py --expert-model-parallel-size 8", []string{"error moe/rank-order --distribution=cyclic:block"}},
		{"ranks dealt out by the job", "p6-b200.48xlarge", "--distribution=cyclic " + nodes + "python pretrain_gpt.py --expert-model-parallel-size 8", []string{"error moe/rank-order --distribution=cyclic"}},
		{"within a node, dealt out", "p6-b200.48xlarge", nodes + "--distribution=block:cyclic python pretrain_gpt.py --expert-model-parallel-size 8", nil},
		{"one task a node, dealt out", "p6-b200.48xlarge", "--nodes=4 --exclusive\n\nsrun -m cyclic torchrun --nproc_per_node=8 pretrain_gpt.py --expert-model-parallel-size 8", nil},
		{"dealt out without experts", "p6-b200.48xlarge", nodes + "-m cyclic python pretrain_gpt.py", nil},
		{"a backend that is not used", "p6-b200.48xlarge", nodes + ep16 + " --moe-token-dispatcher-type alltoall --moe-flex-dispatcher-backend hybridep", []string{"warn " + spans}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o rule.Options
			if c.types != "" {
				o.InstanceTypes = []string{c.types}
			}
			got := judged(t, rule.Set{JobScripts: []rule.JobScript{batch(c.text)}}, o)
			require.Len(t, got, len(c.want), "%q", got)
			for i, w := range c.want {
				require.True(t, strings.HasPrefix(got[i], w), "%q is not %q", got[i], w)
			}
		})
	}
}
