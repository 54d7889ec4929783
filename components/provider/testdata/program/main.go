// Command program registers a validation and one that depends on it, components through the plugin, or a capacity block
// that is bought, as the stack's configuration says.
package main

import (
	"encoding/json"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/components/validation"
	"github.com/weft-hpc/weft/fabric/plan"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		c := config.New(ctx, "")
		if text := c.Get("components"); text != "" {
			return components(ctx, text)
		}
		if text := c.Get("block"); text != "" {
			return block(ctx, text)
		}
		return validations(ctx, c)
	})
}

func validations(ctx *pulumi.Context, c *config.Config) error {
	head := validation.Head{InstanceID: pulumi.String("i-0123456789abcdef0")}
	if c.GetBool("local") {
		head = validation.Head{Local: true}
	}
	args := func(cluster string) *validation.Args {
		return &validation.Args{
			Cluster:       pulumi.String(c.Require(cluster)),
			Head:          head,
			Triggers:      pulumi.Map{"ami": pulumi.String(c.Get("ami"))},
			WarnOnFailure: c.GetBool("warn"),
			KeepGoing:     c.GetBool("keepGoing"),
		}
	}
	first, err := validation.New(ctx, "first", args("first"))
	if err != nil {
		return err
	}
	ctx.Export("outcome", first.Outcome)
	ctx.Export("until", first.Until)
	ctx.Export("summary", first.Summary)
	ctx.Export("report", first.ReportPath)
	if c.Get("second") == "" {
		return nil
	}
	second, err := validation.New(ctx, "second", args("second"), pulumi.DependsOn([]pulumi.Resource{first}))
	if err != nil {
		return err
	}
	ctx.Export("second", second.Outcome)
	return nil
}

// block buys the offering that a group, in JSON, pins.
func block(ctx *pulumi.Context, text string) error {
	var group plan.NodeGroup
	if err := json.Unmarshal([]byte(text), &group); err != nil {
		return err
	}
	b, err := capacityblock.Buy(ctx, "block", &capacityblock.PurchaseArgs{Region: "us-east-2", Group: group})
	if err != nil {
		return err
	}
	ctx.Export("reservation", b.ReservationID)
	ctx.Export("state", b.State)
	return nil
}

// remote is a component that the plugin constructs.
type remote struct {
	pulumi.ResourceState

	TemplateID    pulumi.StringOutput `pulumi:"templateId"`
	VPCID         pulumi.StringOutput `pulumi:"vpcId"`
	ReservationID pulumi.StringOutput `pulumi:"reservationId"`
	HeadNodeID    pulumi.StringOutput `pulumi:"headNodeId"`
}

func components(ctx *pulumi.Context, cluster string) error {
	register := func(token string, in pulumi.Map) (*remote, error) {
		r := &remote{}
		return r, ctx.RegisterRemoteComponentResource("weft:index:"+token, "llama", in, r)
	}
	whole, err := register("Cluster", pulumi.Map{"cluster": pulumi.String(cluster)})
	if err != nil {
		return err
	}
	ctx.Export("head", whole.HeadNodeID)
	template, err := register("LaunchTemplate", pulumi.Map{
		"cluster": pulumi.String(cluster), "group": pulumi.String("train"), "reservationId": pulumi.String("cr-05e0000000000000a"),
	})
	if err != nil {
		return err
	}
	ctx.Export("template", template.TemplateID)
	block, err := register("AdoptedCapacityBlock", pulumi.Map{"cluster": pulumi.String(cluster), "group": pulumi.String("train")})
	if err != nil {
		return err
	}
	ctx.Export("block", block.ReservationID)
	network, err := register("Network", pulumi.Map{"cluster": pulumi.Map{
		"name": pulumi.String("other"), "region": pulumi.String("us-east-2"), "network": pulumi.Map{"create": pulumi.Map{}},
		"groups": pulumi.Array{pulumi.Map{
			"name": pulumi.String("train"), "instanceType": pulumi.String("p5en.48xlarge"), "count": pulumi.Int(2), "zone": pulumi.String("us-east-2a"),
			"capacity": pulumi.Map{"onDemand": pulumi.Bool(true)},
		}},
	}})
	if err != nil {
		return err
	}
	ctx.Export("vpc", network.VPCID)
	_, err = register("Storage", pulumi.Map{
		"cluster": pulumi.String(cluster), "subnetIds": pulumi.StringArray{network.VPCID}, "securityGroupIds": pulumi.StringArray{network.VPCID},
	})
	return err
}
