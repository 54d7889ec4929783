package validator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/components/provider/internal/value"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Inputs of the resource.
type Inputs struct {
	// Cluster is the config of the cluster that is validated: the YAML or JSON text that weft:cluster holds, or the same
	// as an object.
	Cluster any `json:"cluster"`
	// Head says how to reach the cluster's head node.
	Head Head `json:"head"`
	// Steps of the validation order that run: host, container, latency, dispatcher, training, blocks. Left out, those that
	// the config names; without any there, all that the cluster has use for.
	Steps []string `json:"steps,omitempty"`
	// Thresholds as shares of the expected figure. They go before the config's.
	Thresholds *Thresholds `json:"thresholds,omitempty"`
	// OnFailure is what a failed validation does: fail (the default) fails the update and holds back what depends on this
	// resource; warn lets both through with a warning.
	OnFailure string `json:"onFailure,omitempty"`
	// Timeout of the whole order from the start of its first job, for example 2h30m; left out, there is none.
	Timeout string `json:"timeout,omitempty"`
	// ReportDirectory is the folder that the report goes to, relative to that of the program.
	ReportDirectory string `json:"reportDirectory,omitempty"`
	// Triggers are any values a change of which validates again: the image, the version of a launch template, the id of a
	// block.
	Triggers map[string]any `json:"triggers,omitempty"`
	// KeepGoing runs later steps on a failed foundation.
	KeepGoing bool `json:"keepGoing,omitempty"`
}

// Head is the way to a cluster's head node: one of instanceId, ssh and local.
type Head struct {
	// InstanceID of the head node, which is reached through AWS Systems Manager.
	InstanceID string `json:"instanceId,omitempty"`
	// Region of the instance; left out, the cluster's.
	Region string `json:"region,omitempty"`
	// Profile of the AWS configuration that reaches the instance; left out, what the environment says.
	Profile string `json:"profile,omitempty"`
	// SSH is user@host of the head node, as ssh takes it.
	SSH string `json:"ssh,omitempty"`
	// Local says that Pulumi runs on the head node itself.
	Local bool `json:"local,omitempty"`
}

// Thresholds are shares of an expected figure, over 0 up to 1, below which a step fails.
type Thresholds struct {
	// AllReduce is the share of the all-reduce ceiling.
	AllReduce float64 `json:"allReduce,omitempty"`
	// AllToAll is the share of the all-to-all ceiling.
	AllToAll float64 `json:"allToAll,omitempty"`
	// BetweenBlocks is the share of inside-block bandwidth that pairs between blocks must reach.
	BetweenBlocks float64 `json:"betweenBlocks,omitempty"`
}

// What a failed validation does.
const (
	Fail = "fail"
	Warn = "warn"
)

// steps of the validation order, in its order.
func steps() []string {
	return []string{plan.StepHost, plan.StepContainer, plan.StepLatency, plan.StepDispatcher, plan.StepTraining, plan.StepBlocks}
}

// field is one input: where it goes, and what it must be.
type field struct {
	name string
	into any
	want string
}

func (in *Inputs) fields() []field {
	return []field{
		{"cluster", &in.Cluster, wantCluster},
		{"head", &in.Head, wantHead},
		{"steps", &in.Steps, "a list of " + strings.Join(steps(), ", ")},
		{"thresholds", &in.Thresholds, "shares by name: allReduce, allToAll, betweenBlocks"},
		{"onFailure", &in.OnFailure, Fail + " or " + Warn},
		{"timeout", &in.Timeout, "a duration such as 2h30m"},
		{"reportDirectory", &in.ReportDirectory, "a folder"},
		{"triggers", &in.Triggers, "values by name"},
		{"keepGoing", &in.KeepGoing, "true or false"},
	}
}

const (
	wantCluster = "the cluster's config, as YAML or JSON text or as an object"
	wantHead    = "one of {instanceId: i-…}, {ssh: user@host} and {local: true}"
)

// fault is a mistake in one input.
type fault struct{ property, reason string }

// decoded are inputs as far as they could be read.
type decoded struct {
	Inputs

	// unknown are the inputs that have no value yet, in a preview.
	unknown []string
	faults  []fault
}

func (d *decoded) known(property string) bool { return !slices.Contains(d.unknown, property) }

func (d *decoded) add(property, format string, args ...any) {
	d.faults = append(d.faults, fault{property, fmt.Sprintf(format, args...)})
}

// decode reads inputs strictly. What could not be read is a fault, and is left empty.
func decode(props property.Map) *decoded {
	d := &decoded{}
	fields := d.fields()
	for name, given := range props.AllStable {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		switch {
		case i < 0:
			d.add(name, "there is no such input; there are %s", strings.Join(names(fields), ", "))
		case given.HasComputed():
			d.unknown = append(d.unknown, name)
		default:
			if err := value.Read(given, fields[i].into); err != nil {
				d.add(name, "%v; want %s", err, fields[i].want)
			}
		}
	}
	return d
}

func names(fields []field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.name)
	}
	return out
}
