package parallelcluster

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudformation"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Token is the component's type.
const Token = "weft:index:ParallelCluster"

// ParallelCluster is a running cluster.
type ParallelCluster struct {
	pulumi.ResourceState

	// HeadNodeID is the instance id of the head node.
	HeadNodeID pulumi.StringOutput `pulumi:"headNodeId"`
	// HeadNodeAddress is the public address of the head node, the private one where it has none.
	HeadNodeAddress pulumi.StringOutput `pulumi:"headNodeAddress"`
	// Status in ParallelCluster's words, for example CREATE_COMPLETE.
	Status pulumi.StringOutput `pulumi:"status"`
	// ValidationMessages are ParallelCluster's remarks about the configuration, as a JSON list.
	ValidationMessages pulumi.StringOutput `pulumi:"validationMessages"`
	// ConfigYAML is the ParallelCluster configuration file.
	ConfigYAML pulumi.StringOutput `pulumi:"configYaml"`
	// ConnectCommand opens a session on the head node.
	ConnectCommand pulumi.StringOutput `pulumi:"connectCommand"`
}

// New registers a cluster. An error names every fault of the arguments; nothing is registered then.
func New(ctx *pulumi.Context, name string, args Args, opts ...pulumi.ResourceOption) (*ParallelCluster, error) {
	if err := args.validate(); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	c := &ParallelCluster{}
	if err := ctx.RegisterComponentResource(Token, name, c, opts...); err != nil {
		return nil, fmt.Errorf("registering cluster %s: %w", name, err)
	}
	b := builder{ctx: ctx, name: name, args: args, parent: c}
	stack, err := b.build()
	if err != nil {
		return nil, err
	}
	c.outputs(args.Plan, stack)
	if err := ctx.RegisterResourceOutputs(c, pulumi.Map{
		"headNodeId": c.HeadNodeID, "headNodeAddress": c.HeadNodeAddress, "status": c.Status,
		"validationMessages": c.ValidationMessages, "configYaml": c.ConfigYAML, "connectCommand": c.ConnectCommand,
	}); err != nil {
		return nil, fmt.Errorf("registering the outputs of cluster %s: %w", name, err)
	}
	return c, nil
}

func (c *ParallelCluster) outputs(p plan.Cluster, stack *cloudformation.Stack) {
	output := func(name string) pulumi.StringOutput { return stack.Outputs.MapIndex(pulumi.String(name)) }
	c.HeadNodeID = output(pcconfig.OutputHeadNodeID)
	c.HeadNodeAddress = output(pcconfig.OutputHeadNodePrivateIP)
	if pcconfig.HasPublicHead(p) {
		c.HeadNodeAddress = output(pcconfig.OutputHeadNodePublicIP)
	}
	c.Status = output(pcconfig.OutputClusterStatus)
	c.ValidationMessages = output(pcconfig.OutputValidationMessages)
	c.ConnectCommand = pulumi.All(c.HeadNodeID, c.HeadNodeAddress).ApplyT(func(v []any) string {
		return pcconfig.ConnectCommand(p, fmt.Sprint(v[0]), fmt.Sprint(v[1]))
	}).(pulumi.StringOutput) //nolint:forcetypeassert // ApplyT of a function to string gives no other output
}

type builder struct {
	ctx    *pulumi.Context
	name   string
	args   Args
	parent *ParallelCluster
}

func (b builder) build() (*cloudformation.Stack, error) {
	p := b.args.Plan
	providerPolicy, err := b.policy("provider", pcconfig.ProviderPolicyName(p), pcconfig.ProviderPolicy)
	if err != nil {
		return nil, err
	}
	loginPolicy, err := b.policy("login", pcconfig.LoginPolicyName(p), pcconfig.LoginPolicy)
	if err != nil {
		return nil, err
	}
	provider, err := b.provider(providerPolicy)
	if err != nil {
		return nil, err
	}
	ids := b.args.collect(loginPolicy)
	b.parent.ConfigYAML = ids.render(func(ids pcconfig.IDs) ([]byte, error) { return pcconfig.New(p, ids).YAML() })
	return b.cluster(provider, ids)
}

