// Package blockguard is the Pulumi component that brings the jobs of a cluster to the end of its capacity blocks.
//
// A Systems Manager document puts a script and a timer on the head node: the script holds back what would outlive a
// block, signals running jobs early enough for a checkpoint, and ends them before EC2 ends the instances (package
// endguard). The timer needs nothing of AWS to run, and reads the end of the blocks itself, so that an extension moves
// it. Two rules of EventBridge run the same document when a block starts and when EC2 warns of its end.
package blockguard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ssm"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/blockguard/endguard"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Token is the component's type.
const Token = "weft:index:BlockGuard"

// Args of a guard.
type Args struct {
	// Plan of the cluster, without findings at error level, with at least one group on a block.
	Plan plan.Cluster `pulumi:"plan"`
	// HeadNodeID is the instance id of the head node. Systems Manager must reach it.
	HeadNodeID pulumi.StringInput `pulumi:"headNodeId"`
	// ReservationIDs by group, of blocks that are bought in the same stack.
	ReservationIDs map[string]pulumi.StringInput `pulumi:"reservationIds,optional"`
	// Delivered is a shell command that the user of the head node runs when a block starts; left out, none.
	Delivered string `pulumi:"delivered,optional"`
}

// BlockGuard is the component.
type BlockGuard struct {
	pulumi.ResourceState

	// DocumentName of the Systems Manager document, which `aws ssm send-command` can run by hand.
	DocumentName pulumi.StringOutput `pulumi:"documentName"`
}

// The faults of arguments.
var (
	ErrNoArgs        = errors.New("none")
	ErrNoBlock       = errors.New("no group is on a capacity block")
	ErrNoReservation = errors.New("the block is bought by nobody: give its reservation in reservationIds")
	ErrNoHead        = errors.New("headNodeId is missing")
	ErrBraces        = errors.New("delivered holds {{, which Systems Manager takes for a parameter: put the command into a script")
)

func (a *Args) validate() error {
	if a == nil {
		return ErrNoArgs
	}
	if a.Plan.Guard == nil {
		return ErrNoBlock
	}
	var out []error
	for _, b := range a.Plan.Guard.Blocks {
		if !strings.HasPrefix(b.Key, "cr-") && a.reservation(b) == nil {
			out = append(out, fmt.Errorf("%s: %w", b.Key, ErrNoReservation))
		}
	}
	if a.HeadNodeID == nil {
		out = append(out, ErrNoHead)
	}
	if strings.Contains(a.Delivered, "{{") {
		out = append(out, ErrBraces)
	}
	return errors.Join(out...)
}

// reservation of a block that is bought in the same stack, by the first of its queues that has one.
func (a *Args) reservation(b plan.GuardedBlock) pulumi.StringInput {
	for _, queue := range b.Queues {
		if id := a.ReservationIDs[queue]; id != nil {
			return id
		}
	}
	return nil
}

// New registers the component. An error names every fault of the arguments; nothing is registered then. With a guard
// that the config turns off, the document takes an earlier one off the head node.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*BlockGuard, error) {
	if err := args.validate(); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	c := &BlockGuard{}
	if err := ctx.RegisterComponentResource(Token, name, c, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	b := &builder{ctx: ctx, name: endguard.Name(name), args: args, parent: pulumi.Parent(c)}
	b.spec = b.resolve()
	for _, step := range []func() error{b.makeDocument, b.associate, b.makeRules} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	c.DocumentName = b.document.Name
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"documentName": c.DocumentName})
}

type builder struct {
	ctx    *pulumi.Context
	name   string // short
	args   *Args
	parent pulumi.ResourceOption
	spec   pulumi.Output // of endguard.Spec

	document *ssm.Document
}

// resolve gives the spec once all reservations are known.
func (b *builder) resolve() pulumi.Output {
	ids := pulumi.StringMap{}
	for _, block := range b.args.Plan.Guard.Blocks {
		if id := b.args.reservation(block); id != nil {
			ids[block.Key] = id
		}
	}
	return ids.ToStringMapOutput().ApplyT(func(reservations map[string]string) endguard.Spec {
		p := b.args.Plan
		return endguard.Spec{
			Region: p.Region, User: p.OS.LoginUser, Guard: *p.Guard, Reservations: maps.Clone(reservations), Delivered: b.args.Delivered,
		}
	})
}

// render writes a text from the spec.
func (b *builder) render(write func(endguard.Spec) (string, error)) pulumi.StringOutput {
	return b.spec.ApplyT(func(v any) (string, error) {
		return write(v.(endguard.Spec)) //nolint:forcetypeassert // resolve gives no other type
	}).(pulumi.StringOutput) //nolint:forcetypeassert // ApplyT of a function to string gives no other output
}

func (b *builder) tags() pulumi.StringMap { return pulumi.ToStringMap(b.args.Plan.Config.Tags) }

func (b *builder) makeDocument() error {
	var err error
	b.document, err = ssm.NewDocument(b.ctx, endguard.DocumentName(b.name), &ssm.DocumentArgs{
		DocumentType: pulumi.String("Command"), DocumentFormat: pulumi.String("JSON"), TargetType: pulumi.String("/AWS::EC2::Instance"),
		Content: b.render(endguard.Spec.Document), Tags: b.tags(),
	}, b.parent)
	if err != nil {
		return fmt.Errorf("registering the document of %s: %w", b.name, err)
	}
	return nil
}

// installTimeout is how long an update waits for the guard to be on the head node, in seconds.
const installTimeout = 900

