package purchaser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/components/provider/internal/value"
)

// Update changes tags, and looks again at a payment that was pending. It buys nothing.
func (p *Purchaser) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	if r.Preview {
		return plugin.UpdateResponse{Properties: r.OldOutputs, Status: resource.StatusOK}, nil
	}
	ctx, done := within(ctx, r.Timeout)
	defer done()
	state, err := p.update(ctx, r)
	if err != nil {
		return plugin.UpdateResponse{Properties: r.OldOutputs, Status: resource.StatusUnknown}, err
	}
	return plugin.UpdateResponse{Properties: state, Status: resource.StatusOK}, nil
}

func (p *Purchaser) update(ctx context.Context, r plugin.UpdateRequest) (property.Map, error) {
	olds := decode(r.OldInputs)
	o, err := p.order(ctx, r.URN, decode(r.NewInputs))
	if err != nil {
		return property.Map{}, err
	}
	if err := retag(ctx, o.account.EC2, string(r.ID), olds.Tags, o.Tags); err != nil {
		return property.Map{}, err
	}
	block, err := capacity.Read(ctx, o.account.EC2, o.Region, string(r.ID))
	if errors.Is(err, capacity.ErrNotFound) {
		p.log.Warn(ctx, r.URN, string(r.ID)+" is bought, and EC2 does not show it: its outputs stay as they are")
		return r.OldOutputs, nil
	}
	if err != nil {
		return property.Map{}, err
	}
	if pending(text(r.OldOutputs, "state")) {
		if block, err = p.paid(ctx, o, block); err != nil {
			return property.Map{}, err
		}
	}
	p.warn(ctx, r.URN, block)
	return value.Properties(stateOf(block, o.purchase))
}

// retag brings the tags of a reservation from the old to the new inputs. Other tags stay.
func retag(ctx context.Context, api EC2, id string, olds, news map[string]string) error {
	set, gone := []types.Tag{}, []types.Tag{}
	for _, key := range slices.Sorted(maps.Keys(news)) {
		if before, had := olds[key]; !had || before != news[key] {
			set = append(set, types.Tag{Key: aws.String(key), Value: aws.String(news[key])})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(olds)) {
		if _, stays := news[key]; !stays {
			gone = append(gone, types.Tag{Key: aws.String(key)})
		}
	}
	if len(set) > 0 {
		if _, err := api.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: set}); err != nil {
			return fmt.Errorf("tagging %s: %w", id, err)
		}
	}
	if len(gone) > 0 {
		if _, err := api.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: gone}); err != nil {
			return fmt.Errorf("taking tags off %s: %w", id, err)
		}
	}
	return nil
}

// Read gives what EC2 shows of the block. Without a state it is an import: of a block that was bought for this resource,
// whose inputs its tags tell. A block that lives and is not shown is an error, so that nothing that is paid for is dropped.
func (p *Purchaser) Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	d := decode(r.Inputs)
	imports := r.Inputs.Len() == 0
	if !imports && d.err() != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, d.err()
	}
	account, err := p.Connect(ctx, d.Region, d.Profile)
	if err != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, fmt.Errorf("reaching the account: %w", err)
	}
	block, err := capacity.Read(ctx, account.EC2, account.Region, string(r.ID))
	switch {
	case errors.Is(err, capacity.ErrNotFound) && (imports || p.ended(r.State)):
		return plugin.ReadResponse{Status: resource.StatusOK}, nil
	case errors.Is(err, capacity.ErrNotFound):
		return plugin.ReadResponse{Status: resource.StatusUnknown},
			fmt.Errorf("%w: %s, which lives until %s; look whether the credentials are those of the account that bought it", err, r.ID, text(r.State, "endTime"))
	case err != nil:
		return plugin.ReadResponse{Status: resource.StatusUnknown}, err
	}
	if imports {
		return p.imported(r, block)
	}
	bought, err := d.purchase(r.URN)
	if err != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, err
	}
	p.warn(ctx, r.URN, block)
	return read(r.ID, r.Inputs, stateOf(block, bought))
}

func read(id resource.ID, inputs property.Map, s State) (plugin.ReadResponse, error) {
	outputs, err := value.Properties(s)
	if err != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.ReadResponse{ReadResult: plugin.ReadResult{ID: id, Inputs: &inputs, Outputs: &outputs}, Status: resource.StatusOK}, nil
}

// imported makes the inputs of a block from its tags. Its confirmation is over: it was used.
func (p *Purchaser) imported(r plugin.ReadRequest, block capacity.Reservation) (plugin.ReadResponse, error) {
	if want := owner(r.URN); block.Owner != want {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, foreign(block, want)
	}
	in := Inputs{
		Region: block.Region, Zone: block.Zone, InstanceType: block.InstanceType, Platform: block.Platform, Tags: users(block.Tags),
		Offering: Offering{
			ID: block.Offering, Count: block.Count, DurationHours: int(block.End.Sub(block.Start) / time.Hour), Start: moment(block.Start),
			Fee: block.Fee.Decimal(), MaxFee: block.Fee.Decimal(), Currency: block.Fee.Currency(), ConfirmedUntil: moment(block.Created),
		},
	}
	inputs, err := value.Properties(in)
	if err != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, err
	}
	return read(r.ID, inputs, stateOf(block, capacity.Purchase{}))
}

func foreign(block capacity.Reservation, want capacity.Owner) error {
	got := "by " + block.Owner.String()
	if (block.Owner == capacity.Owner{}) {
		got = "outside weft"
	}
	return fmt.Errorf("%s was bought %s, and is to be imported for %s; use it without owning it: block: {reservation: %s}. Where a stack or a resource was renamed, first change the tags %s, %s and %s of the reservation",
		block.Reservation, got, want, block.Reservation, capacity.TagProject, capacity.TagStack, capacity.TagName)
}

// users are the tags that neither weft nor AWS put on.
func users(tags map[string]string) map[string]string {
	out := map[string]string{}
	for key, v := range tags {
		if !strings.HasPrefix(key, "weft:") && !strings.HasPrefix(key, "aws:") {
			out[key] = v
		}
	}
	return out
}

// Delete leaves the block where it is: it is paid for, and EC2 has no call that cancels it. Only the state forgets it.
// The option retainOnDelete changes nothing of that but the message; protect keeps a destroy from forgetting it.
func (p *Purchaser) Delete(ctx context.Context, r plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	p.log.Warn(ctx, r.URN, fmt.Sprintf("%s is kept: it is paid for until %s and can't be cancelled; only Pulumi's state forgets it. "+
		"To have it back, register the resource under the same name and offering, which buys nothing, or name it as block: {reservation: %s}",
		r.ID, text(r.Outputs, "endTime"), r.ID))
	return plugin.DeleteResponse{Status: resource.StatusOK}, nil
}
