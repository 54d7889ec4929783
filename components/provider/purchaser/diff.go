package purchaser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/market"
)

// Diff says what a change of the inputs is. What describes the block can't change while the block lives: that is an error
// and never a replacement, which would buy another one. When the block is over, the next offering replaces it. Tags are
// updated; a price, a confirmation or a budget is about a purchase that was made, and changes nothing.
func (p *Purchaser) Diff(ctx context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	olds, news := decode(r.OldInputs), decode(r.NewInputs)
	if err := news.err(); err != nil {
		return plugin.DiffResponse{}, err
	}
	block, over := p.look(ctx, r, olds)
	if changed := olds.changed(news); len(changed) > 0 {
		if !over {
			return plugin.DiffResponse{}, refusal(string(r.ID), r.OldOutputs, changed)
		}
		return replaced(changed), nil
	}
	if !over && !news.covers(r.OldOutputs) {
		return plugin.DiffResponse{}, refusal(string(r.ID), r.OldOutputs, []change{{"zone", text(r.OldOutputs, "zoneName"), news.Zone}})
	}
	if block != nil {
		p.warn(ctx, r.URN, *block)
	}
	return updated(r.OldOutputs, olds.Tags, news.Tags), nil
}

// look reads the block, and tells whether it is over. What can't be read is not over.
func (p *Purchaser) look(ctx context.Context, r plugin.DiffRequest, olds *decoded) (*capacity.Reservation, bool) {
	account, err := p.Connect(ctx, olds.Region, olds.Profile)
	if err != nil {
		p.log.Warn(ctx, r.URN, fmt.Sprintf("the state of %s is not known: %v", r.ID, err))
		return nil, false
	}
	block, err := capacity.Read(ctx, account.EC2, olds.Region, string(r.ID))
	switch {
	case errors.Is(err, capacity.ErrNotFound):
		return nil, p.ended(r.OldOutputs)
	case err != nil:
		p.log.Warn(ctx, r.URN, fmt.Sprintf("the state of %s is not known: %v", r.ID, err))
		return nil, false
	}
	return &block, block.Life(p.Clock.Now()).Phase == market.Over
}

// ended reports that the end of a block has passed, by what Pulumi kept.
func (p *Purchaser) ended(outputs property.Map) bool {
	end, err := time.Parse(time.RFC3339, text(outputs, "endTime"))
	return err == nil && !p.Clock.Now().Before(end)
}

// change of an input that describes the block.
type change struct{ input, old, now string }

// changed compares what describes a block. Times are compared as times, and platforms with their default.
func (d *decoded) changed(news *decoded) []change {
	var out []change
	for _, c := range []change{
		{"offering.id", d.Offering.ID, news.Offering.ID},
		{"offering.count", fmt.Sprint(d.Offering.Count), fmt.Sprint(news.Offering.Count)},
		{"offering.durationHours", fmt.Sprint(d.Offering.DurationHours), fmt.Sprint(news.Offering.DurationHours)},
		{"offering.start", instant(d.Offering.Start), instant(news.Offering.Start)},
		{"instanceType", d.InstanceType, news.InstanceType},
		{"platform", d.Platform, news.Platform},
		{"region", d.Region, news.Region},
	} {
		if c.old != c.now {
			out = append(out, c)
		}
	}
	return out
}

// instant writes a time in one way.
func instant(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return moment(t)
}

// covers reports that the block lies in the zone that is asked for, as far as both are known.
func (d *decoded) covers(outputs property.Map) bool {
	name, id := text(outputs, "zoneName"), text(outputs, "zoneId")
	return d.Zone == "" || name == "" || d.Zone == name || d.Zone == id
}

// refusal of a change, with both sides and the ways out.
func refusal(id string, outputs property.Map, changed []change) error {
	var errs []error
	for _, c := range changed {
		errs = append(errs, fmt.Errorf("%s: it was bought with %q, and %q is asked for", c.input, c.old, c.now))
	}
	return fmt.Errorf("%s is bought and lives until %s; it can't be exchanged, and a replacement would buy another block:\n%w\n"+
		"to keep it longer, extend it: weft capacity extend --block %s; for another block, add a group (or a resource) beside it; else put the inputs back",
		id, text(outputs, "endTime"), errors.Join(errs...), id)
}

// replaced is the next offering in the place of a block that is over.
func replaced(changed []change) plugin.DiffResponse {
	out := plugin.DiffResponse{Changes: plugin.DiffSome, DetailedDiff: map[string]plugin.PropertyDiff{}}
	for _, c := range changed {
		out.DetailedDiff[c.input] = plugin.PropertyDiff{Kind: plugin.DiffUpdateReplace, InputDiff: true}
		name, _, _ := strings.Cut(c.input, ".")
		out.ReplaceKeys = append(out.ReplaceKeys, resource.PropertyKey(name))
	}
	slices.Sort(out.ReplaceKeys)
	out.ReplaceKeys = slices.Compact(out.ReplaceKeys)
	out.ChangedKeys = out.ReplaceKeys
	return out
}

// updated is a change of tags, or a payment that is looked at again.
func updated(outputs property.Map, olds, news map[string]string) plugin.DiffResponse {
	out := plugin.DiffResponse{Changes: plugin.DiffNone, DetailedDiff: map[string]plugin.PropertyDiff{}}
	for key := range maps.Keys(merged(olds, news)) {
		before, had := olds[key]
		after, has := news[key]
		kind := plugin.DiffUpdate
		switch {
		case had && has && before == after:
			continue
		case !had:
			kind = plugin.DiffAdd
		case !has:
			kind = plugin.DiffDelete
		}
		out.DetailedDiff[fmt.Sprintf("tags[%q]", key)] = plugin.PropertyDiff{Kind: kind, InputDiff: true}
		out.ChangedKeys = append(out.ChangedKeys, "tags")
	}
	if pending(text(outputs, "state")) {
		out.DetailedDiff["state"] = plugin.PropertyDiff{Kind: plugin.DiffUpdate}
		out.ChangedKeys = append(out.ChangedKeys, "state")
	}
	if len(out.ChangedKeys) > 0 {
		out.Changes = plugin.DiffSome
		slices.Sort(out.ChangedKeys)
		out.ChangedKeys = slices.Compact(out.ChangedKeys)
	}
	return out
}

func merged(a, b map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
