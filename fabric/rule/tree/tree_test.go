package tree_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

func read(t *testing.T, text string) tree.Node {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return tree.New("", value)
}

func TestScalarsInEveryForm(t *testing.T) {
	n := read(t, `{"a": "x", "b": "true", "c": false, "d": 3, "e": "4", "f": null, "g": {"Ref": "X"}, "h": 1.5, "i": "maybe"}`)
	require.Equal(t, rule.Known("x").At("a"), n.Get("a").Text())
	require.Equal(t, rule.Known(true).At("b"), n.Get("b").Bool())
	require.Equal(t, rule.Known(false).At("c"), n.Get("c").Bool())
	require.Equal(t, rule.Known(3).At("d"), n.Get("d").Int())
	require.Equal(t, rule.Known(4).At("e"), n.Get("e").Int())
	require.Equal(t, rule.Absent[int]().At("f"), n.Get("f").Int())
	require.Equal(t, rule.Absent[int]().At("z"), n.Get("z").Int())
	for _, key := range []string{"g", "i"} {
		require.True(t, n.Get(key).Bool().IsUnknown(), "%s is there and no switch", key)
	}
	require.True(t, n.Get("g").Text().IsUnknown(), "an expression in place of a text")
	require.True(t, n.Get("h").Int().IsUnknown(), "no whole number")
}

func TestPathsAndBlocks(t *testing.T) {
	n := read(t, `{"placement": [{"groupName": "pg"}], "nics": [{"card": 0}, {"card": 1}], "groups": "sg-1"}`)
	require.Equal(t, rule.Known("pg").At("placement[0].groupName"), n.Get("placement", "groupName").Text(), "a block of Terraform")
	cards := tree.Each(n.Get("nics"), func(n tree.Node) rule.Value[int] { return n.Get("card").Int() })
	require.Equal(t, []rule.Value[int]{rule.Known(0).At("nics[0].card"), rule.Known(1).At("nics[1].card")}, cards.Items)
	require.Equal(t, 1, n.Get("groups").Texts().Len())
	require.Equal(t, "placement", n.First("none", "placement").Path)
	require.Equal(t, "none", n.First("none", "neither").Path)
	require.Equal(t, []string{"groups", "nics", "placement"}, n.Keys())
}

func TestUnknownReachesDown(t *testing.T) {
	n := tree.New("", map[string]any{"lt": tree.Hidden("", "urn:lt"), "list": []any{tree.Hidden("x", "urn:sg"), "sg-1"}})
	v := n.Get("lt", "id").Text()
	require.True(t, v.IsUnknown())
	require.Equal(t, "lt.id", v.Path)
	require.Equal(t, []string{"urn:lt"}, v.Refers())
	list := n.Get("list").Texts()
	require.True(t, list.Items[0].IsUnknown())
	require.Equal(t, "list[0]", list.Items[0].Path)
	require.Equal(t, []string{"urn:lt"}, n.Get("lt").Texts().Items[0].Refers())
	require.True(t, tree.Hidden("x").Texts().IsUnknown())
	require.True(t, n.Get("nothing").Texts().IsAbsent())
}

func FuzzNoNodePanics(f *testing.F) {
	f.Add(`{"a": [{"b": 1}, "c", null, [true]]}`, "a", "b")
	f.Fuzz(func(_ *testing.T, text, first, second string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		n := tree.New("", value).Get(first, second)
		_, _, _, _ = n.Text(), n.Bool(), n.Int(), n.Texts()
		_, _, _ = n.Items(), n.Keys(), n.First(first, second)
	})
}
