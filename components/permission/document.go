package permission

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Document is an IAM policy document. Equal features and scopes give equal documents, byte by byte.
type Document struct {
	Version   string      `json:"Version"`
	Statement []Statement `json:"Statement"`
}

// Statement allows actions on resources. Actions and resources are sorted.
type Statement struct {
	// Sid is the feature and what the statement is for: CapacityBuyPurchase. Unique in a document.
	Sid       string    `json:"Sid"`
	Effect    string    `json:"Effect"` // always Allow
	Action    []string  `json:"Action"`
	Resource  []string  `json:"Resource"` // ARNs, or * where none of the actions takes a resource
	Condition Condition `json:"Condition,omitempty"`
}

// Condition is operator, key, values: {"StringEquals": {"aws:RequestedRegion": ["us-east-2"]}}.
type Condition map[string]map[string][]string

// ManagedPolicySize is how many characters a managed policy takes, without white space (IAM and AWS STS quotas).
const ManagedPolicySize = 6144

// Policy gives the policy of features in a scope: statements in the order of the features, each once.
func Policy(s Scope, features ...Feature) Document {
	d := Document{Version: "2012-10-17", Statement: []Statement{}}
	seen := map[string]bool{}
	for _, f := range features {
		if seen[f.Name] {
			continue
		}
		seen[f.Name] = true
		d.Statement = append(d.Statement, statements(s, f)...)
	}
	return d
}

func statements(s Scope, f Feature) []Statement {
	var out []Statement
	used := map[string]int{}
	for _, g := range f.grants(s) {
		sid := camel(f.Name) + g.name
		if used[sid]++; used[sid] > 1 {
			sid = fmt.Sprint(sid, used[sid])
		}
		out = append(out, Statement{Sid: sid, Effect: "Allow", Action: g.actions, Resource: s.resources(g.on), Condition: s.condition(g)})
	}
	return out
}

func (s Scope) resources(on []string) []string {
	var out []string
	for _, resource := range on {
		out = append(out, s.arns(resource)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// condition fills the places of a grant's own condition, and keeps it to the Regions: IAM has none to keep to.
func (s Scope) condition(g grant) Condition {
	out := Condition{}
	for operator, keys := range g.when {
		out[operator] = map[string][]string{}
		for key, values := range keys {
			for _, value := range values {
				out[operator][key] = append(out[operator][key], s.fill(value))
			}
		}
	}
	if regions := s.regions(); len(regions) > 0 && !strings.HasPrefix(g.actions[0], "iam:") {
		if out["StringEquals"] == nil {
			out["StringEquals"] = map[string][]string{}
		}
		out["StringEquals"]["aws:RequestedRegion"] = regions
	}
	return out
}

// text is a condition as a text, equal for equal conditions.
func (c Condition) text() string {
	var out strings.Builder
	for _, operator := range slices.Sorted(maps.Keys(c)) {
		for _, key := range slices.Sorted(maps.Keys(c[operator])) {
			fmt.Fprint(&out, operator, key, c[operator][key])
		}
	}
	return out.String()
}

// JSON writes the document with two spaces of indentation and a newline at its end.
func (d Document) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing an IAM policy: %w", err)
	}
	return append(text, '\n'), nil
}

// Size counts the characters of a document as IAM does: without white space.
func (d Document) Size() (int, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return 0, fmt.Errorf("measuring an IAM policy: %w", err)
	}
	return len(strings.Join(strings.Fields(string(text)), "")), nil
}
