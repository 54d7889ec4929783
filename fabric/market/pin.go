package market

import (
	"errors"
	"fmt"
	"time"
)

// ErrNoPrice says that an offering can't be pinned: EC2 told no price of it.
var ErrNoPrice = errors.New("the offering has no price")

// Pin writes the capacity of a group of the config: this offering, with its price as the most that may be paid, until a
// time. Whoever puts it into a config confirms the price.
func (o Offering) Pin(confirmedUntil time.Time) (string, error) {
	if !o.Fee.Known() {
		return "", fmt.Errorf("pinning %s: %w", o.ID, ErrNoPrice)
	}
	return fmt.Sprintf(`capacity:
  block:
    offering:
      id: %s
      count: %d
      durationHours: %d
      start: %s
      fee: "%s"
      maxFee: "%s"
      currency: %s
      confirmedUntil: %s
`, o.ID, o.Count, int(o.Real().Hours()), o.Start.UTC().Format(time.RFC3339), o.Fee.Decimal(), o.Fee.Decimal(), o.Fee.Currency(),
		confirmedUntil.UTC().Format(time.RFC3339)), nil
}
