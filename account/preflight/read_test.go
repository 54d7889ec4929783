package preflight_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cfntypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
)

func clock() time.Time { return now }

// TestReadBack serves an account page by page and reads it whole, beside things that nobody asked for.
func TestReadBack(t *testing.T) {
	want := healthy()
	want.SecurityGroups[0].Egress[0].Ranges = []string{"0.0.0.0/0", "::/0", "pl-0a1"}
	second := want.Images[0]
	second.ID = "ami-0aaaaaaaaaaaaaaa2"
	want.Images = append(want.Images, second)

	f := account(want)
	f.Subnets = append(f.Subnets, types.Subnet{SubnetId: aws.String("subnet-0fffffffffffffff1")})
	f.offer([]preflight.Offering{{Type: "t3.micro", Zone: "us-east-2a"}, {Type: "p5en.48xlarge", Zone: "use2-az1"}})
	r := request(t, func(c *config.Cluster) { c.Groups[0].Image = &config.Image{AMI: second.ID} })

	got, err := preflight.Read(t.Context(), f.clients(), r)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, got))
	require.Equal(t, 2, f.count("ec2:DescribeSubnets"), "a page for each of the two subnets that the plan names")
	require.Equal(t, 5, f.count("ec2:DescribeInstanceTypeOfferings"))
}

func TestRun(t *testing.T) {
	f := account(healthy())
	found, err := preflight.Run(t.Context(), f.clients(), request(t), clock)
	require.NoError(t, err)
	require.Empty(t, found)

	f.Reservations[0].State = types.CapacityReservationStateExpired
	found, err = preflight.Run(t.Context(), f.clients(), request(t), clock)
	require.NoError(t, err)
	require.Equal(t, []diag.ID{diag.BlockState}, rules(found))
}

func rules(l diag.List) []diag.ID {
	var out []diag.ID
	for _, f := range l {
		out = append(out, f.Rule)
	}
	return out
}

// TestUnknownReservation: one unknown id hides the others in EC2's answer, so everything is listed then.
func TestUnknownReservation(t *testing.T) {
	f := account(healthy())
	r := request(t, second("more", "p5en.48xlarge", 1, blockOf(other)))
	got, err := preflight.Read(t.Context(), f.clients(), r)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(healthy().Reservations, got.Reservations))
	require.Empty(t, got.Neighbours)

	f.Reservations[0].CapacityReservationId = aws.String("cr-0ccccccccccccccd1")
	got, err = preflight.Read(t.Context(), f.clients(), r)
	require.NoError(t, err)
	require.Empty(t, got.Reservations)
	require.Equal(t, "cr-0ccccccccccccccd1", got.Neighbours[0].ID)
}

func TestMalformedReservation(t *testing.T) {
	f := account(healthy())
	f.Reservations = nil
	c := f.clients()
	c.EC2 = malformed{f}
	got, err := preflight.Read(t.Context(), c, request(t))
	require.NoError(t, err)
	require.Empty(t, got.Reservations)
}

// malformed refuses ids for their form, as EC2 does before it looks for them.
type malformed struct{ *fake }

func (m malformed) DescribeCapacityReservations(ctx context.Context, in *ec2.DescribeCapacityReservationsInput, opts ...func(*ec2.Options)) (*ec2.DescribeCapacityReservationsOutput, error) {
	if in.CapacityReservationIds != nil {
		return nil, refusal("InvalidCapacityReservationId.Malformed", "invalid id")
	}
	return m.fake.DescribeCapacityReservations(ctx, in, opts...)
}

func TestUnknownVPC(t *testing.T) {
	f := account(healthy())
	f.VPCs = nil
	got, err := preflight.Read(t.Context(), f.clients(), request(t))
	require.NoError(t, err)
	require.Nil(t, got.VPC)
}

