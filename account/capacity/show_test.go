package capacity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/text"
	"github.com/weft-hpc/weft/internal/golden"
)

var _ capacity.ShowAPI = (*ec2.Client)(nil)

// bought puts the block of the tests into the account.
func bought(t testing.TB, c *cloud, id string, state types.CapacityReservationState) *types.CapacityReservation {
	t.Helper()
	r := reservationOf(c.offering(t, pinned), id, state, time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC))
	r.CapacityBlockId = aws.String(strings.Replace(id, "cr-", "cb-", 1))
	if state == types.CapacityReservationStateActive {
		r.TotalInstanceCount, r.AvailableInstanceCount = aws.Int32(16), aws.Int32(14)
	}
	for key, value := range map[string]string{
		"weft:project": "train", "weft:stack": "prod", "weft:name": "block", "weft:offering": pinned, "weft:fee": "412196.27", "weft:currency": "USD",
	} {
		r.Tags = append(r.Tags, types.Tag{Key: aws.String(key), Value: aws.String(value)})
	}
	c.held = append(c.held, held{CapacityReservation: r})
	return &c.held[len(c.held)-1].CapacityReservation
}

func (c *cloud) runs(id, reservation, template string, version int, since time.Time) *types.Instance {
	i := types.Instance{
		InstanceId: aws.String(id), InstanceType: "p6-b200.48xlarge", LaunchTime: aws.Time(since), Placement: &types.Placement{AvailabilityZone: aws.String("us-east-2b")},
		State: &types.InstanceState{Name: types.InstanceStateNameRunning},
	}
	if reservation != "" {
		i.CapacityReservationId = aws.String(reservation)
	}
	if template != "" {
		i.Tags = []types.Tag{
			{Key: aws.String("aws:ec2launchtemplate:id"), Value: aws.String(template)},
			{Key: aws.String("aws:ec2launchtemplate:version"), Value: aws.String(fmt.Sprint(version))},
			{Key: aws.String("Name"), Value: aws.String("train-st-gpu-1")},
		}
	}
	c.instances = append(c.instances, i)
	return &c.instances[len(c.instances)-1]
}

func (c *cloud) targets(template string, version int64, isDefault bool, reservation string) {
	v := types.LaunchTemplateVersion{LaunchTemplateId: aws.String(template), LaunchTemplateName: aws.String("train"), VersionNumber: aws.Int64(version), DefaultVersion: aws.Bool(isDefault)}
	if reservation != "" {
		v.LaunchTemplateData = &types.ResponseLaunchTemplateData{CapacityReservationSpecification: &types.LaunchTemplateCapacityReservationSpecificationResponse{
			CapacityReservationTarget: &types.CapacityReservationTargetResponse{CapacityReservationId: aws.String(reservation)},
		}}
	}
	c.templates = append(c.templates, v)
}

const (
	scheduled = types.CapacityReservationStateScheduled
	active    = types.CapacityReservationStateActive
	expired   = types.CapacityReservationStateExpired
)

