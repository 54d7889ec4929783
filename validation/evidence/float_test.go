package evidence_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/evidence"
)

func TestFloatGoesThroughJSON(t *testing.T) {
	t.Parallel()
	for text, v := range map[string]float64{`1.5`: 1.5, `"NaN"`: math.NaN(), `"+Inf"`: math.Inf(1), `"-Inf"`: math.Inf(-1)} {
		got, err := json.Marshal(evidence.Float(v))
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		var back evidence.Float
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, math.IsNaN(v), math.IsNaN(float64(back)))
		if !math.IsNaN(v) {
			require.InDelta(t, v, float64(back), 0)
		}
	}
	var f evidence.Float
	require.Error(t, json.Unmarshal([]byte(`"fast"`), &f))
	require.Error(t, json.Unmarshal([]byte(`{}`), &f))
}
