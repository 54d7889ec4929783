package market_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/market"
)

func usd(t testing.TB, amount string) market.Money {
	t.Helper()
	m, err := market.ParseMoney(amount, "USD")
	require.NoError(t, err)
	return m
}

func TestParseMoney(t *testing.T) {
	for _, good := range []string{"0", "1", "1234567.89", "0.0000000001"} {
		_, err := market.ParseMoney(good, "USD")
		require.NoError(t, err, good)
	}
	for _, bad := range []string{"", "-1", "+1", "1e3", "1,000", ".5", "1.", "NaN", "12 USD", "1/3", "0x10", "1_000", "١"} {
		_, err := market.ParseMoney(bad, "USD")
		require.ErrorContains(t, err, "decimal number", bad)
	}
}

func TestMoneyIsExact(t *testing.T) {
	sum := market.Money{}
	for i, cents := range []string{"0.10", "0.20", "0.30"} {
		if m := usd(t, cents); i == 0 {
			sum = m
		} else {
			sum = sum.Plus(m)
		}
	}
	c, ok := sum.Cmp(usd(t, "0.6"))
	require.True(t, ok)
	require.Zero(t, c)
	c, ok = usd(t, "100000.00").Cmp(usd(t, "100000.0000000000000001"))
	require.True(t, ok)
	require.Equal(t, -1, c)
}

func TestMoneyWithoutAmountOrOfOtherCurrency(t *testing.T) {
	other, err := market.ParseMoney("1", "EUR")
	require.NoError(t, err)
	for _, m := range []market.Money{{}, other} {
		_, ok := usd(t, "1").Cmp(m)
		require.False(t, ok)
		require.False(t, usd(t, "1").Plus(m).Known())
		require.False(t, usd(t, "1").Less(m).Known())
	}
	require.Equal(t, "unknown", market.Money{}.String())
	require.Equal(t, "unknown", market.Money{}.Rounded(2))
	require.Empty(t, market.Money{}.Decimal())
	require.False(t, market.Money{}.Times(big.NewRat(1, 2)).Known())
	require.False(t, market.Money{}.Negative())
	require.False(t, usd(t, "1").Per(new(big.Rat)).Known(), "by no units")
}

func TestMoneyText(t *testing.T) {
	require.Equal(t, "1234567.80 USD", usd(t, "1234567.8").String())
	require.Equal(t, "1,234,567.80 USD", usd(t, "1234567.8").Rounded(2))
	require.Equal(t, "123 USD", usd(t, "123.4").Rounded(0))
	require.Equal(t, "-1,000.50 USD", usd(t, "1").Less(usd(t, "1001.5")).Rounded(2))
	require.Equal(t, "0.3333333333", usd(t, "1").Per(big.NewRat(3, 1)).Decimal())
	require.Equal(t, "0.125", usd(t, "1").Per(big.NewRat(8, 1)).Decimal())
}

// What is written is read again as the same amount, for every amount.
func TestMoneyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,15}(\.[0-9]{1,12})?`).Draw(t, "amount")
		m, err := market.ParseMoney(text, "USD")
		require.NoError(t, err)
		data, err := json.Marshal(m)
		require.NoError(t, err)
		var back market.Money
		require.NoError(t, json.Unmarshal(data, &back))
		c, ok := m.Cmp(back)
		require.True(t, ok)
		require.Zero(t, c, "%s became %s", text, data)
		want, _ := new(big.Rat).SetString(text)
		got, _ := new(big.Rat).SetString(m.Decimal())
		require.Zero(t, want.Cmp(got))
		require.Equal(t, m.Rounded(2), strings.TrimSpace(m.Rounded(2)))
	})
	var m market.Money
	require.Error(t, json.Unmarshal([]byte(`{"amount": "x"}`), &m))
	require.Error(t, json.Unmarshal([]byte(`7`), &m))
	require.NoError(t, json.Unmarshal([]byte(`null`), &m))
	require.False(t, m.Known())
	data, err := json.Marshal(m)
	require.NoError(t, err)
	require.Equal(t, "null", string(data))
}
