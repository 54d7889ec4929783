package run

import (
	"context"
	"time"
)

// Clock is where a run has its time from.
type Clock interface {
	Now() time.Time
	// Wait returns after d, or when ctx ends, with its error.
	Wait(ctx context.Context, d time.Duration) error
}

// SystemClock is the machine's.
type SystemClock struct{}

// Now implements [Clock].
func (SystemClock) Now() time.Time { return time.Now() }

// Wait implements [Clock].
func (SystemClock) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
