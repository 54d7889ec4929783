package purchaser_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/journal"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
	"github.com/weft-hpc/weft/offline/cloud"
)

var (
	urn = resource.NewURN("prod", "train", "", purchaser.Token, "block")
	// The offerings that the tests buy: 16 × p6-b200 in us-east-2b for two weeks, and one after it.
	pinned = "cb-4747652274a1e5395"
)

const bought = "cr-00000000000000001"

// simulated is a Region with the market of markettest.
func simulated(t testing.TB) *cloud.Cloud {
	t.Helper()
	m := markettest.New(t)
	var zones []cloud.Zone
	for _, z := range m.Zones {
		zones = append(zones, cloud.Zone{Name: z.Name, ID: z.ID})
	}
	return cloud.New(markettest.Now, m.Offerings, zones)
}

// screen keeps what was shown.
type screen struct {
	mu                 sync.Mutex
	status, info, warn []string
}

func (s *screen) Status(_ context.Context, _ resource.URN, text string) { s.add(&s.status, text) }
func (s *screen) Info(_ context.Context, _ resource.URN, text string)   { s.add(&s.info, text) }
func (s *screen) Warn(_ context.Context, _ resource.URN, text string)   { s.add(&s.warn, text) }

func (s *screen) add(to *[]string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*to = append(*to, text)
}

func (s *screen) all() string {
	return strings.Join(append(append(s.info, s.warn...), s.status...), "\n")
}

// serving makes a purchaser of an account.
func serving(c *cloud.Cloud, s *screen) *purchaser.Purchaser {
	return purchaser.New(purchaser.Options{
		Clock: c.Clock,
		Connect: func(_ context.Context, region, _ string) (purchaser.Account, error) {
			if region == "" {
				region = "us-east-2"
			}
			return purchaser.Account{Region: region, EC2: c, Journal: journal.Parameters{SSM: c}}, nil
		},
	}, s)
}

func offering(t testing.TB, c *cloud.Cloud, id string) market.Offering {
	t.Helper()
	for _, o := range c.Offerings {
		if o.ID == id {
			return o
		}
	}
	t.Fatalf("the market has no %s", id)
	return market.Offering{}
}

// wanted are the inputs of an offering, with changes at the top or, as offering.key, within the offering.
func wanted(o market.Offering, changes map[string]any) property.Map {
	pin := map[string]any{
		"id": o.ID, "count": o.Count, "durationHours": int(o.Real().Hours()), "start": o.Start.Format(time.RFC3339), "fee": o.Fee.Decimal(),
		"maxFee": o.Fee.Decimal(), "currency": o.Fee.Currency(), "confirmedUntil": markettest.Now.Add(24 * time.Hour).Format(time.RFC3339),
	}
	in := map[string]any{"region": o.Region, "zone": o.Zone, "instanceType": o.InstanceType, "offering": pin}
	for key, v := range changes {
		target := in
		if name, within := strings.CutPrefix(key, "offering."); within {
			target, key = pin, name
		}
		if v == nil {
			delete(target, key)
			continue
		}
		target[key] = v
	}
	return resource.FromResourcePropertyMap(resource.NewPropertyMapFromMap(in))
}

// want are the inputs of the offering that the tests buy.
func want(t testing.TB, c *cloud.Cloud, changes map[string]any) property.Map {
	t.Helper()
	return wanted(offering(t, c, pinned), changes)
}

// create makes the resource as an update does.
func create(t testing.TB, c *cloud.Cloud, in property.Map) (plugin.CreateResponse, *screen, error) {
	t.Helper()
	s := &screen{}
	out, err := serving(c, s).Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: in})
	return out, s, err
}

// made is a resource that was bought.
func made(t testing.TB, c *cloud.Cloud, in property.Map) property.Map {
	t.Helper()
	out, _, err := create(t, c, in)
	require.NoError(t, err)
	require.Equal(t, resource.ID(bought), out.ID)
	return out.Properties
}

func text(m property.Map, name string) string { return m.Get(name).AsString() }

func dollars(t testing.TB, amount string) market.Money {
	t.Helper()
	m, err := market.ParseMoney(amount, "USD")
	require.NoError(t, err)
	return m
}

var (
	_ purchaser.EC2  = &cloud.Cloud{}
	_ capacity.Clock = &cloud.Clock{}
)
