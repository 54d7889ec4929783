package purchaser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/components/provider/internal/value"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

// Create gives the resource its block: the one that was bought for it already, or a new one, bought once. A preview says
// which, and what stands against it, and buys nothing.
func (p *Purchaser) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	ctx, done := within(ctx, r.Timeout)
	defer done()
	id, state, err := p.create(ctx, r.URN, r.Properties, r.Preview)
	if err != nil {
		return plugin.CreateResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.CreateResponse{ID: resource.ID(id), Properties: state, Status: resource.StatusOK}, nil
}

func (p *Purchaser) create(ctx context.Context, u resource.URN, props property.Map, preview bool) (string, property.Map, error) {
	o, err := p.order(ctx, u, decode(props))
	if err != nil {
		return "", property.Map{}, err
	}
	if preview {
		state, err := p.preview(ctx, o)
		return "", state, err
	}
	bought, err := o.buyer.Buy(ctx, o.purchase)
	if err != nil {
		return "", property.Map{}, explained(ctx, err)
	}
	if bought.Reservation.Reservation == "" {
		return "", property.Map{}, fmt.Errorf("nothing was bought for %s:\n%w", o.purchase.Owner, refused(bought.Findings))
	}
	if bought.Bought {
		p.log.Info(ctx, u, "bought "+summary(bought.Reservation, o.purchase)+". It can't be cancelled; a destroy leaves it")
	} else {
		p.log.Info(ctx, u, "took over what was bought for this resource already, and bought nothing: "+summary(bought.Reservation, o.purchase))
	}
	block, err := p.paid(ctx, o, bought.Reservation)
	if err != nil {
		return "", property.Map{}, err
	}
	p.warn(ctx, u, block)
	state, err := value.Properties(stateOf(block, o.purchase))
	return block.Reservation, state, err
}

// explained says what to do after an error that left a purchase open, or that came before any.
func explained(ctx context.Context, err error) error {
	var misplaced *elsewhere
	switch {
	case errors.Is(err, capacity.ErrUnsettled):
		return fmt.Errorf("%w; run the update again: it looks for what was bought, and buys nothing until that is known", err)
	case ctx.Err() != nil:
		return fmt.Errorf("stopped before anything was bought: %w", err)
	case errors.As(err, &misplaced):
		return misplaced
	}
	return err
}

// preview says what an update would do.
func (p *Purchaser) preview(ctx context.Context, o *order) (property.Map, error) {
	seen, err := o.buyer.Preview(ctx, o.purchase)
	if err != nil {
		return property.Map{}, explained(ctx, err)
	}
	if r := seen.Reservation; r.Reservation != "" {
		p.log.Info(ctx, o.urn, "an update takes over what was bought for this resource already, and buys nothing: "+summary(r, o.purchase))
		p.warn(ctx, o.urn, r)
		return value.Properties(stateOf(r, o.purchase))
	}
	if err := refused(seen.Findings); err != nil {
		return property.Map{}, fmt.Errorf("an update would buy nothing for %s:\n%w", o.purchase.Owner, err)
	}
	p.tell(ctx, o.urn, seen.Findings)
	pin := o.purchase.Offering
	p.log.Info(ctx, o.urn, fmt.Sprintf("an update buys offering %s for %s, at most %s: %d × %s, %d hours from %s. It can't be cancelled. The confirmation ends at %s",
		pin.ID, pin.Fee, pin.MaxFee, pin.Count, o.purchase.InstanceType, pin.Hours, moment(pin.Start), moment(pin.Until)))
	return forecast(o.purchase)
}

// paid waits for the upfront payment of a block. What still hangs when the time is over, or the run is stopped, is given
// as it is: it is bought, and must get into the state.
func (p *Purchaser) paid(ctx context.Context, o *order, r capacity.Reservation) (capacity.Reservation, error) {
	most, err := o.wait()
	if err != nil {
		return r, err
	}
	until := p.Clock.Now().Add(most)
	for {
		if life := r.Life(p.Clock.Now()); life.Phase == market.Over {
			return r, fmt.Errorf("%s; %s. Nothing of it can be used, and a payment that failed is not charged", life.Says, life.Next)
		}
		if !pending(r.State) || !p.Clock.Now().Before(until) {
			return r, nil
		}
		p.log.Status(ctx, o.urn, r.Life(p.Clock.Now()).Says)
		if stopped := p.Clock.Wait(ctx, pollPayment); stopped != nil {
			return r, nil //nolint:nilerr // a run that is stopped has bought all the same
		}
		if seen, err := capacity.Read(ctx, o.account.EC2, o.Region, r.Reservation); err == nil {
			r = seen
		}
	}
}

// pollPayment is the time between two looks at a payment.
const pollPayment = 15 * time.Second

// warn says what is to be known of a block: that it waits, expires, or is over.
func (p *Purchaser) warn(ctx context.Context, u resource.URN, r capacity.Reservation) {
	life := r.Life(p.Clock.Now())
	switch {
	case life.Level == diag.Note:
	case r.State == "":
		p.log.Warn(ctx, u, r.Reservation+" is bought, and EC2 does not show it yet: the next update reads its state")
	default:
		p.log.Warn(ctx, u, life.Says+"; "+life.Next)
	}
}

// within gives a context that ends after the seconds of the option customTimeouts; 0 is for ever.
func within(ctx context.Context, seconds float64) (context.Context, context.CancelFunc) {
	if seconds <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
}
