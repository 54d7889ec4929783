package capacity_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
)

// clock is a time that tests move; waiting moves it.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	hook func()
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	if c.hook != nil {
		c.hook()
	}
	c.move(d)
	return ctx.Err()
}

func (c *clock) move(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

// held is a block that the simulated EC2 holds, and from when on its answers show it.
type held struct {
	types.CapacityReservation
	visible time.Time
}

// cloud is a simulated EC2 of one Region, with answers that lag. Its hooks are where a test injects faults.
type cloud struct {
	mu        sync.Mutex
	clock     *clock
	market    markettest.Market
	held      []held
	instances []types.Instance
	templates []types.LaunchTemplateVersion
	history   []types.CapacityBlockExtension
	extend    []types.CapacityBlockExtensionOffering
	status    []types.CapacityBlockStatus

	lag       time.Duration // of what is bought from now on
	state     types.CapacityReservationState
	purchases int      // that moved money
	calls     []string // IAM actions
	fail      map[string]error
	pageSize  int
	most      int // offerings that one question is answered with; 0: all

	// sent is called when a purchase arrives, and tells what becomes of it. Nil: it is made, and answered.
	sent func() fate
	// step is called within every call.
	step func(action string)
}

// fate is what becomes of a purchase.
type fate struct {
	made   bool
	answer error // nil: the truth
}

var (
	errLost    = fmt.Errorf("https response error: %w", io.ErrUnexpectedEOF)
	errTimeout = fmt.Errorf("operation error EC2: %w", context.DeadlineExceeded)
)

// answer is an error that EC2 gives, with its HTTP status.
func answer(status int, code string) error {
	return &smithy.OperationError{ServiceID: "EC2", OperationName: "X", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code, Message: "simulated"},
	}}
}

func newCloud(t testing.TB) *cloud {
	t.Helper()
	return &cloud{
		clock: &clock{now: markettest.Now}, market: markettest.New(t), state: types.CapacityReservationStatePaymentPending,
		fail: map[string]error{}, pageSize: 3,
	}
}

// enter records a call, and gives the error that it is to end with.
func (c *cloud) enter(action string) error {
	c.mu.Lock()
	c.calls = append(c.calls, action)
	err := c.fail[action]
	c.mu.Unlock()
	if c.step != nil {
		c.step(action)
	}
	return err
}

func (c *cloud) called() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(c.calls)))
}

// paged gives the page that a token points at.
func paged[T any](list []T, token *string, size int) ([]T, *string) {
	from, _ := strconv.Atoi(aws.ToString(token))
	to := min(from+size, len(list))
	if to == len(list) {
		return list[from:], nil
	}
	return list[from:to], aws.String(strconv.Itoa(to))
}

func (c *cloud) DescribeAvailabilityZones(_ context.Context, in *ec2.DescribeAvailabilityZonesInput, _ ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error) {
	if err := c.enter("ec2:DescribeAvailabilityZones"); err != nil {
		return nil, err
	}
	var out []types.AvailabilityZone
	for _, z := range c.market.Zones {
		status := types.AvailabilityZoneOptInStatusOptInNotRequired
		if !z.OptedIn {
			if !aws.ToBool(in.AllAvailabilityZones) {
				continue
			}
			status = types.AvailabilityZoneOptInStatusNotOptedIn
		}
		out = append(out, types.AvailabilityZone{ZoneName: aws.String(z.Name), ZoneId: aws.String(z.ID), OptInStatus: status, RegionName: aws.String(z.Region)})
	}
	return &ec2.DescribeAvailabilityZonesOutput{AvailabilityZones: out}, nil
}

