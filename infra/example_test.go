package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every example lives through all operations: made, unchanged, read back, changed, destroyed.
func TestLifeOfEveryExample(t *testing.T) {
	t.Parallel()
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := example(t, name)
			d := deploy(t, text, nil)

			preview := d.Preview()
			require.NoError(t, preview.Err, steps(preview))
			require.Zero(t, d.made().Len(), "a preview makes nothing")
			up := d.Up()
			require.NoError(t, up.Err, steps(up))
			require.NotZero(t, d.made().Len())
			before := count(d.made())

			again := d.Up()
			require.NoError(t, again.Err)
			require.True(t, again.Unchanged(), steps(again))
			require.Equal(t, up.Outputs(), again.Outputs())
			refresh := d.Refresh()
			require.NoError(t, refresh.Err)
			require.Zero(t, refresh.Count("update")+refresh.Count("delete"), steps(refresh))

			d.configure(tagged(text))
			change := d.Up()
			require.NoError(t, change.Err, steps(change))
			require.NotZero(t, change.Count("update"), steps(change))
			require.Zero(t, change.Count("create")+change.Count("replace")+change.Count("delete"), steps(change))
			require.Equal(t, before, count(d.made()))

			destroy := d.Destroy()
			require.NoError(t, destroy.Err, steps(destroy))
			require.Empty(t, count(d.made()), "no example keeps anything")
		})
	}
}

// tagged gives a config one tag more.
func tagged(text string) string {
	const tag = "\n  owner: ml-infra\n"
	if before, after, found := strings.Cut(text, "\ntags:"); found {
		return before + "\ntags:" + strings.TrimSuffix(tag, "\n") + after
	}
	return text + "\ntags:" + tag
}
