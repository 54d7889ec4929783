package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/topology"
)

// TestReadForms: what is one answer in many forms.
func TestReadForms(t *testing.T) {
	one, two := position("i-1", `["nn-1"]`), position("i-2", `["nn-1"]`)
	for name, text := range map[string]string{
		"an answer":                      `{"Instances": [` + one + `,` + two + `]}`,
		"pages behind each other":        `{"Instances": [` + one + `], "NextToken": "x"} {"Instances": [` + two + `], "NextToken": null}`,
		"pages in an array":              `[{"Instances": [` + one + `], "NextToken": "x"}, {"Instances": [` + two + `]}]`,
		"what --query leaves":            `[` + one + `,` + two + `]`,
		"answers by the names of calls":  `{"DescribeInstanceTopology": {"Instances": [` + one + `,` + two + `]}}`,
		"a byte order mark":              "\xef\xbb\xbf\n" + `{"Instances": [` + one + `,` + two + `]}`,
		"the same page twice":            `{"Instances": [` + one + `,` + two + `]}{"Instances": [` + one + `]}`,
		"asked twice, first too early":   `{"Instances": [` + position("i-1", `[]`) + `,` + two + `]}{"Instances": [` + one + `]}`,
		"asked twice, then it was ended": `{"Instances": [` + one + `,` + two + `]}{"Instances": [` + position("i-1", `null`) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			top, found := read(t, text)
			require.Equal(t, "i-1 i-2", names(top))
			require.Equal(t, topology.Same, top.Between(top.Places[0], top.Places[1]).Kind)
			require.Equal(t, []diag.ID{diag.TopoHost}, rules(found))
		})
	}
}

// TestReadFaults: what can't be read is told with its place, and the rest is kept.
func TestReadFaults(t *testing.T) {
	good := position("i-1", `["nn-1"]`)
	for name, tt := range map[string]struct {
		text, place, got string
		places           int
	}{
		"empty":              {" \n", "0.json", "nothing in it", 0},
		"something else":     {"hello\nworld\n", "0.json:1", "no line of a kind that weft topology reads", 0},
		"cut off":            {`{"Instances": [` + good + `]}` + "\n\n{\"Instances\": [", "0.json:3", "no JSON from here on: unexpected EOF", 1},
		"no JSON":            {"\n[1,\n}", "0.json:3", "no JSON from here on", 0},
		"another answer":     {`{"Vpcs": [], "Subnets": []}`, "0.json", "an object with the keys Subnets, Vpcs", 0},
		"a number":           {`[3]`, "0.json [0]", "3, where an answer should be", 0},
		"no list":            {`{"Instances": "none"}`, "0.json Instances", `"none", where a list should be`, 0},
		"no launches":        {`{"Reservations": 1}`, "0.json Reservations", "1, where a list should be", 0},
		"no launch":          {`{"Reservations": [1]}`, "0.json Reservations[0]", "1, where a launch should be", 0},
		"no object":          {`{"Instances": [7, ` + good + `]}`, "0.json Instances[0]", "7, where an object should be", 1},
		"no id":              {`{"Instances": [{"InstanceId": "", "NetworkNodes": []}, ` + good + `]}`, "0.json Instances[0]", "an entry without its id", 1},
		"nobody's":           {`{"Instances": [{"NetworkNodes": []}, ` + good + `]}`, "0.json Instances[0]", "an object with the keys NetworkNodes", 1},
		"path of a type":     {`{"Instances": [{"InstanceId": "i-2", "NetworkNodes": "nn-1"}, ` + good + `]}`, "0.json Instances[0]", "cannot unmarshal string", 1},
		"a hole in the path": {`{"Instances": [{"InstanceId": "i-2", "NetworkNodes": ["nn-1", "", "nn-2"]}]}`, "0.json Instances[0].NetworkNodes", "an empty id", 0},
		"no next page":       {`{"Instances": [` + good + `], "NextToken": "x"}`, "0.json NextToken", "a page of Instances that says there are more, without the next", 1},
		"answers in answers": {`[[[[[[` + good + `]]]]]]`, "0.json [0][0][0][0][0]", "answers inside of answers", 0},
		"a list of nodes":    {"SwitchName=s Nodes=a[1-\n", "0.json:1", "no closing bracket", 0},
		"too many nodes":     {"SwitchName=s Nodes=a[0-4294967295]\n", "0.json:1", "more than 65536 names", 0},
		"nodes times nodes":  {"SwitchName=s Nodes=a[0-65535]b[0-65535]\n", "0.json:1", "more than 65536 names", 0},
		"lists and lists":    {"SwitchName=s Nodes=a[0-65535]\nSwitchName=t Nodes=b\n", "0.json:2", "more than 65536 names", 0},
		"a name of brackets": {"SwitchName=s Nodes=a" + strings.Repeat("[1]", 2000) + "\n", "0.json:1", "an entry of 6001 characters", 0},
		"no range":           {"SwitchName=s Nodes=a[9-1]\n", "0.json:1", `"9-1" is no range`, 0},
		"no name":            {"SwitchName=s Nodes=a,,b\n", "0.json:1", `"" is no name`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			top, found := read(t, tt.text)
			diagtest.Complete(t, found)
			require.NotEmpty(t, found)
			f := found[0]
			require.Equal(t, diag.FileUnreadable, f.Rule)
			require.Equal(t, tt.place, f.Place.String())
			require.Contains(t, f.Got, tt.got)
			require.Len(t, top.Places, tt.places)
		})
	}
}

