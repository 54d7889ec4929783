package standin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/awsschema"
)

// Finding is an input that the provider does not take.
type Finding struct {
	// Property is its place, such as "ingress[0].fromPort"; empty when it is about the whole.
	Property string
	// Reason says what is wrong with it.
	Reason string
}

// Proposal is a resource as the program describes it.
type Proposal struct {
	URN                  urn.URN
	NewInputs, OldInputs property.Map
	// Seed is what made-up names are drawn from.
	Seed []byte
}

// Check judges inputs against the schema and completes them: a resource that has a name gets one. A resource that
// exists keeps the name that it got.
func (s *StandIn) Check(ctx context.Context, p Proposal) (inputs property.Map, findings []Finding, err error) {
	defer func() { s.logCall(Call{Op: opCheck, Type: string(p.URN.Type()), Name: p.URN.Name()}, err) }()
	if err := s.fail(ctx, opCheck, p.URN, false); err != nil {
		return property.Map{}, nil, err
	}
	inputs = withoutNulls(p.NewInputs)
	if s.schema != nil {
		object, ok := s.schema.Resources[string(p.URN.Type())]
		if !ok {
			reason := fmt.Sprintf("version %s of the AWS SDK has no resource %s", s.schema.Version, p.URN.Type())
			return inputs, []Finding{{Reason: reason}}, nil
		}
		findings = s.judge("", object.Inputs, inputs)
	}
	inputs, err = s.named(p, inputs)
	return inputs, findings, err
}

// named gives the resource a name, when its type has one and the program gives none.
func (s *StandIn) named(p Proposal, inputs property.Map) (property.Map, error) {
	nameOf := s.data.Types[string(p.URN.Type())].Name
	if _, given := inputs.GetOk(nameOf); nameOf == "" || given {
		return inputs, nil
	}
	if old, ok := p.OldInputs.GetOk(nameOf); ok {
		return inputs.Set(nameOf, old), nil
	}
	prefix := p.URN.Name() + "-"
	if given := inputs.Get(nameOf + "Prefix"); given.IsString() {
		prefix = given.AsString()
	}
	name, err := resource.NewUniqueName(p.Seed, prefix, suffixDigits, 0, nil)
	if err != nil {
		return inputs, fmt.Errorf("naming %s: %w", p.URN.Name(), err)
	}
	return inputs.Set(nameOf, property.New(name)), nil
}

// suffixDigits is how many hex digits the provider puts behind a made-up name.
const suffixDigits = 7

// judge compares an object with the properties that its type has.
func (s *StandIn) judge(at string, known awsschema.Properties, given property.Map) []Finding {
	var findings []Finding
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if given.Get(name).IsNull() && known[name].Required {
			findings = append(findings, Finding{at + name, "is required and missing"})
		}
	}
	for name, v := range given.AllStable {
		p, ok := known[name]
		if !ok {
			findings = append(findings, Finding{at + name, unknownProperty(name, known)})
			continue
		}
		findings = append(findings, s.judgeValue(at+name, p.Type, v)...)
	}
	return findings
}

func (s *StandIn) judgeValue(at string, typ awsschema.Type, v property.Value) []Finding {
	if v.IsComputed() || v.IsNull() || typ == "any" {
		return nil
	}
	if !fits(typ, v) {
		return []Finding{{at, fmt.Sprintf("is %s, want %s", kind(v), typ)}}
	}
	var findings []Finding
	if elem, ok := typ.List(); ok {
		for i, item := range v.AsArray().All {
			findings = append(findings, s.judgeValue(fmt.Sprintf("%s[%d]", at, i), elem, item)...)
		}
		return findings
	}
	if elem, ok := typ.Map(); ok {
		for name, item := range v.AsMap().AllStable {
			findings = append(findings, s.judgeValue(at+"."+name, elem, item)...)
		}
		return findings
	}
	if nested, ok := s.schema.Types[string(typ)]; ok {
		return s.judge(at+".", nested, v.AsMap())
	}
	return nil
}

// fits tells whether a value has the form of a type.
func fits(typ awsschema.Type, v property.Value) bool {
	if _, ok := typ.List(); ok {
		return v.IsArray()
	}
	switch typ {
	case "string":
		return v.IsString()
	case "bool":
		return v.IsBool()
	case "int":
		return v.IsNumber() && v.AsNumber() == float64(int64(v.AsNumber()))
	case "number":
		return v.IsNumber()
	case "asset", "archive":
		return v.IsAsset() || v.IsArchive()
	}
	return v.IsMap() // a map, or a nested object
}

func kind(v property.Value) string {
	switch {
	case v.IsString():
		return fmt.Sprintf("the text %q", v.AsString())
	case v.IsNumber():
		return fmt.Sprintf("the number %v", v.AsNumber())
	case v.IsBool():
		return fmt.Sprintf("%v", v.AsBool())
	case v.IsArray():
		return "a list"
	case v.IsMap():
		return "an object"
	}
	return "something else"
}

func unknownProperty(name string, known awsschema.Properties) string {
	nearest, best := "", 0.0
	for _, candidate := range slices.Sorted(maps.Keys(known)) {
		if m := levenshtein.Match(strings.ToLower(name), strings.ToLower(candidate), nil); m > best {
			nearest, best = candidate, m
		}
	}
	if nearest == "" {
		return "there is no such property"
	}
	return fmt.Sprintf("there is no such property; did you mean %s?", nearest)
}

func withoutNulls(props property.Map) property.Map {
	out := props
	for name, v := range props.All {
		if v.IsNull() {
			out = out.Delete(name)
		}
	}
	return out
}

// Replaces tells which inputs replace a resource of a type when they change.
func (s *StandIn) Replaces(typ string) []string { return s.data.Types[typ].Replace }

// Pinned tells whether a resource keeps its name when it is replaced, because the program gives the name: then the old
// one must go before the new one comes.
func (s *StandIn) Pinned(u urn.URN, oldInputs, newInputs property.Map) bool {
	nameOf := s.data.Types[string(u.Type())].Name
	was, is := oldInputs.Get(nameOf), newInputs.Get(nameOf)
	if nameOf == "" || !is.IsString() || !was.Equals(is) {
		return false
	}
	suffix, madeUp := strings.CutPrefix(is.AsString(), u.Name()+"-")
	return !madeUp || len(suffix) != suffixDigits || strings.Trim(suffix, "0123456789abcdef") != ""
}
