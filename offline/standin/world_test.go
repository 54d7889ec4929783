package standin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/offline/standin"
)

func stores(t *testing.T) map[string]standin.Store {
	t.Helper()
	return map[string]standin.Store{
		"memory": standin.NewMemory(), "file": standin.NewFile(filepath.Join(t.TempDir(), "world.json")),
	}
}

func TestStores(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			empty, err := store.View()
			require.NoError(t, err)
			require.Zero(t, empty.Len())

			want := standin.Resource{URN: "u", Inputs: standin.Document{"a": 1.0}, Outputs: standin.Document{"a": 1.0, "b": []any{"c"}}}
			require.NoError(t, store.Change(func(w *standin.World) error { w.Put("T", "1", want); return nil }))
			refused := errors.New("refused")
			require.ErrorIs(t, store.Change(func(w *standin.World) error { w.Remove("T", "1"); return refused }), refused)

			w, err := store.View()
			require.NoError(t, err)
			got, ok := w.Get("T", "1")
			require.True(t, ok)
			require.Equal(t, want, got)
			require.Equal(t, []string{"1"}, w.IDs("T"))

			w.Remove("T", "1") // a view is a copy
			w, err = store.View()
			require.NoError(t, err)
			require.Equal(t, 1, w.Len())

			require.NoError(t, store.Change(func(w *standin.World) error { return w.Drift("T", "1", "a", 2) }))
			require.ErrorContains(t, store.Change(func(w *standin.World) error { return w.Drift("T", "2", "a", 2) }), "no T 2")
			w, err = store.View()
			require.NoError(t, err)
			got, _ = w.Get("T", "1")
			require.InDelta(t, 2, got.Inputs["a"], 0)
			require.InDelta(t, 2, got.Outputs["a"], 0)
		})
	}
}

func TestConcurrentChanges(t *testing.T) {
	const writers, each = 4, 25
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			var group sync.WaitGroup
			errs := make([]error, writers)
			for i := range writers {
				group.Go(func() {
					for j := range each {
						errs[i] = errors.Join(errs[i], store.Change(func(w *standin.World) error {
							w.Put("T", fmt.Sprintf("%d-%d", i, j), standin.Resource{})
							return nil
						}))
					}
				})
			}
			group.Wait()
			require.NoError(t, errors.Join(errs...))
			w, err := store.View()
			require.NoError(t, err)
			require.Equal(t, writers*each, w.Len())
		})
	}
}

func TestUnreadableWorld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err := standin.NewFile(path).View()
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, standin.NewFile(path).Change(func(*standin.World) error { return nil }), "not readable")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "{", string(text), "what cannot be read is not overwritten")
}

// Whatever is created, under whatever names: a read gives the same back, ids differ, and all is gone in the end.
func TestCreateReadDelete(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, err := standin.New(standin.Options{})
		require.NoError(r, err)
		ids := map[string]bool{}
		names := rapid.SliceOfN(rapid.StringMatching(`[a-z][a-z0-9-]{0,8}`), 1, 8).Draw(r, "names")
		for _, name := range names {
			inputs := map[string]any{"tags": map[string]any{"Name": name}}
			id, _, err := s.Create(t.Context(), urnOf(vpc, name), props(t, fmt.Sprintf(`{"tags": {"Name": %q}}`, name)))
			require.NoError(r, err)
			require.False(r, ids[id], "the id %s was given twice", id)
			ids[id] = true
			got, _, found, err := s.Read(t.Context(), urnOf(vpc, name), id)
			require.NoError(r, err)
			require.True(r, found)
			require.Equal(r, inputs, plainOf(got))
		}
		for id := range ids {
			require.NoError(r, s.Delete(t.Context(), urnOf(vpc, "any"), id))
		}
		w, err := s.Store().View()
		require.NoError(r, err)
		require.Zero(r, w.Len())
	})
}

func TestDocumentHas(t *testing.T) {
	given := standin.Document{"url": "https://bucket/cluster.yaml", "n": 2.0, "list": []any{"a", 1.0}, "flag": true}
	tests := map[string]struct {
		want standin.Document
		has  bool
	}{
		"nothing":        {nil, true},
		"same":           {standin.Document{"n": uint64(2), "list": []any{"a", 1}}, true},
		"end":            {standin.Document{"url": "*/cluster.yaml"}, true},
		"begin":          {standin.Document{"url": "https://*"}, true},
		"middle":         {standin.Document{"url": "*bucket*"}, true},
		"other end":      {standin.Document{"url": "*/image.yaml"}, false},
		"other number":   {standin.Document{"n": 3}, false},
		"missing":        {standin.Document{"m": 2}, false},
		"text of number": {standin.Document{"n": "2"}, false},
		"shorter list":   {standin.Document{"list": []any{"a"}}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.has, given.Has(tt.want)) })
	}
}