func (c *cloud) DescribeCapacityBlockOfferings(_ context.Context, in *ec2.DescribeCapacityBlockOfferingsInput, _ ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockOfferingsOutput, error) {
	if err := c.enter("ec2:DescribeCapacityBlockOfferings"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var fit []types.CapacityBlockOffering
	for _, o := range c.market.Offerings {
		if answers(o, in) {
			fit = append(fit, wire(o))
		}
	}
	if c.most > 0 && len(fit) > c.most {
		fit = fit[:c.most]
	}
	page, next := paged(fit, in.NextToken, c.pageSize)
	return &ec2.DescribeCapacityBlockOfferingsOutput{CapacityBlockOfferings: page, NextToken: next}, nil
}

func answers(o market.Offering, in *ec2.DescribeCapacityBlockOfferingsInput) bool {
	same := o.InstanceType == aws.ToString(in.InstanceType) && o.Count == int(aws.ToInt32(in.InstanceCount)) && o.AskedHours == int(aws.ToInt32(in.CapacityDurationHours))
	return same && !o.Start.Before(aws.ToTime(in.StartDateRange)) && !o.End.After(aws.ToTime(in.EndDateRange)) && (aws.ToBool(in.AllAvailabilityZones) || !o.ZoneClosed)
}

func wire(o market.Offering) types.CapacityBlockOffering {
	out := types.CapacityBlockOffering{
		CapacityBlockOfferingId: aws.String(o.ID), AvailabilityZone: aws.String(o.Zone), InstanceType: aws.String(o.InstanceType),
		InstanceCount: aws.Int32(int32(o.Count)), StartDate: aws.Time(o.Start), EndDate: aws.Time(o.End),
		CapacityBlockDurationHours:   aws.Int32(int32(o.Real() / time.Hour)),
		CapacityBlockDurationMinutes: aws.Int32(int32(o.Real() % time.Hour / time.Minute)),
		Tenancy:                      types.CapacityReservationTenancyDefault,
	}
	if o.Fee.Known() {
		out.UpfrontFee, out.CurrencyCode = aws.String(o.Fee.Decimal()), aws.String(o.Fee.Currency())
	}
	return out
}

func (c *cloud) DescribeCapacityReservations(_ context.Context, in *ec2.DescribeCapacityReservationsInput, _ ...func(*ec2.Options)) (*ec2.DescribeCapacityReservationsOutput, error) {
	if err := c.enter("ec2:DescribeCapacityReservations"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	var shown []types.CapacityReservation
	for _, h := range c.held {
		if !now.Before(h.visible) {
			shown = append(shown, h.CapacityReservation)
		}
	}
	page, next := paged(shown, in.NextToken, c.pageSize)
	return &ec2.DescribeCapacityReservationsOutput{CapacityReservations: page, NextToken: next}, nil
}

// late is how old the signature of a request may be.
const late = 15 * time.Minute

func (c *cloud) PurchaseCapacityBlock(_ context.Context, in *ec2.PurchaseCapacityBlockInput, options ...func(*ec2.Options)) (*ec2.PurchaseCapacityBlockOutput, error) {
	signed := c.clock.Now()
	if !onceOnly(options) {
		panic("a purchase that the SDK may send again")
	}
	if err := c.enter("ec2:PurchaseCapacityBlock"); err != nil {
		return nil, err
	}
	if aws.ToBool(in.DryRun) {
		return nil, answer(412, "DryRunOperation")
	}
	if c.clock.Now().After(signed.Add(late)) {
		return nil, answer(400, "RequestExpired")
	}
	f := fate{made: true}
	if c.sent != nil {
		f = c.sent()
	}
	out := &ec2.PurchaseCapacityBlockOutput{}
	if f.made {
		if out = c.make(in); out == nil {
			return nil, answer(400, "InvalidCapacityBlockOfferingIdNotFound")
		}
	}
	if c.step != nil {
		c.step("answer")
	}
	if f.answer != nil {
		return nil, f.answer
	}
	return out, nil
}

// onceOnly applies the options of a call as the SDK does.
func onceOnly(options []func(*ec2.Options)) bool {
	o := ec2.Options{RetryMaxAttempts: 3}
	for _, f := range options {
		f(&o)
	}
	return o.RetryMaxAttempts == 1 && o.Retryer != nil && o.Retryer.MaxAttempts() == 1
}

// make makes a purchase. The offering can be bought again: the worst case.
func (c *cloud) make(in *ec2.PurchaseCapacityBlockInput) *ec2.PurchaseCapacityBlockOutput {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := aws.ToString(in.CapacityBlockOfferingId)
	i := slices.IndexFunc(c.market.Offerings, func(o market.Offering) bool { return o.ID == id })
	if i < 0 {
		return nil
	}
	c.purchases++
	now := c.clock.Now()
	r := reservationOf(c.market.Offerings[i], fmt.Sprintf("cr-%017x", c.purchases), c.state, now)
	r.InstancePlatform = in.InstancePlatform
	for _, s := range in.TagSpecifications {
		if s.ResourceType == types.ResourceTypeCapacityReservation {
			r.Tags = append(r.Tags, s.Tags...)
		}
	}
	c.held = append(c.held, held{r, now.Add(c.lag)})
	return &ec2.PurchaseCapacityBlockOutput{CapacityReservation: &r, CapacityBlocks: []types.CapacityBlock{{CapacityBlockId: aws.String("cb-1")}}}
}

func reservationOf(o market.Offering, id string, state types.CapacityReservationState, created time.Time) types.CapacityReservation {
	return types.CapacityReservation{
		CapacityReservationId: aws.String(id), ReservationType: types.CapacityReservationTypeCapacityBlock, InstanceType: aws.String(o.InstanceType),
		InstancePlatform: types.CapacityReservationInstancePlatformLinuxUnix, AvailabilityZone: aws.String(o.Zone), AvailabilityZoneId: aws.String(o.ZoneID),
		State: state, StartDate: aws.Time(o.Start), EndDate: aws.Time(o.End), CreateDate: aws.Time(created), TotalInstanceCount: aws.Int32(0),
		Tags: []types.Tag{{Key: aws.String("aws:ec2capacityreservation:incrementalRequestedQuantity"), Value: aws.String(strconv.Itoa(o.Count))}},
	}
}

// memory is a journal in memory: durable over kills, and atomic.
type memory struct {
	mu      sync.Mutex
	entries map[string][]capacity.Entry
	stale   func() bool // an answer of Last that lags by one entry
	fault   func() (written bool, err error)
	step    func(action string)
}

func newMemory() *memory { return &memory{entries: map[string][]capacity.Entry{}} }

func (m *memory) Last(_ context.Context, key string) (capacity.Entry, error) {
	if m.step != nil {
		m.step("journal:last")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.entries[key])
	if n > 0 && m.stale != nil && m.stale() {
		n--
	}
	if n == 0 {
		return capacity.Entry{}, nil
	}
	return m.entries[key][n-1], nil
}

func (m *memory) Append(_ context.Context, key string, e capacity.Entry) error {
	if m.step != nil {
		m.step("journal:append")
	}
	written, err := true, error(nil)
	if m.fault != nil {
		written, err = m.fault()
	}
	if failed := m.write(key, e, written); failed != nil {
		return failed
	}
	if m.step != nil {
		m.step("journal:appended")
	}
	return err
}

func (m *memory) write(key string, e capacity.Entry, written bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Sequence != len(m.entries[key])+1 {
		return capacity.ErrTaken
	}
	if written {
		m.entries[key] = append(m.entries[key], e)
	}
	return nil
}

func (m *memory) kinds(key string) (out []capacity.EntryKind) {
	for _, e := range m.entries[key] {
		out = append(out, e.Kind)
	}
	return out
}

func (m *memory) last(key string) capacity.Entry {
	list := m.entries[key]
	if len(list) == 0 {
		return capacity.Entry{}
	}
	return list[len(list)-1]
}

var errJournal = errors.New("the journal does not answer")

// nonces are counted.
func nonces() func() string {
	n := 0
	var mu sync.Mutex
	return func() string { mu.Lock(); defer mu.Unlock(); n++; return fmt.Sprintf("%08x", n) }
}

// the offering of one block of 16 in us-east-2b that the tests buy.
const pinned = "cb-4747652274a1e5395"

func (c *cloud) offering(t testing.TB, id string) market.Offering {
	t.Helper()
	i := slices.IndexFunc(c.market.Offerings, func(o market.Offering) bool { return o.ID == id })
	require.GreaterOrEqual(t, i, 0)
	return c.market.Offerings[i]
}

func pin(o market.Offering) capacity.Pinned {
	return capacity.Pinned{
		ID: o.ID, Count: o.Count, Start: o.Start, Hours: int(o.Real().Hours()), Fee: o.Fee, MaxFee: o.Fee, Until: markettest.Now.Add(24 * time.Hour),
	}
}

var owner = capacity.Owner{Project: "train", Stack: "prod", Name: "block"}

func purchase(t testing.TB, c *cloud) capacity.Purchase {
	t.Helper()
	return capacity.Purchase{
		Owner: owner, Region: "us-east-2", InstanceType: "p6-b200.48xlarge", Platform: "Linux/UNIX", Offering: pin(c.offering(t, pinned)),
		Path: "groups[0].capacity.block.offering",
	}
}

func (c *cloud) DescribeInstances(_ context.Context, in *ec2.DescribeInstancesInput, _ ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error) {
	if err := c.enter("ec2:DescribeInstances"); err != nil {
		return nil, err
	}
	if len(in.Filters) != 1 || aws.ToString(in.Filters[0].Name) != "instance-state-name" {
		return nil, errors.New("instances that are gone")
	}
	var alive []types.Instance
	for _, i := range c.instances {
		if slices.Contains(in.Filters[0].Values, string(i.State.Name)) {
			alive = append(alive, i)
		}
	}
	page, next := paged(alive, in.NextToken, c.pageSize)
	return &ec2.DescribeInstancesOutput{Reservations: []types.Reservation{{Instances: page}}, NextToken: next}, nil
}

func (c *cloud) DescribeLaunchTemplateVersions(_ context.Context, in *ec2.DescribeLaunchTemplateVersionsInput, _ ...func(*ec2.Options)) (*ec2.DescribeLaunchTemplateVersionsOutput, error) {
	if err := c.enter("ec2:DescribeLaunchTemplateVersions"); err != nil {
		return nil, err
	}
	var out []types.LaunchTemplateVersion
	known := in.LaunchTemplateId == nil
	for _, v := range c.templates {
		known = known || aws.ToString(v.LaunchTemplateId) == aws.ToString(in.LaunchTemplateId)
		if in.LaunchTemplateId != nil && aws.ToString(v.LaunchTemplateId) != aws.ToString(in.LaunchTemplateId) {
			continue
		}
		if slices.Contains(in.Versions, strconv.FormatInt(aws.ToInt64(v.VersionNumber), 10)) || slices.Contains(in.Versions, "$Default") && aws.ToBool(v.DefaultVersion) {
			out = append(out, v)
		}
	}
	if !known {
		return nil, answer(400, "InvalidLaunchTemplateId.NotFound")
	}
	page, next := paged(out, in.NextToken, c.pageSize)
	return &ec2.DescribeLaunchTemplateVersionsOutput{LaunchTemplateVersions: page, NextToken: next}, nil
}

func (c *cloud) DescribeCapacityBlockStatus(_ context.Context, in *ec2.DescribeCapacityBlockStatusInput, _ ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockStatusOutput, error) {
	if err := c.enter("ec2:DescribeCapacityBlockStatus"); err != nil {
		return nil, err
	}
	page, next := paged(c.status, in.NextToken, c.pageSize)
	return &ec2.DescribeCapacityBlockStatusOutput{CapacityBlockStatuses: page, NextToken: next}, nil
}

func (c *cloud) DescribeCapacityBlockExtensionHistory(_ context.Context, in *ec2.DescribeCapacityBlockExtensionHistoryInput, _ ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockExtensionHistoryOutput, error) {
	if err := c.enter("ec2:DescribeCapacityBlockExtensionHistory"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []types.CapacityBlockExtension
	for _, x := range c.history {
		asked := len(in.CapacityReservationIds) == 0 || slices.Contains(in.CapacityReservationIds, aws.ToString(x.CapacityReservationId))
		if asked && !c.clock.Now().Before(aws.ToTime(x.CapacityBlockExtensionPurchaseDate).Add(c.lag)) {
			out = append(out, x)
		}
	}
	page, next := paged(out, in.NextToken, c.pageSize)
	return &ec2.DescribeCapacityBlockExtensionHistoryOutput{CapacityBlockExtensions: page, NextToken: next}, nil
}

func (c *cloud) DescribeCapacityBlockExtensionOfferings(_ context.Context, in *ec2.DescribeCapacityBlockExtensionOfferingsInput, _ ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockExtensionOfferingsOutput, error) {
	if err := c.enter("ec2:DescribeCapacityBlockExtensionOfferings"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []types.CapacityBlockExtensionOffering
	for _, o := range c.extend {
		if aws.ToInt32(o.CapacityBlockExtensionDurationHours) == aws.ToInt32(in.CapacityBlockExtensionDurationHours) {
			out = append(out, o)
		}
	}
	page, next := paged(out, in.NextToken, c.pageSize)
	return &ec2.DescribeCapacityBlockExtensionOfferingsOutput{CapacityBlockExtensionOfferings: page, NextToken: next}, nil
}

func (c *cloud) PurchaseCapacityBlockExtension(_ context.Context, in *ec2.PurchaseCapacityBlockExtensionInput, options ...func(*ec2.Options)) (*ec2.PurchaseCapacityBlockExtensionOutput, error) {
	if !onceOnly(options) {
		panic("a purchase that the SDK may send again")
	}
	if err := c.enter("ec2:PurchaseCapacityBlockExtension"); err != nil {
		return nil, err
	}
	f := fate{made: true}
	if c.sent != nil {
		f = c.sent()
	}
	out := &ec2.PurchaseCapacityBlockExtensionOutput{}
	if f.made {
		out.CapacityBlockExtensions = []types.CapacityBlockExtension{c.lengthen(in)}
	}
	if f.answer != nil {
		return nil, f.answer
	}
	return out, nil
}

func (c *cloud) lengthen(in *ec2.PurchaseCapacityBlockExtensionInput) types.CapacityBlockExtension {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.purchases++
	i := slices.IndexFunc(c.extend, func(o types.CapacityBlockExtensionOffering) bool {
		return aws.ToString(o.CapacityBlockExtensionOfferingId) == aws.ToString(in.CapacityBlockExtensionOfferingId)
	})
	o := c.extend[i]
	x := types.CapacityBlockExtension{
		CapacityBlockExtensionOfferingId: o.CapacityBlockExtensionOfferingId, CapacityReservationId: in.CapacityReservationId,
		CapacityBlockExtensionStatus: types.CapacityBlockExtensionStatusPaymentPending, CapacityBlockExtensionPurchaseDate: aws.Time(c.clock.Now()),
		CapacityBlockExtensionStartDate: o.CapacityBlockExtensionStartDate, CapacityBlockExtensionEndDate: o.CapacityBlockExtensionEndDate,
		UpfrontFee: o.UpfrontFee, CurrencyCode: o.CurrencyCode,
	}
	c.history = append(c.history, x)
	return x
}
