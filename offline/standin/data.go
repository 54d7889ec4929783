package standin

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/goccy/go-yaml"
)

//go:embed types.yaml
var typesYAML []byte

// Data tells the stand-in what to answer and where to fail. The zero value is an empty account in which all goes well.
type Data struct {
	// Region and Account stand in ids and ARNs. They default to us-west-2 and 123456789012, the number that AWS's
	// own examples use.
	Region  string `yaml:"region"`
	Account string `yaml:"account"`
	// Zones maps zones of the account to their ids; a zone that is not in it has the id that its letter gives: us-west-2b
	// is usw2-az2.
	Zones map[string]string `yaml:"zones"`
	// Types adds types to those that the stand-in knows, or takes the place of one.
	Types map[string]Type `yaml:"types"`
	// Invokes answer data sources; the first that fits is taken.
	Invokes []Invoke `yaml:"invokes"`
	// Answers set outputs of created resources beyond what their type says; all that fit are taken, in order.
	Answers []Answer `yaml:"answers"`
	// Faults make operations slow, or make them fail.
	Faults []Fault `yaml:"faults"`
	// Accept switches refusals off by their id, for what a test wants to do all the same.
	Accept []string `yaml:"accept"`
}

// Type is what a type of resource looks like. See types.yaml for the meaning of each field.
type Type struct {
	ID      string         `yaml:"id"`
	Name    string         `yaml:"name"`
	Replace []string       `yaml:"replace"`
	Outputs map[string]any `yaml:"outputs"`
	Changes map[string]any `yaml:"changes"`
	Refuse  Words          `yaml:"refuse"`
}

// Words are what a refusal says about a type.
type Words struct {
	// Noun is how the provider calls the resource: creating EC2 Subnet.
	Noun string `yaml:"noun"`
	// Service defaults to EC2.
	Service string `yaml:"service"`
	// Action is the thing in the name of the calls: CreateSubnet. Create, Update and Delete name calls that differ.
	Action string `yaml:"action"`
	Create string `yaml:"create"`
	Update string `yaml:"update"`
	Delete string `yaml:"delete"`
	// Missing is the error code when the thing does not exist, Taken the one when its name does.
	Missing string `yaml:"missing"`
	Taken   string `yaml:"taken"`
}

// Invoke is the answer of a data source.
type Invoke struct {
	Token string `yaml:"token"`
	// When must all be among the arguments; a text may begin or end with "*".
	When Document `yaml:"when"`
	// Return is the result. Arguments that it leaves out are copied into it, as data sources do.
	Return Document `yaml:"return"`
	// Error fails the call instead.
	Error string `yaml:"error"`
}

// Answer sets outputs of one resource, or of several.
type Answer struct {
	Type    string         `yaml:"type"`
	Name    string         `yaml:"name"`    // the name in the program; empty: any
	When    Document       `yaml:"when"`    // must all be among the inputs
	Outputs map[string]any `yaml:"outputs"` // templates, as in Type
}

// Fault is something that goes wrong.
type Fault struct {
	// On is the operation: check, create, read, update, delete or invoke.
	On string `yaml:"on"`
	// Type is the type token (or the token of the data source), Name the name in the program; empty: any.
	Type string `yaml:"type"`
	Name string `yaml:"name"`
	// After says that the operation has been done when the fault comes; otherwise nothing has been done.
	After bool `yaml:"after"`
	// Delay holds the operation up before anything else.
	Delay time.Duration `yaml:"delay"`
	// Error fails the operation.
	Error string `yaml:"error"`
	// Die ends the provider's process without an answer.
	Die bool `yaml:"die"`
}

// LoadData reads data from a YAML file. A key that it does not know is an error.
func LoadData(path string) (Data, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if err != nil {
		return Data{}, fmt.Errorf("reading the stand-in's data: %w", err)
	}
	data, err := ParseData(text)
	if err != nil {
		return Data{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil
}

// ParseData reads data from YAML text. A key that it does not know is an error.
func ParseData(text []byte) (Data, error) {
	var data Data
	if err := yaml.UnmarshalWithOptions(text, &data, yaml.Strict()); err != nil {
		return Data{}, fmt.Errorf("the stand-in's data: %w", err)
	}
	var errs []error
	for _, f := range data.Faults {
		if !operations[f.On] {
			errs = append(errs, fmt.Errorf("faults: %q is no operation, want check, create, read, update, delete or invoke", f.On))
		}
	}
	for _, id := range data.Accept {
		if !slices.Contains(RefusalIDs(), id) {
			errs = append(errs, fmt.Errorf("accept: there is no refusal %q", id))
		}
	}
	return data, errors.Join(errs...)
}

var operations = map[string]bool{
	opCheck: true, opCreate: true, opRead: true, opUpdate: true, opDelete: true, opInvoke: true,
}

// complete fills in what the data leaves open.
func (d Data) complete() Data {
	if d.Region == "" {
		d.Region = "us-west-2"
	}
	if d.Account == "" {
		d.Account = "123456789012"
	}
	types := Types()
	maps.Copy(types, d.Types)
	d.Types = types
	return d
}

// Types are the types of resources that the stand-in knows by itself, by type token.
func Types() map[string]Type {
	types := map[string]Type{}
	if err := yaml.UnmarshalWithOptions(typesYAML, &types, yaml.Strict()); err != nil {
		panic("types.yaml is a part of this program and not readable: " + err.Error())
	}
	return types
}
