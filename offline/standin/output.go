package standin

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/awsschema"
)

// outputs makes what the account knows of a new resource: what was asked for and, in this order, what the data answers
// for this very resource, what its type says, and something of the right type for what remains in the schema.
func (s *StandIn) outputs(m maker) property.Map {
	out := m.inputs.AsMap()
	given := maps.Clone(out)
	typ := s.data.Types[string(m.urn.Type())]
	for name, template := range typ.Outputs {
		switch _, ok := given[name]; {
		case ok:
		case m.preview && s.madeUpByAccount(m, name):
			out[name] = property.New(property.Computed)
		default:
			out[name] = m.value(name, template)
		}
	}
	s.rest(m, out)
	s.tags(m, out)
	s.answers(m, out)
	return property.NewMap(out)
}

// madeUpByAccount tells whether an output that was not given is known only when the resource exists. The others are
// inputs with a default, which the provider knows beforehand.
func (s *StandIn) madeUpByAccount(m maker, name string) bool {
	if s.schema == nil {
		return true
	}
	object := s.schema.Resources[string(m.urn.Type())]
	_, input := object.Inputs[name]
	return !input || object.Outputs[name].Required
}

// updated gives the outputs of a changed resource: the old ones, without the inputs that were taken back, and what an
// update makes new.
func (s *StandIn) updated(c Change) property.Map {
	out := c.OldOutputs.AsMap()
	for name := range c.OldInputs.All {
		delete(out, name)
	}
	maps.Copy(out, c.NewInputs.AsMap())
	m := maker{data: s.data, urn: c.URN, inputs: c.NewInputs, id: c.ID, preview: c.Preview, generation: 1}
	for name, template := range s.data.Types[string(c.URN.Type())].Changes {
		if template == "+1" {
			out[name] = next(c.OldOutputs.Get(name), c.Preview)
			continue
		}
		out[name] = m.value(name, template)
	}
	s.tags(m, out)
	s.answers(m, out)
	return property.NewMap(out)
}

func next(old property.Value, preview bool) property.Value {
	if preview || !old.IsNumber() {
		return property.New(property.Computed)
	}
	return property.New(old.AsNumber() + 1)
}

// rest fills what neither the program nor the type's data gives.
func (s *StandIn) rest(m maker, out map[string]property.Value) {
	if s.schema == nil {
		return
	}
	object := s.schema.Resources[string(m.urn.Type())]
	for name, p := range object.Outputs {
		if _, done := out[name]; done {
			continue
		}
		// An input that was not given and need not have a value has none.
		if _, input := object.Inputs[name]; input && !p.Required {
			continue
		}
		if v := m.madeUp(name, p.Type); !v.IsNull() {
			out[name] = v
		}
	}
}

// madeUp gives a value of the right type. Nested objects are left out.
func (m maker) madeUp(name string, typ awsschema.Type) property.Value {
	_, isList := typ.List()
	_, isMap := typ.Map()
	switch {
	case name == "tagsAll":
		return property.New(property.Null)
	case m.preview:
		return property.New(property.Computed)
	case isList:
		return property.New([]property.Value{})
	case isMap:
		return property.New(map[string]property.Value{})
	case typ == "bool":
		return property.New(false)
	case typ == "int" || typ == "number":
		return property.New(0.0)
	case typ == "string" && name == "arn":
		service, _, _ := strings.Cut(strings.TrimPrefix(string(m.urn.Type()), "aws:"), "/")
		kind := strings.ToLower(m.urn.Type().Name().String())
		return m.text(name, "arn:{partition}:"+service+":{region}:{account}:"+kind+"/{id}")
	case typ == "string":
		return m.text(name, name+"-{hex:8}")
	}
	return property.New(property.Null)
}

// tags fills tagsAll: the provider's default tags, and the resource's own.
func (s *StandIn) tags(m maker, out map[string]property.Value) {
	if s.schema != nil {
		if _, ok := s.schema.Resources[string(m.urn.Type())].Outputs["tagsAll"]; !ok {
			return
		}
	}
	all := maps.Clone(s.defaultTags)
	if all == nil {
		all = map[string]property.Value{}
	}
	maps.Copy(all, asMap(out["tags"]))
	out["tagsAll"] = property.New(all)
}

// answers sets what the data says of this very resource. The outputs of a CloudFormation stack come from its template
// when nothing else is said.
func (s *StandIn) answers(m maker, out map[string]property.Value) {
	if m.urn.Type() == stackType {
		out["outputs"] = m.stackOutputs()
	}
	for _, a := range s.data.Answers {
		if a.Type != string(m.urn.Type()) || (a.Name != "" && a.Name != m.urn.Name()) || !encode(m.inputs).Has(a.When) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(a.Outputs)) {
			out[name] = m.value(name, a.Outputs[name])
		}
	}
}

// newID gives the id of a new resource.
func (m maker) newID() string {
	template := m.data.Types[string(m.urn.Type())].ID
	if template == "" {
		template = strings.ToLower(m.urn.Type().Name().String()) + "-0{hex:16}"
	}
	id := m.text("id", template)
	if !id.IsString() {
		return ""
	}
	return id.AsString()
}
