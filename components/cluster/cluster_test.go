package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/components/cluster"
	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

func planOf(t *testing.T, file string) plan.Cluster {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, findings := config.Decode(file, data)
	require.False(t, findings.Failed(), "%+v", findings)
	p, planned := plan.New(doc.Cluster)
	require.False(t, planned.Failed(), "%+v", planned)
	return p
}

// imagesOf plans the images of the recipes that an example names, beside its config.
func imagesOf(t *testing.T, file string, p plan.Cluster) map[string]amibuild.Image {
	t.Helper()
	out := map[string]amibuild.Image{}
	for _, recipe := range amibuild.Recipes(p.Config) {
		f, err := amibuild.Load(os.DirFS(filepath.Dir(file)), recipe, "")
		require.NoError(t, err)
		i, findings := f.Plan(amibuild.TargetOf(p, recipe))
		require.False(t, findings.Failed(), "%+v", findings)
		out[recipe] = i
	}
	return out
}

func program(p plan.Cluster, images map[string]amibuild.Image) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		c, err := cluster.New(ctx, p.Name, &cluster.Args{Plan: p, Images: images})
		if err != nil {
			return err
		}
		ctx.Export("connect", c.ConnectCommand)
		return nil
	}
}

// What every example registers, when it is deployed and in a preview.
func TestExamples(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	files, err := filepath.Glob("../../examples/*/cluster.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		p := planOf(t, file)
		images := imagesOf(t, file, p)
		name := filepath.Base(filepath.Dir(file))
		for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				first := componenttest.Record(t, program(p, images), mode, imageAnswers()...)
				require.Equal(t, first, componenttest.Record(t, program(p, images), mode, imageAnswers()...), "a second run")
				componenttest.Golden(t, name+"-"+mode.String(), shortened(first))
			})
		}
	}
}

// Where the nodes leave for another zone, what can't move stays in the home zone: head node, NAT gateway and FSx for Lustre.
func TestHomeZone(t *testing.T) {
	data, err := os.ReadFile("../../examples/p5en-capacity-block/cluster.yaml")
	require.NoError(t, err)
	doc, findings := config.Decode("cluster.yaml", data)
	require.False(t, findings.Failed(), "%+v", findings)
	doc.Cluster.Network.Create.Zone, doc.Cluster.Groups[0].Zone = "us-east-2a", "us-east-2c"
	p, planned := plan.New(doc.Cluster)
	require.False(t, planned.Failed(), "%+v", planned)

	zones, subnets := map[string]any{}, map[string]any{}
	for _, r := range componenttest.Record(t, program(p, nil), componenttest.Update, answers...) {
		switch r.Type {
		case "aws:ec2/subnet:Subnet":
			zones[r.Name] = r.Inputs["availabilityZone"]
		case "aws:fsx/lustreFileSystem:LustreFileSystem":
			subnets["fsx"] = r.Inputs["subnetIds"]
		case "aws:ec2/natGateway:NatGateway":
			subnets["nat"] = r.Inputs["subnetId"]
		}
	}
	require.Equal(t, map[string]any{"llama-public": "us-east-2a", "llama-private-us-east-2a": "us-east-2a", "llama-private-us-east-2c": "us-east-2c"}, zones)
	require.Equal(t, map[string]any{"fsx": "llama-private-us-east-2a-id", "nat": "llama-public-id"}, subnets)
}

// shortened leaves out component documents, which are goldens of package amibuild, and scripts, whose SHA-256 is shown.
func shortened(regs []componenttest.Registration) []componenttest.Registration {
	for i := range regs {
		for _, name := range []string{"data", "content"} {
			if text, ok := regs[i].Inputs[name].(string); ok && len(text) > 200 {
				regs[i].Inputs[name] = text[:60] + "…"
			}
		}
	}
	return regs
}

// answers are outputs that the program reads.
var answers = []componenttest.Option{
	componenttest.Outputs("aws:cloudformation/stack:Stack", func(componenttest.Registration) map[string]any {
		return map[string]any{"outputs": map[string]any{
			"ServiceToken": "arn:aws:lambda:service-token", pcconfig.OutputHeadNodeID: "i-0123456789abcdef0",
			pcconfig.OutputHeadNodePrivateIP: "10.0.0.4", pcconfig.OutputHeadNodePublicIP: "192.0.2.4",
			pcconfig.OutputClusterStatus: "CREATE_COMPLETE", pcconfig.OutputValidationMessages: "[]",
		}}
	}),
	componenttest.Outputs("aws:s3/bucketV2:BucketV2", func(r componenttest.Registration) map[string]any {
		return map[string]any{"arn": "arn:aws:s3:::" + r.Name + "-id"}
	}),
	componenttest.Outputs("aws:ec2/launchTemplate:LaunchTemplate", func(componenttest.Registration) map[string]any {
		return map[string]any{"latestVersion": 1}
	}),
	componenttest.Outputs("aws:ssm/document:Document", func(r componenttest.Registration) map[string]any {
		return map[string]any{"name": r.Name, "arn": "arn:aws:ssm:us-east-2:123456789012:document/" + r.Name}
	}),
	componenttest.Outputs("aws:cloudwatch/eventRule:EventRule", func(r componenttest.Registration) map[string]any {
		return map[string]any{"name": r.Name, "arn": "arn:aws:events:us-east-2:123456789012:rule/" + r.Name}
	}),
	componenttest.Outputs("aws:iam/role:Role", func(r componenttest.Registration) map[string]any {
		return map[string]any{"name": r.Name, "arn": "arn:aws:iam::123456789012:role/" + r.Name}
	}),
	componenttest.Outputs(capacityblock.PurchaseToken, func(componenttest.Registration) map[string]any {
		return map[string]any{"reservationId": "cr-0b20000000000000b"}
	}),
}

