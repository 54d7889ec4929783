package headnode

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/remote"
	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/run"
)

func TestReach(t *testing.T) {
	t.Parallel()
	asked := ""
	r := &Runner{Configure: func(_ context.Context, region, profile string) (aws.Config, error) {
		asked = region + " as " + profile
		return aws.Config{Region: region}, nil
	}}
	reach := func(h validator.Head) way {
		w, err := r.reach(t.Context(), validator.Request{Head: h, Plan: plan.Cluster{OS: plan.OS{LoginUser: "ubuntu"}}})
		require.NoError(t, err)
		return w
	}
	require.Equal(t, way{exec: run.Local{}}, reach(validator.Head{Local: true}))
	require.Equal(t, way{exec: run.SSH{Host: "ubuntu@head"}}, reach(validator.Head{SSH: "ubuntu@head"}))
	require.Empty(t, asked)

	w := reach(validator.Head{InstanceID: "i-0123456789abcdef0", Region: "us-east-2", Profile: "hpc"})
	instance, ok := w.exec.(*remote.Instance)
	require.True(t, ok)
	require.Equal(t, "i-0123456789abcdef0", instance.ID)
	require.Equal(t, "ubuntu", instance.User)
	require.NotNil(t, w.reservations)
	require.Equal(t, "us-east-2 as hpc", asked)
}

func TestNoWay(t *testing.T) {
	t.Parallel()
	broken := errors.New("no credentials")
	r := &Runner{Configure: func(context.Context, string, string) (aws.Config, error) { return aws.Config{}, broken }}
	_, err := r.Run(t.Context(), validator.Request{Head: validator.Head{InstanceID: "i-0123456789abcdef0"}}, func(string) {})
	require.ErrorIs(t, err, broken)
}

func TestUsersConfiguration(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "credentials"))
	cfg, err := users(t.Context(), "eu-north-1", "")
	require.NoError(t, err)
	require.Equal(t, "eu-north-1", cfg.Region)
	_, err = users(t.Context(), "eu-north-1", "nobody")
	require.ErrorContains(t, err, "nobody")
}

// market says when reservations start.
type market struct {
	starts map[string]*time.Time
	err    error
}

func (m market) DescribeCapacityReservations(
	_ context.Context, in *ec2.DescribeCapacityReservationsInput, _ ...func(*ec2.Options),
) (*ec2.DescribeCapacityReservationsOutput, error) {
	out := &ec2.DescribeCapacityReservationsOutput{}
	for _, id := range in.CapacityReservationIds {
		out.CapacityReservations = append(out.CapacityReservations, types.CapacityReservation{CapacityReservationId: &id, StartDate: m.starts[id]})
	}
	return out, m.err
}

func TestStarts(t *testing.T) {
	t.Parallel()
	on := func(ids ...string) plan.Cluster {
		var p plan.Cluster
		for _, id := range ids {
			p.Groups = append(p.Groups, plan.NodeGroup{Capacity: plan.Capacity{Reservation: id}})
		}
		return p
	}
	early, late := time.Date(2026, 12, 1, 11, 30, 0, 0, time.UTC), time.Date(2026, 12, 24, 11, 30, 0, 0, time.UTC)
	m := market{starts: map[string]*time.Time{"cr-1": &early, "cr-2": &late}}
	for name, tt := range map[string]struct {
		plan plan.Cluster
		want time.Time
	}{
		"on demand":        {on(""), time.Time{}},
		"a block":          {on("cr-1", "", "cr-1"), early},
		"two blocks":       {on("cr-2", "cr-1"), late},
		"one without date": {on("cr-3"), time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := starts(t.Context(), m, tt.plan)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
	_, err := starts(t.Context(), market{err: errors.New("denied")}, on("cr-1"))
	require.ErrorContains(t, err, "describing the capacity reservations: denied")
}

func TestLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "begins: 2 jobs", line(run.Event{Text: "begins: 2 jobs"}))
	require.Equal(t, "host-train: job 3 ended", line(run.Event{Job: "host-train", Text: "job 3 ended"}))
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "r-1")
	path, err := write(dir, result.Run{Schema: result.Version, Cluster: "llama", ID: "r-1", Outcome: result.Passed})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "report.html"), path)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.name))
		require.NoError(t, err)
		require.Contains(t, string(text), "llama", f.name)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	_, err = write(filepath.Join(blocked, "r-1"), result.Run{})
	require.ErrorContains(t, err, "making the report's folder")
}
