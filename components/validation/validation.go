// Package validation registers the proof that a cluster works: the resource weft:index:Validation.
//
// The resource belongs to the plugin weft, which runs the validation order on the cluster when the resource is made and
// when one of its inputs changes. A validation that fails fails `pulumi up`; what depends on the resource waits, and
// every further up validates again. One that waits for its block lets the up end well, and the next up picks the result
// up.
//
//	v, err := validation.New(ctx, "llama", &validation.Args{
//		Cluster: text, // what weft:cluster holds
//		Head:    validation.Head{InstanceID: cluster.HeadNodeID},
//		Triggers: pulumi.Map{"ami": imageID, "template": template.Version},
//	}, pulumi.DependsOn([]pulumi.Resource{cluster}))
//
// The engine must find the plugin. In a clone of weft, these lines of Pulumi.yaml do; the plugin is compiled from its
// source, see components/provider/README.md for a ready one:
//
//	plugins:
//	  providers:
//	    - {name: weft, path: ./cmd/pulumi-resource-weft}
//
// Elsewhere it is enough that the plugin is on PATH:
//
//	go install github.com/weft-hpc/weft/cmd/pulumi-resource-weft@latest
package validation

import (
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/fabric/config"
)

// Token is the resource's type.
const Token = "weft:index:Validation"

// Args of a validation.
type Args struct {
	// Cluster is the config of the cluster that is validated: the YAML or JSON text that weft:cluster holds.
	Cluster pulumi.StringInput
	// Head says how to reach the head node.
	Head Head
	// Steps of the validation order that run; left out, those that the config names.
	Steps []string
	// Thresholds go before the config's; 0 leaves one as it is.
	Thresholds config.Thresholds
	// WarnOnFailure lets a failed validation through with a warning, instead of failing the update.
	WarnOnFailure bool
	// Timeout of the whole order from the start of its first job; 0 for none.
	Timeout time.Duration
	// ReportDirectory is the folder that the report goes to, relative to that of the program.
	ReportDirectory string
	// Triggers are any values a change of which validates again: the image, the version of a launch template, a block.
	Triggers pulumi.MapInput
	// KeepGoing runs later steps on a failed foundation.
	KeepGoing bool
}

// Head is the way to a cluster's head node: one of InstanceID, SSH and Local.
type Head struct {
	// InstanceID of the head node, which is reached through AWS Systems Manager.
	InstanceID pulumi.StringInput
	// Region of the instance; left out, the cluster's.
	Region string
	// Profile of the AWS configuration that reaches the instance; left out, what the environment says.
	Profile string
	// SSH is user@host of the head node, as ssh takes it.
	SSH pulumi.StringInput
	// Local says that Pulumi runs on the head node itself.
	Local bool
}

// Validation is a cluster that was proved to work, or waits for its proof.
type Validation struct {
	pulumi.CustomResourceState

	// Outcome is passed, warned, waiting, not-run, or failed where that is let through.
	Outcome pulumi.StringOutput `pulumi:"outcome"`
	// Until is when a waiting validation is expected to go on, RFC 3339; empty where nobody knows.
	Until pulumi.StringOutput `pulumi:"until"`
	// RunID of the run on the cluster.
	RunID pulumi.StringOutput `pulumi:"runId"`
	// ReportPath is the report's; empty while there is none.
	ReportPath pulumi.StringOutput `pulumi:"reportPath"`
	// Summary has a line for each step.
	Summary pulumi.StringOutput `pulumi:"summary"`
	// Figures that were judged: maps of step, group, what, measured, expected, unit, share and outcome.
	Figures pulumi.ArrayOutput `pulumi:"figures"`
}

// New registers a validation.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*Validation, error) {
	v := &Validation{}
	if err := ctx.RegisterResource(Token, name, args.inputs(), v, opts...); err != nil {
		return nil, fmt.Errorf("registering the validation %s: %w", name, err)
	}
	return v, nil
}

// inputs gives what the plugin gets: nothing for what is left out.
func (a *Args) inputs() pulumi.Map {
	in := pulumi.Map{"head": a.Head.inputs()}
	for _, p := range []struct {
		name  string
		given bool
		value pulumi.Input
	}{
		{"cluster", a.Cluster != nil, a.Cluster},
		{"steps", len(a.Steps) > 0, pulumi.ToStringArray(a.Steps)},
		{"thresholds", a.Thresholds != config.Thresholds{}, thresholds(a.Thresholds)},
		{"onFailure", a.WarnOnFailure, pulumi.String("warn")},
		{"timeout", a.Timeout != 0, pulumi.String(a.Timeout.String())},
		{"reportDirectory", a.ReportDirectory != "", pulumi.String(a.ReportDirectory)},
		{"triggers", a.Triggers != nil, a.Triggers},
		{"keepGoing", a.KeepGoing, pulumi.Bool(true)},
	} {
		if p.given {
			in[p.name] = p.value
		}
	}
	return in
}

func (h Head) inputs() pulumi.Map {
	in := pulumi.Map{}
	if h.InstanceID != nil {
		in["instanceId"] = h.InstanceID
	}
	if h.Region != "" {
		in["region"] = pulumi.String(h.Region)
	}
	if h.Profile != "" {
		in["profile"] = pulumi.String(h.Profile)
	}
	if h.SSH != nil {
		in["ssh"] = h.SSH
	}
	if h.Local {
		in["local"] = pulumi.Bool(true)
	}
	return in
}

func thresholds(t config.Thresholds) pulumi.Map {
	in := pulumi.Map{}
	for name, share := range map[string]float64{"allReduce": t.AllReduce, "allToAll": t.AllToAll, "betweenBlocks": t.BetweenBlocks} {
		if share != 0 {
			in[name] = pulumi.Float64(share)
		}
	}
	return in
}
