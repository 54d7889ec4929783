// Package image is the Pulumi component of a machine image that EC2 Image Builder makes: components, recipe, infrastructure,
// distribution, the image itself and a pipeline that makes it again.
//
// Package amibuild has decided all of it; the component translates its documents. It makes images on a parent of the same
// ParallelCluster version. Others are built by pcluster build-image, outside of a stack.
package image

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/imagebuilder"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Token is the component's type.
const Token = "weft:index:Image"

// Args of an image.
type Args struct {
	// Image is the plan of the image, without findings at error level.
	Image amibuild.Image `pulumi:"image"`
	// Region that the image is made in; the plan's when left out.
	Region string `pulumi:"region,optional"`
	// Tags of every resource.
	Tags map[string]string `pulumi:"tags,optional"`
}

// Image is the component.
type Image struct {
	pulumi.ResourceState

	// ImageID is the id of the finished image, ami-….
	ImageID pulumi.StringOutput `pulumi:"imageId"`
	// PipelineARN is the ARN of the pipeline that makes the image again.
	PipelineARN pulumi.StringOutput `pulumi:"pipelineArn"`
}

// New registers the component. It fails before anything is registered where Image Builder can't make the image.
//
// Image Builder changes neither components nor recipes, so that a changed one is made beside the old one, under a name of Pulumi's,
// which goes when nothing names it any more: the image before stays usable until the cluster has the new one. The names are not
// those of the documents, because two stacks may build one recipe in one account. The finished AMI is not deregistered with the
// resources.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*Image, error) {
	documents, err := args.documents()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &Image{}
	if err := ctx.RegisterComponentResource(Token, name, c, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	b := &builder{ctx: ctx, name: name, args: args, documents: documents, parent: pulumi.Parent(c), invoke: pulumi.Parent(c)}
	if err := b.build(c); err != nil {
		return nil, err
	}
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"imageId": c.ImageID, "pipelineArn": c.PipelineARN})
}

// documents of the image; findings at error level are errors here, since an error inside an ApplyT can get lost.
func (a *Args) documents() (amibuild.Documents, error) {
	documents, found, err := a.Image.ImageBuilder()
	if err != nil {
		return documents, err
	}
	var faults []error
	for _, f := range found.AtLeast(diag.Error) {
		faults = append(faults, fmt.Errorf("%s: %s: %s; wanted: %s; %s", f.Rule, f.Place, f.Got, f.Want, f.Hint))
	}
	if a.region() == "" {
		faults = append(faults, errors.New("region is missing: the plan of the image names none"))
	}
	return documents, errors.Join(faults...)
}

func (a *Args) region() string {
	if a.Region != "" {
		return a.Region
	}
	return a.Image.Region
}

// builder registers the parts of one image, in the order in which they need each other.
type builder struct {
	ctx       *pulumi.Context
	name      string
	args      *Args
	documents amibuild.Documents
	parent    pulumi.ResourceOption
	invoke    pulumi.InvokeOption

	grants         []pulumi.Resource // what the machine may do; the build needs all of it
	recipe         *imagebuilder.ImageRecipe
	infrastructure *imagebuilder.InfrastructureConfiguration
	distribution   *imagebuilder.DistributionConfiguration
}

func (b *builder) build(c *Image) error {
	for _, step := range []func() error{b.imageRecipe, b.machine, b.distribute} {
		if err := step(); err != nil {
			return err
		}
	}
	tests := b.documents.Pipeline
	image, err := imagebuilder.NewImage(b.ctx, b.name, &imagebuilder.ImageArgs{
		ImageRecipeArn:                 b.recipe.Arn,
		InfrastructureConfigurationArn: b.infrastructure.Arn,
		DistributionConfigurationArn:   b.distribution.Arn,
		EnhancedImageMetadataEnabled:   pulumi.Bool(true),
		ImageTestsConfiguration: imagebuilder.ImageImageTestsConfigurationArgs{
			ImageTestsEnabled: pulumi.Bool(tests.TestsEnabled), TimeoutMinutes: pulumi.Int(tests.TimeoutMinutes),
		},
		Tags: b.tags(),
	}, b.parent, pulumi.DependsOn(b.grants), pulumi.Timeouts(&pulumi.CustomTimeouts{Create: b.timeout()}))
	if err != nil {
		return fmt.Errorf("registering the image %s: %w", b.name, err)
	}
	pipeline, err := b.pipeline()
	if err != nil {
		return err
	}
	// One Region, one AMI: the distribution configuration has no other.
	c.ImageID = image.OutputResources.Index(pulumi.Int(0)).Amis().Index(pulumi.Int(0)).Image().Elem()
	c.PipelineARN = pipeline.Arn
	return nil
}

// timeout of the build: what all steps may take, once to install and three times to prove, and an hour for the machines, the
// snapshot and the tests.
func (b *builder) timeout() string {
	minutes := 60
	for _, s := range b.args.Image.Steps {
		minutes += s.Minutes + 15
	}
	return fmt.Sprintf("%dm", minutes+b.documents.Pipeline.TimeoutMinutes)
}

