package capacity

import (
	"context"
	"errors"
	"slices"
)

// ErrNotFound says that EC2 shows no such block.
var ErrNotFound = errors.New("EC2 shows no such capacity block")

// Read gives a block by the id of its reservation. ErrNotFound: EC2 shows none, in any state.
func Read(ctx context.Context, api reservationsAPI, region, reservation string) (Reservation, error) {
	all, err := reservations(ctx, api, region)
	if err != nil {
		return Reservation{}, err
	}
	if i := slices.IndexFunc(all, func(r Reservation) bool { return r.Reservation == reservation }); i >= 0 {
		return all[i], nil
	}
	return Reservation{}, ErrNotFound
}

// Adopt lists what was bought for an owner, by its tags: a block that a stack bought and that was lost from its state.
// Blocks that can still be used come first, then the later start. The answer may lag behind a purchase: Buy knows how
// long to look.
func Adopt(ctx context.Context, api reservationsAPI, region string, owner Owner) ([]Reservation, error) {
	all, err := reservations(ctx, api, region)
	if err != nil {
		return nil, err
	}
	return adopted(all, func(r Reservation) bool { return r.Owner == owner }), nil
}

// Orphans lists what was bought for a stack and that none of its names claims.
func Orphans(ctx context.Context, api reservationsAPI, region, project, stack string, names []string) ([]Reservation, error) {
	all, err := reservations(ctx, api, region)
	if err != nil {
		return nil, err
	}
	return adopted(all, func(r Reservation) bool {
		return r.Owner.Project == project && r.Owner.Stack == stack && !slices.Contains(names, r.Owner.Name) && !r.Ended()
	}), nil
}

func adopted(all []Reservation, is func(Reservation) bool) []Reservation {
	out := slices.DeleteFunc(slices.Clone(all), func(r Reservation) bool { return !is(r) })
	slices.SortStableFunc(out, func(a, b Reservation) int {
		if a.Ended() != b.Ended() {
			return map[bool]int{true: 1, false: -1}[a.Ended()]
		}
		return b.Start.Compare(a.Start)
	})
	return out
}
