package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

func TestChecks(t *testing.T) {
	list := preflight.Checks()
	require.True(t, slices.IsSortedFunc(list, func(a, b preflight.Check) int { return strings.Compare(string(a.ID), string(b.ID)) }))
	for i, c := range list {
		rule, known := diag.Lookup(c.ID)
		require.True(t, known, c.ID)
		require.NotZero(t, rule.Where&diag.Account, c.ID)
		require.NotEmpty(t, c.What, c.ID)
		require.NotEmpty(t, preflight.Actions()[c.ID], c.ID)
		require.True(t, i == 0 || list[i-1].ID != c.ID, "%s stands once", c.ID)
	}
}

func skip(id diag.ID, reason string) func(*config.Cluster) {
	return func(c *config.Cluster) { c.Preflight.Skip = map[diag.ID]string{id: reason} }
}

func TestSkip(t *testing.T) {
	dedicated := reservation(func(r *preflight.Reservation) { r.Tenancy = "dedicated" })
	const found = "error block/tenancy " + atBlock + block + " has dedicated tenancy | default tenancy, which the nodes have"
	judge(t, map[string]row{
		"left out": {
			config: skip(diag.BlockTenancy, "the vendor confirmed it"), world: dedicated,
			want: []string{"note account/skipped preflight.skip.block/tenancy: not judged: the vendor confirmed it | a reservation has default tenancy"},
		},
		"without a reason": {
			config: skip(diag.BlockTenancy, " "), world: dedicated,
			want: []string{found, "warn account/skipped preflight.skip.block/tenancy: block/tenancy left out without a reason: it is judged all the same | a reason"},
		},
		"a rule that is no check": {
			config: skip(diag.BlockSeveral, "why not"), world: dedicated,
			want: []string{found, `warn account/skipped preflight.skip.block/several: "block/several", which is no preflight check: nothing is left out | the id of a check`},
		},
	})
}

func TestSkipNamesTheNearestCheck(t *testing.T) {
	found := preflight.Judge(request(t, skip("block/zon", "typo")), healthy(), now)
	require.Contains(t, found[0].Hint, "did you mean block/zone?")
}

func TestLevelsOfTheConfig(t *testing.T) {
	lower := func(c *config.Cluster) {
		c.Rules = map[diag.ID]diag.Override{diag.BlockTenancy: {Level: diag.Warn, Reason: "tried by hand"}}
	}
	observed := healthy()
	observed.Reservations[0].Tenancy = "dedicated"
	found := preflight.Judge(request(t, lower), observed, now)
	require.Len(t, found, 1)
	require.Equal(t, diag.Warn, found[0].Level)
	require.Equal(t, "tried by hand", found[0].Reason)
}

func TestUpdate(t *testing.T) {
	refused := func(running []byte, _ bool) diag.List {
		return diag.List{{
			Rule: diag.PCUpdate, Place: diag.Place{Path: "headNode.instanceType"}, Got: "running: " + string(running), Want: "the same", Hint: "make a new cluster",
		}}
	}
	const stuck = "error pc/update name weft: stack weft "
	const takes = " | a stack that takes an update"
	tests := map[string]struct {
		stack   preflight.Stack
		compare func([]byte, bool) diag.List
		want    []string
	}{
		"compared": {
			preflight.Stack{Status: "UPDATE_COMPLETE", Config: `{"a":1}`},
			refused,
			[]string{`error pc/update headNode.instanceType: running: {"a":1} | the same`},
		},
		"after a failed update": {
			preflight.Stack{Status: "UPDATE_FAILED", Config: `{"a":1}`},
			refused,
			[]string{`error pc/update headNode.instanceType: running: {"a":1} | the same`},
		},
		"of this version": {
			preflight.Stack{Status: "UPDATE_COMPLETE", Config: `{"a":1}`, Version: "3.16.1"},
			refused,
			[]string{`error pc/update headNode.instanceType: running: {"a":1} | the same`},
		},
		"of another version, which is replaced": {
			preflight.Stack{Status: "UPDATE_COMPLETE", Config: `{"a":1}`, Version: "3.15.1"},
			refused,
			[]string{"warn pc/update parallelcluster weft: stack weft runs ParallelCluster 3.15.1 | 3.16.1, as parallelcluster says"},
		},
		"nobody compares": {preflight.Stack{Status: "CREATE_COMPLETE", Config: `{"a":1}`}, nil, nil},
		"no config": {
			preflight.Stack{Status: "CREATE_COMPLETE"},
			refused,
			[]string{"warn pc/update name weft: the template of stack weft holds no configuration of a cluster that can be read" +
				" | the configuration of the running cluster, in a resource of type Custom::PclusterCluster"},
		},
		"being changed":    {preflight.Stack{Status: "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"}, refused, []string{stuck + "is being changed: UPDATE_COMPLETE_CLEANUP_IN_PROGRESS" + takes}},
		"stuck":            {preflight.Stack{Status: "UPDATE_ROLLBACK_FAILED"}, refused, []string{stuck + "is stuck: UPDATE_ROLLBACK_FAILED" + takes}},
		"never came up":    {preflight.Stack{Status: "ROLLBACK_COMPLETE"}, refused, []string{stuck + "takes no update: ROLLBACK_COMPLETE" + takes}},
		"deleted in parts": {preflight.Stack{Status: "DELETE_FAILED"}, refused, []string{stuck + "takes no update: DELETE_FAILED" + takes}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			observed := healthy()
			tt.stack.Name = "weft"
			observed.Stack = &tt.stack
			r := request(t)
			r.CompareConfig = tt.compare
			found := preflight.Judge(r, observed, now)
			diagtest.Complete(t, found)
			require.Equal(t, tt.want, lines(found))
		})
	}
}
