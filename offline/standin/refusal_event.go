package standin

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	ruleType   = "aws:cloudwatch/eventRule:EventRule"
	targetType = "aws:cloudwatch/eventTarget:EventTarget"
)

var ruleName = regexp.MustCompile(`^[.\-_A-Za-z0-9]{1,64}$`)

var eventRefusals = []refusal{
	{
		id: "rule-name", ops: []string{opCreate}, types: []string{ruleType},
		source: "EventBridge API Reference, PutRule: 1 to 64 letters, digits and .-_",
		judge: func(r Request, _ *StandIn) *complaint {
			if name := r.Inputs.Text("name"); !ruleName.MatchString(name) {
				return complain("ValidationException", "Value '%s' at 'name' failed to satisfy constraint: %s", name, ruleName)
			}
			return nil
		},
	},
	{
		id: "rule-pattern", ops: []string{opCreate, opUpdate}, types: []string{ruleType},
		source: "EventBridge API Reference, PutRule, and User Guide, \"Event patterns\": objects whose leaves are lists; the codes are its own",
		judge: func(r Request, _ *StandIn) *complaint {
			pattern := r.Inputs.Text("eventPattern")
			if pattern == "" {
				if r.Inputs.Text("scheduleExpression") == "" {
					return complain("ValidationException", "Parameter(s) EventPattern or ScheduleExpression must be specified.")
				}
				return nil
			}
			var object map[string]any
			if err := json.Unmarshal([]byte(pattern), &object); err != nil {
				return complain("InvalidEventPatternException", "Event pattern is not valid. Reason: %v", err)
			}
			if at := badLeaf("", object); at != "" {
				return complain("InvalidEventPatternException", "Event pattern is not valid. Reason: %s must be an object or a list that is not empty", at)
			}
			return nil
		},
	},
	{
		id: "target-role", ops: []string{opCreate, opUpdate}, types: []string{targetType},
		source: "EventBridge API Reference, PutTargets: Run Command is called with a role of the account",
		judge: func(r Request, _ *StandIn) *complaint {
			if len(r.Inputs.Objects("runCommandTargets")) > 0 && r.Inputs.Text("roleArn") == "" {
				return complain("ValidationException", "RoleArn is required for target %s.", r.Inputs.Text("arn"))
			}
			return nil
		},
	},
	{
		id: "target-input", ops: []string{opCreate, opUpdate}, types: []string{targetType},
		source: "EventBridge API Reference, PutTargets and InputTransformer: one form of input, names of the paths in angle brackets, JSON " +
			"where a brace begins the template",
		judge: func(r Request, _ *StandIn) *complaint {
			transformer := r.Inputs.Object("inputTransformer")
			forms := min(1, len(transformer)) + min(1, len(r.Inputs.Text("input"))) + min(1, len(r.Inputs.Text("inputPath")))
			if forms > 1 {
				return complain("ValidationException", "Only one of Input, InputPath, or InputTransformer must be provided for target %s.", r.Inputs.Text("arn"))
			}
			if reason := badTemplate(transformer); reason != "" {
				return complain("ValidationException", "Invalid InputTemplate for target %s: %s", r.Inputs.Text("arn"), reason)
			}
			return nil
		},
	},
}

// badLeaf finds the first part of an event pattern that is neither an object nor a list with something in it.
func badLeaf(at string, object map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		here := strings.TrimPrefix(at+"."+name, ".")
		switch v := object[name].(type) {
		case map[string]any:
			if bad := badLeaf(here, v); bad != "" {
				return bad
			}
		case []any:
			if len(v) == 0 {
				return here
			}
		default:
			return here
		}
	}
	return ""
}

var eventPart = regexp.MustCompile(`<([A-Za-z0-9_-]+|aws\.events\.[a-z.-]+)>`)

// badTemplate says what is wrong with an input transformer.
func badTemplate(transformer Document) string {
	template, paths := transformer.Text("inputTemplate"), transformer.Object("inputPaths")
	for _, found := range eventPart.FindAllStringSubmatch(template, -1) {
		if _, ok := paths[found[1]]; !ok && !strings.HasPrefix(found[1], "aws.events.") {
			return fmt.Sprintf("there is no path of the name %s", found[1])
		}
	}
	filled := eventPart.ReplaceAllString(template, `""`)
	if strings.HasPrefix(strings.TrimSpace(template), "{") && !json.Valid([]byte(filled)) {
		return "it is no JSON"
	}
	return ""
}
