// Package inventory writes down what an account holds that clusters refer to, in the form in which the AWS CLI prints it.
//
// weft check reads it back, so that files can be judged against an account by people and machines that have no access to it.
package inventory

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// EC2 is what is called of EC2. All calls read.
type EC2 interface {
	ec2.DescribeCapacityReservationsAPIClient
	ec2.DescribeImagesAPIClient
	ec2.DescribeInstancesAPIClient
	ec2.DescribeLaunchTemplateVersionsAPIClient
	ec2.DescribeSecurityGroupsAPIClient
	ec2.DescribeSubnetsAPIClient
	DescribePlacementGroups(context.Context, *ec2.DescribePlacementGroupsInput, ...func(*ec2.Options)) (*ec2.DescribePlacementGroupsOutput, error)
}

// call is one kind of thing to read.
type call struct {
	name, key string // of the call, and of the list in its answer
	read      func(context.Context, EC2) ([]any, error)
}

// calls lists the kinds. Of launch templates the default and the latest version are read, of images the account's own.
var calls = []call{
	{"DescribeCapacityReservations", "CapacityReservations", func(ctx context.Context, c EC2) ([]any, error) {
		p := ec2.NewDescribeCapacityReservationsPaginator(c, &ec2.DescribeCapacityReservationsInput{})
		return pages(ctx, p, func(o *ec2.DescribeCapacityReservationsOutput) []any { return anys(o.CapacityReservations) })
	}},
	{"DescribeImages", "Images", func(ctx context.Context, c EC2) ([]any, error) {
		p := ec2.NewDescribeImagesPaginator(c, &ec2.DescribeImagesInput{Owners: []string{"self"}})
		return pages(ctx, p, func(o *ec2.DescribeImagesOutput) []any { return anys(o.Images) })
	}},
	{"DescribeInstances", "Reservations", func(ctx context.Context, c EC2) ([]any, error) {
		p := ec2.NewDescribeInstancesPaginator(c, &ec2.DescribeInstancesInput{})
		return pages(ctx, p, func(o *ec2.DescribeInstancesOutput) []any { return anys(o.Reservations) })
	}},
	{"DescribeLaunchTemplateVersions", "LaunchTemplateVersions", func(ctx context.Context, c EC2) ([]any, error) {
		p := ec2.NewDescribeLaunchTemplateVersionsPaginator(c, &ec2.DescribeLaunchTemplateVersionsInput{Versions: []string{"$Default", "$Latest"}})
		seen := map[string]bool{} // one version can be both
		return pages(ctx, p, func(o *ec2.DescribeLaunchTemplateVersionsOutput) []any {
			return anys(slices.DeleteFunc(o.LaunchTemplateVersions, func(v types.LaunchTemplateVersion) bool {
				key := fmt.Sprint(aws.ToString(v.LaunchTemplateId), " ", aws.ToInt64(v.VersionNumber))
				twice := seen[key]
				seen[key] = true
				return twice
			}))
		})
	}},
	{"DescribePlacementGroups", "PlacementGroups", func(ctx context.Context, c EC2) ([]any, error) {
		o, err := c.DescribePlacementGroups(ctx, &ec2.DescribePlacementGroupsInput{})
		if err != nil {
			return nil, err
		}
		return anys(o.PlacementGroups), nil
	}},
	{"DescribeSecurityGroups", "SecurityGroups", func(ctx context.Context, c EC2) ([]any, error) {
		p := ec2.NewDescribeSecurityGroupsPaginator(c, &ec2.DescribeSecurityGroupsInput{})
		return pages(ctx, p, func(o *ec2.DescribeSecurityGroupsOutput) []any { return anys(o.SecurityGroups) })
	}},
	{"DescribeSubnets", "Subnets", func(ctx context.Context, c EC2) ([]any, error) {
		p := ec2.NewDescribeSubnetsPaginator(c, &ec2.DescribeSubnetsInput{})
		return pages(ctx, p, func(o *ec2.DescribeSubnetsOutput) []any { return anys(o.Subnets) })
	}},
}

// Actions lists the IAM actions that reading needs, one for each call, sorted. None of them can be narrowed to a resource.
func Actions() []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = "ec2:" + c.name
	}
	slices.Sort(out)
	return out
}

// Answers are the answers of calls by their names: {"DescribeSubnets": {"Subnets": […]}, …}.
type Answers map[string]map[string]any

// Read reads everything. An error names the call that failed: part of an account would be taken for the whole.
//
// Account ids, user data and the names of who made things are left out, so that the answers can be handed on.
func Read(ctx context.Context, client EC2) (Answers, error) {
	out := Answers{}
	for _, c := range calls {
		items, err := c.read(ctx, client)
		if err != nil {
			return nil, fmt.Errorf("calling %s: %w", c.name, err)
		}
		plain, err := scrub(items)
		if err != nil {
			return nil, fmt.Errorf("writing down %s: %w", c.name, err)
		}
		out[c.name] = map[string]any{c.key: plain}
	}
	return out, nil
}

// pager is what the SDK's paginators have in common.
type pager[Page any] interface {
	HasMorePages() bool
	NextPage(context.Context, ...func(*ec2.Options)) (*Page, error)
}

func pages[Page any](ctx context.Context, p pager[Page], items func(*Page) []any) ([]any, error) {
	out := []any{}
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, items(page)...)
	}
	return out, nil
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = item
	}
	return out
}
