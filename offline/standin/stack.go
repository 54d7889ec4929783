package standin

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const stackType = "aws:cloudformation/stack:Stack"

// lookalike is how an output of a stack looks whose name contains (in lower case) one of the words.
type lookalike struct {
	words    []string
	template string
}

// lookalikes are tried in order. They cover what stacks of ParallelCluster put out.
var lookalikes = []lookalike{
	{[]string{"servicetoken", "lambdaarn", "functionarn"}, "arn:{partition}:lambda:{region}:{account}:function:{in.name}-{hex:12}"},
	{[]string{"instanceid", "headnodeid"}, "i-0{hex:16}"},
	{[]string{"publicip"}, "{ip:public}"},
	{[]string{"privateip", "ipaddress"}, "{ip:private}"},
	{[]string{"status"}, "CREATE_COMPLETE"},
	{[]string{"launchtemplateid"}, "lt-0{hex:16}"},
	{[]string{"securitygroup"}, "sg-0{hex:16}"},
	{[]string{"filesystemid"}, "fs-0{hex:16}"},
	{[]string{"loggrouparn"}, "arn:{partition}:logs:{region}:{account}:log-group:/aws/lambda/{in.name}"},
	{[]string{"rolearn"}, "arn:{partition}:iam::{account}:role/{in.name}-{hex:12}"},
	{[]string{"arn"}, "arn:{partition}:cloudformation:{region}:{account}:stack/{in.name}/{uuid}"},
	{[]string{"bucket"}, "parallelcluster-{hex:16}-v1-do-not-delete"},
	{[]string{"dnsname", "domain"}, "{in.name}.{region}.amazonaws.com"},
	{[]string{"version"}, "1"},
}

// stackOutputs makes the outputs of a CloudFormation stack up: one for each key in the Outputs of its template, which
// looks by its name. A template at a URL cannot be read, its outputs are for the data's answers.
func (m maker) stackOutputs() property.Value {
	body := m.inputs.Get("templateBody")
	if m.preview || body.IsComputed() {
		return property.New(property.Computed)
	}
	outputs := map[string]property.Value{}
	if body.IsString() {
		template, err := parseTemplate(body.AsString())
		if err == nil {
			for key := range template.Outputs {
				outputs[key] = m.text("outputs."+key, template.lookOf(key))
			}
		}
	}
	return property.New(outputs)
}

func (t template) lookOf(key string) string {
	name := strings.ToLower(key)
	if head := t.headNode(); head != "" && strings.Contains(name, "headnodeinstanceid") {
		return head
	}
	for _, l := range lookalikes {
		if slices.ContainsFunc(l.words, func(word string) bool { return strings.Contains(name, word) }) {
			return l.template
		}
	}
	return key + "-{hex:8}"
}

// template is the part of a CloudFormation template that the stand-in looks at.
type template struct {
	Resources map[string]any `yaml:"Resources"`
	Outputs   map[string]any `yaml:"Outputs"`
}

// headNode is the instance id of the head node that comes with a stack's ParallelCluster cluster. The emulated account gives
// a cluster of the name the same one (account.HeadNodeID). Empty for a stack without cluster.
func (t template) headNode() string {
	for _, resource := range t.Resources {
		r, _ := resource.(map[string]any)
		properties, _ := r["Properties"].(map[string]any)
		if name, ok := properties["ClusterName"].(string); ok && r["Type"] == "Custom::PclusterCluster" {
			sum := sha256.Sum256([]byte(name))
			return "i-" + hex.EncodeToString(sum[:])[:17]
		}
	}
	return ""
}

// parseTemplate reads a template in YAML or JSON.
func parseTemplate(body string) (template, error) {
	var t template
	err := yaml.Unmarshal([]byte(body), &t)
	return t, err
}
