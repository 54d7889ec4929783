package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weft": main})
}

// Every verb as a user types it. Scripts find the repository's examples under $EXAMPLES,
// the situations that the topology is tried on under $TOPOLOGY, and an EC2 with a made-up market at $EC2.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	topologies, err := filepath.Abs("../../fabric/topology/testdata")
	require.NoError(t, err)
	_, server := newWire(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("EC2", server.URL)
			e.Setenv("TOPOLOGY", topologies)
			return nil
		},
	})
}
