package config

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

const minimal = `name: pretrain
region: us-east-2
network: {create: {}}
groups:
  - {name: train, instanceType: p5.48xlarge, count: 16, zone: us-east-2a, capacity: {onDemand: true}}
`

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// Ten different mistakes in one file are ten findings with positions, in one pass.
func TestTenMistakes(t *testing.T) {
	_, list := Decode("cluster.yaml", read(t, "testdata/ten-mistakes/cluster.yaml"))
	require.Len(t, list, 10)
	require.True(t, list.Failed())
	lines := map[int]bool{}
	for _, f := range list {
		lines[f.Place.Line] = true
	}
	require.Len(t, lines, 10, "each stands in a line of its own")
	diagtest.Complete(t, list)
}

// Defaults fill what is not given, in list elements as well, and never what is given.
func TestDefaults(t *testing.T) {
	doc, list := Decode("c.yaml", []byte(minimal+`
monitoring: {dashboard: false}
validation: {enabled: false}
loginNodes: [{name: a, instanceType: m7i.large, count: 0}, {name: b, instanceType: m7i.large}]
s3: [{bucket: data}, {bucket: more, nodes: [head]}]
slurm: {scaledownIdleMinutes: 0}
`))
	require.Empty(t, list)
	c := doc.Cluster
	require.Equal(t, "3.16.1", c.ParallelCluster)
	require.Equal(t, "ubuntu2204", c.OS)
	require.Equal(t, &NetworkCreate{CIDR: "10.0.0.0/16", HeadSubnet: "public"}, c.Network.Create)
	require.Equal(t, "save-addresses", c.Groups[0].Layout)
	require.True(t, c.Groups[0].EFA)
	require.Equal(t, "/scratch", c.Groups[0].ScratchMount)
	require.Equal(t, Monitoring{LogRetentionDays: 180}, c.Monitoring)
	require.False(t, c.Validation.Enabled)
	require.Equal(t, []int{0, 1}, []int{c.LoginNodes[0].Count, c.LoginNodes[1].Count})
	require.Equal(t, []string{"compute", "head", "login"}, c.S3[0].Nodes)
	require.Equal(t, []string{"head"}, c.S3[1].Nodes)
	require.Equal(t, Slurm{QueueUpdateStrategy: "DRAIN"}, c.Slurm)
	require.Equal(t, 35, c.Bootstrap.TimeoutMinutes)
	require.Equal(t, Workload{Kind: "dense", TensorParallel: 1, PipelineParallel: 1, ExpertParallel: 1, Dispatcher: "nccl"}, c.Workload)

	doc, list = Decode("c.yaml", []byte(strings.Replace(minimal, "zone:", "efa: false, zone:", 1)))
	require.Empty(t, list)
	require.False(t, doc.Cluster.Groups[0].EFA)
}

// Every default is a value that its own key takes.
func TestDefaultsAreSound(t *testing.T) {
	for _, part := range []any{new(Cluster), new(Group), new(NetworkCreate), new(LoginPool), new(S3Access), new(EBS), new(FSxLustre), new(Offering)} {
		SetDefaults(part)
		v := reflect.ValueOf(part).Elem()
		w := newWalker[Cluster]("", nil)
		for _, f := range fieldsOf(v.Type()) {
			if field := v.Field(f.Index); !field.IsZero() {
				w.judgeValue(field, diag.Place{}, f.Rules)
			}
		}
		require.Empty(t, w.found, "%T", part)
	}
}

// A faulty part hides nothing: with one value of each section spoiled, the others are still set.
func TestFaultsHideNothing(t *testing.T) {
	doc, list := Decode("c.yaml", []byte("name: [x]\nregion: us-east-2\nnetwork: 5\nbogus: {deep: [1, {a: b}]}\ngroups:\n- 7\n- {name: b, count: many, instanceType: p5.48xlarge, capacity: {onDemand: true}}\ntags: {a: [], b: c}\n"))
	c := doc.Cluster
	require.Equal(t, "us-east-2", c.Region)
	require.Equal(t, "b", c.Groups[1].Name)
	require.Equal(t, "p5.48xlarge", c.Groups[1].InstanceType)
	require.True(t, c.Groups[1].Capacity.OnDemand)
	require.Equal(t, "c", c.Tags["b"])
	require.Len(t, list, 6, render(list))
}

