package standin

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

const (
	documentType       = "aws:ssm/document:Document"
	docAssociationType = "aws:ssm/association:Association"
)

// largestDocument is the size of a Systems Manager document, in bytes.
const largestDocument = 64 << 10

// documentName is the form of a document's name; its beginning must not be Amazon's.
var (
	documentName = regexp.MustCompile(`^[0-9A-Za-z_.-]{3,128}$`)
	amazonsName  = regexp.MustCompile(`^(?i)(aws|amazon|amzn)`)
)

// schedules of State Manager, and the minutes of those that are given as a rate in minutes.
var (
	schedule      = regexp.MustCompile(`^(rate\([1-9][0-9]* (minute|hour|day)s?\)|(cron|at)\(.+\))$`)
	tooOften      = regexp.MustCompile(`^rate\([12]?[0-9] minutes?\)$`)
	headNodeOfAny = regexp.MustCompile(`^(?i)headnode`)
)

// ssmDocument is the part of a Systems Manager document that the stand-in looks at.
type ssmDocument struct {
	SchemaVersion string                  `yaml:"schemaVersion"`
	MainSteps     []any                   `yaml:"mainSteps"`
	RuntimeConfig map[string]any          `yaml:"runtimeConfig"`
	Parameters    map[string]ssmParameter `yaml:"parameters"`
}

type ssmParameter struct {
	Default       any      `yaml:"default"`
	AllowedValues []string `yaml:"allowedValues"`
	Pattern       string   `yaml:"allowedPattern"`
}

// parseDocument reads a document in JSON, which is YAML as well, or YAML.
func parseDocument(content string) (ssmDocument, error) {
	var d ssmDocument
	err := yaml.Unmarshal([]byte(content), &d)
	return d, err
}

var documentRefusals = []refusal{
	{
		id: "document-name", ops: []string{opCreate}, types: []string{documentType},
		source: "Systems Manager API Reference, CreateDocument: 3 to 128 letters, digits and _.-, beginning with none of aws, amazon, amzn",
		judge: func(r Request, _ *StandIn) *complaint {
			name := r.Inputs.Text("name")
			switch {
			case !documentName.MatchString(name):
				return complain("ValidationException", "Value '%s' at 'name' failed to satisfy constraint: %s", name, documentName)
			case amazonsName.MatchString(name):
				return complain("ValidationException", "Document name %s can't begin with aws, amazon or amzn", name)
			}
			return nil
		},
	},
	{
		id: "document-size", ops: []string{opCreate, opUpdate}, types: []string{documentType},
		source: "Systems Manager API Reference, CreateDocument, MaxDocumentSizeExceeded; code and text are its own",
		judge: func(r Request, _ *StandIn) *complaint {
			if len(r.Inputs.Text("content")) > largestDocument {
				return complain("MaxDocumentSizeExceeded", "The size limit of a document is 64 KB.")
			}
			return nil
		},
	},
	{
		id: "document-content", ops: []string{opCreate, opUpdate}, types: []string{documentType},
		source: "Systems Manager User Guide, \"Data elements and parameters\": a schema version, and steps; the code is its own",
		judge: func(r Request, _ *StandIn) *complaint {
			d, err := parseDocument(r.Inputs.Text("content"))
			switch {
			case err != nil:
				return complain("InvalidDocumentContent", "The content is not well-formed: %v", err)
			case d.SchemaVersion == "" || len(d.MainSteps)+len(d.RuntimeConfig) == 0:
				return complain("InvalidDocumentContent", "The content has no schemaVersion or no mainSteps")
			}
			return nil
		},
	},
	{
		id: "association-parameters", ops: []string{opCreate, opUpdate}, types: []string{docAssociationType},
		source: "Systems Manager API Reference, CreateAssociation, InvalidParameters. Judged only when the document was made here",
		judge: func(r Request, _ *StandIn) *complaint {
			doc, ours := r.World.Get(documentType, r.Inputs.Text("name"))
			if !ours {
				return nil
			}
			d, err := parseDocument(doc.Inputs.Text("content"))
			if err != nil {
				return nil // refused when the document was made
			}
			return d.judge(r.Inputs.Object("parameters"))
		},
	},
	{
		id: "association-schedule", ops: []string{opCreate, opUpdate}, types: []string{docAssociationType},
		source: "Systems Manager User Guide, \"Cron and rate expressions for associations\": every 30 minutes at most; the code is its own",
		judge: func(r Request, _ *StandIn) *complaint {
			when := r.Inputs.Text("scheduleExpression")
			if when == "" || schedule.MatchString(when) && !tooOften.MatchString(when) {
				return nil
			}
			return complain("InvalidSchedule", "The schedule '%s' is invalid", when)
		},
	},
	{
		id: "association-target", ops: []string{opCreate}, types: []string{docAssociationType},
		source: "Systems Manager API Reference, CreateAssociation, InvalidTarget. For an instance that nobody made, the service takes the " +
			"request and the provider waits for the success in vain, for as long as it is told; here it fails at once",
		judge: func(r Request, _ *StandIn) *complaint {
			if waits, _ := r.Inputs.Number("waitForSuccessTimeoutSeconds"); waits == 0 {
				return nil
			}
			for _, target := range r.Inputs.Objects("targets") {
				if target.Text("key") != "InstanceIds" {
					continue
				}
				for _, id := range target.Texts("values") {
					if !runs(r.World, id) {
						return complain("InvalidTarget", "waiting for success on %s: the instance is not managed by Systems Manager", id)
					}
				}
			}
			return nil
		},
	},
}

// judge compares the parameters of a run with those that the document declares.
func (d ssmDocument) judge(given Document) *complaint {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, declared := d.Parameters[name]
		if !declared {
			return complain("InvalidParameters", "The document has no parameter %s", name)
		}
		value := given.Text(name)
		if len(p.AllowedValues) > 0 && !slices.Contains(p.AllowedValues, value) {
			return complain("InvalidParameters", "%s is '%s', want one of %s", name, value, strings.Join(p.AllowedValues, ", "))
		}
		if pattern, err := regexp.Compile(p.Pattern); err != nil || !pattern.MatchString(value) {
			return complain("InvalidParameters", "%s is '%s', want %s", name, value, p.Pattern)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		if _, there := given[name]; !there && d.Parameters[name].Default == nil {
			return complain("InvalidParameters", "The parameter %s has no default and is not given", name)
		}
	}
	return nil
}

// runs tells whether an instance was made here: by itself, or as the head node of a stack.
func runs(w *World, id string) bool {
	if _, ok := w.Get(instanceType, id); ok {
		return true
	}
	for _, stackID := range w.IDs(stackType) {
		stack, _ := w.Get(stackType, stackID)
		outputs := stack.Outputs.Object("outputs")
		for name := range outputs {
			if headNodeOfAny.MatchString(name) && outputs.Text(name) == id {
				return true
			}
		}
	}
	return false
}
