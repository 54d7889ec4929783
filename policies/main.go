// Command policies is weft's policy pack for Pulumi: the rules of fabric/rule over the resources of any stack, whoever
// wrote it.
//
//	pulumi preview --policy-pack policies --policy-pack-config config.json
//
// A resource is judged by itself before it is created, and all resources together at the end of a preview or an update.
// What a preview cannot know yet is an advisory, and judged in the update.
package main

import (
	"log"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"
)

// version of the pack.
const version = "0.1.0"

func main() {
	log.SetFlags(0)
	if err := policyx.Main(func(*pulumi.Context) (policyx.PolicyPack, error) { return newPack() }); err != nil {
		log.Fatalf("serving the policy pack: %v", err)
	}
}

// newPack makes the pack. Its policies are few, since every policy reads all properties of a resource again: one over
// single resources, two over the stack, for the two levels that Pulumi has, and the remediations.
func newPack() (policyx.PolicyPack, error) {
	m := &memory{inputs: map[string]resource{}}
	// The level that is given here counts for nothing: each policy has its own.
	return policyx.NewPolicyPack("weft", semver.MustParse(version), policyx.EnforcementLevelMandatory, []policyx.Policy{
		policyx.NewResourceValidationPolicy(policyResource, policyx.ResourceValidationPolicyArgs{
			Description:      "A resource by itself fits EFA and Capacity Blocks.",
			EnforcementLevel: policyx.EnforcementLevelMandatory,
			ConfigSchema:     settingsSchema(),
			ValidateResource: m.validateResource,
		}),
		policyx.NewStackValidationPolicy("weft-stack", policyx.StackValidationPolicyArgs{
			Description:      "The resources of a stack fit each other.",
			EnforcementLevel: policyx.EnforcementLevelMandatory,
			ValidateStack:    m.validateStack,
		}),
		policyx.NewStackValidationPolicy("weft-advice", policyx.StackValidationPolicyArgs{
			Description:      "What costs bandwidth or money without failing, and what could not be judged yet.",
			EnforcementLevel: policyx.EnforcementLevelAdvisory,
			ValidateStack:    m.advise,
		}),
		removePlacementGroup(),
		deleteInterfaces(),
	})
}
