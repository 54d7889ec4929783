package preflight

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	tables "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/goccy/go-yaml"

	"github.com/weft-hpc/weft/account/awserror"
)

const (
	actStacks   = "cloudformation:DescribeStacks"
	actTemplate = "cloudformation:GetTemplate"
	actFleet    = "dynamodb:GetItem"
)

// The custom resource that runs ParallelCluster in CloudFormation.
const clusterResource = "Custom::PclusterCluster"

// loadStack finds the stack of the cluster, and the configuration in its template.
func loadStack(ctx context.Context, c Clients, r Request, o *Observed) error {
	found, err := c.Stacks.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(r.Stack)})
	if awserror.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return failed(actStacks, err)
	}
	if len(found.Stacks) == 0 {
		return nil
	}
	template, err := c.Stacks.GetTemplate(ctx, &cloudformation.GetTemplateInput{
		StackName: aws.String(r.Stack), TemplateStage: types.TemplateStageOriginal,
	})
	if err != nil {
		return failed(actTemplate, err)
	}
	o.Stack = &Stack{Name: r.Stack, Status: string(found.Stacks[0].StackStatus), Config: clusterConfig(aws.ToString(template.TemplateBody))}
	o.Stack.Version, err = runningVersion(ctx, c, r.ProviderStack)
	return err
}

// runningVersion is the release of the provider that made the cluster. An update that asks for another one replaces both.
func runningVersion(ctx context.Context, c Clients, stack string) (string, error) {
	if stack == "" {
		return "", nil
	}
	template, err := c.Stacks.GetTemplate(ctx, &cloudformation.GetTemplateInput{
		StackName: aws.String(stack), TemplateStage: types.TemplateStageOriginal,
	})
	if awserror.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", failed(actTemplate, err)
	}
	return providerVersion(aws.ToString(template.TemplateBody)), nil
}

// providerVersion takes the release out of the official template; empty where it is not there.
func providerVersion(template string) string {
	var body struct {
		Mappings struct {
			ParallelCluster struct {
				Constants struct {
					Version string `json:"Version" yaml:"Version"`
				} `json:"Constants" yaml:"Constants"`
			} `json:"ParallelCluster" yaml:"ParallelCluster"`
		} `json:"Mappings" yaml:"Mappings"`
	}
	if !decodeTemplate(template, &body) {
		return ""
	}
	return body.Mappings.ParallelCluster.Constants.Version
}

// decodeTemplate reads a CloudFormation template, and tells whether it can be read.
func decodeTemplate(template string, into any) bool {
	decode := yaml.Unmarshal // takes the short forms, such as !Sub
	if strings.HasPrefix(strings.TrimSpace(template), "{") {
		decode = json.Unmarshal
	}
	return decode([]byte(template), into) == nil
}

// clusterConfig takes the configuration of the cluster out of a template, as JSON. Empty: there is none that can be
// read, which the check reports.
func clusterConfig(template string) string {
	var body struct {
		Resources map[string]struct {
			Type       string         `json:"Type" yaml:"Type"`
			Properties map[string]any `json:"Properties" yaml:"Properties"`
		} `json:"Resources" yaml:"Resources"`
	}
	if !decodeTemplate(template, &body) {
		return ""
	}
	for _, resource := range body.Resources {
		if resource.Type != clusterResource {
			continue
		}
		if text, err := json.Marshal(resource.Properties["ClusterConfiguration"]); err == nil && string(text) != "null" {
			return string(text)
		}
	}
	return ""
}

// loadFleet reads whether the compute fleet is stopped, where ParallelCluster's own update does: in the table of the cluster.
// Without one nothing tells, and the fleet counts as running, as it does there.
func loadFleet(ctx context.Context, c Clients, r Request, _ Observed, o *Observed) error {
	found, err := c.Tables.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("parallelcluster-" + r.Plan.Name), ConsistentRead: aws.Bool(true),
		Key: map[string]tables.AttributeValue{"Id": &tables.AttributeValueMemberS{Value: "COMPUTE_FLEET"}},
	})
	if awserror.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return failed(actFleet, err)
	}
	data, _ := found.Item["Data"].(*tables.AttributeValueMemberM)
	if data == nil {
		return nil
	}
	if status, ok := data.Value["status"].(*tables.AttributeValueMemberS); ok {
		o.Fleet = status.Value
	}
	return nil
}

// fleetRuns is true until ParallelCluster says that the fleet is stopped.
func (o Observed) fleetRuns() bool { return o.Fleet != "STOPPED" }

// headSubnet is the subnet of the head node that runs; empty where none is known to.
func (s *Stack) headSubnet() string {
	var running struct {
		HeadNode struct {
			Networking struct{ SubnetId string }
		}
	}
	if s == nil || json.Unmarshal([]byte(s.Config), &running) != nil {
		return ""
	}
	return running.HeadNode.Networking.SubnetId
}

// settled says whether a stack takes an update, and if not, why and what to do.
func (s Stack) settled() (why, hint string) {
	const broken = "delete the stack, then deploy again"
	switch status := s.Status; {
	case strings.HasSuffix(status, "_IN_PROGRESS"):
		return "is being changed: " + status, "wait until the stack has settled, then run again"
	case status == "UPDATE_ROLLBACK_FAILED":
		return "is stuck: " + status, "continue the rollback: aws cloudformation continue-update-rollback --stack-name " + s.Name
	case status == "UPDATE_FAILED": // CloudFormation updates such a stack
		return "", ""
	case status == "ROLLBACK_COMPLETE" || strings.HasSuffix(status, "_FAILED"):
		return "takes no update: " + status, broken
	default:
		return "", ""
	}
}
