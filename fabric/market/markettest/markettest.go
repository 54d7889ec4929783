// Package markettest holds a made-up market of 200 offerings in 8 zones for tests; README.md says what is in it.
package markettest

import (
	_ "embed"
	"fmt"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/market"
)

// Zone of a market.
type Zone struct {
	Region  string `yaml:"region"`
	Name    string `yaml:"name"`
	ID      string `yaml:"id"`
	OptedIn bool   `yaml:"optedIn"`
}

// Market is a simulated market.
type Market struct {
	Zones     []Zone
	Offerings []market.Offering
}

type file struct {
	Zones     []Zone `yaml:"zones"`
	Offerings []struct {
		ID       string    `yaml:"id"`
		Zone     string    `yaml:"zone"`
		Type     string    `yaml:"type"`
		Count    int       `yaml:"count"`
		Hours    int       `yaml:"hours"`
		Start    time.Time `yaml:"start"`
		End      time.Time `yaml:"end"`
		Fee      string    `yaml:"fee"`
		Currency string    `yaml:"currency"`
	} `yaml:"offerings"`
}

// YAML is the text of the market.
//
//go:embed market.yaml
var YAML []byte

// Now is when the market stood as it is.
var Now = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// New reads the market.
func New(t testing.TB) Market {
	t.Helper()
	return Read(t, YAML)
}

// Read reads a market of the same form. An offering in a zone that the market does not have fails the test.
func Read(t testing.TB, data []byte) Market {
	t.Helper()
	var f file
	require.NoError(t, yaml.UnmarshalWithOptions(data, &f, yaml.Strict()))
	m := Market{Zones: f.Zones}
	zones := map[string]Zone{}
	for _, z := range f.Zones {
		zones[z.Name] = z
	}
	for i, o := range f.Offerings {
		z, ok := zones[o.Zone]
		require.True(t, ok, fmt.Sprintf("offerings[%d]: no zone %s", i, o.Zone))
		fee, err := market.ParseMoney(o.Fee, o.Currency)
		require.NoError(t, err)
		m.Offerings = append(m.Offerings, market.Offering{
			ID: o.ID, Region: z.Region, Zone: z.Name, ZoneID: z.ID, ZoneClosed: !z.OptedIn, InstanceType: o.Type, Count: o.Count,
			AskedHours: o.Hours, Start: o.Start.UTC(), End: o.End.UTC(), Fee: fee,
		})
	}
	return m
}
