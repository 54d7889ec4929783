package purchaser_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/fabric/market/markettest"
	"github.com/weft-hpc/weft/offline/cloud"
)

// nonceOf is the name of the latest attempt.
func nonceOf(t require.TestingT, c *cloud.Cloud) string {
	entries := c.Entries()
	require.NotEmpty(t, entries)
	var e capacity.Entry
	require.NoError(t, json.Unmarshal([]byte(entries[len(entries)-1]), &e))
	return e.Nonce
}

func diff(t testing.TB, c *cloud.Cloud, olds, outputs, news property.Map) (plugin.DiffResponse, *screen, error) {
	t.Helper()
	s := &screen{}
	out, err := serving(c, s).Diff(t.Context(), plugin.DiffRequest{URN: urn, ID: bought, OldInputs: olds, OldOutputs: outputs, NewInputs: news})
	return out, s, err
}

// What describes the block can't change while it lives, and says what to do instead. It is never a replacement.
func TestRefusesChanges(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change map[string]any
		says   string
	}{
		"offering":      {map[string]any{"offering.id": "cb-0123456789abcdef0"}, `offering.id: it was bought with "` + pinned + `", and "cb-0123456789abcdef0" is asked for`},
		"count":         {map[string]any{"offering.count": 8}, `offering.count: it was bought with "16", and "8" is asked for`},
		"duration":      {map[string]any{"offering.durationHours": 366}, "offering.durationHours"},
		"start":         {map[string]any{"offering.start": "2026-12-08T04:55:00Z"}, "offering.start"},
		"instance type": {map[string]any{"instanceType": "p6-b300.48xlarge"}, "instanceType"},
		"platform":      {map[string]any{"platform": "Red Hat Enterprise Linux"}, "platform"},
		"region":        {map[string]any{"region": "us-west-2"}, "region"},
		"zone":          {map[string]any{"zone": "us-east-2a"}, `zone: it was bought with "us-east-2b", and "us-east-2a" is asked for`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := simulated(t)
			olds := want(t, c, nil)
			outputs := made(t, c, olds)
			out, _, err := diff(t, c, olds, outputs, want(t, c, tt.change))
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, bought+" is bought and lives until 2026-12-21T11:30:00Z")
			require.ErrorContains(t, err, "weft capacity extend --block "+bought)
			require.ErrorContains(t, err, "add a group")
			require.False(t, out.Replace())
		})
	}
}

// A price, a confirmation, a budget are about a purchase that was made.
func TestChangesOfNoConsequence(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]map[string]any{
		"nothing":                  nil,
		"fee":                      {"offering.fee": "1", "offering.maxFee": "2"},
		"confirmation":             {"offering.confirmedUntil": "2026-12-01T00:00:00Z"},
		"purchase":                 {"purchase": map[string]any{"budget": "1", "resume": "0a1b2c3d", "beside": []any{"cr-0123456789abcdef0"}}},
		"the same instant":         {"offering.start": "2026-12-07T05:55:00+01:00"},
		"the zone by its id":       {"zone": "use2-az2"},
		"no zone":                  {"zone": nil},
		"the default platform":     {"platform": "Linux/UNIX"},
		"the default currency":     {"offering.currency": nil},
		"profile and time to wait": {"profile": "hpc", "paymentTimeout": "1h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := simulated(t)
			olds := want(t, c, nil)
			out, s, err := diff(t, c, olds, made(t, c, olds), want(t, c, change))
			require.NoError(t, err)
			require.Equal(t, plugin.DiffNone, out.Changes, "%v", out.DetailedDiff)
			require.Contains(t, s.warn[0], "is bought, and starts at", "a preview says that the block waits")
		})
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	olds := want(t, c, map[string]any{"tags": map[string]any{"team": "llm", "cost": "1", "old": "x"}})
	news := want(t, c, map[string]any{"tags": map[string]any{"team": "llm", "cost": "2", "new": "y"}})
	outputs := made(t, c, olds)
	out, _, err := diff(t, c, olds, outputs, news)
	require.NoError(t, err)
	require.Equal(t, plugin.DiffSome, out.Changes)
	require.Equal(t, []resource.PropertyKey{"tags"}, out.ChangedKeys)
	require.False(t, out.Replace())
	require.Equal(t, map[string]plugin.PropertyDiff{
		`tags["cost"]`: {Kind: plugin.DiffUpdate, InputDiff: true}, `tags["new"]`: {Kind: plugin.DiffAdd, InputDiff: true}, `tags["old"]`: {Kind: plugin.DiffDelete, InputDiff: true},
	}, out.DetailedDiff)

	p, request := serving(c, &screen{}), plugin.UpdateRequest{URN: urn, ID: bought, OldInputs: olds, OldOutputs: outputs, NewInputs: news}
	request.Preview = true
	calls := c.Calls()
	preview, err := p.Update(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, outputs, preview.Properties)
	require.Equal(t, calls, c.Calls())
	request.Preview = false
	updated, err := p.Update(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, outputs, updated.Properties)
	tags := map[string]string{}
	for _, tag := range c.Bought()[0].Tags {
		tags[*tag.Key] = *tag.Value
	}
	require.Equal(t, "2", tags["cost"])
	require.Equal(t, "y", tags["new"])
	require.NotContains(t, tags, "old")
	require.Equal(t, pinned, tags["weft:offering"])
	require.Equal(t, 1, c.Purchases())
	c.Denied = []string{"ec2:CreateTags"}
	_, err = p.Update(t.Context(), request)
	require.ErrorContains(t, err, "tagging "+bought)
}

