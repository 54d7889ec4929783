package sweep_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/sweep"
)

// sane holds what every input must give: evidence that JSON can hold, rows of something, findings that are complete.
func sane(t *testing.T, in []byte, found []evidence.Sweep, faults diag.List) {
	t.Helper()
	_, err := json.Marshal(found)
	require.NoError(t, err)
	// Complete takes %! and <nil> for accidents, also where a finding quotes them. A quote leaves a terminal's sequences out, so that %\x1b! is one.
	if !slices.ContainsFunc([]string{"%!", "<nil>", "\x1b"}, func(s string) bool { return bytes.Contains(in, []byte(s)) }) {
		diagtest.Complete(t, faults)
	}
	for _, s := range found {
		for _, r := range s.Rows {
			require.Positive(t, r.Bytes)
			require.GreaterOrEqual(t, r.Count, int64(0))
			require.NotEmpty(t, r.Type)
		}
		require.False(t, s.Complete && s.Wrong == nil)
	}
}

func FuzzText(f *testing.F) {
	for _, name := range samples {
		if text := fixture(f, name); len(text) < 8000 {
			f.Add(text)
		}
	}
	f.Add([]byte(asked + columns + left + message + outside + inside + "\n" + footer))
	f.Add([]byte("[1,0]<stdout>:" + columns + "[1,0]<stdout>:" + left + "[1,1]<stdout>:" + message))
	f.Fuzz(func(t *testing.T, in []byte) {
		found, faults := read("log", bytes.NewReader(in))
		sane(t, in, found, faults)
		again, _ := read("log", bytes.NewReader(in))
		require.Equal(t, len(found), len(again))
		if len(found) > 0 && !sweep.Recognises(in) && !bytes.Contains(in, []byte("\x1b")) {
			rows := slices.ContainsFunc(found, func(s evidence.Sweep) bool { return len(s.Rows) > 0 })
			require.False(t, rows, "rows of a text that is not recognised")
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(file()))
	f.Add([]byte(spreadFile(iterations(2, 3))))
	f.Add([]byte(file(`"alg_bw":1.5`, `"alg_bw":"nan"`)))
	f.Add(fixture(f, "nccl-tests-h200/all_reduce.json"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, faults, err := sweep.ReadJSON("f", bytes.NewReader(in))
		require.NoError(t, err)
		sane(t, in, []evidence.Sweep{got}, faults)
	})
}
