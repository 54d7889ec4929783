package configschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// refiner adds to a reflected schema what the types' tags and defaults say.
type refiner struct {
	definitions jsonschema.Definitions
	complete    func(reflect.Type, *jsonschema.Schema)
	done        map[reflect.Type]struct{}
}

// refine completes the schema of a struct type, and those of all types below it.
func (r *refiner) refine(t reflect.Type, s *jsonschema.Schema) error {
	if r.done == nil {
		r.done = map[reflect.Type]struct{}{}
	}
	if _, ok := r.done[t]; ok {
		return nil
	}
	r.done[t] = struct{}{}
	if s == nil {
		return fmt.Errorf("no definition of %s", t.Name())
	}
	fields, err := tag.Fields(t)
	if err != nil {
		return err
	}
	standard := reflect.New(t)
	config.SetDefaults(standard.Interface())
	for _, f := range fields {
		property, ok := s.Properties.Get(f.Name)
		if !ok {
			return fmt.Errorf("no property %s of %s", f.Name, t.Name())
		}
		if err := r.property(t.Field(f.Index).Type, property, f.Rules); err != nil {
			return fmt.Errorf("%s of %s: %w", f.Name, t.Name(), err)
		}
		// In the comments a key has its Go name.
		if rest, ok := strings.CutPrefix(property.Description, t.Field(f.Index).Name+" "); ok {
			property.Description = f.Name + " " + rest
		}
		if f.Rules.Example != "" {
			property.Examples = []any{f.Rules.Example}
		}
		setDefault(property, standard.Elem().Field(f.Index))
		if f.Rules.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	r.complete(t, s)
	return nil
}

func (r *refiner) property(t reflect.Type, s *jsonschema.Schema, rules tag.Rules) error {
	switch t.Kind() {
	case reflect.Pointer:
		return r.property(t.Elem(), s, rules)
	case reflect.Struct:
		return r.refine(t, r.definitions[t.Name()])
	case reflect.Slice:
		if rules.Required {
			s.MinItems = pointer(1)
		}
		s.UniqueItems = len(rules.OneOf) > 0 || rules.ID != ""
		return r.property(t.Elem(), s.Items, rules)
	case reflect.Map:
		return r.table(t, s, rules)
	case reflect.String:
		return text(s, rules)
	default:
		number(s, rules)
		return nil
	}
}

// table completes a mapping with keys of the user's own. Whole numbers are taken as the text that they are.
func (r *refiner) table(t reflect.Type, s *jsonschema.Schema, rules tag.Rules) error {
	if t.Key() == reflect.TypeFor[diag.ID]() {
		s.PropertyNames = &jsonschema.Schema{}
		for _, rule := range diag.Rules() {
			s.PropertyNames.Enum = append(s.PropertyNames.Enum, rule.ID)
		}
	}
	if t.Elem().Kind() != reflect.String {
		return r.property(t.Elem(), s.AdditionalProperties, rules)
	}
	value := &jsonschema.Schema{Type: "string"}
	if err := text(value, rules); err != nil {
		return err
	}
	s.AdditionalProperties = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{value, {Type: "integer"}}}
	return nil
}

func text(s *jsonschema.Schema, rules tag.Rules) error {
	switch {
	case len(rules.OneOf) > 0:
		for _, word := range rules.OneOf {
			s.Enum = append(s.Enum, word)
		}
	case rules.ID != "":
		pattern, _, err := tag.Pattern(rules.ID)
		if err != nil {
			return err
		}
		s.Pattern = pattern
	case rules.Time:
		s.Format = "date-time"
	case rules.Decimal:
		s.Type = ""
		s.AnyOf = []*jsonschema.Schema{{Type: "string", Pattern: tag.DecimalPattern}, {Type: "number", Minimum: "0"}}
	case !rules.Free:
		s.MinLength = pointer(1)
	}
	return nil
}

func number(s *jsonschema.Schema, rules tag.Rules) {
	for _, word := range rules.OneOf {
		s.Enum = append(s.Enum, json.Number(word))
	}
	if rules.Min != nil {
		s.Minimum = bound(*rules.Min)
	}
	if rules.Max != nil {
		s.Maximum = bound(*rules.Max)
	}
}

func bound(f float64) json.Number { return json.Number(strconv.FormatFloat(f, 'f', -1, 64)) }

// setDefault states a default. Zero values are what a key that is left out means anyway.
func setDefault(s *jsonschema.Schema, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct, reflect.Pointer:
	default:
		if !v.IsZero() {
			s.Default = v.Interface()
		}
	}
}

func pointer(n uint64) *uint64 { return &n }
