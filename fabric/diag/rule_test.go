package diag_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
)

func TestWhere(t *testing.T) {
	tests := map[string]struct {
		where diag.Where
		names []string
	}{
		"nowhere": {0, nil},
		"plan":    {diag.Plan, []string{"plan"}},
		"several": {diag.Validation | diag.Plan | diag.Boot, []string{"plan", "boot", "validation"}},
		"all": {
			diag.Plan | diag.Account | diag.Policy | diag.Image | diag.Boot | diag.Validation,
			[]string{"plan", "account", "policy", "image", "boot", "validation"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.names, tt.where.Names())
			require.Equal(t, strings.Join(tt.names, ","), tt.where.String())
		})
	}
}

func TestRulesAreSortedAndTheCallersOwn(t *testing.T) {
	rules := diag.Rules()
	require.True(t, slices.IsSortedFunc(rules, func(a, b diag.Rule) int { return strings.Compare(string(a.ID), string(b.ID)) }))

	rules[0].Says = "changed by a caller"
	require.NotEqual(t, rules[0].Says, diag.Rules()[0].Says)
}

var (
	idForm    = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+(-[a-z0-9]+)*$`)
	oneClause = regexp.MustCompile(`^[^\s.;:!?][^;!?\n\r\t]*[^\s.;:!?,]$`)
)

func TestRegistry(t *testing.T) {
	seen := map[diag.ID]bool{}
	says := map[string]diag.ID{}
	for _, r := range diag.Rules() {
		t.Run(string(r.ID), func(t *testing.T) {
			require.Regexp(t, idForm, string(r.ID), "an id is area/name")
			require.False(t, seen[r.ID], "an id stands once")
			require.Empty(t, says[r.Says], "no two rules say the same")
			require.Contains(t, []diag.Level{diag.Note, diag.Warn, diag.Error}, r.Level)
			require.NotEmpty(t, r.Where.Names(), "a rule is judged somewhere")
			require.Regexp(t, oneClause, r.Says, "a rule is one clause without a closing period")
			require.NotContains(t, r.Says, ". ", "a rule is one clause")

			found, ok := diag.Lookup(r.ID)
			require.True(t, ok)
			require.Equal(t, r, found)
			require.Equal(t, r.Level, r.ID.Level())
			require.Equal(t, r.Says, r.ID.Says())
		})
		seen[r.ID], says[r.Says] = true, r.ID
	}
	require.NotEmpty(t, seen)
}

func TestUnregisteredRule(t *testing.T) {
	_, ok := diag.Lookup(unregistered)
	require.False(t, ok)
	require.Equal(t, diag.Error, unregistered.Level(), "a finding never gets lost for want of a registered rule")
	require.Equal(t, "rule nowhere/registered is not registered", unregistered.Says())
}
