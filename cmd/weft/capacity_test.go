package main

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/journal"
)

// moving is a clock whose waiting takes no time.
type moving struct {
	mu  sync.Mutex
	now time.Time
}

func (m *moving) Now() time.Time { m.mu.Lock(); defer m.mu.Unlock(); return m.now }

func (m *moving) Wait(ctx context.Context, d time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	return ctx.Err()
}

// Extending over the wire: bought once, and the same command again finds it.
func TestExtendBuysOnce(t *testing.T) {
	w, server := newWire(t)
	cfg := aws.Config{Region: "us-east-2", BaseEndpoint: aws.String(server.URL), Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
	})}
	e := capacity.NewExtender(ec2.NewFromConfig(cfg), journal.Parameters{SSM: ssm.NewFromConfig(cfg)})
	e.Clock = &moving{now: time.Date(2026, 12, 10, 12, 0, 0, 0, time.UTC)}
	run := func(price string) (string, error) {
		var out, other bytes.Buffer
		c := &cobra.Command{}
		c.SetOut(&out)
		c.SetErr(&other)
		c.SetContext(t.Context())
		o := extendOptions{block: wireBlock, days: 7, buy: true, offering: wireExtension, price: price, currency: "USD"}
		o.format = "text"
		offers, _, err := e.Offers(t.Context(), "us-east-2", wireBlock, 168)
		require.NoError(t, err)
		err = o.extend(c, e, "us-east-2", offers)
		return out.String() + other.String(), err
	}
	said, err := run("200000.49")
	require.ErrorIs(t, err, errFindings)
	require.Contains(t, said, "a fee of 200000.50 USD")
	require.Empty(t, w.extended)

	said, err = run("200000.50")
	require.NoError(t, err, said)
	require.Contains(t, said, wireBlock+" is extended by "+wireExtension+": its new end is 2026-12-28 11:30 UTC once it is paid (payment-pending)")
	require.Contains(t, said, "the extension waits for its payment")
	for range 3 {
		said, err = run("200000.50")
		require.NoError(t, err, said)
		require.Contains(t, said, wireBlock+" was extended already by "+wireExtension)
	}
	require.Equal(t, []string{wireExtension}, w.extended)
	require.Len(t, w.parameters, 2, "intended, and bought")

	_, err = run("1e9")
	require.ErrorContains(t, err, "--price")
}

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "1d": 24 * time.Hour, "12h": 12 * time.Hour, "90m": 90 * time.Minute} {
		got, err := parseSpan(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "d", "0d", "-1d", "1.5d", "30", "0h", "-2h", "x"} {
		_, err := parseSpan(text)
		require.Error(t, err, text)
	}
}