// A payment that was pending is looked at by each update, until it went through or failed.
func TestPaymentIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		c := simulated(t)
		c.Payment, c.FailPayment = 6*time.Hour, fails
		in := want(t, c, nil)
		outputs := made(t, c, in)
		require.Equal(t, "payment-pending", text(outputs, "state"))
		out, _, err := diff(t, c, in, outputs, in)
		require.NoError(t, err)
		require.Equal(t, []resource.PropertyKey{"state"}, out.ChangedKeys)

		c.Clock.Move(5*time.Hour + 20*time.Minute)
		updated, err := serving(c, &screen{}).Update(t.Context(), plugin.UpdateRequest{URN: urn, ID: bought, OldInputs: in, OldOutputs: outputs, NewInputs: in})
		if fails {
			require.ErrorContains(t, err, "payment-failed")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "scheduled", text(updated.Properties, "state"))
		out, _, err = diff(t, c, in, updated.Properties, in)
		require.NoError(t, err)
		require.Equal(t, plugin.DiffNone, out.Changes)
	}
}

// next is an offering after the one that the tests buy.
func next(t testing.TB, c *cloud.Cloud) property.Map {
	t.Helper()
	o := offering(t, c, pinned)
	o.ID, o.Start, o.End = "cb-00000000000000002", o.End.AddDate(0, 0, 1), o.End.AddDate(0, 0, 15)
	c.Offerings = append(c.Offerings, o)
	return wanted(o, map[string]any{"offering.confirmedUntil": o.Start.Format(time.RFC3339)})
}

// When a block is over the next offering replaces it: the purchase is as guarded as the first one.
func TestNextOffering(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(*cloud.Cloud){
		"shown as expired": func(*cloud.Cloud) {},
		"forgotten by EC2": func(c *cloud.Cloud) { c.Forget(bought) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := simulated(t)
			olds := want(t, c, nil)
			outputs := made(t, c, olds)
			news := next(t, c)
			_, _, err := diff(t, c, olds, outputs, news)
			require.ErrorContains(t, err, "a replacement would buy another block")
			c.Clock.Move(21 * 24 * time.Hour)
			over(c)
			out, _, err := diff(t, c, olds, outputs, news)
			require.NoError(t, err)
			require.True(t, out.Replace())
			require.Equal(t, []resource.PropertyKey{"offering"}, out.ReplaceKeys)
			for range 2 {
				second, _, err := create(t, c, news)
				require.NoError(t, err)
				require.Equal(t, resource.ID("cr-00000000000000002"), second.ID)
			}
			require.Equal(t, 2, c.Purchases())
		})
	}
}

// What can't be read is not over: nothing is bought on a guess.
func TestUnreadIsNotOver(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	olds := want(t, c, nil)
	outputs := made(t, c, olds)
	c.Forget(bought)
	_, _, err := diff(t, c, olds, outputs, next(t, c))
	require.ErrorContains(t, err, "a replacement would buy another block")
	c.Clock.Move(21 * 24 * time.Hour)
	c.Denied = []string{"ec2:DescribeCapacityReservations"}
	_, s, err := diff(t, c, olds, outputs, next(t, c))
	require.ErrorContains(t, err, "a replacement would buy another block")
	require.Contains(t, s.warn[0], "the state of "+bought+" is not known")
}

