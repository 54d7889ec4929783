// Command many is a Pulumi program of 1,100 resources, for the cost of policy packs: 1,000 launch templates of 17 interfaces, and 100
// resources that no rule is about.
package main

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	for i := range 1000 {
		if _, err := ec2.NewLaunchTemplate(ctx, fmt.Sprintf("nodes-%d", i), template()); err != nil {
			return err
		}
	}
	for i := range 100 {
		if _, err := cloudwatch.NewLogGroup(ctx, fmt.Sprintf("log-%d", i), &cloudwatch.LogGroupArgs{RetentionInDays: pulumi.Int(7)}); err != nil {
			return err
		}
	}
	return nil
}

// template is a right one for p6-b300: a plain interface on card 0, and EFA on each of the others.
func template() *ec2.LaunchTemplateArgs {
	var interfaces ec2.LaunchTemplateNetworkInterfaceArray
	for card := range 17 {
		kind, device := "efa-only", 1
		if card == 0 {
			kind, device = "interface", 0
		}
		interfaces = append(interfaces, ec2.LaunchTemplateNetworkInterfaceArgs{
			NetworkCardIndex: pulumi.Int(card), DeviceIndex: pulumi.Int(device), InterfaceType: pulumi.String(kind),
			AssociatePublicIpAddress: pulumi.String("false"), DeleteOnTermination: pulumi.String("true"),
			SubnetId: pulumi.String("subnet-0123456789abcdef0"), SecurityGroups: pulumi.StringArray{pulumi.String("sg-0123456789abcdef0")},
		})
	}
	return &ec2.LaunchTemplateArgs{InstanceType: pulumi.String("p6-b300.48xlarge"), NetworkInterfaces: interfaces}
}
