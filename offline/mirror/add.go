package mirror

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/standin"
)

// Add puts what `pulumi up` has registered with the stand-in for Pulumi's AWS provider into an account, each resource
// under the id that it has there. What was added before is brought up to date, so that Add may follow every up; what is
// gone from the stand-in stays.
//
// A type of resource that Add does not know is an error that names it, and so is an input that it would lose.
func Add(world *account.World, made *standin.World) error {
	var errs []error
	for typ := range made.Resources {
		if kinds[typ] == nil && !withoutTrace[typ] {
			errs = append(errs, fmt.Errorf("nothing is known of the type %s: whether ParallelCluster would see it is not either", typ))
		}
	}
	a := adder{world: world, made: made}
	for _, typ := range order {
		for _, id := range made.IDs(typ) {
			r, _ := made.Get(typ, id)
			if err := kinds[typ](&a, id, r); err != nil {
				errs = append(errs, fmt.Errorf("adding %s %s: %w", typ, id, err))
			}
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("putting what Pulumi made into the account: %w", err)
	}
	return nil
}

type adder struct {
	world *account.World
	made  *standin.World
}

const (
	vpcType      = "aws:ec2/vpc:Vpc"
	subnetType   = "aws:ec2/subnet:Subnet"
	groupType    = "aws:ec2/securityGroup:SecurityGroup"
	ingressType  = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	egressType   = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
	templateType = "aws:ec2/launchTemplate:LaunchTemplate"
	placeType    = "aws:ec2/placementGroup:PlacementGroup"
	lustreType   = "aws:fsx/lustreFileSystem:LustreFileSystem"
	efsType      = "aws:efs/fileSystem:FileSystem"
	targetType   = "aws:efs/mountTarget:MountTarget"
	bucketType   = "aws:s3/bucketV2:BucketV2"
	objectType   = "aws:s3/bucketObjectv2:BucketObjectv2"
	policyType   = "aws:iam/policy:Policy"
	roleType     = "aws:iam/role:Role"
	imageType    = "aws:imagebuilder/image:Image"
)

// kinds are the types that ParallelCluster reads. Rules come with their group and mount targets with their file system.
var kinds = map[string]func(*adder, string, standin.Resource) error{
	vpcType:      (*adder).vpc,
	subnetType:   (*adder).subnet,
	groupType:    (*adder).securityGroup,
	ingressType:  (*adder).rule,
	egressType:   (*adder).rule,
	templateType: (*adder).launchTemplate,
	placeType:    (*adder).placementGroup,
	lustreType:   (*adder).lustre,
	efsType:      (*adder).efs,
	targetType:   (*adder).mountTarget,
	bucketType:   (*adder).bucket,
	objectType:   (*adder).object,
	policyType:   (*adder).policy,
	roleType:     (*adder).role,
	imageType:    (*adder).image,
}

// order has what others refer to first.
var order = []string{
	vpcType, subnetType, groupType, ingressType, egressType, placeType, templateType, lustreType, efsType, targetType, bucketType,
	objectType, policyType, roleType, imageType,
}

// withoutTrace are the types that no answer of the emulated account depends on: ParallelCluster does not read routes,
// and a stack of CloudFormation is how it is run. What a bucket is set to comes with the bucket, and of Image Builder only the
// image that comes out of it is seen.
var withoutTrace = map[string]bool{
	"aws:ec2/internetGateway:InternetGateway":                     true,
	"aws:ec2/natGateway:NatGateway":                               true,
	"aws:ec2/eip:Eip":                                             true,
	"aws:ec2/routeTable:RouteTable":                               true,
	"aws:ec2/route:Route":                                         true,
	"aws:ec2/routeTableAssociation:RouteTableAssociation":         true,
	"aws:ec2/vpcEndpoint:VpcEndpoint":                             true,
	"aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": true,
	"aws:s3/bucketVersioningV2:BucketVersioningV2":                true,
	"aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2": true,
	"aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock":                                     true,
	"aws:s3/bucketPolicy:BucketPolicy":                                                           true,
	"aws:cloudformation/stack:Stack":                                                             true,
	"aws:iam/instanceProfile:InstanceProfile":                                                    true,
	"aws:iam/rolePolicy:RolePolicy":                                                              true,
	"aws:iam/rolePolicyAttachment:RolePolicyAttachment":                                          true,
	"aws:cloudwatch/eventRule:EventRule":                                                         true,
	"aws:cloudwatch/eventTarget:EventTarget":                                                     true,
	"aws:ssm/association:Association":                                                            true,
	"aws:ssm/document:Document":                                                                  true,
	"aws:imagebuilder/component:Component":                                                       true,
	"aws:imagebuilder/distributionConfiguration:DistributionConfiguration":                       true,
	"aws:imagebuilder/imagePipeline:ImagePipeline":                                               true,
	"aws:imagebuilder/imageRecipe:ImageRecipe":                                                   true,
	"aws:imagebuilder/infrastructureConfiguration:InfrastructureConfiguration":                   true,
}

// put adds an item, or takes the place of the one that is the same thing.
func put[T any](list *[]T, item T, same func(T) bool) {
	if i := slices.IndexFunc(*list, same); i >= 0 {
		(*list)[i] = item
		return
	}
	*list = append(*list, item)
}

// lost is an error that names inputs which the account would not show.
func lost(d standin.Document, names ...string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if slices.Contains(names, name) {
			errs = append(errs, fmt.Errorf("%s is not carried over", name))
		}
	}
	return errors.Join(errs...)
}
