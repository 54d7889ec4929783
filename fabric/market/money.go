package market

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Money is an exact amount in one currency. Fees are compared and added without rounding: a float could let a fee pass
// that is a cent above what was confirmed. The zero value is no amount at all, which is not the amount zero.
type Money struct {
	amount   *big.Rat // never changed once set
	currency string
}

var decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// ParseMoney reads a decimal number without sign, exponent or separators, as EC2 writes fees.
func ParseMoney(amount, currency string) (Money, error) {
	if !decimal.MatchString(amount) {
		return Money{}, fmt.Errorf("%q is not a decimal number such as 12345.60", amount)
	}
	value, ok := new(big.Rat).SetString(amount)
	if !ok {
		return Money{}, fmt.Errorf("%q is not a decimal number such as 12345.60", amount)
	}
	return Money{value, currency}, nil
}

// Known reports whether there is an amount.
func (m Money) Known() bool { return m.amount != nil }

// Currency is the code of the currency, such as USD.
func (m Money) Currency() string { return m.currency }

// Cmp compares two known amounts: -1, 0 or 1. False where one is unknown or the currencies differ: such amounts have no
// order.
func (m Money) Cmp(o Money) (int, bool) {
	if !m.Known() || !o.Known() || m.currency != o.currency {
		return 0, false
	}
	return m.amount.Cmp(o.amount), true
}

// Plus adds. The sum of amounts of two currencies, or with an unknown one, is unknown.
func (m Money) Plus(o Money) Money {
	if !m.Known() || !o.Known() || m.currency != o.currency {
		return Money{}
	}
	return Money{new(big.Rat).Add(m.amount, o.amount), m.currency}
}

// Less subtracts, with the same limits as Plus. The difference may be negative.
func (m Money) Less(o Money) Money {
	if !m.Known() || !o.Known() || m.currency != o.currency {
		return Money{}
	}
	return Money{new(big.Rat).Sub(m.amount, o.amount), m.currency}
}

// Times multiplies by an exact fraction.
func (m Money) Times(share *big.Rat) Money {
	if !m.Known() {
		return Money{}
	}
	return Money{new(big.Rat).Mul(m.amount, share), m.currency}
}

// Per divides by an exact number of units. The price of no units is unknown.
func (m Money) Per(units *big.Rat) Money {
	if !m.Known() || units.Sign() == 0 {
		return Money{}
	}
	return Money{new(big.Rat).Quo(m.amount, units), m.currency}
}

// Negative reports an amount below zero.
func (m Money) Negative() bool { return m.Known() && m.amount.Sign() < 0 }

// Decimal writes the amount with as many places as it has, two at least. A quotient that no decimal number equals is
// rounded to ten places.
func (m Money) Decimal() string {
	if !m.Known() {
		return ""
	}
	places, exact := m.amount.FloatPrec()
	if !exact {
		places = 10
	}
	return m.amount.FloatString(max(places, 2))
}

// Rounded writes the amount for people: a number of places, thousands apart, and the currency.
func (m Money) Rounded(places int) string {
	if !m.Known() {
		return "unknown"
	}
	text := m.amount.FloatString(places)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, rest, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return strings.TrimSpace(sign + whole + " " + m.currency)
}

// String is the exact amount and its currency, or "unknown".
func (m Money) String() string {
	if !m.Known() {
		return "unknown"
	}
	return strings.TrimSpace(m.Decimal() + " " + m.currency)
}

type moneyJSON struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// MarshalJSON writes {"amount": "123.45", "currency": "USD"}, or null where the amount is unknown.
func (m Money) MarshalJSON() ([]byte, error) {
	if !m.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(moneyJSON{m.Decimal(), m.currency})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Money) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*m = Money{}
		return nil
	}
	var raw moneyJSON
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("reading an amount of money: %w", err)
	}
	read, err := ParseMoney(raw.Amount, raw.Currency)
	if err != nil {
		return fmt.Errorf("reading an amount of money: %w", err)
	}
	*m = read
	return nil
}
