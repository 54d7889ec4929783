package hostlist_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/hostlist"
)

var lists = map[string][]string{
	"a":                   {"a"},
	"train-st-p5en-[1-3]": {"train-st-p5en-1", "train-st-p5en-2", "train-st-p5en-3"},
	"a-[1,3-4],b-2":       {"a-1", "a-3", "a-4", "b-2"},
	"n[008-011]":          {"n008", "n009", "n010", "n011"},
	"a[1-2]x,c":           {"a1x", "a2x", "c"},
	"a[1-2]b[3,04]":       {"a1b3", "a1b04", "a2b3", "a2b04"},
}

func TestExpand(t *testing.T) {
	for list, want := range lists {
		got, err := hostlist.Expand(list, hostlist.Most)
		require.NoError(t, err, list)
		require.Equal(t, want, got, list)
		require.Equal(t, want, hostlist.Names(list), list)
	}
}

func TestUnreadable(t *testing.T) {
	for list, says := range map[string]string{
		"":                                      `"" is no name`,
		"a,,b":                                  `"" is no name`,
		"a[1":                                   "no closing bracket",
		"a]1":                                   "is no name",
		"a[x-y]":                                `"x-y" is no range`,
		"a[3-1]":                                `"3-1" is no range`,
		"a[1-999999999]":                        "more than 65536 names",
		"a[0-9999][0-9]":                        "more than 65536 names",
		"[" + strings.Repeat("1,", 3000) + "1]": "an entry of 6003 characters",
	} {
		_, err := hostlist.Expand(list, hostlist.Most)
		require.ErrorContains(t, err, says, list)
	}
	_, err := hostlist.Expand("a-[1-3],b", 3)
	require.ErrorContains(t, err, "more than", "there is no room")
}

// What Slurm prints is kept, whatever it is.
func TestNames(t *testing.T) {
	for list, want := range map[string][]string{
		"": nil, "(null)": nil, "a[1": {"a[1"}, "a[x-y],b-[1-2]": {"a[x-y]", "b-1", "b-2"}, "a[1-999999999]": {"a[1-999999999]"},
	} {
		require.Equal(t, want, hostlist.Names(list), list)
	}
}

// What Slurm writes in short is read back: names with numbers of any width, alone and in ranges.
func TestReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, count, width := rapid.IntRange(0, 500).Draw(t, "first"), rapid.IntRange(1, 50).Draw(t, "count"), rapid.IntRange(1, 5).Draw(t, "width")
		var want []string
		for n := first; n < first+count; n++ {
			want = append(want, fmt.Sprintf("queue-st-p5-%0*d", width, n))
		}
		got := hostlist.Names(fmt.Sprintf("queue-st-p5-[%0*d-%0*d]", width, first, width, first+count-1))
		require.Equal(t, want, got)
	})
}

func FuzzExpand(f *testing.F) {
	for list := range lists {
		f.Add(list)
	}
	f.Add("a[1-999999999],[")
	f.Fuzz(func(t *testing.T, list string) {
		names, err := hostlist.Expand(list, 100)
		if err == nil && len(names) > 100 {
			t.Fatalf("%d names", len(names))
		}
		if len(list) < 200 {
			hostlist.Names(list)
		}
	})
}
