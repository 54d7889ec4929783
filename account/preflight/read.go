package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/diag"
)

// How many reads are on their way at once. There are no more than a dozen, and EC2 throttles an account, not a client.
const concurrency = 6

// read is one thing that is read of the account. It fills its own fields of Observed, so that reads of one stage need no
// lock among each other.
type read struct {
	name    string
	what    string   // for an error: "describing subnets"
	actions []string // IAM actions, in the order of the calls
	// needed says whether a plan has use for it.
	needed func(Request, Observed) bool
	run    func(context.Context, Clients, Request, *Observed) error
	// late stands in run's place where a read starts when the others have ended, and sees what those found.
	late func(ctx context.Context, c Clients, r Request, seen Observed, o *Observed) error
}

// The reads, by the names that checks use.
const (
	readReservations   = "reservations"
	readSubnets        = "subnets"
	readVPC            = "vpc"
	readSecurityGroups = "security groups"
	readImages         = "images"
	readOfferings      = "offerings"
	readQuotas         = "quotas"
	readUsage          = "usage"
	readStack          = "stack"
	readHeld           = "held addresses"
	readFleet          = "compute fleet"
	readHome           = "head node's subnet"
)

func reads() []read {
	return []read{
		{
			name: readReservations, what: "describing capacity reservations", actions: []string{actReservations},
			needed: func(r Request, _ Observed) bool { return len(reservationIDs(r.Plan)) > 0 }, run: loadReservations,
		},
		{
			name: readSubnets, what: "describing subnets", actions: []string{actSubnets},
			needed: existingNetwork, run: loadSubnets,
		},
		{
			name: readVPC, what: "describing the VPC", actions: []string{actVPCAttribute},
			needed: existingNetwork, run: loadVPC,
		},
		{
			name: readSecurityGroups, what: "describing security groups", actions: []string{actSecurityGroups},
			needed: func(r Request, _ Observed) bool { return len(securityGroupIDs(r.Plan)) > 0 }, run: loadSecurityGroups,
		},
		{
			name: readImages, what: "describing images", actions: []string{actImages},
			needed: func(r Request, _ Observed) bool { return len(boots(r.Plan)) > 0 }, run: loadImages,
		},
		{
			name: readOfferings, what: "describing where instance types are offered", actions: []string{actOfferings},
			needed: func(r Request, _ Observed) bool { return len(instanceTypes(r.Plan)) > 0 }, run: loadOfferings,
		},
		{
			name: readQuotas, what: "reading service quotas", actions: []string{actQuota, actDefaultQuota},
			needed: func(r Request, _ Observed) bool { return len(demands(r.Plan)) > 0 }, run: loadQuotas,
		},
		{
			name: readUsage, what: "counting VPCs and Elastic IP addresses", actions: []string{actVPCs, actAddresses},
			needed: func(r Request, _ Observed) bool { return r.Plan.Network.Create }, run: loadUsage,
		},
		{
			name: readStack, what: "reading the stack of the cluster", actions: []string{actStacks, actTemplate},
			needed: func(r Request, _ Observed) bool { return r.Stack != "" }, run: loadStack,
		},
		{
			name: readHeld, what: "counting the addresses that the cluster holds", actions: []string{actInstances},
			needed: func(r Request, o Observed) bool { return len(crowded(r.Plan, o)) > 0 }, late: loadHeld,
		},
		{
			name: readFleet, what: "reading the status of the compute fleet", actions: []string{actFleet},
			needed: func(_ Request, o Observed) bool { return o.Stack != nil && o.Stack.Config != "" }, late: loadFleet,
		},
		{
			name: readHome, what: "describing the head node's subnet", actions: []string{actSubnets},
			needed: func(r Request, o Observed) bool { return r.Plan.Network.Create && o.Stack.headSubnet() != "" }, late: loadHome,
		},
	}
}

func existingNetwork(r Request, _ Observed) bool { return r.Plan.Config.Network.Existing != nil }

// Actions lists the IAM actions that each check needs, sorted. A check that is skipped needs none of its own.
func Actions() map[diag.ID][]string {
	out := map[diag.ID][]string{}
	for _, c := range checks() {
		for _, r := range reads() {
			if slices.Contains(c.reads, r.name) {
				out[c.ID] = append(out[c.ID], r.actions...)
			}
		}
		slices.Sort(out[c.ID])
	}
	return out
}

// Read gathers what the checks of a request need: each kind of object in one paged call, side by side, and nothing
// that only skipped checks would look at. What AWS refuses the caller is noted in Observed.Denied; any other failure
// ends the reading.
func Read(ctx context.Context, clients Clients, request Request) (Observed, error) {
	r := reading{clients: clients, request: request}
	for _, late := range []bool{false, true} {
		if err := r.stage(ctx, late); err != nil {
			return Observed{}, err
		}
	}
	slices.SortFunc(r.observed.Denied, func(a, b Denied) int { return strings.Compare(a.Read, b.Read) })
	return r.observed, nil
}

type reading struct {
	clients  Clients
	request  Request
	observed Observed

	mu     sync.Mutex
	denied []Denied
}

func (r *reading) stage(ctx context.Context, late bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	seen := r.observed
	for _, one := range reads() {
		if (one.late != nil) != late || !wanted(r.request, one.name) || !one.needed(r.request, seen) {
			continue
		}
		group.Go(func() error { return r.load(ctx, one, seen) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.observed.Denied = r.denied
	return nil
}

func (r *reading) load(ctx context.Context, one read, seen Observed) error {
	var err error
	if one.late != nil {
		err = one.late(ctx, r.clients, r.request, seen, &r.observed)
	} else {
		err = one.run(ctx, r.clients, r.request, &r.observed)
	}
	switch {
	case err == nil:
		return nil
	case awserror.IsUnauthorized(err):
		r.mu.Lock()
		defer r.mu.Unlock()
		r.denied = append(r.denied, Denied{Read: one.name, Action: actionOf(err), Code: awserror.Code(err)})
		return nil
	default:
		needing := needing(r.request, one.name)
		return fmt.Errorf("%s for the checks %s, which can be left out with preflight.skip: {%s: reason}: %w",
			one.what, join(needing), needing[0], err)
	}
}

// wanted says whether a check that is not skipped looks at what a read gives.
func wanted(r Request, read string) bool { return len(needing(r, read)) > 0 }

// needing lists the checks that are not skipped and look at what a read gives.
func needing(r Request, read string) []diag.ID {
	var out []diag.ID
	for _, c := range checks() {
		if slices.Contains(c.reads, read) && !skipped(r, c.ID) {
			out = append(out, c.ID)
		}
	}
	return out
}

// callError is the failure of one call, with the IAM action that it needs.
type callError struct {
	action string
	err    error
}

func (e *callError) Error() string { return e.action + ": " + e.err.Error() }
func (e *callError) Unwrap() error { return e.err }

func failed(action string, err error) error {
	if err == nil {
		return nil
	}
	return &callError{action, err}
}

func actionOf(err error) string {
	var call *callError
	if errors.As(err, &call) {
		return call.action
	}
	return ""
}

// pager is what the SDK's paginators have in common.
type pager[Page, Options any] interface {
	HasMorePages() bool
	NextPage(context.Context, ...func(*Options)) (*Page, error)
}

// pages reads every page of a call.
func pages[Page, Options, Item any](ctx context.Context, action string, p pager[Page, Options], items func(*Page) []Item) ([]Item, error) {
	var out []Item
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, failed(action, err)
		}
		out = append(out, items(page)...)
	}
	return out, nil
}