func TestPreviewTellsTheLifeOfTheBlock(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	in := want(t, c, nil)
	outputs := made(t, c, in)
	for _, at := range []struct {
		time string
		says string
	}{
		{"2026-12-08T00:00:00Z", ""},
		{"2026-12-21T10:50:00Z", "expires"},
		{"2026-12-22T00:00:00Z", "is expired: its time has ended"},
	} {
		moment, err := time.Parse(time.RFC3339, at.time)
		require.NoError(t, err)
		c.Clock.Move(moment.Sub(c.Clock.Now()))
		out, s, err := diff(t, c, in, outputs, in)
		require.NoError(t, err)
		require.Equal(t, plugin.DiffNone, out.Changes)
		require.Equal(t, at.says != "", len(s.warn) > 0, "%s: %v", at.time, s.warn)
		require.Contains(t, s.all(), at.says)
	}
}

func read(t testing.TB, c *cloud.Cloud, r plugin.ReadRequest) (plugin.ReadResponse, *screen, error) {
	t.Helper()
	s := &screen{}
	r.URN, r.ID = urn, bought
	out, err := serving(c, s).Read(t.Context(), r)
	return out, s, err
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	in := want(t, c, nil)
	outputs := made(t, c, in)
	c.Clock.Move(7 * 24 * time.Hour)
	out, _, err := read(t, c, plugin.ReadRequest{Inputs: in, State: outputs})
	require.NoError(t, err)
	require.Equal(t, in, *out.Inputs)
	require.Equal(t, "active", text(*out.Outputs, "state"))

	c.Forget(bought)
	_, _, err = read(t, c, plugin.ReadRequest{Inputs: in, State: outputs})
	require.ErrorContains(t, err, "EC2 shows no such capacity block: "+bought+", which lives until 2026-12-21T11:30:00Z")
	c.Clock.Move(14 * 24 * time.Hour)
	gone, _, err := read(t, c, plugin.ReadRequest{Inputs: in, State: outputs})
	require.NoError(t, err)
	require.Nil(t, gone.Outputs, "it is over and forgotten: the state may drop it")
	_, _, err = create(t, c, in)
	require.ErrorContains(t, err, "was bought from", "and even then it is not bought again")
	require.Equal(t, 1, c.Purchases())
}

// An import reads the inputs from the tags, so that the program's own make no difference.
func TestImport(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	in := want(t, c, map[string]any{"tags": map[string]any{"team": "llm"}})
	outputs := made(t, c, in)
	out, _, err := read(t, c, plugin.ReadRequest{})
	require.NoError(t, err)
	require.Equal(t, outputs, *out.Outputs)
	checked, err := serving(c, &screen{}).Check(t.Context(), plugin.CheckRequest{URN: urn, NewInputs: *out.Inputs})
	require.NoError(t, err)
	require.Empty(t, checked.Failures)
	same, _, err := diff(t, c, *out.Inputs, *out.Outputs, in)
	require.NoError(t, err)
	require.Equal(t, plugin.DiffNone, same.Changes, "%v", same.DetailedDiff)

	s := &screen{}
	other := resource.NewURN("dev", "train", "", purchaser.Token, "block")
	_, err = serving(c, s).Read(t.Context(), plugin.ReadRequest{URN: other, ID: bought})
	require.ErrorContains(t, err, bought+" was bought by train/prod/block, and is to be imported for train/dev/block")
	missing, err := serving(c, s).Read(t.Context(), plugin.ReadRequest{URN: urn, ID: "cr-0fedcba9876543210"})
	require.NoError(t, err)
	require.Nil(t, missing.Outputs, "the engine says that it does not exist")
}