func TestHeldAddresses(t *testing.T) {
	node := func(cluster string, state types.InstanceStateName, addresses int) types.Instance {
		return types.Instance{
			State: &types.InstanceState{Name: state},
			Tags:  []types.Tag{{Key: aws.String("parallelcluster:cluster-name"), Value: aws.String(cluster)}},
			NetworkInterfaces: []types.InstanceNetworkInterface{
				{SubnetId: aws.String(nodes), PrivateIpAddresses: make([]types.InstancePrivateIpAddress, addresses)},
				{SubnetId: aws.String(nodes)}, // EFA-only
			},
		}
	}
	world := healthy()
	world.Subnets[0].Free = 1
	f := account(world)
	f.Instances = []types.Instance{
		node("weft", types.InstanceStateNameRunning, 1), node("weft", types.InstanceStateNameRunning, 1),
		node("other", types.InstanceStateNameRunning, 1), node("weft", types.InstanceStateNameTerminated, 1),
	}
	got, err := preflight.Read(t.Context(), f.clients(), request(t))
	require.NoError(t, err)
	require.Equal(t, map[string]int{nodes: 2}, got.Held)

	f.Subnets[0].AvailableIpAddressCount = aws.Int32(4)
	before := f.count("ec2:DescribeInstances")
	_, err = preflight.Read(t.Context(), f.clients(), request(t))
	require.NoError(t, err)
	require.Equal(t, before, f.count("ec2:DescribeInstances"), "a subnet with room needs no look at instances")
}

func TestQuotasRead(t *testing.T) {
	f := account(healthy())
	f.Defaults = map[string]float64{"vpc/L-F678F1CE": 5}
	f.Applied = map[string]float64{"ec2/L-0263D0A3": 20}
	f.Addresses = make([]types.Address, 7)
	got, err := preflight.Read(t.Context(), f.clients(), request(t, created))
	require.NoError(t, err)
	require.Equal(t, []preflight.Quota{{Service: "vpc", Code: "L-F678F1CE", Value: 5}, {Service: "ec2", Code: "L-0263D0A3", Value: 20}}, got.Quotas)
	require.Equal(t, &preflight.Usage{VPCs: []string{"10.1.0.0/16"}, Addresses: 7}, got.Usage)

	f.Defaults = nil
	got, err = preflight.Read(t.Context(), f.clients(), request(t, created))
	require.NoError(t, err)
	require.Len(t, got.Quotas, 1, "a quota without any value is left out")
}

// TestDenied: an action that is refused hides nothing but what needs it.
func TestDenied(t *testing.T) {
	f := account(healthy())
	f.Reservations[0].State = types.CapacityReservationStateExpired
	f.Fail["ec2:DescribeImages"] = refusal("UnauthorizedOperation", "You are not authorized: arn:aws:iam::111122223333:role/ci")
	f.Fail["ec2:DescribeSubnets"] = refusal("UnauthorizedOperation", "You are not authorized: arn:aws:iam::111122223333:role/ci")
	found, err := preflight.Run(t.Context(), f.clients(), request(t), clock)
	require.NoError(t, err)
	diagtest.Complete(t, found)
	require.Equal(t, []diag.ID{diag.BlockState, diag.AccountDenied, diag.AccountDenied}, rules(found))
	require.Equal(t, "allow the action, or leave out what needs it: preflight.skip: {account/missing: reason, block/platform: reason, ami/pcluster-version: reason, "+
		"ami/build-status: reason, ami/os: reason, ami/architecture: reason, ami/nvidia-missing: reason}", found[1].Hint)
	for _, one := range found {
		require.NotContains(t, one.Got+one.Want+one.Hint, "111122223333")
	}
}

// TestFailures: what is no refusal ends the reading, and says what for and how to do without.
func TestFailures(t *testing.T) {
	tests := map[string]struct {
		cause                      error
		throttled, unauthenticated bool
	}{
		"no credentials": {cause: errors.New("no EC2 IMDS role found")},
		"expired token":  {cause: refusal("ExpiredToken", "The security token included in the request is expired"), unauthenticated: true},
		"throttled":      {cause: refusal("RequestLimitExceeded", "Request limit exceeded."), throttled: true},
	}
	for _, action := range everyAction(t) {
		for name, tt := range tests {
			t.Run(action+", "+name, func(t *testing.T) {
				f, r := everything(t)
				f.Fail[action] = tt.cause
				_, err := preflight.Run(t.Context(), f.clients(), r, clock)
				require.ErrorIs(t, err, tt.cause)
				require.ErrorContains(t, err, action)
				require.ErrorContains(t, err, "which can be left out with preflight.skip: {")
				require.Equal(t, tt.throttled, awserror.IsThrottled(err))
				require.Equal(t, tt.unauthenticated, awserror.IsUnauthenticated(err))
			})
		}
	}
}

