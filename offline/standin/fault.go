package standin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
)

// fail carries the faults out that the data has for an operation, before or after it.
func (s *StandIn) fail(ctx context.Context, op string, u urn.URN, after bool) error {
	return s.failAt(ctx, op, string(u.Type()), u.Name(), after)
}

func (s *StandIn) failAt(ctx context.Context, op, typ, name string, after bool) error {
	for _, f := range s.data.Faults {
		if f.On != op || f.After != after || f.Type != typ || (f.Name != "" && f.Name != name) {
			continue
		}
		if err := wait(ctx, f.Delay); err != nil {
			return fmt.Errorf("%s of %s held up: %w", op, name, err)
		}
		if f.Die {
			return s.perish()
		}
		if f.Error != "" {
			return errors.New(f.Error)
		}
	}
	return nil
}

func (s *StandIn) perish() error {
	if s.die != nil {
		s.die()
	}
	return errors.New("the stand-in was told to die")
}

// wait holds up, and no longer than the context lives.
func wait(ctx context.Context, delay time.Duration) error {
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
