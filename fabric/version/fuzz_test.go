package version_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/version"
)

// unreadable seeds the fuzzers with strings that must stay errors.
var unreadable = []string{"", "latest", "118.x", "1.22+", "1.16.0~", "30000", "1.9223372036854775808", "1.2.3b", "\xff1", "1-0rc", "1.2.3-1-aws-1rc1"}

func FuzzParse(f *testing.F) {
	for _, ladder := range ladders {
		for _, step := range ladder {
			for _, s := range step {
				f.Add(s)
			}
		}
	}
	for _, s := range unreadable {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := version.Parse(s)
		if err != nil {
			require.ErrorIs(t, err, version.ErrUnreadable)
			require.True(t, v.IsZero())
			return
		}
		require.Equal(t, strings.TrimSpace(s), v.String())
		require.True(t, strings.ContainsAny(s, "0123456789"))
		require.True(t, v.AtLeast(v))

		var again version.Version
		require.NoError(t, again.UnmarshalText([]byte(v.String())))
		require.Equal(t, v, again)
		require.Zero(t, v.Compare(version.MustParse(strings.ToUpper(v.String()))), "case has no meaning")
	})
}

func FuzzCompare(f *testing.F) {
	for _, ladder := range ladders {
		for i := range ladder[2:] {
			f.Add(ladder[i][0], ladder[i+1][0], ladder[i+2][0])
		}
	}
	for i, s := range unreadable[1:] {
		f.Add(s, unreadable[i], "1.0")
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		va, errA := version.Parse(a)
		vb, errB := version.Parse(b)
		vc, errC := version.Parse(c)
		ab, err := version.Compare(a, b)
		require.Equal(t, errA != nil || errB != nil, err != nil, "unreadable is an error, never a relation")
		require.Equal(t, -vb.Compare(va), va.Compare(vb), "antisymmetric")
		if err != nil {
			return
		}
		require.Equal(t, ab, va.Compare(vb))
		if errC == nil && ab <= 0 && vb.Compare(vc) <= 0 {
			require.LessOrEqual(t, va.Compare(vc), 0, "transitive")
		}
	})
}
