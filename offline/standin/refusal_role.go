package standin

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

const (
	roleType       = "aws:iam/role:Role"
	rolePolicyType = "aws:iam/rolePolicy:RolePolicy"
	attachmentType = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
)

// entityNames are the forms of names in IAM.
var entityNames = map[string]*regexp.Regexp{
	roleType:       regexp.MustCompile(`^[\w+=,.@-]{1,64}$`),
	rolePolicyType: regexp.MustCompile(`^[\w+=,.@-]{1,128}$`),
}

// policyOf names, by type, the property that is a policy; hasPrincipal says whether its statements have a Principal.
var policyOf = map[string]struct {
	property     string
	hasPrincipal bool
}{
	roleType:       {"assumeRolePolicy", true},
	rolePolicyType: {"policy", false},
}

var roleRefusals = []refusal{
	{
		id: "entity-name", ops: []string{opCreate}, types: []string{roleType, rolePolicyType},
		source: "IAM API Reference, CreateRole (64 characters) and PutRolePolicy (128); the code is IAM's own",
		judge: func(r Request, _ *StandIn) *complaint {
			if name := r.Inputs.Text("name"); name != "" && !entityNames[r.Type].MatchString(name) {
				return complain("ValidationError", "Value '%s' failed to satisfy constraint: %s", name, entityNames[r.Type])
			}
			return nil
		},
	},
	{
		id: "policy-document", ops: []string{opCreate, opUpdate}, types: []string{roleType, rolePolicyType},
		source: "IAM User Guide, \"Grammar of the IAM JSON policy language\"; the code is IAM's own. Judged only where the policy is text",
		judge: func(r Request, _ *StandIn) *complaint {
			want := policyOf[r.Type]
			text := r.Inputs.Text(want.property)
			if text == "" {
				return nil
			}
			if reason := badPolicy(text, want.hasPrincipal); reason != "" {
				return complain("MalformedPolicyDocument", "%s", reason)
			}
			return nil
		},
	},
}

// badPolicy says what is wrong with a policy.
func badPolicy(text string, hasPrincipal bool) string {
	var policy struct{ Statement any }
	if err := json.Unmarshal([]byte(text), &policy); err != nil {
		return fmt.Sprintf("This policy contains invalid Json: %v", err)
	}
	statements, ok := policy.Statement.([]any)
	if !ok {
		statements = []any{policy.Statement}
	}
	for _, one := range statements {
		if reason := badStatement(one, hasPrincipal); reason != "" {
			return reason
		}
	}
	if len(statements) == 0 {
		return "Policy document must contain at least one statement."
	}
	return ""
}

func badStatement(one any, hasPrincipal bool) string {
	statement, ok := one.(map[string]any)
	if !ok {
		return "Syntax errors in policy."
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return statement[name] != nil })
	}
	switch {
	case statement["Effect"] != "Allow" && statement["Effect"] != "Deny":
		return "The policy has a statement whose Effect is neither Allow nor Deny."
	case !has("Action", "NotAction"):
		return "Policy statement must contain actions."
	case hasPrincipal && !has("Principal"):
		return "AssumeRolePolicy must contain a principal."
	case hasPrincipal:
		return ""
	case has("Principal"):
		return "Policy document should not specify a principal."
	case !has("Resource", "NotResource"):
		return "Policy statement must contain resources."
	}
	return ""
}
