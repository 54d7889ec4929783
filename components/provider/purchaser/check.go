package purchaser

import (
	"cmp"
	"context"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Check judges the inputs by the rules of a cluster's config, which pins offerings in the same words.
func (p *Purchaser) Check(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	d := decode(r.NewInputs)
	if len(d.faults) == 0 {
		d.judge()
	}
	out := plugin.CheckResponse{Properties: r.NewInputs}
	for _, f := range d.faults {
		out.Failures = append(out.Failures, plugin.CheckFailure{Property: resource.PropertyKey(f.property), Reason: f.reason})
	}
	return out, nil
}

func (d *decoded) judge() {
	d.judgeConfig()
	if _, err := d.wait(); err != nil {
		d.add("paymentTimeout", "got %q; %v", d.PaymentTimeout, err)
	}
	for key := range d.Tags {
		if strings.HasPrefix(key, "weft:") {
			d.add("tags", "%s is one of weft's own tags, by which the block is found again; choose another prefix", key)
		}
	}
}

// group is where the config of one group has what stands in the inputs.
const group = "groups[0]."

// inputOf are the inputs by their places in a config, the longer ones first.
var inputOf = []struct{ path, input string }{
	{group + "capacity.block.offering", "offering"},
	{group + "capacity.block.purchase", "purchase"},
	{group + "instanceType", "instanceType"},
	{group + "zone", "zone"},
	{"region", "region"},
	{"tags", "tags"},
}

// judgeConfig writes the inputs as the config of a cluster with one group, and takes over what is found in them.
func (d *decoded) judgeConfig() {
	text, err := config.Encode(d.cluster())
	if err != nil {
		d.add("offering", "%v", err)
		return
	}
	_, found := config.Decode("", text)
	for _, f := range found.AtLeast(diag.Error) {
		for _, place := range inputOf {
			if rest, within := strings.CutPrefix(f.Place.Path, place.path); within {
				f.Place = diag.Place{Path: place.input + rest}
				d.add(place.input, "%s", shown(f))
				break
			}
		}
	}
}

func (d *decoded) cluster() config.Cluster {
	o := d.Offering
	block := &config.Block{Offering: &config.Offering{
		ID: o.ID, Count: o.Count, DurationHours: o.DurationHours, Start: o.Start, Fee: o.Fee, MaxFee: o.MaxFee, Currency: o.Currency,
		ConfirmedUntil: o.ConfirmedUntil,
	}}
	if d.Purchase != nil {
		block.Purchase = &config.Purchase{Budget: d.Purchase.Budget, Resume: d.Purchase.Resume, Beside: d.Purchase.Beside}
	}
	c := config.Cluster{Name: "block", Region: d.Region, Tags: d.Tags}
	config.SetDefaults(&c)
	c.Network.Create = &config.NetworkCreate{}
	config.SetDefaults(c.Network.Create)
	g := config.Group{}
	config.SetDefaults(&g)
	g.Name, g.InstanceType, g.Count, g.Zone = "block", d.InstanceType, max(1, o.Count), cmp.Or(d.Zone, "any")
	g.Capacity.Block = block
	c.Groups = []config.Group{g}
	return c
}
