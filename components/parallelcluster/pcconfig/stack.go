package pcconfig

import (
	"encoding/json"
	"fmt"
)

// The parameter of the stack's template, and its outputs.
const (
	ServiceTokenParameter = "ServiceToken"

	OutputHeadNodeID         = "HeadNodeInstanceId"
	OutputHeadNodePrivateIP  = "HeadNodePrivateIp"
	OutputHeadNodePublicIP   = "HeadNodePublicIp"
	OutputClusterStatus      = "ClusterStatus"
	OutputValidationMessages = "ValidationMessages"
)

// clusterResource is the logical id of the cluster in the stack.
const clusterResource = "Cluster"

// ProviderTemplate gives the address of the official template of a release that makes the provider of Custom::PclusterCluster
// in a Region. Its output ServiceToken is what the cluster's stack needs (AWS ParallelCluster User Guide, CloudFormation).
func ProviderTemplate(version, region string) string {
	_, suffix := Partition(region)
	return fmt.Sprintf("https://%s-aws-parallelcluster.s3.%s.%s/parallelcluster/%s/templates/custom_resource/cluster.yaml", region, region, suffix, version)
}

// Stack writes the CloudFormation template whose one resource is the cluster. With keep the cluster stays when the stack goes.
// A public address is an output only where the head node has one: CloudFormation fails on an attribute that is not there.
func (c Config) Stack(name string, public, keep bool) ([]byte, error) {
	object, err := c.Object()
	if err != nil {
		return nil, err
	}
	template := map[string]any{
		"AWSTemplateFormatVersion": "2010-09-09",
		"Description":              "AWS ParallelCluster cluster " + name,
		"Parameters": map[string]any{
			ServiceTokenParameter: map[string]any{"Type": "String"},
		},
		"Resources": map[string]any{
			clusterResource: map[string]any{
				"Type": "Custom::PclusterCluster",
				"Properties": map[string]any{
					"ServiceToken":         map[string]any{"Ref": ServiceTokenParameter},
					"ClusterName":          name,
					"ClusterConfiguration": object,
					"DeletionPolicy":       deletionPolicy(keep),
				},
			},
		},
		"Outputs": outputs(public),
	}
	text, err := json.Marshal(template)
	if err != nil {
		return nil, fmt.Errorf("writing the template of cluster %s: %w", name, err)
	}
	return text, nil
}

func outputs(public bool) map[string]any {
	attributes := map[string]string{
		OutputHeadNodeID:         "headNode.instanceId",
		OutputHeadNodePrivateIP:  "headNode.privateIpAddress",
		OutputClusterStatus:      "clusterStatus",
		OutputValidationMessages: "validationMessages",
	}
	if public {
		attributes[OutputHeadNodePublicIP] = "headNode.publicIpAddress"
	}
	out := map[string]any{}
	for output, attribute := range attributes {
		out[output] = map[string]any{"Value": map[string]any{"Fn::GetAtt": []string{clusterResource, attribute}}}
	}
	return out
}
