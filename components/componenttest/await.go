package componenttest

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/stretchr/testify/require"
)

// Await gives the value of an output inside a recorded program, Unknown where it has none in a preview. An
// output that fails fails the test.
func Await(t testing.TB, ctx *pulumi.Context, output pulumi.Output) any {
	t.Helper()
	result, err := internals.UnsafeAwaitOutput(ctx.Context(), output)
	require.NoError(t, err)
	if !result.Known {
		return Unknown
	}
	return result.Value
}
