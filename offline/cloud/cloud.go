// Package cloud is an AWS account in memory, as far as buying capacity goes: the market and the reservations of EC2 in one
// Region, and the Parameter Store.
//
// It is made to be cruel. An offering can be bought any number of times, answers lag behind what was done, answers get
// lost before and after the deed, and every call can be the last one of its process. It counts the purchases that moved
// money, which is what a test of a purchase is about.
package cloud

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/fabric/market"
)

// Clock is a time that tests move, and that waiting moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
	// Hook is called before a wait; it may be nil.
	Hook func()
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Wait moves the time on at once.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	if c.Hook != nil {
		c.Hook()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Move(d)
	return nil
}

// Move moves the time on.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Fate is what becomes of a call that changes something.
type Fate struct {
	Done   bool  // the deed
	Answer error // what the caller hears; nil: the truth
}

// Zone is an Availability Zone by its two names.
type Zone struct{ Name, ID string }

// Cloud is the account. Set its fields before it is used, and again only between runs.
type Cloud struct {
	Clock     *Clock
	Offerings []market.Offering
	Zones     []Zone

	// Lag is how long answers do not show what was done.
	Lag time.Duration
	// Payment is how long a payment takes. FailPayment has every one fail after that time.
	Payment     time.Duration
	FailPayment bool
	// Denied are the actions that the caller may not call.
	Denied []string

	// Step is called at the begin of every call, and again before a purchase or an entry is answered. A test kills or
	// stops its caller there, or lets another one go first.
	Step func(action string)
	// Purchase says what becomes of a purchase, Entry of a parameter that is put. Nil: done, and answered.
	Purchase, Entry func() Fate
	// Stale reports that a look at the Parameter Store does not show its newest parameter.
	Stale func() bool

	mu         sync.Mutex
	held       []*held
	calls      map[string]int
	parameters []parameter
}

// held is a block that was bought, and when answers show it.
type held struct {
	types.CapacityReservation
	visible time.Time
	failed  bool // its payment fails
}

type parameter struct{ name, value string }

// New makes an account with a market and nothing bought in it.
func New(now time.Time, offerings []market.Offering, zones []Zone) *Cloud {
	return &Cloud{Clock: &Clock{now: now}, Offerings: slices.Clone(offerings), Zones: zones, calls: map[string]int{}}
}

// Purchases counts the purchases that moved money.
func (c *Cloud) Purchases() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.held)
}

// Calls counts the calls by their IAM actions.
func (c *Cloud) Calls() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.calls)
}

// Bought gives the reservations of what was bought, as they are now, whether answers show them or not.
func (c *Cloud) Bought() []types.CapacityReservation {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []types.CapacityReservation
	for _, h := range c.held {
		out = append(out, h.now(c))
	}
	return out
}

// Forget has answers show a block no more.
func (c *Cloud) Forget(reservation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.held {
		if *h.CapacityReservationId == reservation {
			h.visible = h.EndDate.AddDate(100, 0, 0)
		}
	}
}

// Price changes what an offering costs.
func (c *Cloud) Price(offering string, fee market.Money) {
	for i := range c.Offerings {
		if c.Offerings[i].ID == offering {
			c.Offerings[i].Fee = fee
		}
	}
}

// Sell takes an offering off the market.
func (c *Cloud) Sell(offering string) {
	c.Offerings = slices.DeleteFunc(c.Offerings, func(o market.Offering) bool { return o.ID == offering })
}

// Entries are the values of the parameters, in the order in which they were put.
func (c *Cloud) Entries() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, p := range c.parameters {
		out = append(out, p.value)
	}
	return out
}

// Lose empties the Parameter Store.
func (c *Cloud) Lose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parameters = nil
}

func (c *Cloud) enter(action string) error {
	c.mu.Lock()
	c.calls[action]++
	c.mu.Unlock()
	c.step(action)
	if slices.Contains(c.Denied, action) {
		return Refusal("UnauthorizedOperation")
	}
	return nil
}

func (c *Cloud) step(action string) {
	if c.Step != nil {
		c.Step(action)
	}
}

// fate tells what becomes of a deed.
func fate(decide func() Fate) Fate {
	if decide == nil {
		return Fate{Done: true}
	}
	return decide()
}
