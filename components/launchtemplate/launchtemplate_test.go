package launchtemplate_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/components/launchtemplate"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

const reservation = "cr-0123456789abcdef0"

// nodes is a group of a type as the planner lays it out, on a block.
func nodes(t testing.TB, instanceType, layout string) plan.NodeGroup {
	t.Helper()
	facts, ok := catalog.Instance(instanceType)
	require.True(t, ok)
	return plan.NodeGroup{
		Name: "train", InstanceType: instanceType, Nodes: 2, EFA: true, Layout: layout,
		Interfaces: plan.Interfaces(facts, layout, true),
		Capacity:   plan.Capacity{Market: plan.CapacityBlock, Reservation: reservation},
	}
}

func withCapacity(g plan.NodeGroup, c plan.Capacity) plan.NodeGroup {
	g.Capacity = c
	return g
}

func situations(t testing.TB) map[string]*launchtemplate.Args {
	t.Helper()
	ids := func(a *launchtemplate.Args) *launchtemplate.Args {
		a.SubnetID = pulumi.String("subnet-1")
		a.SecurityGroupIDs = pulumi.StringArray{pulumi.String("sg-1")}
		return a
	}
	return map[string]*launchtemplate.Args{
		"p6-b300-interfaces": ids(&launchtemplate.Args{
			Use: launchtemplate.Interfaces, Group: nodes(t, "p6-b300.48xlarge", plan.MostBandwidth),
		}),
		"p5en-block": ids(&launchtemplate.Args{
			Use: launchtemplate.Whole, Group: nodes(t, "p5en.48xlarge", plan.SaveAddresses),
			ImageID: pulumi.String("ami-1"), InstanceProfileARN: pulumi.String("arn:aws:iam::aws:instance-profile/nodes"),
			Tags: map[string]string{"team": "a"},
		}),
		"p5en-eks": {Use: launchtemplate.Whole, Group: nodes(t, "p5en.48xlarge", plan.SaveAddresses)},
		"p6-b200-combined": ids(&launchtemplate.Args{
			Use: launchtemplate.Whole, Combined: true, Group: nodes(t, "p6-b200.48xlarge", plan.SaveAddresses),
		}),
		"g6e-reservation-in-a-group": ids(&launchtemplate.Args{
			Use: launchtemplate.Whole, Group: withCapacity(nodes(t, "g6e.48xlarge", plan.SaveAddresses), plan.Capacity{
				Market: plan.OnDemand, Reservation: reservation, Placement: plan.Placement{Name: "pg-1"},
			}),
		}),
		"p4d-on-demand": ids(&launchtemplate.Args{
			Use: launchtemplate.Whole, Group: withCapacity(nodes(t, "p4d.24xlarge", plan.SaveAddresses), plan.Capacity{
				Market: plan.OnDemand, Placement: plan.Placement{Managed: true},
			}),
		}),
		"block-of-the-same-stack": ids(&launchtemplate.Args{
			Use: launchtemplate.Whole, ReservationID: pulumi.String("cr-0fedcba9876543210"),
			Group: withCapacity(nodes(t, "p5.48xlarge", plan.SaveAddresses), plan.Capacity{Market: plan.CapacityBlock}),
		}),
	}
}

func program(args *launchtemplate.Args) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		_, err := launchtemplate.New(ctx, "lt", args)
		return err
	}
}

func TestGoldens(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for name, args := range situations(t) {
		for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				first := componenttest.Record(t, program(args), mode)
				componenttest.Golden(t, name+"-"+mode.String(), first)
				require.Equal(t, first, componenttest.Record(t, program(args), mode), "a second run")
			})
		}
	}
}

func TestRefusesWhatCanNotLaunch(t *testing.T) {
	whole := nodes(t, "p5en.48xlarge", plan.SaveAddresses)
	for name, c := range map[string]struct {
		args *launchtemplate.Args
		want string
	}{
		"no use":        {&launchtemplate.Args{Group: whole}, `use is "", want "whole" or "interfaces"`},
		"no interfaces": {&launchtemplate.Args{Use: launchtemplate.Whole, Group: plan.NodeGroup{Name: "cpu", Rendering: plan.Rendering{Reason: "no row"}}}, "the plan of group cpu has no interfaces: no row"},
		"placement group on a block": {&launchtemplate.Args{Use: launchtemplate.Whole, Group: withCapacity(whole, plan.Capacity{
			Market: plan.CapacityBlock, Reservation: reservation, Placement: plan.Placement{Name: "pg-1"},
		})}, "takes no placement group"},
		"block without its reservation": {&launchtemplate.Args{Use: launchtemplate.Whole, Group: withCapacity(whole, plan.Capacity{
			Market: plan.CapacityBlock, Offering: &config.Offering{ID: "cb-0123456789abcdef0"},
		})}, "group train is on a capacity block, and nothing says which: EC2 starts its nodes only with a targeted reservation; give reservationId"},
		"no arguments":                  {nil, "lt: no arguments"},
		"interfaces without the subnet": {&launchtemplate.Args{Use: launchtemplate.Interfaces, Group: whole}, "give both"},
	} {
		t.Run(name, func(t *testing.T) {
			registered, err := componenttest.Try(program(c.args), componenttest.Update)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, registered)
		})
	}
}
