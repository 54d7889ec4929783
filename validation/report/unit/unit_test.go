package unit_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/report/unit"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]float64{
		"0": 0, "374": 374.26, "93.8": 93.75, "48": 48.02, "8.7": 8.7, "0.46": 0.459, "1,204": 1203.6, "1,234,567": 1234567, "-1,234": -1234,
		"100": 99.97, "10": 9.996, "0.0012": 0.00123, "NaN": math.NaN(), "∞": math.Inf(1), "−∞": math.Inf(-1), "1e+300": 1e300, "-8.7": -8.7,
	} {
		require.Equal(t, want, unit.Number(v))
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]int64{
		"0 B": 0, "8 B": 8, "1 KiB": 1 << 10, "64 MiB": 64 << 20, "16 GiB": 16 << 30, "1.5 KiB": 1536, "1,023 B": 1023, "8 EiB": math.MaxInt64, "-1 KiB": -1024,
	} {
		require.Equal(t, want, unit.Bytes(n))
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	require.Equal(t, "94 %", unit.Percent(0.935))
	require.Equal(t, "100 %", unit.Percent(1))
	require.Equal(t, "0 %", unit.Percent(0.004))
	require.Equal(t, "–", unit.Percent(math.NaN()))
	require.Equal(t, "–", unit.Percent(math.Inf(1)))
}

func TestTimes(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 30, 12, 0, 0, 0, time.FixedZone("", 3600))
	require.Equal(t, "2026-11-30 11:00:00 UTC", unit.Moment(from))
	require.Equal(t, "–", unit.Moment(time.Time{}))
	for want, d := range map[string]time.Duration{
		"45 s": 45 * time.Second, "12 min 4 s": 724 * time.Second, "3 h 5 min": 3*time.Hour + 5*time.Minute + 9*time.Second, "1 s": 800 * time.Millisecond, "–": -time.Minute,
	} {
		require.Equal(t, want, unit.Took(from, from.Add(d)))
	}
	require.Equal(t, "–", unit.Took(from, time.Time{}))
}

func TestPlural(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1 node", unit.Plural(1, "node", "nodes"))
	require.Equal(t, "0 nodes", unit.Plural(0, "node", "nodes"))
	require.Equal(t, "1,000 nodes", unit.Plural(1000, "node", "nodes"))
	require.Equal(t, "-5", unit.Count(-5))
}