// Text is what stands in the file, never what a number would be written as.
func TestTextAsWritten(t *testing.T) {
	for written, want := range map[string]string{
		`"3.20"`: "3.20", `'3.20'`: "3.20", `3.16.1`: "3.16.1", `!!str 3.20`: "3.20", `!!str 010`: "010", `!!str true`: "true", `42`: "42", `yes`: "yes", `>- ` + "\n  3.20": "3.20",
	} {
		doc, list := Decode("c.yaml", []byte(minimal+"parallelcluster: "+written+"\n"))
		require.Empty(t, list, written)
		require.Equal(t, want, doc.Cluster.ParallelCluster)
	}
	for _, written := range []string{"3.20", "3.16", "1e3", "010", "0x10", "1_0", "123456789012345678901", ".inf", "true", "~", "", "[a]", "{a: b}", "a\tb"} {
		doc, list := Decode("c.yaml", []byte(minimal+"parallelcluster: "+written+"\n"))
		require.Len(t, list, 1, written)
		require.Equal(t, 6, list[0].Place.Line, written)
		if written != "a\tb" {
			require.Equal(t, diag.ConfigType, list[0].Rule, written)
			require.Equal(t, "3.16.1", doc.Cluster.ParallelCluster, "a faulty value keeps the default")
		}
	}
}

// A decimal key takes its number with or without quotes, digit for digit.
func TestDecimals(t *testing.T) {
	for _, fee := range []string{"1234.50", `"1234.50"`} {
		doc, list := Decode("c.yaml", []byte(`name: a
region: us-east-2
network: {create: {}}
groups:
- {name: a, instanceType: p5.48xlarge, count: 1, zone: us-east-2a, capacity: {block: {offering: {id: cb-01234567, count: 1, durationHours: 24, start: 2026-12-07T11:30:00Z, fee: `+fee+`, maxFee: 2000, confirmedUntil: 2026-12-01T00:00:00Z}}}}
`))
		require.Empty(t, list)
		require.Equal(t, "1234.50", doc.Cluster.Groups[0].Capacity.Block.Offering.Fee)
	}
}

func TestUnreadable(t *testing.T) {
	deep := func(open, shut string, n int) string {
		return "tags: " + strings.Repeat(open, n) + strings.Repeat(shut, n) + "\n"
	}
	for name, tc := range map[string]struct {
		data         string
		line, column int
		got          string
	}{
		"empty":             {"", 1, 1, "an empty document"},
		"comment only":      {"# nothing\n", 1, 1, "an empty document"},
		"null":              {"---\n...\n", 1, 1, "an empty document"},
		"not UTF-8":         {"name: a\nregion: \xff\n", 2, 9, "bytes that are not UTF-8"},
		"UTF-16":            {"\xff\xfen\x00a\x00", 1, 1, "bytes that are not UTF-8"},
		"open quote":        {"name: \"a\n", 1, 7, "not readable: could not find end character of double-quoted text"},
		"too large":         {strings.Repeat("# filler\n", maxBytes/9+1), 1, 1, "2097153 bytes"},
		"deep brackets":     {deep("[", "]", 5000), 1, 70, "more than 64 lists and mappings in each other"},
		"unclosed brackets": {deep("[", "", 100_000), 1, 70, "more than 64 lists and mappings in each other"},
		"deep braces":       {deep("{a: ", "}", 5000), 1, 259, "more than 64 lists and mappings in each other"},
		"deep hyphens":      {strings.Repeat("- ", 5000) + "a\n", 1, 129, "more than 64 lists and mappings in each other"},
		"deep anchors":      {"a: " + strings.Repeat("&a ", 5000) + "a\n", 1, 193, "more than 64 lists and mappings in each other"},
		"deep tags":         {"a: " + strings.Repeat("!a ", 5000) + "a\n", 1, 130, "more than 64 lists and mappings in each other"},
		"deep keys":         {strings.Repeat("? ", 5000) + "a\n", 1, 129, "more than 64 lists and mappings in each other"},
		"many keys":         {"tags:\n" + strings.Join(numbered("  k%d: v\n", 100_000), ""), 2002, 8, "a mapping of more than 2000 keys"},
		"many documents":    {minimal + strings.Repeat("---\na: 1\n", 50_000), 6, 1, "a second YAML document"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, list := Decode("c.yaml", []byte(tc.data))
			require.Len(t, list, 1, render(list))
			require.Equal(t, diag.FileUnreadable, list[0].Rule)
			require.Contains(t, list[0].Got, tc.got)
			require.Equal(t, []int{tc.line, tc.column}, []int{list[0].Place.Line, list[0].Place.Column}, list[0].Got)
			require.Equal(t, "c.yaml", list[0].Place.File)
			require.NotContains(t, list[0].Got, "\n", "a message, not an excerpt of the file")
			require.Contains(t, doc.Positions, "")
			diagtest.Complete(t, list)
		})
	}
}

