package version_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/version"
)

// relations of a VER-01 row, as tests of Compare(a, b).
var relations = map[string]func(int) bool{
	"lt": func(c int) bool { return c < 0 },
	"eq": func(c int) bool { return c == 0 },
	"gt": func(c int) bool { return c > 0 },
	"ge": func(c int) bool { return c >= 0 },
}

func TestReportedPairs(t *testing.T) {
	t.Parallel()
	rows := readPairs(t)
	require.Len(t, rows, 28)
	for _, row := range rows {
		a, b, want := row[0], row[1], row[2]
		t.Run(a+" "+want+" "+b, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, relations, want)
			got, err := version.Compare(a, b)
			require.NoError(t, err)
			require.True(t, relations[want](got), "Compare = %d; %s", got, row[3])

			back, err := version.Compare(b, a)
			require.NoError(t, err)
			require.Equal(t, -got, back)
			require.Equal(t, want != "lt", version.MustParse(a).AtLeast(version.MustParse(b)))
		})
	}
}

func readPairs(t *testing.T) [][]string {
	t.Helper()
	f, err := os.Open("testdata/VER-01.tsv")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var rows [][]string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			row := strings.Split(line, "\t")
			require.Len(t, row, 4, line)
			rows = append(rows, row)
		}
	}
	return rows
}

// ladders holds the order as steps from low to high; the versions of one step are of equal rank.
var ladders = map[string][][]string{
	"NVIDIA driver": {
		{"535"},
		{"535.104.12"},
		{"535.129.03", "535.129.3"},
		{"550", "550.0.0"},
		{"550.54", "550.54-1"},
		{"550.54.15"},
		{"570.86.10"},
		{"570.86.15"},
		{"570.124.06"},
		{"595.91.07", "595.91.07-1ubuntu1", "595.91.07-0ubuntu0.22.04.1", "595.91.07-1.el9"},
		{"595.112.07"},
	},
	"EFA module": {{"2.1.1g", "2.1.1", "2.1.1g-1"}, {"2.10.0"}, {"2.17.2"}, {"2.17.3g", "2.17.3G"}, {"3.3.0g", "3.3.0"}, {"3.3.1"}},
	"libfabric": {
		{"1.16.0~amzn3.0"},
		{"1.16.0~amzn4.0"},
		{"1.16.0~1"},
		{"1.16.0~2"},
		{"1.16.0.dev1", "1.16.0-dev1"},
		{"1.16.0a1", "1.16.0alpha1", "1.16.0~alpha.1"},
		{"1.16.0b1", "1.16.0-beta.1", "1.16.0-Beta1"},
		{"1.16.0b10"},
		{"1.16.0rc", "1.16.0rc0", "1.16.0c0", "1.16.0-0rc0"},
		{"1.16.0rc1", "1.16.0~rc1", "1.16.0-rc.1", "1.16.0.rc1", "1.16.0-pre1", "1.16.0-preview1", "1.16.0-0rc1", "1.16.0~rc1-1"},
		{"1.16.0rc1amzn1.0"},
		{"1.16.0", "1.16", "v1.16.0", "V1.16.0", "1.16.0-1", "1.16.0-2", " 1.16.0\n"},
		{"1.16.0amzn0"},
		{"1.16.0amzn3.0", "1.16.0amzn3", "1.16.0-amzn3.0", "1.16.0.amzn3", "1.16.0amzn3.0-1.amzn2023.x86_64"},
		{"1.16.0amzn4.0"},
		{"1.16.0amzn4.1"},
		{"1.16.0amzn10.0"},
		{"1.16.1amzn1.0"},
		{"2.1.0"},
		{"2.1.0amzn2.0"},
		{"2.10.0"},
		{"118.0"},
		{"206.0"},
		{"2803.0"},
	},
	"rdma-core":       {{"54", "54.0"}, {"54.amzn0", "54.0amzn0"}, {"54.amzn1"}, {"57.amzn0"}, {"57.amzn1"}, {"64.0"}, {"64.0amzn0"}, {"65.0"}},
	"OFI plugin":      {{"1.4.0", "1.4.0aws"}, {"v1.7.1-aws", "1.7.1", "1.7.1aws"}, {"1.7.2-aws"}, {"1.12.1-aws"}, {"1.14.2-1", "1.14.2"}, {"1.21.1"}},
	"Open MPI":        {{"4.1.7"}, {"5.0.0rc12"}, {"5.0.0"}, {"5.0.8"}, {"5.0.8amzn1"}, {"5.0.9amzn1"}, {"5.0.9amzn1.1"}},
	"GDRCopy":         {{"2.4-4", "2.4", "2.4.0-1.amzn2023"}, {"2.4.4"}, {"2.5", "2.5-1", "2.5-2", "2.5-1~bpo12+1", "2.5-1.2.el9"}, {"2.5.1"}, {"2.6"}},
	"CUDA":            {{"12.8", "12.08", "12.8.0"}, {"12.8.1"}, {"12.9"}, {"12.10"}, {"13.0", "13"}, {"13.0.2"}},
	"Slurm":           {{"24.05.0-0rc1"}, {"24.05.0-1", "24.05.0", "24.5"}, {"24.05.7"}, {"25.11.8"}},
	"PyTorch":         {{"2.10.0.dev20260101+cu130"}, {"2.10.0a0+git1234"}, {"2.10.0+cu130", "2.10.0"}},
	"ParallelCluster": {{"3.1.10"}, {"3.4"}, {"3.10.0"}, {"3.12-dev"}, {"3.12.0b1"}, {"3.12.0"}, {"3.16.1"}},
	"NCCL": {
		{"2000", "2.0"},
		{"2803", "2.8.3", "02803"},
		{"2899", "2.8.99"},
		{"20900", "2.9"},
		{"20908", "2.9.8", "2.9.8-1"},
		{"21000", "2.10.0"},
		{"22703", "2.27.3", "2.27.3-1+cuda12.9", "2.27.3-1+cuda13.0", "2.27.3+cuda12.9", "v2.27.3-1"},
		{"22809", "v2.28.9-1"},
		{"29999"},
	},
	"kernel": {
		{"5.14.0-611.5.1.el9_7.x86_64"},
		{"6.1"},
		{"6.1.134", "6.1.134-1.amzn2023"},
		{"6.1.134-150.223.amzn2023.x86_64"},
		{"6.1.134-150.224.amzn2023.x86_64"},
		{"6.8.0"},
		{"6.8.0-91-generic"},
		{"6.8.0-1014-aws"},
		{"6.8.0-1021-aws", "6.8.0-1021-aws-64k"},
		{"6.12.41", "6.12.41+deb13-cloud-amd64"},
		{"6.12.41-2-cloud-amd64"},
	},
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for name, ladder := range ladders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, low := range ladder {
				for j, high := range ladder[i:] {
					requireStep(t, low, high, min(j, 1))
				}
			}
		})
	}
}

