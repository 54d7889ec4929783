package purchaser

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/journal"
)

// Account is what a purchase needs of an account in one Region.
type Account struct {
	// Region that is reached: the one that was asked for, else what the environment says.
	Region  string
	EC2     EC2
	Journal capacity.Journal
}

// EC2 is what is called of EC2.
type EC2 interface {
	capacity.BuyAPI
	DescribeAvailabilityZones(context.Context, *ec2.DescribeAvailabilityZonesInput, ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error)
	CreateTags(context.Context, *ec2.CreateTagsInput, ...func(*ec2.Options)) (*ec2.CreateTagsOutput, error)
	DeleteTags(context.Context, *ec2.DeleteTagsInput, ...func(*ec2.Options)) (*ec2.DeleteTagsOutput, error)
}

// Connect reaches the account that a profile, or without one the environment, has credentials for.
type Connect func(ctx context.Context, region, profile string) (Account, error)

// AWS is the real account. The journal is its Parameter Store, in the block's own Region.
func AWS(ctx context.Context, region, profile string) (Account, error) {
	options := []func(*awsconfig.LoadOptions) error{awsconfig.WithRegion(region)}
	if profile != "" {
		options = append(options, awsconfig.WithSharedConfigProfile(profile))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return Account{}, fmt.Errorf("loading the AWS configuration: %w", err)
	}
	return Account{Region: cfg.Region, EC2: ec2.NewFromConfig(cfg), Journal: journal.Parameters{SSM: ssm.NewFromConfig(cfg)}}, nil
}

// placed refuses to show an offering in another zone than the one that its nodes are to be in. What does not show an
// offering can't buy it: a block in a zone without the cluster's subnets is money lost.
type placed struct {
	EC2

	offering string
	zone     string // name or id; empty: any
}

// elsewhere says that an offering lies in another zone.
type elsewhere struct{ offering, got, want string }

func (e *elsewhere) Error() string {
	return fmt.Sprintf("offering %s lies in zone %s, and its nodes are to be in %s: nothing was bought; pin an offering of that zone, or move the nodes", e.offering, e.got, e.want)
}

func (p placed) DescribeCapacityBlockOfferings(ctx context.Context, in *ec2.DescribeCapacityBlockOfferingsInput, o ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockOfferingsOutput, error) {
	out, err := p.EC2.DescribeCapacityBlockOfferings(ctx, in, o...)
	if err != nil || p.zone == "" {
		return out, err
	}
	for _, found := range out.CapacityBlockOfferings {
		name := aws.ToString(found.AvailabilityZone)
		if aws.ToString(found.CapacityBlockOfferingId) != p.offering || name == p.zone {
			continue
		}
		id, err := p.zoneID(ctx, name)
		if err != nil {
			return nil, err
		}
		if id != p.zone {
			return nil, &elsewhere{p.offering, fmt.Sprintf("%s (%s)", name, id), p.zone}
		}
	}
	return out, nil
}

func (p placed) zoneID(ctx context.Context, name string) (string, error) {
	out, err := p.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{AllAvailabilityZones: aws.Bool(true)})
	if err != nil {
		return "", fmt.Errorf("describing zones: %w", err)
	}
	for _, z := range out.AvailabilityZones {
		if aws.ToString(z.ZoneName) == name {
			return aws.ToString(z.ZoneId), nil
		}
	}
	return "unknown", nil
}

// actions are what the resource calls beside the features Previewing, Buying and ParameterStore of account/capacity.
var actions = []string{"ec2:CreateTags", "ec2:DeleteTags", "ec2:DescribeAvailabilityZones"}

// Actions lists the IAM actions that previews and updates of the resource need, sorted.
func Actions() []string {
	out := slices.Clone(actions)
	all := capacity.Actions()
	for _, feature := range []capacity.Feature{capacity.Previewing, capacity.Buying, capacity.ParameterStore} {
		out = append(out, all[feature]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
