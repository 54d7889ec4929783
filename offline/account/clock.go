package account

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

type moment struct {
	Now time.Time `json:"now"`
}

// Time is the account's time.
func (a *Account) Time(ctx context.Context) (time.Time, error) {
	var m moment
	if err := a.get(ctx, "/weft/clock", &m); err != nil {
		return time.Time{}, fmt.Errorf("reading the account's clock: %w", err)
	}
	return m.Now.UTC(), nil
}

// SetTime puts the account's clock somewhere; from then on it stands still until it is moved. What has come to its end by
// then has ended: payments, blocks, and the instances in them.
func (a *Account) SetTime(ctx context.Context, now time.Time) error {
	_, err := a.move(ctx, map[string]any{"now": now.UTC()})
	return err
}

// Advance moves the account's clock forward and gives its new time.
func (a *Account) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	return a.move(ctx, map[string]any{"advance": by})
}

func (a *Account) move(ctx context.Context, move map[string]any) (time.Time, error) {
	text, err := json.Marshal(move)
	if err != nil {
		return time.Time{}, fmt.Errorf("writing a time as JSON: %w", err)
	}
	answer, err := a.do(ctx, http.MethodPost, "/weft/clock", text)
	if err != nil {
		return time.Time{}, fmt.Errorf("moving the account's clock: %w", err)
	}
	var m moment
	if err := json.Unmarshal(answer, &m); err != nil {
		return time.Time{}, fmt.Errorf("moving the account's clock: %w", err)
	}
	return m.Now.UTC(), nil
}
