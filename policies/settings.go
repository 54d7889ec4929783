package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
)

// settings are the pack's configuration, given to policy weft.
type settings struct {
	// Rules are levels by rule, each with its reason.
	Rules map[diag.ID]diag.Override `json:"rules"`
	// Exceptions take a rule off the resources whose URN a pattern matches.
	Exceptions []exception `json:"exceptions"`
	// InstanceTypes that image components, and launch templates without a type, are for.
	InstanceTypes []string `json:"instanceTypes"`
	Workload      workload `json:"workload"`
	// Notes shows findings at level note as well.
	Notes bool `json:"notes"`
}

type exception struct {
	Rule     diag.ID `json:"rule"`
	Resource string  `json:"resource"`
	Reason   string  `json:"reason"`
}

type workload struct {
	Kind       string `json:"kind"`
	Dispatcher string `json:"dispatcher"`
}

func settingsSchema() *policyx.ConfigSchema {
	text := map[string]any{"type": "string"}
	object := func(required []any, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	return &policyx.ConfigSchema{Properties: map[string]map[string]any{
		"rules": {
			"type": "object", "description": "levels by rule, each with its reason",
			"additionalProperties": object([]any{"level", "reason"}, map[string]any{
				"level": map[string]any{"type": "string", "enum": []any{"note", "warn", "error"}}, "reason": text,
			}),
		},
		"exceptions": {
			"type": "array", "description": "rules taken off resources by a pattern of the URN, * for any text",
			"items": object([]any{"rule", "resource", "reason"}, map[string]any{"rule": text, "resource": text, "reason": text}),
		},
		"instanceTypes": {"type": "array", "items": text, "description": "types that image components, and launch templates without a type, are for"},
		"workload": {
			"type": "object", "description": "what the software on the nodes does, as far as it asks for versions",
			"properties": map[string]any{"kind": map[string]any{"type": "string", "enum": []any{"dense", "moe"}}, "dispatcher": text},
		},
		"notes": {"type": "boolean", "description": "show findings at level note as well"},
	}}
}

func (s settings) options() rule.Options {
	o := rule.Options{
		Levels:        s.Rules,
		Workload:      catalog.Workload{Kind: s.Workload.Kind, Dispatcher: s.Workload.Dispatcher},
		InstanceTypes: s.InstanceTypes,
	}
	for _, e := range s.Exceptions {
		o.Exceptions = append(o.Exceptions, rule.Exception{Rule: e.Rule, Pattern: e.Resource, Reason: e.Reason})
	}
	return o
}

// readSettings reads the configuration. What is wrong in it is left out, and a finding.
func readSettings(config map[string]any) (settings, diag.List) {
	var s settings
	var faults diag.List
	known := []string{"rules", "exceptions", "instanceTypes", "workload", "notes"}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if !slices.Contains(known, key) {
			faults.Add(fault(diag.ConfigKey, key, key+" is no key of this policy", strings.Join(known, ", ")))
		}
	}
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		faults.Add(fault(diag.ConfigValue, "", fmt.Sprintf("a configuration that cannot be read: %v", err), "values of the types that the policy's schema gives"))
		return settings{}, faults
	}
	s.check(&faults)
	return s, faults
}

// check drops what names no rule or gives no reason: a rule that somebody lowers in silence is no rule.
func (s *settings) check(faults *diag.List) {
	for _, id := range slices.Sorted(maps.Keys(s.Rules)) {
		path := "rules." + string(id)
		if wrong := refused(id, s.Rules[id].Reason, path); wrong != nil {
			faults.Add(*wrong)
			delete(s.Rules, id)
		}
	}
	s.Exceptions = slices.DeleteFunc(s.Exceptions, func(e exception) bool {
		wrong := refused(e.Rule, e.Reason, "exceptions")
		if wrong != nil {
			faults.Add(*wrong)
		}
		return wrong != nil
	})
}

func refused(id diag.ID, reason, path string) *diag.Finding {
	var f diag.Finding
	switch _, known := diag.Lookup(id); {
	case !known:
		f = fault(diag.ConfigValue, path, fmt.Sprintf("%q, which is no rule", id), "the id of a rule, as it stands first in a finding")
	case strings.TrimSpace(reason) == "":
		f = fault(diag.ConfigRequired, path, fmt.Sprintf("%s without a reason", id), "a reason, which every report then shows")
	default:
		return nil
	}
	return &f
}

func fault(id diag.ID, path, got, want string) diag.Finding {
	return diag.Finding{
		Rule: id, Level: diag.Error, Place: diag.Place{File: "the configuration of policy " + policyResource, Path: path}, Got: got, Want: want,
		Hint: "correct the file of --policy-pack-config, under the key " + policyResource,
	}
}
