package componenttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/internal/golden"
)

// Mode is the operation that a recording plays.
type Mode int

// The modes. In an update every output has a value; in a preview only what the program itself gave has one.
const (
	Update Mode = iota
	Preview
)

// String gives update or preview.
func (m Mode) String() string {
	if m == Preview {
		return "preview"
	}
	return "update"
}

const (
	project = "weft"
	stack   = "test"
)

// Option changes how the mocks answer.
type Option func(*mocks)

// Outputs gives the resources of a type further output properties in update mode, beside their inputs. The
// function is called once for each resource and may look at its inputs.
func Outputs(typeToken string, outputs func(Registration) map[string]any) Option {
	return func(m *mocks) { m.outputs[typeToken] = outputs }
}

// Answer gives the result of a data source or other invoke. Without an answer the program fails and the error
// names the token and its arguments.
func Answer(token string, answer func(args map[string]any) map[string]any) Option {
	return func(m *mocks) { m.answers[token] = answer }
}

// Record runs a program and gives its registrations, sorted by URN. An error of the program fails the test.
func Record(t testing.TB, program pulumi.RunFunc, mode Mode, opts ...Option) []Registration {
	t.Helper()
	regs, err := Try(program, mode, opts...)
	require.NoError(t, err)
	return regs
}

// Try is Record for programs that may fail: it gives what was registered before the error.
func Try(program pulumi.RunFunc, mode Mode, opts ...Option) ([]Registration, error) {
	m := &mocks{mode: mode, outputs: map[string]func(Registration) map[string]any{}, answers: map[string]func(map[string]any) map[string]any{}}
	for _, o := range opts {
		o(m)
	}
	err := pulumi.RunErr(program, pulumi.WithMocks(project, stack, m), func(info *pulumi.RunInfo) {
		info.DryRun = mode == Preview
	})
	m.mutex.Lock()
	defer m.mutex.Unlock()
	slices.SortStableFunc(m.recorded, func(a, b Registration) int { return strings.Compare(a.URN, b.URN) })
	return m.recorded, err
}

// Golden compares registrations with testdata/<name>.json.
func Golden(t testing.TB, name string, regs []Registration) {
	t.Helper()
	text, err := json.MarshalIndent(regs, "", "  ")
	require.NoError(t, err)
	// The characters that JSON escapes for HTML's sake are ordinary here: <unknown>, a && b.
	readable := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
	golden.Check(t, "testdata/"+name+".json", []byte(readable+"\n"))
}

// mocks answers for the engine. Registrations come concurrently.
type mocks struct {
	mode    Mode
	outputs map[string]func(Registration) map[string]any
	answers map[string]func(map[string]any) map[string]any

	mutex    sync.Mutex
	recorded []Registration
}

// NewResource implements pulumi.MockResourceMonitor. The id of a new resource is its name and "-id".
func (m *mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	r, err := registration(args)
	if err != nil {
		return "", nil, err
	}
	m.mutex.Lock()
	m.recorded = append(m.recorded, r)
	m.mutex.Unlock()

	id, state := args.ID, args.Inputs.Copy()
	if id == "" && args.Custom && m.mode == Update {
		id = args.Name + "-id"
	}
	if outputs, ok := m.outputs[args.TypeToken]; ok && m.mode == Update {
		for key, value := range outputs(r) {
			state[resource.PropertyKey(key)] = resource.NewPropertyValue(value)
		}
	}
	return id, state, nil
}

// Call implements pulumi.MockResourceMonitor.
func (m *mocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	answer, ok := m.answers[args.Token]
	if !ok {
		return nil, fmt.Errorf("the test has no answer for %s with %v", args.Token, plainMap(args.Args))
	}
	return resource.NewPropertyMapFromMap(answer(plainMap(args.Args))), nil
}

func registration(args pulumi.MockResourceArgs) (Registration, error) {
	r := Registration{Type: args.TypeToken, Name: args.Name, Custom: args.Custom, ID: args.ID}
	object := args.RegisterRPC.GetObject()
	if args.ReadRPC != nil {
		r.Read, r.Custom = true, true
		r.Parent, object = args.ReadRPC.GetParent(), args.ReadRPC.GetProperties()
	} else {
		r.Parent, r.Options = args.RegisterRPC.GetParent(), options(args.RegisterRPC)
	}
	parentType := tokens.Type("")
	if parent := resource.URN(r.Parent); r.Parent != "" && parent.QualifiedType() != resource.RootStackType {
		parentType = parent.QualifiedType()
	} else {
		r.Parent = ""
	}
	r.URN = string(resource.NewURN(stack, project, parentType, tokens.Type(args.TypeToken), args.Name))
	var err error
	r.Inputs, err = plain(object)
	return r, err
}