// A bought block is named by the group that uses it, so that another offering in the config is no other block; it waits for
// what costs little.
func TestBoughtBlock(t *testing.T) {
	p := planOf(t, "../../examples/p6-b200-bought-block/cluster.yaml")
	bought := func() componenttest.Registration {
		regs := componenttest.Record(t, program(p, nil), componenttest.Update, answers...)
		i := slices.IndexFunc(regs, func(r componenttest.Registration) bool { return r.Type == capacityblock.PurchaseToken })
		require.GreaterOrEqual(t, i, 0)
		return regs[i]
	}
	first := bought()
	require.Equal(t, "llama-train", first.Name)
	require.NotEmpty(t, first.Options.DependsOn)
	offering := *p.Groups[0].Capacity.Offering
	offering.ID = "cb-0123456789abcdef0"
	p.Groups[0].Capacity.Offering = &offering
	require.Equal(t, first.Name, bought().Name)
}

// What ParallelCluster can't be told stops everything: nothing is bought for a cluster that can't be made.
func TestNothingIsBoughtForAClusterThatCanNotBeMade(t *testing.T) {
	p := planOf(t, "../../examples/p6-b200-bought-block/cluster.yaml")
	for i := range 60 {
		g, c := p.Groups[0], p.Config.Groups[0]
		g.Name = fmt.Sprintf("more-%d", i)
		c.Name = g.Name
		p.Groups, p.Config.Groups = append(p.Groups, g), append(p.Config.Groups, c)
	}
	registered, err := componenttest.Try(program(p, nil), componenttest.Update, answers...)
	require.ErrorContains(t, err, "pc/size")
	require.Empty(t, registered)
}

// A cluster on blocks has a guard of their ends, a bought block's among them; one without blocks has none.
func TestGuard(t *testing.T) {
	for name, want := range map[string]string{
		"p6-b200-bought-block": `"cr-0b20000000000000b"`,
		"p6-b200-two-blocks":   `"cr-0b20000000000000a","cr-0b20000000000000b"`,
		"p4d-on-demand":        "",
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, "../../examples/"+name+"/cluster.yaml")
			var targets, patterns []any
			for _, r := range componenttest.Record(t, program(p, nil), componenttest.Update, answers...) {
				switch r.Type {
				case "aws:ssm/association:Association":
					targets = append(targets, r.Inputs["targets"])
				case "aws:cloudwatch/eventRule:EventRule":
					patterns = append(patterns, r.Inputs["eventPattern"])
				}
			}
			if want == "" {
				require.Empty(t, targets)
				require.Empty(t, patterns)
				return
			}
			require.Equal(t, []any{[]any{map[string]any{"key": "InstanceIds", "values": []any{"i-0123456789abcdef0"}}}}, targets)
			require.Len(t, patterns, 2)
			for _, pattern := range patterns {
				require.Contains(t, pattern, `"capacity-reservation-id":[`+want+`]`)
			}
		})
	}
}

// No example makes a placement group for nodes of a block, by any road.
func TestNoPlacementGroupOnABlock(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/cluster.yaml")
	require.NoError(t, err)
	for _, file := range files {
		p := planOf(t, file)
		if p.Groups[0].Capacity.Market != plan.CapacityBlock {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			for _, r := range componenttest.Record(t, program(p, imagesOf(t, file, p)), componenttest.Update, imageAnswers()...) {
				require.NotEqual(t, "aws:ec2/placementGroup:PlacementGroup", r.Type)
				require.NotContains(t, r.Inputs, "placement")
				if body, ok := r.Inputs["templateBody"].(string); ok {
					require.NotContains(t, body, "PlacementGroup")
				}
			}
		})
	}
}

func TestNoArguments(t *testing.T) {
	made, err := componenttest.Try(func(ctx *pulumi.Context) error {
		_, err := cluster.New(ctx, "pretrain", nil)
		return err
	}, componenttest.Update)
	require.ErrorContains(t, err, "arguments of pretrain: none")
	require.Empty(t, made)
}