// Nothing cancels a block: a destroy touches no account, and says what stays.
func TestDeleteKeeps(t *testing.T) {
	t.Parallel()
	c, s := simulated(t), &screen{}
	in := want(t, c, nil)
	outputs := made(t, c, in)
	calls := c.Calls()
	out, err := serving(c, s).Delete(t.Context(), plugin.DeleteRequest{URN: urn, ID: bought, Inputs: in, Outputs: outputs})
	require.NoError(t, err)
	require.Equal(t, resource.StatusOK, out.Status)
	require.Equal(t, calls, c.Calls())
	require.Contains(t, s.warn[0], bought+" is kept: it is paid for until 2026-12-21T11:30:00Z and can't be cancelled")
	require.Contains(t, s.warn[0], "block: {reservation: "+bought+"}")
	require.Equal(t, outputs, made(t, c, in), "it comes back without a purchase")
	require.Equal(t, 1, c.Purchases())
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change   map[string]any
		property string
		says     string
	}{
		"no region":                {map[string]any{"region": nil}, "region", "region"},
		"no offering":              {map[string]any{"offering": nil}, "offering", "offering.id"},
		"a reservation's id":       {map[string]any{"offering.id": "cr-0123456789abcdef0"}, "offering", "that is a reservation"},
		"a fee above the price":    {map[string]any{"offering.maxFee": "412196.26"}, "offering", "at most 412196.26 USD, the confirmed price"},
		"a fee with separators":    {map[string]any{"offering.fee": "412,196"}, "offering", "without currency or thousands separator"},
		"no count":                 {map[string]any{"offering.count": 0}, "offering", "offering.count"},
		"a count as text":          {map[string]any{"offering.count": "16"}, "offering", "count is a string"},
		"an odd duration":          {map[string]any{"offering.durationHours": 400}, "offering", "1 to 14 days"},
		"an odd end":               {map[string]any{"offering.start": "2026-12-07T09:00:00Z"}, "offering", "an end at 11:30 UTC"},
		"a day as confirmation":    {map[string]any{"offering.confirmedUntil": "2026-12-02"}, "offering", "a time in RFC 3339 form"},
		"an unknown key":           {map[string]any{"offering.price": "1"}, "offering", `there is no key "price"`},
		"a fee above the budget":   {map[string]any{"purchase": map[string]any{"budget": "1"}}, "offering", "at most 1 USD, the budget"},
		"a block beside":           {map[string]any{"purchase": map[string]any{"beside": []any{"cb-1"}}}, "purchase", "cr- and 8 or 17 hex digits"},
		"an unknown input":         {map[string]any{"offeringId": pinned}, "offeringId", "there is no such input; there are region, profile"},
		"a wait that is no time":   {map[string]any{"paymentTimeout": "soon"}, "paymentTimeout", `got "soon"; want a duration`},
		"a wait into the past":     {map[string]any{"paymentTimeout": "-1h"}, "paymentTimeout", "want a duration"},
		"one of weft's tags":       {map[string]any{"tags": map[string]any{"weft:name": "x"}}, "tags", "weft:name is one of weft's own tags"},
		"one of AWS's tags":        {map[string]any{"tags": map[string]any{"aws:name": "x"}}, "tags", "reserved"},
		"no value at preview":      {map[string]any{"zone": resource.MakeComputed(resource.NewProperty(""))}, "zone", "it has no value before the update; write it as plain text"},
		"a value within, unknown":  {map[string]any{"offering.fee": resource.MakeComputed(resource.NewProperty(""))}, "offering", "it has no value before the update"},
		"an offering that is text": {map[string]any{"offering": pinned}, "offering", "want an offering: id, count"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := simulated(t)
			in := want(t, c, tt.change)
			out, err := serving(c, &screen{}).Check(t.Context(), plugin.CheckRequest{URN: urn, NewInputs: in})
			require.NoError(t, err)
			require.Equal(t, in, out.Properties)
			require.NotEmpty(t, out.Failures)
			require.Equal(t, tt.property, string(out.Failures[0].Property))
			require.Contains(t, out.Failures[0].Reason, tt.says)
		})
	}
	c := simulated(t)
	for _, o := range c.Offerings {
		out, err := serving(c, &screen{}).Check(t.Context(), plugin.CheckRequest{URN: urn, NewInputs: wanted(o, nil)})
		require.NoError(t, err)
		require.Empty(t, out.Failures, "%s of the market", o.ID)
	}
	require.Empty(t, c.Calls(), "a check reads no account")
	require.Equal(t, markettest.Now, c.Clock.Now())
}

func TestActionsAreThoseThatAreCalled(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	olds, news := want(t, c, map[string]any{"tags": map[string]any{"a": "b"}, "zone": "use2-az2"}), want(t, c, map[string]any{"tags": map[string]any{"b": "c"}})
	outputs := made(t, c, olds)
	_, err := serving(c, &screen{}).Update(t.Context(), plugin.UpdateRequest{URN: urn, ID: bought, OldInputs: olds, OldOutputs: outputs, NewInputs: news})
	require.NoError(t, err)
	var called []string
	for action := range c.Calls() {
		called = append(called, action)
	}
	require.ElementsMatch(t, purchaser.Actions(), called)
}