// imageRecipe registers the components and the recipe that names them.
func (b *builder) imageRecipe() error {
	components := imagebuilder.ImageRecipeComponentArray{}
	for k, d := range b.documents.Components {
		c, err := imagebuilder.NewComponent(b.ctx, b.name+"-"+b.args.Image.StepName(k), &imagebuilder.ComponentArgs{
			Version: pulumi.String(d.Version), Platform: pulumi.String(d.Platform), Description: pulumi.String(d.Description),
			SupportedOsVersions: pulumi.ToStringArray(d.Systems), Data: pulumi.String(d.Data), Tags: b.tags(),
		}, b.parent)
		if err != nil {
			return fmt.Errorf("registering the component %s: %w", d.Name, err)
		}
		components = append(components, imagebuilder.ImageRecipeComponentArgs{ComponentArn: c.Arn})
	}
	parent, err := b.parentImage()
	if err != nil {
		return err
	}
	r := b.documents.Recipe
	b.recipe, err = imagebuilder.NewImageRecipe(b.ctx, b.name, &imagebuilder.ImageRecipeArgs{
		Version: pulumi.String(r.Version), ParentImage: pulumi.String(parent), Components: components,
		WorkingDirectory: pulumi.String(r.WorkingDir), BlockDeviceMappings: volumes(r.Volume), Tags: b.tags(),
	}, b.parent)
	if err != nil {
		return fmt.Errorf("registering the recipe %s: %w", r.Name, err)
	}
	return nil
}

// parentImage is the parent's id: as it is pinned, or of the official image by its name.
func (b *builder) parentImage() (string, error) {
	parent := b.documents.Recipe.Parent
	if parent.AMI != "" {
		return parent.AMI, nil
	}
	recent := true
	found, err := ec2.LookupAmi(b.ctx, &ec2.LookupAmiArgs{
		Owners: []string{"amazon"}, MostRecent: &recent, Filters: []ec2.GetAmiFilter{{Name: "name", Values: []string{parent.Pattern}}},
	}, b.invoke)
	if err != nil {
		return "", fmt.Errorf("looking up the official image %s: %w", parent.Pattern, err)
	}
	return found.Id, nil
}

func volumes(v *amibuild.Volume) imagebuilder.ImageRecipeBlockDeviceMappingArrayInput {
	if v == nil {
		return nil
	}
	ebs := imagebuilder.ImageRecipeBlockDeviceMappingEbsArgs{VolumeType: pulumi.String(v.Type), DeleteOnTermination: pulumi.String("true")}
	if v.SizeGiB > 0 {
		ebs.VolumeSize = pulumi.Int(v.SizeGiB)
	}
	if v.KMSKey != "" {
		ebs.Encrypted, ebs.KmsKeyId = pulumi.String("true"), pulumi.String(v.KMSKey)
	}
	return imagebuilder.ImageRecipeBlockDeviceMappingArray{imagebuilder.ImageRecipeBlockDeviceMappingArgs{DeviceName: pulumi.String(v.DeviceName), Ebs: ebs}}
}

// machine registers what builds and tests.
func (b *builder) machine() error {
	profile, err := b.instanceProfile()
	if err != nil {
		return err
	}
	i := b.documents.Infrastructure
	args := &imagebuilder.InfrastructureConfigurationArgs{
		InstanceProfileName: profile, InstanceTypes: pulumi.ToStringArray(i.InstanceTypes), TerminateInstanceOnFailure: pulumi.Bool(i.TerminateOnFailure),
		InstanceMetadataOptions: imagebuilder.InfrastructureConfigurationInstanceMetadataOptionsArgs{HttpTokens: pulumi.String(i.HTTPTokens)},
		ResourceTags:            pulumi.ToStringMap(i.Tags), Tags: b.tags(),
	}
	if i.Subnet != "" {
		args.SubnetId, args.SecurityGroupIds = pulumi.String(i.Subnet), pulumi.ToStringArray(i.SecurityGroups)
	}
	b.infrastructure, err = imagebuilder.NewInfrastructureConfiguration(b.ctx, b.name, args, b.parent)
	if err != nil {
		return fmt.Errorf("registering the infrastructure of %s: %w", b.name, err)
	}
	return nil
}

// distribute registers the name and the tags of the image. Image Builder puts them on when the tests have passed.
func (b *builder) distribute() error {
	d := b.documents.Distribution
	var err error
	b.distribution, err = imagebuilder.NewDistributionConfiguration(b.ctx, b.name, &imagebuilder.DistributionConfigurationArgs{
		Distributions: imagebuilder.DistributionConfigurationDistributionArray{imagebuilder.DistributionConfigurationDistributionArgs{
			Region: pulumi.String(b.args.region()),
			AmiDistributionConfiguration: imagebuilder.DistributionConfigurationDistributionAmiDistributionConfigurationArgs{
				Name: pulumi.String(d.AMIName), AmiTags: pulumi.ToStringMap(d.AMITags),
			},
		}},
		Tags: b.tags(),
	}, b.parent)
	if err != nil {
		return fmt.Errorf("registering the distribution of %s: %w", b.name, err)
	}
	return nil
}

// pipeline makes the image again when somebody starts it: for a parent with security fixes, say.
func (b *builder) pipeline() (*imagebuilder.ImagePipeline, error) {
	p := b.documents.Pipeline
	pipeline, err := imagebuilder.NewImagePipeline(b.ctx, b.name, &imagebuilder.ImagePipelineArgs{
		ImageRecipeArn: b.recipe.Arn, InfrastructureConfigurationArn: b.infrastructure.Arn, DistributionConfigurationArn: b.distribution.Arn,
		EnhancedImageMetadataEnabled: pulumi.Bool(true), Status: pulumi.String(p.Status),
		ImageTestsConfiguration: imagebuilder.ImagePipelineImageTestsConfigurationArgs{
			ImageTestsEnabled: pulumi.Bool(p.TestsEnabled), TimeoutMinutes: pulumi.Int(p.TimeoutMinutes),
		},
		Tags: b.tags(),
	}, b.parent)
	if err != nil {
		return nil, fmt.Errorf("registering the pipeline of %s: %w", b.name, err)
	}
	return pipeline, nil
}

func (b *builder) tags() pulumi.StringMap { return pulumi.ToStringMap(b.args.Tags) }
