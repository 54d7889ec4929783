package network_test

import (
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/components/network"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

var situations = map[string]plan.Network{
	"created-two-zones": {
		Create: true, CIDR: "10.0.0.0/16", HeadPublic: true,
		Public: &plan.Subnet{Zone: "us-east-2a", CIDR: "10.0.0.0/19"},
		Compute: []plan.Subnet{
			{Zone: "us-east-2a", CIDR: "10.0.32.0/19", Groups: []string{"train", "more"}},
			{Zone: "use2-az2", CIDR: "10.0.64.0/19", Groups: []string{"far"}},
		},
	},
	"created-home-zone": {
		Create: true, CIDR: "10.0.0.0/16",
		Public: &plan.Subnet{Zone: "us-east-2a", CIDR: "10.0.0.0/19"},
		Compute: []plan.Subnet{
			{Zone: "us-east-2a", CIDR: "10.0.32.0/19"},
			{Zone: "us-east-2c", CIDR: "10.0.96.0/19", Groups: []string{"train"}},
		},
	},
	"created-private-head": {
		Create: true, CIDR: "10.0.0.0/16",
		Public:  &plan.Subnet{Zone: "us-east-2a", CIDR: "10.0.0.0/19"},
		Compute: []plan.Subnet{{Zone: "us-east-2a", CIDR: "10.0.32.0/19", Groups: []string{"train"}}},
	},
	"existing": {
		VPC: "vpc-1", Head: "subnet-1", Login: "subnet-1",
		Compute: []plan.Subnet{{ID: "subnet-2", Groups: []string{"train"}}},
	},
	"existing-with-groups": {
		VPC: "vpc-1", Head: "subnet-1", Login: "subnet-1", SecurityGroups: []string{"sg-1"},
		Compute: []plan.Subnet{{ID: "subnet-2", Groups: []string{"train"}}},
	},
}

func program(p plan.Network) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		n, err := network.New(ctx, "net", &network.Args{Plan: p, Region: "us-east-2", Tags: map[string]string{"team": "a"}})
		if err != nil {
			return err
		}
		ctx.Export("head", n.HeadSubnetID)
		return nil
	}
}

func TestGoldens(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for name, p := range situations {
		for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				first := componenttest.Record(t, program(p), mode)
				componenttest.Golden(t, name+"-"+mode.String(), first)
				require.Equal(t, first, componenttest.Record(t, program(p), mode), "a second run")
			})
		}
	}
}

// The group lets all traffic in from and out to itself, by its own id: EFA asks for both.
func TestClusterGroupIsOpenToItself(t *testing.T) {
	for name, p := range situations {
		if len(p.SecurityGroups) > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			self := map[string]bool{}
			for _, r := range componenttest.Record(t, program(p), componenttest.Update) {
				in := r.Inputs
				if in["ipProtocol"] == "-1" && in["referencedSecurityGroupId"] != nil && in["referencedSecurityGroupId"] == in["securityGroupId"] {
					self[r.Type] = true
				}
			}
			require.Equal(t, map[string]bool{
				"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": true,
				"aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule":   true,
			}, self)
		})
	}
}

// What a plan with findings, or a program without one, would register in part.
func TestRefuses(t *testing.T) {
	private := situations["created-private-head"]
	private.Compute = nil
	for want, args := range map[string]*network.Args{
		"arguments of net: none": nil,
		"arguments of net: plan makes a network and has no public subnet: see its findings":        {Plan: plan.Network{Create: true, CIDR: "10.0.0.0/30"}, Region: "us-east-2"},
		"arguments of net: plan puts the head node into a private subnet, and has none: no groups": {Plan: private, Region: "us-east-2"},
		"arguments of net: region is missing: the S3 endpoint is named after it":                   {Plan: situations["created-two-zones"]},
	} {
		t.Run(want, func(t *testing.T) {
			regs, err := componenttest.Try(func(ctx *pulumi.Context) error {
				_, err := network.New(ctx, "net", args)
				return err
			}, componenttest.Update)
			require.ErrorContains(t, err, want)
			require.Empty(t, regs)
		})
	}
}

// A node that boots before its route stands reaches nobody, a file system that is made before the group's rules is refused by
// FSx, and a network that goes before its cluster leaves that without a way out: each output stands for the whole network.
func TestOutputsWaitForTheWholeNetwork(t *testing.T) {
	users := map[string]func(*network.Network) pulumi.StringOutput{
		"head":  func(n *network.Network) pulumi.StringOutput { return n.HeadSubnetID },
		"login": func(n *network.Network) pulumi.StringOutput { return n.LoginSubnetID },
		"compute": func(n *network.Network) pulumi.StringOutput {
			return n.ComputeSubnetIDs.MapIndex(pulumi.String("train"))
		},
		"group": func(n *network.Network) pulumi.StringOutput { return n.SecurityGroupID },
		"vpc":   func(n *network.Network) pulumi.StringOutput { return n.VPCID },
		"all":   func(n *network.Network) pulumi.StringOutput { return n.SubnetIDs.Index(pulumi.Int(0)) },
	}
	for name, p := range situations {
		for user, of := range users {
			t.Run(name+"/"+user, func(t *testing.T) {
				regs := componenttest.Record(t, func(ctx *pulumi.Context) error {
					n, err := network.New(ctx, "net", &network.Args{Plan: p, Region: "us-east-2"})
					if err != nil {
						return err
					}
					_, err = ec2.NewLaunchTemplate(ctx, "user", &ec2.LaunchTemplateArgs{Description: of(n)})
					return err
				}, componenttest.Preview)
				var made, waits []string
				for _, r := range regs {
					switch {
					case r.Name == "user":
						waits = r.Options.DependsOn
						if !p.Create && user != "group" {
							require.NotEqual(t, componenttest.Unknown, r.Inputs["description"], "an id that exists is known in a preview")
						}
					case r.Custom:
						made = append(made, r.URN)
					}
				}
				require.ElementsMatch(t, made, waits)
			})
		}
	}
}
