package bootstrap_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

const nodeLine = `{"fact":"node","schema":1,"instanceType":"p5en.48xlarge","os":"ubuntu","osVersion":"22.04","kernel":"6.8.0","architecture":"x86_64"}`

func TestReadFacts(t *testing.T) {
	log := strings.Join([]string{
		"2026-09-18 05:10:44 cloud-init: something else",
		`{"fact":"node","schema":1,"instanceType":"p4d.24xlarge"}`,
		`{"fact":"plugin","file":"/of/an/earlier/run","gin":[]}`,
		nodeLine,
		`  {"fact":"gpu","pci":8,"smi":null,"error":"NVML","driver":null,"cuda":"13.0","toolkit":"12.8"}`,
		`{"fact":"plugin","file":"/a.so","gin":["ncclGinPlugin_v14"]}`,
		`{"fact":"plugin","file":"/b.so","gin":[]}`,
		`{"fact":"later","kind":"of a newer schema 1"}`,
		`{"fact":"gdrcopy","package":null,"module":"2.5","device":true,"peermem":[]}`,
		"weft: nodecheck: the node is what the plan expects",
	}, "\n")
	f, err := bootstrap.ReadFacts(strings.NewReader(log))
	require.NoError(t, err)
	require.Equal(t, "p5en.48xlarge", f.Node.InstanceType)
	require.Equal(t, 8, *f.GPU.PCI)
	require.Nil(t, f.GPU.SMI, "null is not zero")
	require.Len(t, f.Plugins, 2, "the last run counts")
	require.Equal(t, map[catalog.Component]string{catalog.Kernel: "6.8.0", catalog.CUDA: "12.8", catalog.GDRCopy: "2.5"}, f.Installed())
}

// TestCUDAThatADriverSupportsIsNotInstalled: a node without a toolkit meets no floor of CUDA.
func TestCUDAThatADriverSupportsIsNotInstalled(t *testing.T) {
	f, err := bootstrap.ReadFacts(strings.NewReader(nodeLine + "\n" + `{"fact":"gpu","pci":8,"cuda":"13.0","toolkit":null}`))
	require.NoError(t, err)
	require.Equal(t, "13.0", f.GPU.CUDA)
	require.NotContains(t, f.Installed(), catalog.CUDA)
}

func TestReadFactsRefuses(t *testing.T) {
	tests := map[string]struct{ log, says string }{
		"nothing":          {"", "no facts"},
		"no facts":         {"weft: gdrcopy: no NVIDIA GPU, nothing to do\n", "no facts"},
		"cut off":          {nodeLine + "\n" + `{"fact":"gpu","pci":`, "line 2: reading a fact"},
		"other schema":     {`{"fact":"node","schema":2}`, "facts of schema 2, this program reads schema 1"},
		"without the node": {`{"fact":"gpu","pci":8}`, "facts of schema 0"},
		"other types":      {nodeLine + "\n" + `{"fact":"gpu","pci":"eight"}`, "line 2: reading fact gpu"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := bootstrap.ReadFacts(strings.NewReader(tt.log))
			require.ErrorContains(t, err, tt.says)
		})
	}
	_, err := bootstrap.ReadFacts(iotest.ErrReader(bytes.ErrTooLarge))
	require.ErrorIs(t, err, bytes.ErrTooLarge)
}

func FuzzReadFacts(f *testing.F) {
	f.Add([]byte(nodeLine + "\n" + `{"fact":"efa","devices":16,"rdma":16}`))
	f.Add([]byte(`{"fact":"node","schema":1}` + "\n" + `{"fact":null}`))
	f.Fuzz(func(t *testing.T, log []byte) {
		facts, err := bootstrap.ReadFacts(bytes.NewReader(log))
		if err != nil {
			return
		}
		require.Equal(t, bootstrap.Schema, facts.Node.Schema)
		_, err = json.Marshal(facts)
		require.NoError(t, err)
	})
}

func TestReadFindings(t *testing.T) {
	log := strings.Join([]string{
		"Jan 1 cloud-init[1]: weft: FAIL node/efa-count got 7 EFA devices want 8 do look at the launch template",
		"weft: WARN ver/floor got kernel 5.15 want 6.1 or later (p6-b200) do install kernel 6.1",
		"weft: gdrcopy: gdrcopy_sanity passed",
		"weft: FAIL",
		"weft: FAIL node/efa-count got 7 EFA devices want 8 do look at the launch template", // on stderr again
	}, "\n")
	got, err := bootstrap.ReadFindings("boot.log", strings.NewReader(log))
	require.NoError(t, err)
	diagtest.Complete(t, got)
	diagtest.Equal(t, diag.List{
		{Rule: diag.NodeEFACount, Place: diag.Place{File: "boot.log", Line: 1}, Got: "7 EFA devices", Want: "8", Hint: "look at the launch template"},
		{Rule: diag.VerFloor, Level: diag.Warn, Place: diag.Place{File: "boot.log", Line: 2}, Got: "kernel 5.15", Want: "6.1 or later (p6-b200)", Hint: "install kernel 6.1"},
	}, got)

	_, err = bootstrap.ReadFindings("boot.log", iotest.ErrReader(bytes.ErrTooLarge))
	require.ErrorIs(t, err, bytes.ErrTooLarge)
}
