// Package purchaser is the resource weft:index:CapacityBlock: a capacity block that a stack buys, once.
//
// The purchase is upfront, can't be cancelled and takes no client token, and Pulumi's state is written after it. So the
// state decides nothing here. What was bought is found by its tags, and what was begun by a journal in the account's
// Parameter Store (package account/capacity): engine, program and plugin may be killed anywhere, states may be lost or
// restored from a backup, and two updates may run at once.
//
// The resource is never replaced while its block lives, and never deleted: a destroy takes it out of the state and leaves
// the block, which is paid for.
package purchaser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
)

// Token is the resource's type.
const Token = capacityblock.PurchaseToken

// Log shows people what goes on.
type Log interface {
	// Status replaces the line beside the resource while it is made.
	Status(ctx context.Context, u resource.URN, text string)
	// Info and Warn stay on the screen.
	Info(ctx context.Context, u resource.URN, text string)
	Warn(ctx context.Context, u resource.URN, text string)
}

// Options of a purchaser. The zero value works in the real world.
type Options struct {
	// Connect reaches an account. Left out: AWS, with the credentials that the environment has.
	Connect Connect
	// Clock tells the time and waits; Nonce names an attempt.
	Clock capacity.Clock
	Nonce func() string
	// Timing of purchases; its zero values mean the defaults.
	Timing capacity.Timing
}

// Purchaser makes, updates and lets go of resources of the type.
type Purchaser struct {
	Options

	log Log
}

// New returns a purchaser.
func New(o Options, l Log) *Purchaser {
	if o.Connect == nil {
		o.Connect = AWS
	}
	if o.Clock == nil {
		o.Clock = capacity.SystemClock{}
	}
	if o.Nonce == nil {
		o.Nonce = capacity.Nonce
	}
	return &Purchaser{Options: o, log: l}
}

// order is what is to be bought for a resource, and the account that it is bought in.
type order struct {
	*decoded

	urn      resource.URN
	purchase capacity.Purchase
	account  Account
	buyer    capacity.Buyer
}

// order reads inputs that Check has let through, and reaches the account.
func (p *Purchaser) order(ctx context.Context, u resource.URN, d *decoded) (*order, error) {
	if err := d.err(); err != nil {
		return nil, err
	}
	bought, err := d.purchase(u)
	if err != nil {
		return nil, err
	}
	account, err := p.Connect(ctx, d.Region, d.Profile)
	if err != nil {
		return nil, fmt.Errorf("reaching the account in %s: %w", d.Region, err)
	}
	clock := narrated{Clock: p.Clock, say: func(ctx context.Context, text string) { p.log.Status(ctx, u, text) }}
	return &order{
		decoded: d, urn: u, purchase: bought, account: account,
		buyer: capacity.Buyer{EC2: placed{account.EC2, d.Offering.ID, d.Zone}, Journal: account.Journal, Clock: clock, Nonce: p.Nonce, Timing: p.Timing},
	}, nil
}

// narrated is a clock that says what is waited for.
type narrated struct {
	capacity.Clock

	say func(context.Context, string)
}

func (n narrated) Wait(ctx context.Context, d time.Duration) error {
	n.say(ctx, "looking for what was bought already, before and after a purchase; this takes "+d.String()+" at a time, some minutes at most")
	return n.Clock.Wait(ctx, d)
}

// refused are the findings that stand against a purchase, as an error; nil where none does.
func refused(found diag.List) error {
	var errs []error
	for _, f := range found.AtLeast(diag.Error) {
		errs = append(errs, errors.New(shown(f)))
	}
	return errors.Join(errs...)
}

// tell shows the findings that let a purchase pass, or that are about a block that is there.
func (p *Purchaser) tell(ctx context.Context, u resource.URN, found diag.List) {
	for _, f := range found {
		if f.Severity() == diag.Note {
			p.log.Info(ctx, u, shown(f))
		} else {
			p.log.Warn(ctx, u, shown(f))
		}
	}
}

// shown is a finding as text.
func shown(f diag.Finding) string {
	var text strings.Builder
	_ = render.Text(&text, diag.List{f}, render.Options{Notes: true, Bare: true}) // a builder takes everything
	return strings.TrimSpace(text.String())
}
