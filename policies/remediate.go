package main

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
)

const templateType = "aws:ec2/launchTemplate:LaunchTemplate"

// remediation is a repair that is certain. It is off until its configuration says apply: a policy that changes what a
// program says in silence is a surprise.
func remediation(name, description string, repair func(resource) (property.Map, bool)) policyx.Policy {
	return policyx.NewResourceRemediationPolicy(name, policyx.ResourceRemediationPolicyArgs{
		Description: description,
		ConfigSchema: &policyx.ConfigSchema{Properties: map[string]map[string]any{
			"apply": {"type": "boolean", "description": "repair, instead of leaving it to the rules"},
		}},
		RemediateResource: func(_ context.Context, args policyx.ResourceRemediationArgs) (*property.Map, error) {
			if apply, _ := args.Config["apply"].(bool); !apply || args.Resource.Type != templateType {
				return nil, nil
			}
			repaired, changed := repair(resource{args.Resource})
			if !changed {
				return nil, nil
			}
			return &repaired, nil
		},
	})
}

// removePlacementGroup takes the placement group out of a launch template on a Capacity Block.
func removePlacementGroup() policyx.Policy {
	return remediation("weft-remove-placement-group", "A launch template on a Capacity Block loses its placement group.", func(r resource) (property.Map, bool) {
		launch := read.Launch(r.read(r.Properties).Properties, read.Camel)
		if !strings.EqualFold(launch.Market.Or(""), rule.MarketBlock) || !r.Properties.Get("placement").IsMap() {
			return r.Properties, false
		}
		placement := r.Properties.Get("placement").AsMap()
		left := placement.Delete("groupName", "groupId")
		return r.Properties.Set("placement", property.New(left)), left.Len() < placement.Len()
	})
}

// deleteInterfaces lets every interface of a launch template with several end with its instance.
func deleteInterfaces() policyx.Policy {
	return remediation("weft-delete-interfaces", "Interfaces of a launch template end with their instance.", func(r resource) (property.Map, bool) {
		value := r.Properties.Get("networkInterfaces")
		if !value.IsArray() || value.AsArray().Len() < 2 {
			return r.Properties, false
		}
		changed := false
		items := value.AsArray().AsSlice()
		for i, item := range items {
			if !item.IsMap() || ends(item.AsMap().Get("deleteOnTermination")) {
				continue
			}
			items[i] = property.New(item.AsMap().Set("deleteOnTermination", property.New("true")))
			changed = true
		}
		return r.Properties.Set("networkInterfaces", property.New(items)), changed
	})
}

// ends reports that the interface is deleted with its instance, or that nobody knows yet.
func ends(value property.Value) bool {
	switch {
	case value.IsComputed():
		return true
	case value.IsString():
		return value.AsString() == "true"
	case value.IsBool():
		return value.AsBool()
	default:
		return false
	}
}
