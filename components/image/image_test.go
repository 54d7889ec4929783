package image_test

import (
	"os"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/components/image"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/internal/golden"
)

// planned is the image of a recipe under amibuild's own situations.
func planned(t testing.TB, situation string, change func(*amibuild.Image)) amibuild.Image {
	t.Helper()
	f, err := amibuild.Load(os.DirFS("../../amibuild/testdata"), situation+"/recipe.yaml", situation)
	require.NoError(t, err)
	i, found := f.Plan(amibuild.Target{Region: "us-east-2"})
	require.False(t, found.Failed(), "%v", found)
	if change != nil {
		change(&i)
	}
	return i
}

func situations(t testing.TB) map[string]*image.Args {
	t.Helper()
	return map[string]*image.Args{
		"official": {Image: planned(t, "ubuntu2204-official", nil), Tags: map[string]string{"team": "pretraining"}},
		"own-profile-and-volume": {Image: planned(t, "ubuntu2204-official", func(i *amibuild.Image) {
			i.Steps = i.Steps[:1]
			i.Build.InstanceProfile = "arn:aws:iam::123456789012:instance-profile/builds/image-builder"
			i.Build.RootVolumeGiB, i.Build.KMSKey = 120, "arn:aws:kms:us-east-2:123456789012:key/1"
			i.Build.Subnet, i.Build.SecurityGroups = "subnet-01234567", []string{"sg-01234567"}
		})},
		"mirror-in-china": {Region: "cn-north-1", Image: planned(t, "ubuntu2204-official", func(i *amibuild.Image) {
			i.Steps = i.Steps[:1]
			i.Steps[0].Artifacts[0].URL = "s3://mirror/efa.tar.gz"
		})},
		"official-by-name": {Image: planned(t, "ubuntu2204-official", func(i *amibuild.Image) {
			i.Steps, i.Parent.AMI = i.Steps[:1], ""
		})},
	}
}

func program(args *image.Args) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		i, err := image.New(ctx, "training", args)
		if err == nil {
			ctx.Export("image", i.ImageID)
		}
		return err
	}
}

// options answer as AWS does.
func options() []componenttest.Option {
	arn := func(r componenttest.Registration) map[string]any {
		return map[string]any{"arn": "arn:aws:imagebuilder:::" + r.Name}
	}
	return []componenttest.Option{
		componenttest.Outputs("aws:imagebuilder/component:Component", arn),
		componenttest.Outputs("aws:imagebuilder/imageRecipe:ImageRecipe", arn),
		componenttest.Outputs("aws:imagebuilder/infrastructureConfiguration:InfrastructureConfiguration", arn),
		componenttest.Outputs("aws:imagebuilder/distributionConfiguration:DistributionConfiguration", arn),
		componenttest.Outputs("aws:imagebuilder/imagePipeline:ImagePipeline", arn),
		componenttest.Outputs("aws:imagebuilder/image:Image", func(componenttest.Registration) map[string]any {
			return map[string]any{"outputResources": []any{map[string]any{"amis": []any{map[string]any{"image": "ami-0fedcba9876543210", "region": "us-east-2"}}}}}
		}),
		componenttest.Answer("aws:ec2/getAmi:getAmi", func(args map[string]any) map[string]any {
			return map[string]any{"id": "ami-00000000000000001", "name": args["filters"].([]any)[0].(map[string]any)["values"].([]any)[0]}
		}),
	}
}

func TestGoldens(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for name, args := range situations(t) {
		for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				first := componenttest.Record(t, program(args), mode, options()...)
				require.Equal(t, first, componenttest.Record(t, program(args), mode, options()...), "a second run")
				componenttest.Golden(t, name+"-"+mode.String(), shortened(first))
			})
		}
	}
}

// shortened leaves out the component documents, which are goldens of package amibuild.
func shortened(regs []componenttest.Registration) []componenttest.Registration {
	for i := range regs {
		if data, ok := regs[i].Inputs["data"].(string); ok && len(data) > 200 {
			regs[i].Inputs["data"] = data[:60] + "…"
		}
	}
	return regs
}

// The id of the finished image is what the component puts out.
func TestImageID(t *testing.T) {
	args := situations(t)["official"]
	componenttest.Record(t, func(ctx *pulumi.Context) error {
		i, err := image.New(ctx, "training", args)
		require.NoError(t, err)
		require.Equal(t, "ami-0fedcba9876543210", componenttest.Await(t, ctx, i.ImageID))
		return nil
	}, componenttest.Update, options()...)
}

// No component or recipe has a name of its own: two stacks may build one recipe in one account, and a changed one is made beside the
// old one.
func TestNamesAreLeftToPulumi(t *testing.T) {
	for _, r := range componenttest.Record(t, program(situations(t)["official"]), componenttest.Update, options()...) {
		require.NotContains(t, r.Inputs, "name", r.URN)
	}
}

func TestRefusesWhatImageBuilderCanNotMake(t *testing.T) {
	for name, c := range map[string]struct {
		args *image.Args
		want string
	}{
		"no ParallelCluster in the parent": {&image.Args{Image: planned(t, "alinux2023-plain", nil)}, "ami/parent: parent: a parent without ParallelCluster 3.16.1"},
		"parent of another version": {&image.Args{Image: planned(t, "alinux2023-plain", func(i *amibuild.Image) {
			i.Parent.Holds[catalog.ParallelCluster] = "3.15.1"
		})}, "ami/parent"},
		"no Region": {&image.Args{Image: planned(t, "ubuntu2204-official", func(i *amibuild.Image) { i.Region = "" })}, "region is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			registered, err := componenttest.Try(program(c.args), componenttest.Update)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, registered)
		})
	}
}
