package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
	"github.com/weft-hpc/weft/offline/mirror"
)

// verb runs weft as a user does, and gives its exit code and all it printed.
func verb(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	return run(t.Context(), args, streams{strings.NewReader(""), &out, &out}), out.String()
}

// Each state of a block, as `weft capacity show` says it, and as `weft plan --confirm` does, which are the words of `pulumi preview` and
// `pulumi up` too: all three ask the same preflight.
func TestStatesOfABlock(t *testing.T) {
	emulated := judgetest.Account(t)
	for _, setting := range emulated.Env("us-east-2") {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	const file = "../../examples/p5en-capacity-block/cluster.yaml"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, findings := config.Decode("cluster.yaml", text)
	require.Empty(t, findings)
	p, _ := plan.New(doc.Cluster)
	now := time.Now().UTC().Truncate(time.Minute)
	world, err := mirror.For(p, now)
	require.NoError(t, err)

	for _, state := range []struct {
		name, state string
		start, end  time.Duration // from now
		code        int
		plan, show  []string
	}{
		{"waiting", "scheduled", 52 * time.Hour, 15 * 24 * time.Hour, 0, []string{"warn   block/state", "is scheduled: bought, and not begun; it starts at"}, []string{"is bought, and starts at"}},
		{"active", "active", -24 * time.Hour, 13 * 24 * time.Hour, 0, nil, []string{"is active: usable until"}},
		{"expiring", "active", -24 * time.Hour, 35 * time.Minute, 1, []string{"error  block/state", "EC2 ends its instances from"}, []string{"expires: EC2 ends its instances from"}},
		{"expired", "expired", -15 * 24 * time.Hour, -24 * time.Hour, 1, []string{"error  block/state", "is expired: its time has ended"}, []string{"is expired"}},
		{"not paid yet", "payment-pending", 52 * time.Hour, 15 * 24 * time.Hour, 0, []string{"warn   block/state", "is payment-pending: waits for its upfront payment"}, []string{"payment"}},
		{"payment failed", "payment-failed", 52 * time.Hour, 15 * 24 * time.Hour, 1, []string{"error  block/state", "is payment-failed: its upfront payment failed"}, []string{"payment"}},
		{"unavailable", "unavailable", -24 * time.Hour, 13 * 24 * time.Hour, 1, []string{"error  block/state", "is unavailable: its capacity is not available"}, []string{"unavailable"}},
	} {
		t.Run(state.name, func(t *testing.T) {
			w := world
			w.Reservations = append([]account.Reservation(nil), world.Reservations...)
			w.Reservations[0].State, w.Reservations[0].Start, w.Reservations[0].End = state.state, now.Add(state.start), now.Add(state.end)
			require.NoError(t, emulated.Load(t.Context(), w))
			code, said := verb(t, "plan", file, "--confirm")
			require.Equal(t, state.code, code, said)
			require.Contains(t, said, "group train: 4 × p5en.48xlarge", "the plan is shown whatever the account says")
			for _, want := range state.plan {
				require.Contains(t, said, want)
			}
			if state.plan == nil {
				require.NotContains(t, said, "block/state")
			}
			_, said = verb(t, "capacity", "show", "--region", "us-east-2")
			t.Log(said)
			for _, want := range state.show {
				require.Contains(t, said, want)
			}
		})
	}
}