// Aliases that stand for ever more cost a bounded number of values.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: a\nregion: b\ngroups:\n  - &m0 {name: a, instanceType: p5.48xlarge, count: 1}\n")
	for i := range 30 {
		fmt.Fprintf(&b, "  - &m%d\n    <<: [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*m%d, ", i), 9), ", "))
	}
	_, list := Decode("c.yaml", []byte(b.String()))
	require.True(t, list.Failed())
	require.Condition(t, func() bool {
		for _, f := range list {
			if f.Rule == diag.FileUnreadable && strings.Contains(f.Got, "250000 values") {
				return true
			}
		}
		return false
	}, "the bound is named")
	require.Less(t, len(list), 100)
}

// An anchor that merges itself ends in a finding.
func TestAliasCircle(t *testing.T) {
	_, list := Decode("c.yaml", []byte(strings.Replace(minimal, "{create: {}}", "&n {create: {}, <<: *n}", 1)))
	require.Len(t, list, 1, render(list))
	require.Equal(t, diag.ConfigValue, list[0].Rule)
	require.Contains(t, list[0].Got, "inside its own anchor")
}

// A byte order mark, line ends of Windows and a directive change nothing.
func TestForms(t *testing.T) {
	want, list := Decode("c.yaml", []byte(minimal))
	require.Empty(t, list)
	for name, data := range map[string]string{
		"byte order mark": "\ufeff" + minimal,
		"windows":         strings.ReplaceAll(minimal, "\n", "\r\n"),
		"document marks":  "---\n" + minimal + "...\n",
		"directive":       "%YAML 1.2\n---\n" + minimal,
		"trailing mark":   minimal + "---\n",
		"json":            `{"name":"pretrain","region":"us-east-2","network":{"create":{}},"groups":[{"name":"train","instanceType":"p5.48xlarge","count":16,"zone":"us-east-2a","capacity":{"onDemand":true}}]}`,
	} {
		doc, list := Decode("c.yaml", []byte(data))
		require.Empty(t, list, name)
		require.Equal(t, want.Cluster, doc.Cluster, name)
	}
}

// Encode can't write what no document says.
func TestEncodeRefuses(t *testing.T) {
	c := Default()
	c.Rules = map[diag.ID]diag.Override{diag.VerFloor: {Level: diag.Level(9)}}
	_, err := Encode(c)
	if err == nil {
		_, list := Decode("c.yaml", []byte("rules: {ver/floor: {level: level(9)}}"))
		require.True(t, list.Failed())
	}
	c = Default()
	zero := 0.0
	c.Validation.Thresholds.AllReduce = zero / zero
	_, err = Encode(c)
	require.ErrorContains(t, err, "writing the config: validation: thresholds: allReduce: not a number")
}