// requireStep holds every version of high to be above (1) or of equal rank (0) with every version of low.
func requireStep(t *testing.T, low, high []string, want int) {
	t.Helper()
	for _, a := range low {
		for _, b := range high {
			va, vb := version.MustParse(a), version.MustParse(b)
			require.Equal(t, want, vb.Compare(va), "%s against %s", b, a)
			require.Equal(t, -want, va.Compare(vb), "%s against %s", a, b)
			require.True(t, vb.AtLeast(va), "%s at least %s", b, a)
			require.Equal(t, want == 0, va.AtLeast(vb), "%s at least %s", a, b)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		"":                              "it is empty",
		" \t\n":                         "it is empty",
		"latest":                        "it does not begin with a number",
		"v":                             "it does not begin with a number",
		"vv1.0":                         "it does not begin with a number",
		".5":                            "it does not begin with a number",
		"-1":                            "it does not begin with a number",
		"slurm-25.11.8":                 "it does not begin with a number",
		"N/A":                           "'/' is no character of a version",
		"1.2 3":                         "' ' is no character of a version",
		"1:2.5-1":                       "':' is no character of a version",
		"1.2\x00":                       `'\x00' is no character of a version`,
		"\xff":                          "'\uFFFD' is no character of a version",
		"1.2.３":                         "'３' is no character of a version",
		"118.x":                         `"x" and "*" stand for many versions`,
		"118X":                          `"x" and "*" stand for many versions`,
		"2.*":                           `"x" and "*" stand for many versions`,
		"1.22+":                         "it ends in a separator; an open range is not a version",
		"1.22-":                         "it ends in a separator; an open range is not a version",
		"2.5-1.":                        "it ends in a separator; an open range is not a version",
		"1..2":                          `"..2" has no known meaning there`,
		"1.2.":                          "it ends in a separator; an open range is not a version",
		"3.6-latest":                    `"-latest" has no known meaning there`,
		"1.2.3foo":                      `"foo" has no known meaning there`,
		"1.2.3g4":                       `"g4" has no known meaning there`,
		"1.2.3-g":                       `"-g" has no known meaning there`,
		"1.2.3b":                        `"b" has no known meaning there`,
		"1.2.3amzn":                     `"amzn" has no known meaning there`,
		"1.2.3amzn1x":                   `"x" and "*" stand for many versions`,
		"1.2.3rc1rc2":                   `"rc2" has no known meaning there`,
		"12.8.0_570.86.10":              `"_570.86.10" has no known meaning there`,
		"1.16.0~":                       "it ends in a separator; an open range is not a version",
		"1.16.0~git":                    `a "~" must be followed by a pre-release, a number or an amzn build`,
		"1.16.0~-1":                     `a "~" must be followed by a pre-release, a number or an amzn build`,
		"1.0-0.1.rc2":                   `"rc" in the revision "0.1.rc2": before or after the release?`,
		"1.0rc1-0rc2":                   `"rc" in the revision "0rc2": before or after the release?`,
		"1.0-1rc2":                      `"rc" in the revision "1rc2": before or after the release?`,
		"1999":                          "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"2900":                          "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"20899":                         "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"30000":                         "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"12080":                         "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"v2803":                         "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"2803-1":                        "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"20260101":                      "a lone integer above 999 is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999",
		"1.9223372036854775808":         "value out of range",
		"1.0rc9223372036854775808":      "value out of range",
		"1amzn9223372036854775808":      "value out of range",
		"6.8.0-9223372036854775808-aws": "value out of range",
		strings.Repeat("1.", 64) + "1":  "it is longer than 128 bytes",
		strings.Repeat("9", 1<<20):      "it is longer than 128 bytes",
	} {
		v, err := version.Parse(text)
		require.ErrorIs(t, err, version.ErrUnreadable, "%.40q read as %v", text, v)
		require.ErrorContains(t, err, reason, "%.40q", text)
		require.Less(t, len(err.Error()), 600)
		require.True(t, v.IsZero())
		require.Panics(t, func() { version.MustParse(text) })
	}
}

func TestCompareNamesEveryUnreadableSide(t *testing.T) {
	t.Parallel()
	_, err := version.Compare("latest", "118.x")
	require.ErrorIs(t, err, version.ErrUnreadable)
	require.EqualError(t, err, `unreadable version "latest": it does not begin with a number`+"\n"+
		`unreadable version "118.x": "x" and "*" stand for many versions`)
	for _, pair := range [][2]string{{"", ""}, {"latest", "latest"}, {"1.0", "?"}, {"?", "1.0"}} {
		_, err := version.Compare(pair[0], pair[1])
		require.ErrorIs(t, err, version.ErrUnreadable, "%v", pair)
	}
}

func TestZeroVersion(t *testing.T) {
	t.Parallel()
	var none version.Version
	zero := version.MustParse("0")
	require.Equal(t, -1, none.Compare(zero))
	require.Equal(t, 1, zero.Compare(none))
	require.Equal(t, 0, none.Compare(none))
	require.True(t, zero.AtLeast(none), "no floor")
	require.False(t, none.AtLeast(zero))
	require.False(t, none.AtLeast(none), "a version that nobody read satisfies nothing")
	require.Empty(t, none.String())
	require.False(t, zero.IsZero())
}

// floorRow is a row of a table with a version in it.
type floorRow struct {
	Floor version.Version `json:"floor,omitzero" yaml:"floor,omitempty"`
}

// written holds versions that a decoder could take for numbers, and lose a zero or a digit.
var written = []string{"2.27.3-1+cuda12.9", "3.10", "13.0", "570", "08.1", "010", "3.3.0g", "2803", "1.16.0~amzn4.0", "V1.0"}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, text := range written {
		v, err := version.Parse("\t" + text + " \n")
		require.NoError(t, err)
		require.Equal(t, text, v.String())
		var row floorRow
		require.NoError(t, json.Unmarshal([]byte(`{"floor":"`+text+`"}`), &row))
		require.Equal(t, v, row.Floor)
		out, err := json.Marshal(row)
		require.NoError(t, err)
		require.JSONEq(t, `{"floor":"`+text+`"}`, string(out))
	}

	out, err := json.Marshal(floorRow{})
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(out))
	kept := floorRow{Floor: version.MustParse("1.0")}
	require.ErrorIs(t, json.Unmarshal([]byte(`{"floor":"latest"}`), &kept), version.ErrUnreadable)
	require.Equal(t, "1.0", kept.Floor.String(), "a failed read leaves the value")
	require.Error(t, json.Unmarshal([]byte(`{"floor":3.10}`), &kept), "a JSON number has lost its zero")
}

func TestYAML(t *testing.T) {
	t.Parallel()
	for _, text := range written {
		for _, form := range []string{"floor: %s", "floor: \"%s\"", "floor: '%s'\n", "# why\nfloor: %s # since 1.44.0\n", "{floor: %s}", "floor: &f %s\n"} {
			var row, again floorRow
			require.NoError(t, yaml.UnmarshalWithOptions([]byte(strings.Replace(form, "%s", text, 1)), &row, yaml.Strict()), form)
			require.Equal(t, text, row.Floor.String(), form)
			out, err := yaml.Marshal(row)
			require.NoError(t, err)
			require.NoError(t, yaml.Unmarshal(out, &again), "%s", out)
			require.Equal(t, row, again)
		}
	}

	out, err := yaml.Marshal(floorRow{})
	require.NoError(t, err)
	require.Equal(t, "{}\n", string(out))
	for _, bad := range []string{"latest", "''", "[1, 2]", "{a: 1}", "1.0 2.0", `"1\u002e0"`, "'1.0\"", "|\n  x 1.0\n"} {
		var row floorRow
		require.Error(t, yaml.Unmarshal([]byte("floor: "+bad), &row), bad)
		require.True(t, row.Floor.IsZero(), bad)
	}
}
