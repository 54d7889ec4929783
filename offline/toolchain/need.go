package toolchain

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/weft-hpc/weft/offline/awsschema"
)

// Need gives the path of a tool to a test. A tool that is quick to make is made; without one that is not, the test is
// skipped, or fails when CI is true: a skipped test proves nothing.
func Need(t testing.TB, name string) string {
	t.Helper()
	if path, ok := paths.Load(name); ok {
		return path.(string)
	}
	chain, err := New(".", testProgress{t})
	if err != nil {
		t.Fatal(err)
	}
	path, missing, err := need(t, chain, name)
	switch {
	case err != nil:
		t.Fatal(err)
	case missing && os.Getenv("CI") == "true":
		t.Fatalf("%s is not there: run go run ./offline/cmd/prepare %s", name, name)
	case missing:
		t.Skipf("%s is not there: run go run ./offline/cmd/prepare %s", name, name)
	}
	paths.Store(name, path)
	return path
}

func need(t testing.TB, chain *Chain, name string) (path string, missing bool, err error) {
	t.Helper()
	tools, err := Known(t.Context(), chain.Checkout)
	if err != nil {
		return "", false, err
	}
	for _, tool := range tools {
		if tool.Name != name {
			continue
		}
		if tool.Cheap {
			path, err = chain.Make(t.Context(), tool)
			return path, false, err
		}
		path, found, err := chain.Find(t.Context(), tool)
		return path, !found, err
	}
	return "", false, fmt.Errorf("there is no tool %q", name)
}

// testProgress puts the progress into the test's log.
type testProgress struct{ t testing.TB }

func (p testProgress) Begin(tool Tool) Task {
	p.t.Logf("making %s %s, %s when nothing is cached", tool.Name, tool.Version, about(tool.Usual))
	return quiet{}
}

type quiet struct{}

func (quiet) Say(string) {}
func (quiet) End(error)  {}

// AWSSchema gives the schema of the AWS SDK to a test.
func AWSSchema(t testing.TB) *awsschema.Schema {
	t.Helper()
	path := Need(t, Schema)
	load, _ := schemas.LoadOrStore(path, sync.OnceValues(func() (*awsschema.Schema, error) { return awsschema.Load(path) }))
	schema, err := load.(func() (*awsschema.Schema, error))()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// What a test process has found already: looking costs a second, and there are many tests.
var (
	paths   sync.Map // by name, string
	schemas sync.Map // by path, func() (*awsschema.Schema, error)
)
