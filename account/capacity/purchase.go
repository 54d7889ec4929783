package capacity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/diag"
)

// BuyAPI is what a purchase calls of EC2.
type BuyAPI interface {
	reservationsAPI
	offeringsAPI
	PurchaseCapacityBlock(context.Context, *ec2.PurchaseCapacityBlockInput, ...func(*ec2.Options)) (*ec2.PurchaseCapacityBlockOutput, error)
}

// ExtendAPI is what an extension calls of EC2.
type ExtendAPI interface {
	reservationsAPI
	DescribeCapacityBlockExtensionOfferings(context.Context, *ec2.DescribeCapacityBlockExtensionOfferingsInput, ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockExtensionOfferingsOutput, error)
	DescribeCapacityBlockExtensionHistory(context.Context, *ec2.DescribeCapacityBlockExtensionHistoryInput, ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockExtensionHistoryOutput, error)
	PurchaseCapacityBlockExtension(context.Context, *ec2.PurchaseCapacityBlockExtensionInput, ...func(*ec2.Options)) (*ec2.PurchaseCapacityBlockExtensionOutput, error)
}

// once keeps the SDK from sending a purchase again: it retries lost answers and faults of the server by itself, and would
// buy twice. Go's HTTP transport does not send a POST again either, once a byte of it was written.
func once(o *ec2.Options) {
	o.Retryer = aws.NopRetryer{}
	o.RetryMaxAttempts = 1
}

// purchase buys a block, with its tags in the same call. Only guard.spend calls it.
func purchase(ctx context.Context, api BuyAPI, p Purchase) (string, error) {
	out, err := api.PurchaseCapacityBlock(ctx, purchaseInput(p), once)
	if err != nil {
		return "", fmt.Errorf("purchasing %s: %w", p.Offering.ID, err)
	}
	if out.CapacityReservation == nil || aws.ToString(out.CapacityReservation.CapacityReservationId) == "" {
		return "", fmt.Errorf("purchasing %s: the answer names no reservation", p.Offering.ID)
	}
	return aws.ToString(out.CapacityReservation.CapacityReservationId), nil
}

func purchaseInput(p Purchase) *ec2.PurchaseCapacityBlockInput {
	tags := maps.Clone(p.Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	maps.Copy(tags, map[string]string{
		TagProject: p.Owner.Project, TagStack: p.Owner.Stack, TagName: p.Owner.Name, TagOffering: p.Offering.ID,
		TagFee: p.Offering.Fee.Decimal(), TagCurrency: p.Offering.Fee.Currency(),
	})
	spec := types.TagSpecification{ResourceType: types.ResourceTypeCapacityReservation}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		spec.Tags = append(spec.Tags, types.Tag{Key: aws.String(key), Value: aws.String(tags[key])})
	}
	return &ec2.PurchaseCapacityBlockInput{
		CapacityBlockOfferingId: aws.String(p.Offering.ID), InstancePlatform: types.CapacityReservationInstancePlatform(p.Platform),
		TagSpecifications: []types.TagSpecification{spec},
	}
}

// permitted asks EC2, with a dry run, whether the caller may make the purchase.
func permitted(ctx context.Context, api BuyAPI, p Purchase) (diag.List, error) {
	in := purchaseInput(p)
	in.DryRun = aws.Bool(true)
	_, err := api.PurchaseCapacityBlock(ctx, in, once)
	switch {
	case awserror.IsDryRun(err):
		return nil, nil
	case awserror.IsUnauthorized(err):
		return diag.List{{
			Rule: diag.AccountDenied, Place: p.place(""), Got: fmt.Sprintf("the purchase is refused (%s)", awserror.Code(err)),
			Want: "an IAM identity that may call " + actPurchase + ", and " + actCreateTags + " with it",
			Hint: "allow the actions to whoever runs the update; a preview needs them no more than that", Source: "AWS Service Authorization Reference",
		}}, nil
	case err == nil:
		return nil, errors.New("a dry run of the purchase was answered as if it had been made: look for a block in the EC2 console")
	case awserror.IsRefused(err):
		return diag.List{{
			Rule: diag.BlockOffering, Place: p.place(""), Got: fmt.Sprintf("EC2 would refuse the purchase: %v", err), Want: "an offering that EC2 sells to this account",
			Hint: "look for offerings again: weft capacity find", Source: "EC2 API, PurchaseCapacityBlock",
		}}, nil
	default:
		return nil, fmt.Errorf("trying the purchase of %s without making it: %w", p.Offering.ID, err)
	}
}

// extend buys an extension. Only guard.spend calls it. It takes no tags: EC2's history of extensions names the offering.
func extend(ctx context.Context, api ExtendAPI, reservation, offering string) (string, error) {
	out, err := api.PurchaseCapacityBlockExtension(ctx, &ec2.PurchaseCapacityBlockExtensionInput{
		CapacityBlockExtensionOfferingId: aws.String(offering), CapacityReservationId: aws.String(reservation),
	}, once)
	if err != nil {
		return "", fmt.Errorf("purchasing extension %s of %s: %w", offering, reservation, err)
	}
	if len(out.CapacityBlockExtensions) == 0 {
		return "", fmt.Errorf("purchasing extension %s of %s: the answer names no extension", offering, reservation)
	}
	return offering, nil
}
