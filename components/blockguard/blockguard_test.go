package blockguard_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/blockguard"
	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

// planned reads the config of an example or a situation, and plans it.
func planned(t testing.TB, file string) plan.Cluster {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, findings := config.Decode(file, text)
	require.False(t, findings.Failed(), "%v", findings)
	p, _ := plan.New(doc.Cluster)
	return p
}

const (
	adopted = "../../examples/p6-b200-two-blocks/cluster.yaml"
	bought  = "../../fabric/plan/testdata/situations/guarded-offering.yaml"
	off     = "../../fabric/plan/testdata/situations/unguarded.yaml"
)

func program(p plan.Cluster, change func(*pulumi.Context, *blockguard.Args)) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		args := &blockguard.Args{Plan: p, HeadNodeID: pulumi.String("i-0123456789abcdef0")}
		if change != nil {
			change(ctx, args)
		}
		_, err := blockguard.New(ctx, "pretrain", args)
		return err
	}
}

// buys gives the reservation of a block that is bought in the same stack.
func buys(ctx *pulumi.Context, args *blockguard.Args) {
	var r struct{ pulumi.CustomResourceState }
	_ = ctx.RegisterResource("test:index:Block", "block", nil, &r)
	id := r.ID().ToStringOutput().ApplyT(func(string) string { return "cr-0123456789abcdef0" }).(pulumi.StringOutput) //nolint:forcetypeassert // ApplyT of a function to string
	args.ReservationIDs = map[string]pulumi.StringInput{"train": id, "dev": id}
	args.Delivered = "weft-delivered --run 'today'"
}

// outputs of what AWS names.
func outputs() []componenttest.Option {
	arn := func(service, kind string) func(componenttest.Registration) map[string]any {
		return func(r componenttest.Registration) map[string]any {
			return map[string]any{"arn": "arn:aws:" + service + ":us-east-2:123456789012:" + kind + "/" + r.Name, "name": r.Name + "-0a1b2c3"}
		}
	}
	return []componenttest.Option{
		componenttest.Outputs("aws:ssm/document:Document", arn("ssm", "document")),
		componenttest.Outputs("aws:cloudwatch/eventRule:EventRule", arn("events", "rule")),
		componenttest.Outputs("aws:iam/role:Role", arn("iam", "role")),
	}
}

func TestRegistrations(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for _, tt := range []struct {
		name, file string
		change     func(*pulumi.Context, *blockguard.Args)
	}{
		{"two-adopted-blocks", adopted, nil},
		{"bought-block", bought, buys},
		{"turned-off", off, func(ctx *pulumi.Context, a *blockguard.Args) { buys(ctx, a); a.Delivered = "" }},
	} {
		for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
			t.Run(tt.name+"/"+mode.String(), func(t *testing.T) {
				run := program(planned(t, tt.file), tt.change)
				first := componenttest.Record(t, run, mode, outputs()...)
				componenttest.Golden(t, tt.name+"-"+mode.String(), first)
				require.Equal(t, first, componenttest.Record(t, run, mode, outputs()...), "a second run")
			})
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		change     func(*pulumi.Context, *blockguard.Args)
		want       []error
	}{
		{"no block", "../../examples/p4d-on-demand/cluster.yaml", nil, []error{blockguard.ErrNoBlock}},
		{"everything", bought, func(_ *pulumi.Context, a *blockguard.Args) {
			a.HeadNodeID, a.Delivered = nil, "echo {{ x }}"
		}, []error{blockguard.ErrNoHead, blockguard.ErrNoReservation, blockguard.ErrBraces}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			made, err := componenttest.Try(program(planned(t, tt.file), tt.change), componenttest.Update)
			for _, want := range tt.want {
				require.ErrorIs(t, err, want)
			}
			require.Empty(t, made)
		})
	}
}

// The names of what AWS limits fit, however long the cluster's name is and whatever it begins with.
func TestNamesFit(t *testing.T) {
	const suffix = len("-0a1b2c3") // the provider's
	limits := map[string]int{"aws:cloudwatch/eventRule:EventRule": 64, "aws:iam/role:Role": 64, "aws:ssm/document:Document": 128}
	names := func(name string) (out []string) {
		p := planned(t, adopted)
		for _, r := range componenttest.Record(t, func(ctx *pulumi.Context) error {
			_, err := blockguard.New(ctx, name, &blockguard.Args{Plan: p, HeadNodeID: pulumi.String("i-0123456789abcdef0")})
			return err
		}, componenttest.Update, outputs()...) {
			if limit, limited := limits[r.Type]; limited {
				require.LessOrEqual(t, len(r.Name)+suffix, limit, "%s %s", r.Type, r.Name)
				out = append(out, r.Name)
			}
			if r.Type == "aws:ssm/document:Document" {
				require.NotRegexp(t, "^(?i)(aws|amazon|amzn)", r.Name)
			}
		}
		return out
	}
	long := strings.Repeat("aws-pretrain-", 5)[:59]
	require.Len(t, names(long+"1"), 4)
	for _, name := range names(long + "1") {
		require.NotContains(t, names(long+"2"), name, "two clusters of one stack")
	}
	require.Contains(t, names(long[:46]), long[:46]+"-warning", "a name that fits stays")
}

func TestNoArguments(t *testing.T) {
	made, err := componenttest.Try(func(ctx *pulumi.Context) error {
		_, err := blockguard.New(ctx, "pretrain", nil)
		return err
	}, componenttest.Update)
	require.ErrorContains(t, err, "arguments of pretrain: none")
	require.Empty(t, made)
}
