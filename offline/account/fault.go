package account

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// FaultKind says what goes wrong.
type FaultKind string

// The kinds of fault. The first three leave the account as it was; after the next three the call was carried out, and only
// the account knows.
const (
	Refuse FaultKind = "refuse" // the answer is Error
	Reset  FaultKind = "reset"  // the connection breaks
	Hang   FaultKind = "hang"   // no answer comes until the caller gives up

	Fail FaultKind = "fail" // carried out, the answer is Error
	Lose FaultKind = "lose" // carried out, the connection breaks
	Mute FaultKind = "mute" // carried out, no answer comes until the caller gives up

	// Behind makes a describing action show a purchase late: of a block, of an extension, of an offering that is gone.
	Behind FaultKind = "lag"
)

// Fault strikes calls of one action.
type Fault struct {
	Action string    `json:"action"` // such as PurchaseCapacityBlock
	Kind   FaultKind `json:"kind"`
	// Skip is how many calls pass before the first that is struck, Times how many are struck; 0 strikes all from then on.
	Skip  int `json:"skip,omitempty"`
	Times int `json:"times,omitempty"`
	// DryRun strikes dry runs, and dry runs only; other faults let them pass.
	DryRun bool `json:"dryRun,omitempty"`

	// Error and Status, of HTTP, are the answer of Refuse and Fail; nil is InternalError with status 500.
	Error  *Error `json:"error,omitempty"`
	Status int    `json:"status,omitempty"`

	// Lag and LagCalls are how far Behind is: what was written is shown when that time has passed by the account's clock,
	// and the action has been called that many times since.
	Lag      time.Duration `json:"lag,omitempty"`
	LagCalls int           `json:"lagCalls,omitempty"`
}

// Throttle refuses some calls of an action as EC2 does when there are too many.
func Throttle(action string, times int) Fault {
	return Fault{
		Action: action, Kind: Refuse, Times: times, Status: http.StatusServiceUnavailable,
		Error: &Error{Code: "RequestLimitExceeded", Message: "Request limit exceeded."},
	}
}

// Faults puts faults in place of earlier ones; none ends them all. A Load ends them too. Of several for one action the first
// that strikes does.
func (a *Account) Faults(ctx context.Context, faults ...Fault) error {
	if faults == nil {
		faults = []Fault{}
	}
	if err := a.post(ctx, "/weft/faults", faults); err != nil {
		return fmt.Errorf("setting faults: %w", err)
	}
	return nil
}

// Count is how many calls of an action were carried out without an error since the last Load, whatever the callers were told.
// Dry runs are not among them.
func (a *Account) Count(ctx context.Context, action string) (int, error) {
	calls, err := a.Calls(ctx)
	if err != nil {
		return 0, err
	}
	count := 0
	for _, call := range calls {
		if call.Action == action && call.Status == http.StatusOK && !call.DryRun {
			count++
		}
	}
	return count, nil
}
