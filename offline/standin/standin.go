package standin

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/awsschema"
)

// Version is the version of the provider that the stand-in takes the place of. The SDK asks the engine for it.
const Version = "6.83.4"

// The operations, as faults, refusals and the call log name them.
const (
	opCheck  = "check"
	opCreate = "create"
	opRead   = "read"
	opUpdate = "update"
	opDelete = "delete"
	opInvoke = "invoke"
)

// Options make a stand-in. All of them may be left out.
type Options struct {
	// Schema is what inputs are checked against; without it they are not.
	Schema *awsschema.Schema
	// Store keeps what is created; without it, it is gone with the stand-in.
	Store Store
	// Data says what to answer and where to fail.
	Data Data
	// Cards gives the network cards of an instance type; without it, the catalogue does. Launch templates of types that
	// it does not know are not judged against the hardware.
	Cards func(instanceType string) (cards []Card, ok bool)
	// Log gets every call, when it has ended.
	Log func(Call)
	// Die ends the process when a fault says so. Without it such a fault is an error.
	Die func()
}

// Call is one line of the call log.
type Call struct {
	Op string `json:"op"`
	// Type is the type token, or the token of the data source.
	Type    string `json:"type"`
	Name    string `json:"name,omitempty"`
	ID      string `json:"id,omitempty"`
	Preview bool   `json:"preview,omitempty"`
	Error   string `json:"error,omitempty"`
}

// StandIn is an AWS provider without AWS. It is safe for use by several goroutines.
type StandIn struct {
	schema      *awsschema.Schema
	store       Store
	data        Data
	cards       func(string) ([]Card, bool)
	log         func(Call)
	die         func()
	defaultTags map[string]property.Value
}

// New makes a stand-in.
func New(o Options) (*StandIn, error) {
	s := &StandIn{schema: o.Schema, store: o.Store, data: o.Data.complete(), cards: o.Cards, log: o.Log, die: o.Die}
	if s.store == nil {
		s.store = NewMemory()
	}
	if s.cards == nil {
		s.cards = CatalogCards
	}
	if s.log == nil {
		s.log = func(Call) {}
	}
	return s, nil
}

// Store gives the store, for a look at what exists.
func (s *StandIn) Store() Store { return s.store }

// Configured returns a stand-in with the provider's configuration: its region and its default tags count.
func (s *StandIn) Configured(config property.Map) (*StandIn, error) {
	next := *s
	if region := config.Get("region"); region.IsString() {
		next.data.Region = region.AsString()
	}
	tags, err := defaultTags(config.Get("defaultTags"))
	if err != nil {
		return nil, err
	}
	next.defaultTags = tags
	return &next, nil
}

// defaultTags reads the tags for all resources. The engine gives nested configuration as JSON text.
func defaultTags(config property.Value) (map[string]property.Value, error) {
	if config.IsMap() {
		return asMap(config.AsMap().Get("tags")), nil
	}
	if !config.IsString() {
		return nil, nil
	}
	var given struct {
		Tags map[string]string `json:"tags"`
	}
	if err := json.Unmarshal([]byte(config.AsString()), &given); err != nil {
		return nil, fmt.Errorf("reading defaultTags of the provider: %w", err)
	}
	tags := map[string]property.Value{}
	for name, value := range given.Tags {
		tags[name] = property.New(value)
	}
	return tags, nil
}

// Create makes a resource. The id is drawn from the URN, so that it is the same in every run.
func (s *StandIn) Create(ctx context.Context, u urn.URN, inputs property.Map) (id string, outputs property.Map, err error) {
	defer func() { s.logCall(Call{Op: opCreate, Type: string(u.Type()), Name: u.Name(), ID: id}, err) }()
	if err := s.fail(ctx, opCreate, u, false); err != nil {
		return "", property.Map{}, err
	}
	inputs = Plain(inputs)
	err = s.store.Change(func(w *World) error {
		if err := s.refuse(Request{Op: opCreate, Type: string(u.Type()), Inputs: encode(inputs), World: w}); err != nil {
			return err
		}
		m := s.born(w, u, inputs)
		id, outputs = m.id, s.outputs(m)
		w.Put(string(u.Type()), id, Resource{URN: string(u), Inputs: encode(inputs), Outputs: encode(outputs)})
		return nil
	})
	if err != nil {
		return "", property.Map{}, err
	}
	return id, outputs, s.fail(ctx, opCreate, u, true)
}