// associate runs the document on the head node: at once, when it changes, and twice an hour, which puts back what
// somebody took off. An update that could not install the guard fails: the provider waits for the first run of an
// association only, so that a change of what runs, or of where, makes another one.
func (b *builder) associate() error {
	_, err := ssm.NewAssociation(b.ctx, b.name+"-guard", &ssm.AssociationArgs{
		Name:               b.document.Name,
		DocumentVersion:    pulumi.String("$DEFAULT"),
		Targets:            ssm.AssociationTargetArray{ssm.AssociationTargetArgs{Key: pulumi.String("InstanceIds"), Values: pulumi.StringArray{b.args.HeadNodeID}}},
		ScheduleExpression: pulumi.String("rate(30 minutes)"),
		Parameters: pulumi.StringMap{
			"Action":   pulumi.String(endguard.ActionRun),
			"Revision": b.render(func(s endguard.Spec) (string, error) { return s.Revision(), nil }),
		},
		WaitForSuccessTimeoutSeconds: pulumi.Int(installTimeout),
		Tags:                         b.tags(),
	}, b.parent, pulumi.ReplaceOnChanges([]string{"parameters", "targets"}))
	if err != nil {
		return fmt.Errorf("registering the association of %s: %w", b.name, err)
	}
	return nil
}

// events that start the document: none where there is nothing to do for them.
func (b *builder) events() []endguard.Event {
	var out []endguard.Event
	if b.args.Plan.Guard.Enabled || b.args.Delivered != "" {
		out = append(out, endguard.Delivered)
	}
	if b.args.Plan.Guard.Enabled {
		out = append(out, endguard.Warning)
	}
	return out
}

// happens says of an event what it tells.
var happens = map[endguard.Event]string{
	endguard.Delivered: "a capacity block has started",
	endguard.Warning:   "EC2 is about to end the instances of a capacity block",
}

func (b *builder) makeRules() error {
	rules := map[endguard.Event]*cloudwatch.EventRule{}
	for _, event := range b.events() {
		rule, err := cloudwatch.NewEventRule(b.ctx, fmt.Sprintf("%s-%s", b.name, event), &cloudwatch.EventRuleArgs{
			Description:  pulumi.Sprintf("weft: %s of cluster %s", happens[event], b.args.Plan.Name),
			EventPattern: b.render(func(s endguard.Spec) (string, error) { return s.Pattern(event) }),
			Tags:         b.tags(),
		}, b.parent)
		if err != nil {
			return fmt.Errorf("registering a rule of %s: %w", b.name, err)
		}
		rules[event] = rule
	}
	if len(rules) == 0 {
		return nil
	}
	role, err := b.role(rules)
	if err != nil {
		return err
	}
	return b.targets(rules, role)
}

// role lets EventBridge run this document on this head node, for these rules, and nothing else.
func (b *builder) role(rules map[endguard.Event]*cloudwatch.EventRule) (*iam.Role, error) {
	var arns pulumi.StringArray
	for _, event := range slices.Sorted(maps.Keys(rules)) {
		arns = append(arns, rules[event].Arn)
	}
	var boundary pulumi.StringPtrInput
	if arn := b.args.Plan.Config.IAM.PermissionsBoundary; arn != "" {
		boundary = pulumi.String(arn)
	}
	role, err := iam.NewRole(b.ctx, b.name+"-guard", &iam.RoleArgs{
		PermissionsBoundary: boundary,
		Description:         pulumi.Sprintf("weft: EventBridge runs the block guard of cluster %s", b.args.Plan.Name),
		AssumeRolePolicy:    arns.ToStringArrayOutput().ApplyT(func(arns []string) (string, error) { return endguard.TrustPolicy(arns...) }),
		Tags:                b.tags(),
	}, b.parent)
	if err != nil {
		return nil, fmt.Errorf("registering the role of %s: %w", b.name, err)
	}
	_, err = iam.NewRolePolicy(b.ctx, b.name+"-guard", &iam.RolePolicyArgs{
		Role: role.Name,
		Policy: pulumi.All(b.document.Arn, b.args.HeadNodeID).ApplyT(func(v []any) (string, error) {
			return endguard.SendPolicy(fmt.Sprint(v[0]), fmt.Sprint(v[1]))
		}),
	}, b.parent)
	if err != nil {
		return nil, fmt.Errorf("registering the policy of %s: %w", b.name, err)
	}
	return role, nil
}

func (b *builder) targets(rules map[endguard.Event]*cloudwatch.EventRule, role *iam.Role) error {
	for _, event := range b.events() {
		_, err := cloudwatch.NewEventTarget(b.ctx, fmt.Sprintf("%s-%s", b.name, event), &cloudwatch.EventTargetArgs{
			Rule: rules[event].Name, Arn: b.document.Arn, RoleArn: role.Arn,
			RunCommandTargets: cloudwatch.EventTargetRunCommandTargetArray{cloudwatch.EventTargetRunCommandTargetArgs{
				Key: pulumi.String("InstanceIds"), Values: pulumi.StringArray{b.args.HeadNodeID},
			}},
			InputTransformer: cloudwatch.EventTargetInputTransformerArgs{
				InputPaths: pulumi.ToStringMap(endguard.InputPaths()), InputTemplate: pulumi.String(endguard.InputTemplate(event)),
			},
		}, b.parent)
		if err != nil {
			return fmt.Errorf("registering a target of %s: %w", b.name, err)
		}
	}
	return nil
}
