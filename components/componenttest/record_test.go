package componenttest

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/internal/golden"
)

type part struct{ pulumi.CustomResourceState }

type whole struct{ pulumi.ResourceState }

// program registers a component with a child, and a second child that takes the first one's id.
func program(ctx *pulumi.Context) error {
	var w whole
	if err := ctx.RegisterComponentResource("weft:index:Whole", "w", &w); err != nil {
		return err
	}
	var first, second part
	inputs := pulumi.Map{"count": pulumi.Int(2), "password": pulumi.ToSecret(pulumi.String("x"))}
	if err := ctx.RegisterResource("aws:some:Thing", "first", inputs, &first, pulumi.Parent(&w), pulumi.Protect(true)); err != nil {
		return err
	}
	inputs = pulumi.Map{"from": first.ID(), "list": pulumi.Array{pulumi.String("a < b"), first.ID()}}
	return ctx.RegisterResource("aws:some:Thing", "second", inputs, &second, pulumi.Parent(&w),
		pulumi.DeleteBeforeReplace(true), pulumi.IgnoreChanges([]string{"list"}),
		pulumi.Timeouts(&pulumi.CustomTimeouts{Create: "2h"}),
		pulumi.Aliases([]pulumi.Alias{{Name: pulumi.String("old")}}))
}

func TestRecordGivesEveryRegistration(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for _, mode := range []Mode{Update, Preview} {
		t.Run(mode.String(), func(t *testing.T) {
			regs := Record(t, program, mode)
			Golden(t, "two-parts/"+mode.String(), regs)
			require.Equal(t, regs, Record(t, program, mode))
		})
	}
}

func TestTryGivesTheProgramsError(t *testing.T) {
	regs, err := Try(func(ctx *pulumi.Context) error {
		return ctx.Invoke("aws:some:getThing", &struct{}{}, &struct{}{})
	}, Update)
	require.ErrorContains(t, err, "no answer for aws:some:getThing")
	require.Empty(t, regs)
}

func TestAnswersAndOutputsReachTheProgram(t *testing.T) {
	type thing struct {
		pulumi.CustomResourceState
		Version pulumi.IntOutput `pulumi:"version"`
	}
	for mode, want := range map[Mode]any{Update: 7.0, Preview: Unknown} {
		regs := Record(t, func(ctx *pulumi.Context) error {
			var found struct {
				Zone string `pulumi:"zone"`
			}
			if err := ctx.Invoke("aws:some:getThing", &struct{}{}, &found); err != nil {
				return err
			}
			var a, b thing
			if err := ctx.RegisterResource("aws:some:Thing", "a", pulumi.Map{"zone": pulumi.String(found.Zone)}, &a); err != nil {
				return err
			}
			return ctx.RegisterResource("aws:some:Thing", "b", pulumi.Map{"version": a.Version}, &b)
		}, mode,
			Answer("aws:some:getThing", func(map[string]any) map[string]any { return map[string]any{"zone": "use2-az1"} }),
			Outputs("aws:some:Thing", func(Registration) map[string]any { return map[string]any{"version": 7} }))
		require.Len(t, regs, 2)
		require.Equal(t, "use2-az1", regs[0].Inputs["zone"])
		require.Equal(t, want, regs[1].Inputs["version"])
	}
}

func TestAwaitGivesValueOrUnknown(t *testing.T) {
	for mode, want := range map[Mode]any{Update: pulumi.ID("first-id"), Preview: Unknown} {
		Record(t, func(ctx *pulumi.Context) error {
			var first part
			if err := ctx.RegisterResource("aws:some:Thing", "first", nil, &first); err != nil {
				return err
			}
			require.Equal(t, want, Await(t, ctx, first.ID()))
			return nil
		}, mode)
	}
}