// PreviewCreate gives the outputs of a resource that is to be created. What the account will make up is unknown.
func (s *StandIn) PreviewCreate(u urn.URN, inputs property.Map) property.Map {
	s.logCall(Call{Op: opCreate, Type: string(u.Type()), Name: u.Name(), Preview: true}, nil)
	return s.outputs(maker{data: s.data, urn: u, inputs: Plain(inputs), preview: true})
}

// born finds the id of a new resource: the first of those that its URN gives that is free. A name that is the id has no
// second one.
func (s *StandIn) born(w *World, u urn.URN, inputs property.Map) maker {
	m := maker{data: s.data, urn: u, inputs: inputs}
	for {
		id := m.newID()
		_, taken := w.Get(string(u.Type()), id)
		if !taken || id == m.id {
			m.id = id
			return m
		}
		m.id = id
		m.generation++
	}
}

// Read gives what exists under an id. When there is nothing, or something of another type, found is false.
func (s *StandIn) Read(ctx context.Context, u urn.URN, id string) (inputs, outputs property.Map, found bool, err error) {
	defer func() { s.logCall(Call{Op: opRead, Type: string(u.Type()), Name: u.Name(), ID: id}, err) }()
	if err := s.fail(ctx, opRead, u, false); err != nil {
		return property.Map{}, property.Map{}, false, err
	}
	w, err := s.store.View()
	if err != nil {
		return property.Map{}, property.Map{}, false, err
	}
	r, ok := w.Get(string(u.Type()), id)
	if !ok {
		return property.Map{}, property.Map{}, false, nil
	}
	if inputs, err = r.Inputs.decode(); err != nil {
		return property.Map{}, property.Map{}, false, err
	}
	if outputs, err = r.Outputs.decode(); err != nil {
		return property.Map{}, property.Map{}, false, err
	}
	return inputs, outputs, true, nil
}

// Change is a resource that is to be changed.
type Change struct {
	URN                  urn.URN
	ID                   string
	OldInputs, NewInputs property.Map
	OldOutputs           property.Map
	Preview              bool
}

// Update changes a resource, or says in a preview what its outputs will be.
func (s *StandIn) Update(ctx context.Context, c Change) (outputs property.Map, err error) {
	typ := string(c.URN.Type())
	defer func() {
		s.logCall(Call{Op: opUpdate, Type: typ, Name: c.URN.Name(), ID: c.ID, Preview: c.Preview}, err)
	}()
	c.OldInputs, c.NewInputs, c.OldOutputs = Plain(c.OldInputs), Plain(c.NewInputs), Plain(c.OldOutputs)
	if c.Preview {
		return s.updated(c), nil
	}
	if err := s.fail(ctx, opUpdate, c.URN, false); err != nil {
		return property.Map{}, err
	}
	err = s.store.Change(func(w *World) error {
		old, ok := w.Get(typ, c.ID)
		if !ok {
			return s.missing(opUpdate, typ, c.ID)
		}
		request := Request{Op: opUpdate, Type: typ, ID: c.ID, Inputs: encode(c.NewInputs), World: w}
		if err := s.refuse(request); err != nil {
			return err
		}
		outputs = s.updated(c)
		w.Put(typ, c.ID, Resource{URN: old.URN, Inputs: request.Inputs, Outputs: encode(outputs)})
		return nil
	})
	if err != nil {
		return property.Map{}, err
	}
	return outputs, s.fail(ctx, opUpdate, c.URN, true)
}

// Delete removes a resource.
func (s *StandIn) Delete(ctx context.Context, u urn.URN, id string) (err error) {
	typ := string(u.Type())
	defer func() { s.logCall(Call{Op: opDelete, Type: typ, Name: u.Name(), ID: id}, err) }()
	if err := s.fail(ctx, opDelete, u, false); err != nil {
		return err
	}
	err = s.store.Change(func(w *World) error {
		r, _ := w.Get(typ, id)
		if err := s.refuse(Request{Op: opDelete, Type: typ, ID: id, Inputs: r.Inputs, World: w}); err != nil {
			return err
		}
		w.Remove(typ, id)
		return nil
	})
	if err != nil {
		return err
	}
	return s.fail(ctx, opDelete, u, true)
}

func (s *StandIn) logCall(c Call, err error) {
	if err != nil {
		c.Error = err.Error()
	}
	s.log(c)
}
