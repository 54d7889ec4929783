package judge_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// replay asks about every recorded configuration. The same answers mean that the emulated account answers ParallelCluster
// as the recorded one did.
func replay(t *testing.T, r judgetest.Record, j *judge.Judge) {
	t.Helper()
	require.Len(t, r.Cases, 121)
	for _, c := range r.Cases {
		t.Run(c.Name, func(t *testing.T) {
			got, err := j.Create(t.Context(), clusterName(c.Name), r.Text(t, c.Config, j.Version()))
			require.NoError(t, err)
			i := slices.IndexFunc(c.Verdicts, func(v judgetest.Ruling) bool { return slices.Contains(v.Versions, j.Version()) })
			require.GreaterOrEqual(t, i, 0, "no verdict of this version was recorded")
			want := c.Verdicts[i]
			require.Equal(t, want.Message, got.Message)
			require.Equal(t, want.Accepted, got.Accepted)
			require.Equal(t, ordered(want.Findings), ordered(got.Findings))
		})
	}
}

// clusterName is the name that was used when the verdict was recorded.
func clusterName(test string) string {
	switch test {
	case "cluster-name-too-long":
		return strings.Repeat("a", 61)
	case "cluster-name-underscore":
		return "my_cluster"
	default:
		return "weft"
	}
}

// set is a list in a message that ParallelCluster prints out of a Python set, in an order that changes.
var set = regexp.MustCompile(`\['[^\]]*'\]`)

// ordered sorts findings, and the lists in their messages.
func ordered(findings []judge.Finding) []judge.Finding {
	all := make([]judge.Finding, 0, len(findings))
	for _, f := range findings {
		f.Message = set.ReplaceAllStringFunc(f.Message, func(list string) string {
			items := strings.Split(strings.Trim(list, "[]"), ", ")
			slices.Sort(items)
			return "[" + strings.Join(items, ", ") + "]"
		})
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b judge.Finding) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Message, b.Message))
	})
	return all
}
