package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"
	"github.com/stretchr/testify/require"
)

// BenchmarkThousandTemplates judges a stack of 1,000 launch templates of 17 interfaces and 100 resources that no rule is
// about, as Pulumi's analyzer calls do, without their transport.
func BenchmarkThousandTemplates(b *testing.B) {
	var resources []policyx.AnalyzerResource
	for i := range 1000 {
		var nics []any
		for card := range 17 {
			kind := "efa-only"
			if card == 0 {
				kind = "interface"
			}
			nics = append(nics, map[string]any{
				"networkCardIndex": float64(card), "deviceIndex": 0.0, "interfaceType": kind, "deleteOnTermination": "true",
				"associatePublicIpAddress": "false", "securityGroups": []any{"sg-1"}, "subnetId": "subnet-1",
			})
		}
		resources = append(resources, policyx.AnalyzerResource{
			Type: templateType, URN: fmt.Sprintf("urn:pulumi:dev::p::%s::lt%d", templateType, i),
			Properties: property.NewMap(properties(map[string]any{"instanceType": "p6-b300.48xlarge", "networkInterfaces": nics})),
		})
	}
	for range 100 {
		resources = append(resources, policyx.AnalyzerResource{Type: "aws:s3/bucket:Bucket"})
	}
	for b.Loop() {
		pack, err := newPack()
		require.NoError(b, err)
		var r recorder
		for _, p := range pack.Policies() {
			switch p := p.(type) {
			case policyx.ResourceValidationPolicy:
				for _, resource := range resources {
					require.NoError(b, p.Validate(context.Background(), policyx.ResourceValidationArgs{Manager: &r, Resource: resource}))
				}
			case policyx.StackValidationPolicy:
				require.NoError(b, p.Validate(context.Background(), policyx.StackValidationArgs{Manager: &r, Resources: resources}))
			}
		}
		require.Empty(b, r.violations)
	}
}
