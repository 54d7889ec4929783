package parallelcluster_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/parallelcluster"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/engine/inprocess"
)

func cluster(p plan.Cluster) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		_, err := parallelcluster.New(ctx, "cluster", parallelcluster.Args{Plan: p, BootBucket: pulumi.String("existing-boot-0123abc")})
		return err
	}
}

// stacks gives what an operation did to the two stacks, in order.
func stacks(r inprocess.Result) []string {
	var out []string
	for _, s := range r.Steps {
		if s.Type == "aws:cloudformation/stack:Stack" && s.Op != "same" {
			out = append(out, s.Op+" "+s.Name)
		}
	}
	return out
}

func TestTheEngineChangesWhatMustChange(t *testing.T) {
	p := planned(t, "existing-network")
	stack := inprocess.New(t, cluster(p), inprocess.Options{Config: map[string]string{"aws:region": p.Region}})
	up := stack.Up()
	require.NoError(t, up.Err)
	require.Equal(t, []string{"create cluster-provider", "create cluster"}, stacks(up))
	up = stack.Up()
	require.NoError(t, up.Err)
	require.Empty(t, stacks(up), "a second up is no change")

	tagged := planned(t, "existing-network")
	tagged.Config.Tags = map[string]string{"team": "research"}
	stack.Program = cluster(tagged)
	preview := stack.Preview()
	require.NoError(t, preview.Err)
	require.Equal(t, []string{"update cluster-provider", "update cluster"}, stacks(preview), "an update of the provider is no reason to replace the cluster")
	up = stack.Up()
	require.NoError(t, up.Err)
	require.Equal(t, []string{"update cluster-provider", "update cluster"}, stacks(up))

	other := planned(t, "existing-network")
	other.ParallelCluster = "3.15.1"
	stack.Program = cluster(other)
	up = stack.Up()
	require.NoError(t, up.Err)
	require.Equal(t, []string{
		"delete-replaced cluster", "delete-replaced cluster-provider", "replace cluster-provider", "create-replacement cluster-provider",
		"replace cluster", "create-replacement cluster",
	}, stacks(up), "another version is another cluster, and the old one goes while its provider stands")

	destroy := stack.Destroy()
	require.NoError(t, destroy.Err)
	require.Equal(t, []string{"delete cluster", "delete cluster-provider"}, stacks(destroy))
}
