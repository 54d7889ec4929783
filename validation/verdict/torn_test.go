package verdict_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

// Any log, cut anywhere and taken for the output of any step, gives findings that are complete, and never a pass of a step that asks for
// more than a log of something else.
func TestTornLogsOfAnyStep(t *testing.T) {
	t.Parallel()
	steps := []string{plan.StepHost, plan.StepContainer, plan.StepLatency, plan.StepDispatcher, plan.StepTraining, plan.StepBlocks}
	files := 0
	require.NoError(t, filepath.WalkDir("../testdata", func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if e.IsDir() || strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".py") {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, share := range []int{1, 5, 10} {
			d, err := parse.Read(filepath.Base(path), bytes.NewReader(text[:len(text)*share/10]))
			require.NoError(t, err)
			diagtest.Complete(t, verdict.Diagnose([]evidence.Document{d}, verdict.Expected{InstanceType: "p5en.48xlarge"}).Findings)
			for _, name := range steps {
				s := stepOf(t, name, verdict.Output{Documents: []evidence.Document{d}})
				s.Workload.Kind, s.Workload.Dispatcher = "moe", "deepep-v2"
				got := verdict.Judge(s)
				diagtest.Complete(t, got.Findings)
				require.NotEmpty(t, got.Why)
				if name == plan.StepHost || name == plan.StepContainer || name == plan.StepBlocks {
					require.Equal(t, result.Failed, got.Outcome, "%s as step %s", path, name)
				}
			}
		}
		return nil
	}))
	require.Greater(t, files, 100)
}
