package amibuild

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// document is a component document of EC2 Image Builder, schema version 1.0
// (EC2 Image Builder User Guide, "Use the AWSTOE component document framework").
type document struct {
	Name          string  `yaml:"name"`
	Description   string  `yaml:"description"`
	SchemaVersion schema  `yaml:"schemaVersion"`
	Phases        []phase `yaml:"phases"`
}

// schema is written as the number that the documents have.
type schema struct{}

// MarshalYAML implements yaml.BytesMarshaler.
func (schema) MarshalYAML() ([]byte, error) { return []byte("1.0"), nil }

// phase is build, validate or test. Validate runs on the machine that built, test on one that was started from the image.
type phase struct {
	Name  string `yaml:"name"`
	Steps []act  `yaml:"steps"`
}

type act struct {
	Name           string `yaml:"name"`
	Action         string `yaml:"action"`
	TimeoutSeconds int    `yaml:"timeoutSeconds"`
	OnFailure      string `yaml:"onFailure"`
	MaxAttempts    int    `yaml:"maxAttempts"`
	Inputs         inputs `yaml:"inputs"`
}

// inputs of ExecuteBash are commands, those of Reboot a delay.
type inputs struct {
	Commands     []string `yaml:"commands,omitempty"`
	DelaySeconds int      `yaml:"delaySeconds,omitempty"`
}

// library is where the steps' scripts stay on the image: whoever doubts it can run them again.
const library = "/opt/weft/image"

// verifyMinutes is what looking at a step's results takes at most.
const verifyMinutes = 10

// documentOf makes the document of one step: it puts the script on the image and runs it, reboots, and proves the result on
// the machine that was rebooted and on one that was started from the image.
func (i Image) documentOf(s Step) document {
	file := library + "/" + s.Name + ".sh"
	put := fmt.Sprintf("mkdir -p %s\ncat >%s <<'%s_FILE'\n%s%s_FILE\nbash %s install", library, file, heredocEnd, i.script(s), heredocEnd, file)
	verify := act{
		Name: "verify", Action: "ExecuteBash", TimeoutSeconds: verifyMinutes * 60, OnFailure: "Abort", MaxAttempts: 1,
		Inputs: inputs{Commands: []string{"bash " + file + " verify"}},
	}
	validate := []act{verify}
	if s.Kind == sealStep {
		cleanup := verify
		cleanup.Name, cleanup.Inputs = "cleanup", inputs{Commands: []string{"bash " + file + " cleanup"}}
		validate = append(validate, cleanup)
	}
	return document{
		Name: i.Name + "-" + s.Name, Description: describe(s),
		Phases: []phase{
			{"build", []act{
				{Name: "install", Action: "ExecuteBash", TimeoutSeconds: s.Minutes * 60, OnFailure: "Abort", MaxAttempts: 1, Inputs: inputs{Commands: []string{put}}},
				{Name: "reboot", Action: "Reboot", TimeoutSeconds: 600, OnFailure: "Abort", MaxAttempts: 1, Inputs: inputs{DelaySeconds: 10}},
			}},
			{"validate", validate},
			{"test", []act{verify}},
		},
	}
}

func describe(s Step) string {
	switch {
	case s.Kind == sealStep:
		return "Holds kernel and driver, and proves the kernel modules of the image"
	case s.Version == "":
		return "Script " + s.Name
	default:
		return s.Name + " " + s.Version
	}
}

// text writes a document. Scripts stand in it as they are, so that people can read them where they run.
func (d document) text() (string, error) {
	node, err := yaml.ValueToNode(d, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return "", fmt.Errorf("writing the component document %s: %w", d.Name, err)
	}
	return strings.TrimSuffix(node.String(), "\n") + "\n", nil
}