// What `weft capacity show` says in each situation, with its findings.
func TestShow(t *testing.T) {
	golden.NoneUnused(t, "testdata/show", ".golden")
	during := time.Date(2026, 12, 10, 12, 0, 0, 0, time.UTC)
	in := func(state types.CapacityReservationState) func(*testing.T, *cloud) {
		return func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", state)
		}
	}
	tests := map[string]struct {
		now   time.Time
		world func(*testing.T, *cloud)
	}{
		"nothing":         {during, func(*testing.T, *cloud) {}},
		"waiting":         {time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC), in(scheduled)},
		"payment pending": {time.Date(2026, 12, 1, 9, 20, 0, 0, time.UTC), in("payment-pending")},
		"payment failed":  {during, in("payment-failed")},
		"unavailable":     {during, in("unavailable")},
		"expiring":        {time.Date(2026, 12, 21, 10, 52, 0, 0, time.UTC), in(active)},
		"expired":         {time.Date(2026, 12, 22, 0, 0, 0, 0, time.UTC), in(expired)},
		"bought by others": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", active).Tags = nil
		}},
		"CB-07 active, and half of it idle": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", active)
			c.targets("lt-1", 3, true, "cr-0a")
			for i := range 2 {
				c.runs(fmt.Sprintf("i-%d", i), "cr-0a", "lt-1", 3, during.Add(-24*time.Hour))
			}
			c.runs("i-gone", "cr-0a", "lt-1", 3, during).State.Name = types.InstanceStateNameTerminated
			c.status = append(c.status, types.CapacityBlockStatus{CapacityBlockId: aws.String("cb-0a"), TotalUnavailableCapacity: aws.Int32(0), InterconnectStatus: types.CapacityBlockInterconnectStatusOk})
		}},
		"CB-16 a node beside the block": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", active)
			c.targets("lt-1", 3, true, "cr-0a")
			c.runs("i-in", "cr-0a", "lt-1", 3, during.Add(-time.Hour))
			c.runs("i-beside", "", "", 0, during.Add(-time.Hour))
			c.runs("i-odcr", "cr-odcr", "lt-1", 3, during.Add(-time.Hour))
			c.runs("i-elsewhere", "", "", 0, during).Placement.AvailabilityZone = aws.String("us-east-2a")
		}},
		"DRIFT a newer template targets another block": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", active)
			bought(t, c, "cr-0b", active).Tags = nil
			c.targets("lt-1", 3, false, "cr-0a")
			c.targets("lt-1", 4, true, "cr-0b")
			c.targets("lt-1", 5, false, "")
			c.runs("i-0", "cr-0a", "lt-1", 3, during.Add(-time.Hour))
			c.runs("i-1", "cr-0a", "lt-1", 5, during.Add(-time.Hour))
			c.runs("i-2", "cr-0a", "lt-removed", 1, during.Add(-time.Hour))
		}},
		"CB-04 a template that targets an ended block": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", expired)
			bought(t, c, "cr-0b", scheduled)
			c.targets("lt-1", 3, true, "cr-0a")
			c.targets("lt-2", 1, true, "cr-0a")
			c.targets("lt-3", 1, true, "cr-mistyped")
			c.targets("lt-2", 9, false, "cr-0a")
		}},
		"MULTI two blocks, one with failing hardware": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", active)
			b := bought(t, c, "cr-0b", active)
			b.StartDate = aws.Time(b.StartDate.Add(24 * time.Hour))
			c.status = []types.CapacityBlockStatus{
				{CapacityBlockId: aws.String("cb-0b"), TotalUnavailableCapacity: aws.Int32(2), InterconnectStatus: types.CapacityBlockInterconnectStatusImpaired},
				{CapacityBlockId: aws.String("cb-0a"), TotalUnavailableCapacity: aws.Int32(0)},
			}
		}},
		"extended, and an extension that is not paid": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			b := bought(t, c, "cr-0a", active)
			b.EndDate = aws.Time(b.EndDate.AddDate(0, 0, 7))
			x := types.CapacityBlockExtension{
				CapacityBlockExtensionOfferingId: aws.String("cbe-1"), CapacityReservationId: aws.String("cr-0a"), CapacityBlockExtensionStatus: "payment-succeeded",
				CapacityBlockExtensionEndDate: b.EndDate, UpfrontFee: aws.String("200000.50"), CurrencyCode: aws.String("USD"),
			}
			y := x
			y.CapacityBlockExtensionOfferingId, y.CapacityBlockExtensionStatus = aws.String("cbe-2"), "payment-pending"
			y.CapacityBlockExtensionEndDate = aws.Time(b.EndDate.AddDate(0, 0, 7))
			c.history = append(c.history, x, y)
		}},
		"little is allowed": {during, func(t *testing.T, c *cloud) {
			t.Helper()
			bought(t, c, "cr-0a", active)
			for _, action := range []string{"DescribeInstances", "DescribeLaunchTemplateVersions", "DescribeCapacityBlockStatus", "DescribeCapacityBlockExtensionHistory"} {
				c.fail["ec2:"+action] = answer(403, "UnauthorizedOperation")
			}
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t)
			c.pageSize = 1
			tt.world(t, c)
			h, err := capacity.Hold(t.Context(), c, "us-east-2")
			require.NoError(t, err)
			r := h.Report(tt.now)
			var out bytes.Buffer
			require.NoError(t, text.Report(&out, r))
			for _, f := range r.Findings {
				require.NotEmpty(t, f.Hint)
				require.NotEmpty(t, f.Source)
				fmt.Fprintf(&out, "\n%s %s %s: %s\n  want %s\n  %s\n", f.Level, f.Rule, f.Place, f.Got, f.Want, f.Hint)
			}
			golden.Check(t, "testdata/show/"+strings.NewReplacer(" ", "-", ",", "").Replace(name)+".golden", out.Bytes())
			_, err = json.Marshal(r)
			require.NoError(t, err)
		})
	}
}

