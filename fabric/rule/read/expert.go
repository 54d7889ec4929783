package read

import (
	"strings"

	"github.com/weft-hpc/weft/fabric/jobscript"
	"github.com/weft-hpc/weft/fabric/rule"
)

// experts reads Megatron-LM's arguments of expert parallelism from the program that a start comes down to.
func (j job) experts(s *jobscript.Start) rule.Experts {
	for s.Inner != nil {
		s = s.Inner
	}
	size, given := argument(s.Program, "--expert-model-parallel-size")
	if !given {
		return rule.Experts{}
	}
	out := rule.Experts{Place: j.place(size.Position), Parallel: whole(text(size))}
	if tensor, given := argument(s.Program, "--expert-tensor-parallel-size"); given {
		out.Tensor = whole(text(tensor))
	} else if tensor, given := argument(s.Program, "--tensor-model-parallel-size"); given {
		out.Tensor = whole(text(tensor))
	}
	kind, _ := argument(s.Program, "--moe-token-dispatcher-type")
	if backend, given := argument(s.Program, "--moe-flex-dispatcher-backend"); given && kind.Text == "flex" {
		out.Backend = text(backend)
	}
	return out
}

// argument finds the value of a program's argument, as --name value or --name=value: the last one counts.
func argument(words []jobscript.Word, name string) (value jobscript.Word, given bool) {
	for i, w := range words {
		switch rest, ok := strings.CutPrefix(w.Text, name); {
		case !ok:
		case rest == "" && i+1 < len(words):
			value, given = words[i+1], true
		case strings.HasPrefix(rest, "="):
			value, given = w, true
			value.Text = rest[1:]
		}
	}
	return value, given
}
