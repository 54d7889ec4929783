// Command bare is a policy pack that judges nothing: what Pulumi itself takes to tell a pack of every resource.
package main

import (
	"context"
	"log"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"
)

func main() {
	if err := policyx.Main(func(*pulumi.Context) (policyx.PolicyPack, error) {
		return policyx.NewPolicyPack("bare", semver.MustParse("0.0.1"), policyx.EnforcementLevelMandatory, []policyx.Policy{
			policyx.NewResourceValidationPolicy("nothing", policyx.ResourceValidationPolicyArgs{
				Description:      "Nothing.",
				EnforcementLevel: policyx.EnforcementLevelMandatory,
				ValidateResource: func(context.Context, policyx.ResourceValidationArgs) error { return nil },
			}),
		})
	}); err != nil {
		log.Fatal(err)
	}
}