// TestPagesInFiles: pages in files of their own are one answer.
func TestPagesInFiles(t *testing.T) {
	top, found := read(t, `{"Instances": [`+position("i-1", `["nn-1"]`)+`], "NextToken": "x"}`, `{"Instances": [`+position("i-2", `["nn-1"]`)+`]}`)
	require.Len(t, top.Places, 2)
	require.NotContains(t, rules(found), diag.FileUnreadable)
}

// TestSlurmJSON: scontrol show nodes --json, and a node that is found by its name.
func TestSlurmJSON(t *testing.T) {
	top, found := read(t, `{"Instances": [`+position("i-1", `["nn-1"]`)+`,`+position("i-2", `["nn-1"]`)+`]}`,
		`[{"InstanceId": "i-1", "State": {"Name": "running"}, "PrivateDnsName": "ip-10-0-0-1.ec2.internal"},
		  {"InstanceId": "i-2", "State": {"Name": "running"}, "PrivateDnsName": "ip-10-0-0-2.ec2.internal", "PrivateIpAddress": "10.0.0.2"}]`,
		`{"nodes": [{"name": "ip-10-0-0-1"}, {"name": "gpu-1", "address": "10.0.0.2", "hostname": "gpu-1"}]}`)
	require.Equal(t, "gpu-1 ip-10-0-0-1", names(top))
	require.Empty(t, found)
}

// TestReservationsOfTheOtherCall: DescribeCapacityReservations tells no topology, and is no reason for a finding.
func TestReservationsOfTheOtherCall(t *testing.T) {
	top, found := read(t, `{"CapacityReservations": [{"CapacityReservationId": "cr-1", "ReservationType": "capacity-block", "State": "active"}]}`)
	require.Empty(t, top.Reservations)
	require.Empty(t, found)
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"two-blocks", "reservations", "just-launched", "slurm-names", "ultraserver", "drift", "spread", "accounts"} {
		for _, text := range files(f, name) {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		answers, found := topology.Read("in", data)
		diagtest.Complete(t, found)
		top, found := topology.New(answers)
		diagtest.Complete(t, found)
		n := len(answers.Positions) + len(answers.Instances) + len(answers.Nodes)
		require.LessOrEqual(t, len(top.Places), n)
		top.Classes()
		top.Compare()
		conf, _ := top.SlurmConf() // an error is for names that are not known
		for line := range strings.Lines(conf) {
			require.True(t, strings.HasPrefix(line, "#") || strings.HasPrefix(line, "SwitchName="), "%q", line)
		}
	})
}