func TestCancelled(t *testing.T) {
	f := account(healthy())
	f.Fail["ec2:DescribeImages"] = context.Canceled
	_, err := preflight.Run(t.Context(), f.clients(), request(t), clock)
	require.ErrorIs(t, err, context.Canceled)
}

func everyAction(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, actions := range preflight.Actions() {
		out = append(out, actions...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// everything is an account and a plan that need every call: groups on a reservation and on demand, an existing network
// with too few addresses beside one that is made, a running cluster, quotas without an applied value.
func everything(t *testing.T) (*fake, preflight.Request) {
	t.Helper()
	world := healthy()
	world.Subnets[0].Free = 0
	f := account(world)
	f.Stack, f.Template = &cfntypes.Stack{StackName: aws.String("weft-cluster"), StackStatus: cfntypes.StackStatusUpdateComplete}, running(head)
	r := request(t, second("more", "p5en.48xlarge", 1, config.Capacity{OnDemand: true}))
	r.Stack = "weft-cluster"
	made, _ := plan.New(cluster(t, created))
	r.Plan.Network.Create, r.Plan.Network.Public = true, made.Network.Public
	return f, r
}

// TestActions holds the listed IAM actions equal to the calls that are made: of each check alone, with all others left
// out.
func TestActions(t *testing.T) {
	actions := preflight.Actions()
	for _, c := range preflight.Checks() {
		t.Run(string(c.ID), func(t *testing.T) {
			f, r := everything(t)
			r.Plan.Config.Preflight.Skip = map[diag.ID]string{}
			for _, o := range preflight.Checks() {
				if o.ID != c.ID {
					r.Plan.Config.Preflight.Skip[o.ID] = "another check is tried"
				}
			}
			_, err := preflight.Read(t.Context(), f.clients(), r)
			require.NoError(t, err)
			require.Equal(t, actions[c.ID], f.called())
			require.True(t, slices.IsSorted(actions[c.ID]))
		})
	}
	require.Len(t, actions, len(preflight.Checks()))
}

// TestActionsOnlyRead: preflight changes nothing.
func TestActionsOnlyRead(t *testing.T) {
	for _, action := range everyAction(t) {
		_, name, _ := strings.Cut(action, ":")
		require.True(t, strings.HasPrefix(name, "Describe") || strings.HasPrefix(name, "Get"), action)
	}
}

func TestNothingReadForSkippedChecks(t *testing.T) {
	f, r := everything(t)
	r.Plan.Config.Preflight.Skip = map[diag.ID]string{}
	for _, c := range preflight.Checks() {
		r.Plan.Config.Preflight.Skip[c.ID] = "the account is closed to us"
	}
	found, err := preflight.Run(t.Context(), f.clients(), r, clock)
	require.NoError(t, err)
	require.Empty(t, f.called())
	require.Equal(t, diag.Note, found.Worst())
	require.Equal(t, map[diag.ID]bool{diag.AccountSkipped: true}, setOf(found))
	require.Len(t, found, len(preflight.Checks()))
}

func setOf(l diag.List) map[diag.ID]bool {
	return maps.Collect(func(yield func(diag.ID, bool) bool) {
		for _, f := range l {
			if !yield(f.Rule, true) {
				return
			}
		}
	})
}

// TestNewClients: the clients are the SDK's own, in its adaptive retry mode unless the config names one.
func TestNewClients(t *testing.T) {
	for mode, want := range map[aws.RetryMode]aws.RetryMode{"": aws.RetryModeAdaptive, aws.RetryModeStandard: aws.RetryModeStandard} {
		c := preflight.NewClients(aws.Config{Region: "us-east-2", RetryMode: mode})
		service, ok := c.EC2.(*ec2.Client)
		require.True(t, ok)
		require.Equal(t, want, service.Options().RetryMode)
	}
}