func TestShowFails(t *testing.T) {
	for _, action := range []string{
		"DescribeCapacityReservations", "DescribeInstances", "DescribeLaunchTemplateVersions", "DescribeCapacityBlockStatus", "DescribeCapacityBlockExtensionHistory",
	} {
		c := newCloud(t)
		bought(t, c, "cr-0a", active)
		c.fail["ec2:"+action] = errLost
		_, err := capacity.Hold(t.Context(), c, "us-east-2")
		require.ErrorIs(t, err, errLost, action)
	}
	c := newCloud(t)
	c.fail["ec2:DescribeCapacityReservations"] = answer(403, "UnauthorizedOperation")
	_, err := capacity.Hold(t.Context(), c, "us-east-2")
	require.Error(t, err, "without its reservations nothing can be told of an account")
}

// What a stack bought and lost from its state is found by its tags.
func TestAdopt(t *testing.T) {
	c := newCloud(t)
	bought(t, c, "cr-old", expired)
	bought(t, c, "cr-now", active)
	next := bought(t, c, "cr-next", scheduled)
	next.StartDate = aws.Time(next.StartDate.AddDate(0, 0, 14))
	bought(t, c, "cr-other", active).Tags = nil

	found, err := capacity.Adopt(t.Context(), c, "us-east-2", owner)
	require.NoError(t, err)
	var ids []string
	for _, r := range found {
		ids = append(ids, r.Reservation)
	}
	require.Equal(t, []string{"cr-next", "cr-now", "cr-old"}, ids)

	lost, err := capacity.Orphans(t.Context(), c, "us-east-2", "train", "prod", []string{"block"})
	require.NoError(t, err)
	require.Empty(t, lost)
	lost, err = capacity.Orphans(t.Context(), c, "us-east-2", "train", "prod", nil)
	require.NoError(t, err)
	require.Len(t, lost, 2, "what has ended is nothing to take over")

	r, err := capacity.Read(t.Context(), c, "us-east-2", "cr-now")
	require.NoError(t, err)
	require.Equal(t, owner, r.Owner)
	_, err = capacity.Read(t.Context(), c, "us-east-2", "cr-none")
	require.ErrorIs(t, err, capacity.ErrNotFound)
	c.fail["ec2:DescribeCapacityReservations"] = errLost
	_, err = capacity.Read(t.Context(), c, "us-east-2", "cr-now")
	require.ErrorIs(t, err, errLost)
	_, err = capacity.Adopt(t.Context(), c, "us-east-2", owner)
	require.ErrorIs(t, err, errLost)
	_, err = capacity.Orphans(t.Context(), c, "us-east-2", "train", "prod", nil)
	require.ErrorIs(t, err, errLost)
}
