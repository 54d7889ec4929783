package main

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"
	"github.com/stretchr/testify/require"
)

// change sets a property of the resources of a type, in the words of Pulumi: "networkInterfaces[1].interfaceType". Without
// a value it takes the property out.
type change struct {
	token, name, path string
	value             any
	remove            bool
}

func (c change) apply(t *testing.T, resources []policyx.AnalyzerResource) []policyx.AnalyzerResource {
	t.Helper()
	out := append([]policyx.AnalyzerResource(nil), resources...)
	changed := false
	for i, r := range out {
		if !strings.HasPrefix(r.Type, "aws:") || !strings.HasSuffix(r.Type, ":"+c.token) || c.name != "" && r.Name != c.name {
			continue
		}
		changed = true
		if c.path == "" {
			out = append(out[:i:i], out[i+1:]...)
			break
		}
		var path property.Path
		require.NoError(t, path.UnmarshalText([]byte(c.path)))
		if c.remove {
			out[i].Properties = r.Properties.Delete(c.path)
			continue
		}
		altered, err := path.Set(property.New(r.Properties), value(c.value))
		require.NoError(t, err)
		out[i].Properties = altered.AsMap()
	}
	require.True(t, changed, "nothing of type %s named %q", c.token, c.name)
	return out
}

// One mutation of what a component registers gives exactly its finding, in a preview with unknown inputs and in an
// update.
func TestOneMutationGivesItsFinding(t *testing.T) {
	const (
		launch = "../components/launchtemplate/testdata/"
		pc     = "../components/cluster/testdata/"
	)
	template := func(path string, value any) change {
		return change{token: "LaunchTemplate", path: path, value: value}
	}
	for _, tt := range []struct {
		name, file string
		change     change
		policy     string
		want       []string
	}{
		{
			"a placement group on a block", launch + "p5en-block", template("placement", map[string]any{"groupName": "pg"}),
			"weft",
			[]string{"block/placement-group lt placement.groupName"},
		},
		{
			"market type without target", launch + "p5en-block",
			change{token: "LaunchTemplate", path: "capacityReservationSpecification", remove: true},
			"weft",
			[]string{"block/pairing lt instanceMarketOptions.marketType"},
		},
		{
			"an offering's id", launch + "p5en-block",
			template("capacityReservationSpecification.capacityReservationTarget.capacityReservationId", "cbo-0123456789abcdef0"),
			"weft",
			[]string{"block/id-form lt capacityReservationSpecification.capacityReservationTarget.capacityReservationId"},
		},
		{
			"efa on card 0 of p6-b300, whose type the configuration names", launch + "p6-b300-interfaces", template("networkInterfaces[0].interfaceType", "efa"),
			"weft",
			[]string{"nic/efa-card lt networkInterfaces[0].interfaceType"},
		},
		{
			"the type written into the template", launch + "p6-b300-interfaces", template("instanceType", "p6-b300.48xlarge"), "", nil,
		},
		{
			"a public address", launch + "p5en-block", template("networkInterfaces[0].associatePublicIpAddress", "true"),
			"weft",
			[]string{"nic/public-ip lt networkInterfaces[0].associatePublicIpAddress"},
		},
		{
			"an interface that stays", launch + "p5en-block", template("networkInterfaces[3].deleteOnTermination", "false"),
			"weft",
			[]string{"nic/delete-on-termination lt networkInterfaces[3].deleteOnTermination"},
		},
		{
			"efa-only as primary", launch + "p4d-on-demand", template("networkInterfaces[0].interfaceType", "efa-only"),
			"weft",
			[]string{"nic/primary lt networkInterfaces[0].interfaceType", "nic/efa-card lt networkInterfaces[1]"},
		},
		{
			"a device index that rises with the card", launch + "p5en-block", template("networkInterfaces[3].deviceIndex", 7.0),
			"weft",
			[]string{"nic/device-index lt networkInterfaces[3].deviceIndex"},
		},
		{
			"a security group without its way out to itself, used by EFA interfaces", pc + "p6-b300-most-bandwidth",
			change{token: "SecurityGroupEgressRule", name: "self-out"},
			"weft-stack",
			[]string{"sg/self-egress"},
		},
	} {
		for _, mode := range []string{"preview", "update"} {
			t.Run(tt.name+"/"+mode, func(t *testing.T) {
				inputs, outputs := recorded(t, tt.file+"-"+mode+".json")
				if tt.change.name == "self-out" {
					for _, r := range inputs {
						if strings.HasSuffix(r.Name, "-self-out") {
							tt.change.name = r.Name
						}
					}
				}
				config := map[string]any{"instanceTypes": []any{}}
				if strings.Contains(tt.file, "p6-b300-interfaces") {
					config["instanceTypes"] = []any{"p6-b300.48xlarge"}
				}
				found := run(t, config, tt.change.apply(t, inputs), tt.change.apply(t, outputs))
				delete(found, "weft-advice")
				if tt.policy == "" {
					require.Empty(t, found)
					return
				}
				require.Len(t, found, 1, "%v", found)
				require.Len(t, found[tt.policy], len(tt.want))
				for i, want := range tt.want {
					require.Contains(t, found[tt.policy][i], want)
				}
			})
		}
	}
}