// policy makes one of the two policies, where the plan needs it, and gives its ARN.
func (b builder) policy(suffix, policyName string, write func(plan.Cluster, pcconfig.IDs) (string, error)) (pulumi.StringInput, error) {
	document, err := write(b.args.Plan, pcconfig.IDs{})
	if err != nil || document == "" {
		return nil, err
	}
	var ids collector
	ids.bootBucket(b.args)
	policy, err := iam.NewPolicy(b.ctx, b.name+"-"+suffix, &iam.PolicyArgs{
		Name:        pulumi.String(policyName),
		Path:        pulumi.String(pcconfig.PolicyPath),
		Description: pulumi.Sprintf("%s of ParallelCluster cluster %s", suffix, b.args.Plan.Name),
		Policy: ids.render(func(ids pcconfig.IDs) ([]byte, error) {
			document, err := write(b.args.Plan, ids)
			return []byte(document), err
		}),
		Tags: b.tags(),
	}, pulumi.Parent(b.parent))
	if err != nil {
		return nil, fmt.Errorf("registering the %s policy of %s: %w", suffix, b.name, err)
	}
	return policy.Arn, nil
}

// provider registers the official stack that makes the provider of Custom::PclusterCluster.
func (b builder) provider(policy pulumi.StringInput) (*cloudformation.Stack, error) {
	p := b.args.Plan
	args := &cloudformation.StackArgs{
		Name:         pulumi.String(pcconfig.ProviderStackName(p.Name)),
		TemplateUrl:  pulumi.String(pcconfig.ProviderTemplate(p.ParallelCluster, p.Region)),
		Capabilities: pulumi.StringArray{pulumi.String("CAPABILITY_NAMED_IAM"), pulumi.String("CAPABILITY_AUTO_EXPAND")},
		OnFailure:    pulumi.String("DELETE"),
		Tags:         b.tags(),
	}
	if policy != nil {
		args.Parameters = pulumi.StringMap{"AdditionalIamPolicies": policy}
	}
	stack, err := cloudformation.NewStack(b.ctx, b.name+"-provider", args, pulumi.Parent(b.parent),
		// Another release is another provider: it must not be slid under a cluster that it can't update or delete.
		pulumi.ReplaceOnChanges([]string{"templateUrl"}), pulumi.DeleteBeforeReplace(true))
	if err != nil {
		return nil, fmt.Errorf("registering the provider stack of %s: %w", b.name, err)
	}
	return stack, nil
}

// cluster registers the stack whose resource is the cluster.
func (b builder) cluster(provider *cloudformation.Stack, ids *collector) (*cloudformation.Stack, error) {
	p := b.args.Plan
	stack, err := cloudformation.NewStack(b.ctx, b.name, &cloudformation.StackArgs{
		Name: pulumi.String(pcconfig.StackName(p.Name)),
		TemplateBody: ids.render(func(ids pcconfig.IDs) ([]byte, error) {
			return pcconfig.New(p, ids).Stack(p.Name, pcconfig.HasPublicHead(p), b.args.Keep)
		}),
		Parameters: pulumi.StringMap{pcconfig.ServiceTokenParameter: provider.Outputs.MapIndex(pulumi.String("ServiceToken"))},
		OnFailure:  pulumi.String("DELETE"),
		Tags:       b.tags(),
	}, pulumi.Parent(b.parent),
		// CloudFormation refuses a changed service token: the cluster goes with its provider, and before it. An update of the
		// provider in place keeps the token, though a preview does not know.
		pulumi.ReplaceWith([]pulumi.Resource{provider}), pulumi.DeleteBeforeReplace(true),
		pulumi.Timeouts(&pulumi.CustomTimeouts{Create: "2h", Update: "2h", Delete: "2h"}))
	if err != nil {
		return nil, fmt.Errorf("registering the cluster stack of %s: %w", b.name, err)
	}
	return stack, nil
}

func (b builder) tags() pulumi.StringMap {
	out := pulumi.StringMap{}
	for key, value := range b.args.Plan.Config.Tags {
		out[key] = pulumi.String(value)
	}
	return out
}
