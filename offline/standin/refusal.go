package standin

import (
	"fmt"
	"slices"
)

// Request is an operation that AWS may refuse.
type Request struct {
	// Op is create, update or delete.
	Op string
	// Type is the type token.
	Type string
	// ID is empty for a create.
	ID string
	// Inputs are what is asked for; for a delete, what was asked for when the thing was made.
	Inputs Document
	// World is what exists.
	World *World
}

// refusal is one reason of AWS to say no.
type refusal struct {
	// id is the name under which data can switch it off.
	id string
	// ops and types say when it is asked; no types: for all of them.
	ops   []string
	types []string
	// source is where AWS states the rule, and what of code and text is AWS's own.
	source string
	// judge gives nil when there is nothing to say.
	judge func(Request, *StandIn) *complaint
}

// complaint is what AWS says.
type complaint struct {
	code    string
	message string
}

func complain(code, format string, args ...any) *complaint {
	return &complaint{code, fmt.Sprintf(format, args...)}
}

// Refusal is the error of an operation that AWS would refuse.
type Refusal struct {
	// ID is the name of the check.
	ID string
	// Code is the error code of the AWS API.
	Code string
	// Message is the text behind it.
	Message string

	doing string // "creating EC2 Subnet"
	call  string // "operation error EC2: CreateSubnet"
}

// Error says it in the form of the real provider.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %s, api error %s: %s", r.doing, r.call, r.Code, r.Message)
}

// refusals are asked in this order. As in AWS, the first that applies is the one that is told.
var refusals = slices.Concat(generalRefusals, networkRefusals, groupRefusals, templateRefusals, documentRefusals, eventRefusals, roleRefusals, deleteRefusals)

// RefusalIDs lists the refusals by the names under which data can switch them off.
func RefusalIDs() []string {
	var ids []string
	for _, r := range refusals {
		ids = append(ids, r.id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// refuse gives the error of the first refusal that applies.
func (s *StandIn) refuse(r Request) error {
	for _, check := range refusals {
		if !slices.Contains(check.ops, r.Op) || (check.types != nil && !slices.Contains(check.types, r.Type)) {
			continue
		}
		if slices.Contains(s.data.Accept, check.id) {
			continue
		}
		if c := check.judge(r, s); c != nil {
			return s.refused(check.id, r.Op, r.Type, c)
		}
	}
	return nil
}

func (s *StandIn) refused(id, op, typ string, c *complaint) error {
	words := s.data.Types[typ].Refuse
	verbs := map[string]struct{ doing, call, own string }{
		opCreate: {"creating", "Create", words.Create},
		opUpdate: {"updating", "Modify", words.Update},
		opDelete: {"deleting", "Delete", words.Delete},
	}
	verb := verbs[op]
	call := verb.own
	if call == "" {
		call = verb.call + or(words.Action, "Resource")
	}
	return &Refusal{
		ID: id, Code: c.code, Message: c.message,
		doing: verb.doing + " " + or(words.Noun, typ),
		call:  "operation error " + or(words.Service, "EC2") + ": " + call,
	}
}

// missing is the refusal to touch a thing that does not exist.
func (s *StandIn) missing(op, typ, id string) error {
	return s.refused("missing", op, typ, s.notFound(typ, id))
}

func (s *StandIn) notFound(typ, id string) *complaint {
	return complain(or(s.data.Types[typ].Refuse.Missing, "ResourceNotFoundException"), "'%s' does not exist", id)
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

var generalRefusals = []refusal{
	{
		id: "missing", ops: []string{opDelete},
		source: "the service's NotFound code. The real provider takes it, on delete, as done; here it fails, so that a " +
			"test sees what vanished behind Pulumi's back (accept: [missing] for the provider's way)",
		judge: func(r Request, s *StandIn) *complaint {
			if _, ok := r.World.Get(r.Type, r.ID); ok {
				return nil
			}
			return s.notFound(r.Type, r.ID)
		},
	},
	{
		id: "name-taken", ops: []string{opCreate},
		source: "names are unique in an account and Region (security groups: in a VPC); the codes are the services' own",
		judge: func(r Request, s *StandIn) *complaint {
			typ := s.data.Types[r.Type]
			if typ.Refuse.Taken == "" || typ.Name == "" {
				return nil
			}
			for _, id := range r.World.IDs(r.Type) {
				other, _ := r.World.Get(r.Type, id)
				if name := r.Inputs.Text(typ.Name); name == other.Inputs.Text(typ.Name) &&
					r.Inputs.Text("vpcId") == other.Inputs.Text("vpcId") {
					return complain(typ.Refuse.Taken, "'%s' already exists", name)
				}
			}
			return nil
		},
	},
	{
		id: "stack-template", ops: []string{opCreate, opUpdate}, types: []string{stackType},
		source: "CloudFormation, \"Template anatomy\": Resources is the one section that must be there; the text is AWS's own",
		judge: func(r Request, _ *StandIn) *complaint {
			if r.Inputs.Text("templateBody") == "" {
				if r.Inputs.Text("templateUrl") == "" {
					return complain("ValidationError", "Either Template URL or Template Body must be specified.")
				}
				return nil
			}
			t, err := parseTemplate(r.Inputs.Text("templateBody"))
			if err != nil {
				return complain("ValidationError", "Template format error: %v", err)
			}
			if len(t.Resources) == 0 {
				return complain("ValidationError", "Template format error: At least one Resources member must be defined.")
			}
			return nil
		},
	},
}
