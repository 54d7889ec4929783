package market_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/internal/golden"
)

// The limits as people read them, each with a source and a day.
func TestFacts(t *testing.T) {
	var out strings.Builder
	for _, f := range market.Facts() {
		_, err := time.Parse(time.DateOnly, f.Source.Date)
		require.NoError(t, err, f.Subject)
		require.NotEmpty(t, f.Source.Ref, f.Subject)
		fmt.Fprintf(&out, "%s  %s\n", f.Subject, f.Value)
	}
	golden.Check(t, "testdata/facts.txt", []byte(out.String()))
}
