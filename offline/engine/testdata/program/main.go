// Command program is the Pulumi program of the engine's tests: a network with two subnets and a launch template, changed
// by its configuration.
package main

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	cfg := config.New(ctx, "")
	vpc, err := ec2.NewVpc(ctx, "vpc", &ec2.VpcArgs{CidrBlock: pulumi.String("10.0.0.0/16")}, pulumi.Protect(cfg.GetBool("protect")))
	if err != nil {
		return err
	}
	for name, block := range map[string]string{"head": "10.0.0.0/24", "nodes": "10.0.1.0/24"} {
		_, err := ec2.NewSubnet(ctx, name, &ec2.SubnetArgs{VpcId: vpc.ID(), CidrBlock: pulumi.String(block)})
		if err != nil {
			return err
		}
	}
	template, err := ec2.NewLaunchTemplate(ctx, "nodes", &ec2.LaunchTemplateArgs{
		InstanceType: pulumi.String("p5en.48xlarge"),
		Tags:         pulumi.StringMap{"owner": pulumi.String(cfg.Get("owner"))},
	})
	if err != nil {
		return err
	}
	if cfg.GetBool("incomplete") {
		rules := ec2.SecurityGroupIngressArray{ec2.SecurityGroupIngressArgs{Self: pulumi.Bool(true)}}
		if _, err := ec2.NewSecurityGroup(ctx, "efa", &ec2.SecurityGroupArgs{VpcId: vpc.ID(), Ingress: rules}); err != nil {
			return err
		}
	}
	ctx.Export("template", template.ID())
	ctx.Export("version", template.LatestVersion)
	return nil
}
