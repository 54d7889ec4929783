package account

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/goccy/go-yaml"
)

// Offering is a capacity block that the market of a world sells.
type Offering struct {
	ID     string `json:"id"`   // cb-…
	Type   string `json:"type"` // instance type
	Zone   string `json:"zone"`
	ZoneID string `json:"zoneId,omitempty"` // empty: as in Subnet
	Count  int    `json:"count"`            // instances

	Start time.Time `json:"start"` // at any minute
	End   time.Time `json:"end"`   // at 11:30 UTC in AWS
	// Hours is the duration that the offering answers to. 0: the least that is sold and not below End - Start.
	Hours int `json:"hours,omitempty"`

	Fee      string `json:"fee"`      // for all of it, a decimal number
	Currency string `json:"currency"` // such as USD

	// Until is when the offering is withdrawn; it is never sold after its start.
	Until time.Time `json:"until,omitzero"`
	// Again says that it may be bought any number of times: the worst that a buyer can meet.
	Again bool `json:"again,omitempty"`
	// PaysAfter is how long the payment takes by the account's clock. After 12 hours EC2 gives up.
	PaysAfter time.Duration `json:"paysAfter,omitempty"`
	// PaymentFails says that the payment never comes.
	PaymentFails bool `json:"paymentFails,omitempty"`

	Tenancy string `json:"tenancy,omitempty"` // empty: default
	// OptedOut says that the account has not opted in to the zone: only a call for all zones shows the offering.
	OptedOut bool   `json:"optedOut,omitempty"`
	ZoneType string `json:"zoneType,omitempty"` // empty: availability-zone; or local-zone
	// UltraServer is the type of UltraServer of the offering, and UltraServerCount their number; empty for instances.
	UltraServer      string `json:"ultraServer,omitempty"`
	UltraServerCount int    `json:"ultraServerCount,omitempty"`

	// Places are those of the reservation that comes of it.
	Places [][]string `json:"places,omitempty"`
}

// ExtensionOffering is an extension that the market sells for a block. It begins where the block ends when it is bought.
type ExtensionOffering struct {
	ID string `json:"id"` // cbe-…
	// Reservation that it is for; empty: every block that has its Type and Zone, where those are given.
	Reservation string `json:"reservation,omitempty"`
	Type        string `json:"type,omitempty"`
	Zone        string `json:"zone,omitempty"`

	Hours    int    `json:"hours"`
	Fee      string `json:"fee"`
	Currency string `json:"currency"`

	// As in Offering. A payment comes until 35 minutes before the block's end at the latest.
	Until        time.Time     `json:"until,omitzero"`
	Again        bool          `json:"again,omitempty"`
	PaysAfter    time.Duration `json:"paysAfter,omitempty"`
	PaymentFails bool          `json:"paymentFails,omitempty"`
}

// Market is everything that is for sale.
type Market struct {
	Offerings  []Offering          `json:"market"`
	Extensions []ExtensionOffering `json:"extensionMarket,omitempty"`
}

// ReadMarket reads a market from YAML or JSON, whose keys are those of Market.
func ReadMarket(text []byte) (Market, error) {
	var m Market
	if err := yaml.UnmarshalWithOptions(text, &m, yaml.Strict()); err != nil {
		return Market{}, fmt.Errorf("reading a market: %w", err)
	}
	return m, nil
}

// Sell puts a market in place of the one that was there: prices move, offerings come and go. What was bought stays.
func (a *Account) Sell(ctx context.Context, m Market) error {
	if err := a.post(ctx, "/weft/market", m); err != nil {
		return fmt.Errorf("changing the market: %w", err)
	}
	return nil
}

// Purchase is a movement of money: a block or an extension that was sold, whatever the caller was told of it.
type Purchase struct {
	Offering    string            `json:"offering"`
	Reservation string            `json:"reservation"`
	Fee         string            `json:"fee"`
	Currency    string            `json:"currency"`
	Tags        map[string]string `json:"tags"`
	At          time.Time         `json:"at"`
}

// Purchases are those since the last Load, oldest first.
func (a *Account) Purchases(ctx context.Context) ([]Purchase, error) {
	var purchases []Purchase
	if err := a.get(ctx, "/weft/purchases", &purchases); err != nil {
		return nil, fmt.Errorf("reading the purchases: %w", err)
	}
	for i := range purchases {
		purchases[i].At = purchases[i].At.UTC()
	}
	return purchases, nil
}

func (a *Account) get(ctx context.Context, path string, into any) error {
	answer, err := a.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, into)
}
