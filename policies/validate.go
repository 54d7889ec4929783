package main

import (
	"context"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
)

// policyResource is the policy whose configuration counts for the whole pack: policies over a stack get none from
// Pulumi.
const policyResource = "weft"

// memory is what the policies of one operation tell each other: Pulumi hands configuration to policies over single
// resources only, and what the program wrote as well.
type memory struct {
	mutex    sync.Mutex
	settings settings
	read     bool
	inputs   map[string]resource // by URN, of types that rules are about
}

// validateResource judges a resource by itself, before anything happens to it.
func (m *memory) validateResource(_ context.Context, args policyx.ResourceValidationArgs) error {
	s := m.settingsFrom(args.Config, func(f diag.Finding) { args.Manager.ReportViolation(message(f), "") })
	if !read.Reads(args.Resource.Type) {
		return nil
	}
	r := resource{args.Resource}
	m.mutex.Lock()
	m.inputs[r.URN] = r
	m.mutex.Unlock()
	o := s.options()
	o.Scope = rule.Alone
	for _, f := range rule.Judge(read.Registered(r.read(r.Properties)), o).AtLeast(diag.Error) {
		args.Manager.ReportViolation(message(f), f.Place.Resource)
	}
	return nil
}

// settingsFrom reads the configuration once; faults in it are reported once.
func (m *memory) settingsFrom(config map[string]any, report func(diag.Finding)) settings {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if !m.read {
		var faults diag.List
		m.settings, faults = readSettings(config)
		m.read = true
		for _, f := range faults {
			report(f)
		}
	}
	return m.settings
}

// validateStack judges what several resources decide together.
func (m *memory) validateStack(_ context.Context, args policyx.StackValidationArgs) error {
	for _, f := range m.judge(args.Resources, rule.Together).AtLeast(diag.Error) {
		args.Manager.ReportViolation(message(f), f.Place.Resource)
	}
	return nil
}

// advise tells everything below an error, notes only where they are asked for.
func (m *memory) advise(_ context.Context, args policyx.StackValidationArgs) error {
	for _, f := range m.judge(args.Resources, rule.Everything).AtLeast(m.least()) {
		if f.Level < diag.Error {
			args.Manager.ReportViolation(message(f), f.Place.Resource)
		}
	}
	return nil
}

// least is the lowest level that is told.
func (m *memory) least() diag.Level {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.settings.Notes {
		return diag.Note
	}
	return diag.Warn
}

func (m *memory) judge(all []policyx.AnalyzerResource, scope rule.Scope) diag.List {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var resources []read.Resource
	for _, r := range all {
		if !read.Reads(r.Type) {
			continue
		}
		r := resource{r}
		properties := r.Properties
		if input, ok := m.inputs[r.URN]; ok {
			properties = r.merged(input.Properties)
		}
		resources = append(resources, r.read(properties))
	}
	o := m.settings.options()
	o.Scope = scope
	return rule.Judge(read.Stack(resources), o)
}

// message is a finding under the description that Pulumi prints above it: the rule's id first.
func message(f diag.Finding) string {
	var out strings.Builder
	out.WriteString(string(f.Rule))
	if f.Place.Path != "" {
		out.WriteString(" at " + f.Place.Path)
	}
	out.WriteString(": " + f.Got + "\nwant: " + f.Want + "\ndo: " + f.Hint)
	if f.Reason != "" {
		out.WriteString("\nlowered: " + f.Reason)
	}
	if f.Source != "" {
		out.WriteString("\nsee: " + f.Source)
	}
	return out.String()
}
