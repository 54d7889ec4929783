package standin_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/standin"
)

func TestFindings(t *testing.T) {
	tests := map[string]struct {
		typ, inputs string
		want        []standin.Finding
	}{
		"nothing": {vpc, `{"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}`, nil},
		"a required input is missing": {subnet, `{"cidrBlock": "10.0.0.0/24"}`, []standin.Finding{
			{"vpcId", "is required and missing"},
		}},
		"a nested required input is missing": {group, `{"ingress": [{"self": true, "protocol": "-1", "toPort": 0}]}`, []standin.Finding{
			{"ingress[0].fromPort", "is required and missing"},
		}},
		"a name is misspelt": {template, `{"networkInterface": []}`, []standin.Finding{
			{"networkInterface", "there is no such property; did you mean networkInterfaces?"},
		}},
		"a nested name is misspelt": {template, `{"networkInterfaces": [{"deviceIdx": 0}]}`, []standin.Finding{
			{"networkInterfaces[0].deviceIdx", "there is no such property; did you mean deviceIndex?"},
		}},
		"wrong types": {
			template, `{"instanceType": 5, "ebsOptimized": true, "networkInterfaces": [{"deviceIndex": "0", "securityGroups": "sg-1"}]}`,
			[]standin.Finding{
				{"ebsOptimized", "is true, want string"},
				{"instanceType", "is the number 5, want string"},
				{"networkInterfaces[0].deviceIndex", `is the text "0", want int`},
				{"networkInterfaces[0].securityGroups", `is the text "sg-1", want []string`},
			},
		},
		"a fraction":     {template, `{"networkInterfaces": [{"deviceIndex": 0.5}]}`, []standin.Finding{{"networkInterfaces[0].deviceIndex", "is the number 0.5, want int"}}},
		"a tag is a map": {vpc, `{"tags": {"a": {"b": "c"}}}`, []standin.Finding{{"tags.a", "is an object, want string"}}},
		"no such type": {"aws:ec2/vpn:Vpn", `{}`, []standin.Finding{
			{"", "version 6.83.4 of the AWS SDK has no resource aws:ec2/vpn:Vpn"},
		}},
	}
	s := withSchema(t, standin.Data{})
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, findings, err := s.Check(t.Context(), standin.Proposal{URN: urnOf(tt.typ, "x"), NewInputs: props(t, tt.inputs)})
			require.NoError(t, err)
			require.Equal(t, tt.want, findings)
		})
	}
}

func TestUnknownInputsAreNotJudged(t *testing.T) {
	inputs := property.NewMap(map[string]property.Value{
		"vpcId": property.New(property.Computed), "ingress": property.New(property.Computed),
	})
	_, findings, err := withSchema(t, standin.Data{}).Check(t.Context(), standin.Proposal{URN: urnOf(group, "g"), NewInputs: inputs})
	require.NoError(t, err)
	require.Empty(t, findings)
}

func TestNames(t *testing.T) {
	tests := map[string]struct {
		typ, news, olds, property, want string
	}{
		"made up":                 {group, `{}`, `{}`, "name", `^x-[0-9a-f]{7}$`},
		"of a bucket":             {bucket, `{}`, `{}`, "bucket", `^x-[0-9a-f]{7}$`},
		"with a prefix":           {role, `{"namePrefix": "node-"}`, `{}`, "name", `^node-[0-9a-f]{7}$`},
		"given":                   {group, `{"name": "efa"}`, `{"name": "old"}`, "name", `^efa$`},
		"kept":                    {group, `{}`, `{"name": "x-0123456"}`, "name", `^x-0123456$`},
		"of a type that has none": {vpc, `{}`, `{}`, "name", `^$`},
	}
	s := withSchema(t, standin.Data{})
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			proposal := standin.Proposal{
				URN: urnOf(tt.typ, "x"), NewInputs: props(t, tt.news), OldInputs: props(t, tt.olds), Seed: []byte("seed"),
			}
			inputs, _, err := s.Check(t.Context(), proposal)
			require.NoError(t, err)
			got, _ := plainOf(inputs)[tt.property].(string)
			require.Regexp(t, tt.want, got)

			again, _, err := s.Check(t.Context(), proposal)
			require.NoError(t, err)
			require.Equal(t, plainOf(inputs), plainOf(again), "the seed decides")
		})
	}
}

func TestPinnedNames(t *testing.T) {
	tests := map[string]struct {
		typ, old, new string
		want          bool
	}{
		"given and kept":  {group, `{"name": "efa"}`, `{"name": "efa"}`, true},
		"given and new":   {group, `{"name": "efa"}`, `{"name": "efa2"}`, false},
		"made up":         {group, `{"name": "x-0123abc"}`, `{"name": "x-0123abc"}`, false},
		"looks made up":   {group, `{"name": "x-nodes12"}`, `{"name": "x-nodes12"}`, true},
		"no name at all":  {vpc, `{}`, `{}`, false},
		"name is unknown": {group, `{}`, `{}`, false},
	}
	s := withSchema(t, standin.Data{})
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, s.Pinned(urnOf(tt.typ, "x"), props(t, tt.old), props(t, tt.new)))
		})
	}
}

func TestInvokes(t *testing.T) {
	data, err := standin.ParseData([]byte(`
invokes:
  - token: aws:ec2/getSubnet:getSubnet
    when: {id: subnet-1}
    return: {vpcId: vpc-1, availableIpAddressCount: 250}
  - token: aws:ec2/getSubnet:getSubnet
    when: {id: "subnet-*"}
    error: "reading EC2 Subnet: couldn't find resource"
  - token: aws:ec2/getAmi:getAmi
    when: {owners: [amazon]}
    return: {id: ami-1}
`))
	require.NoError(t, err)
	const getSubnet, getAmi = "aws:ec2/getSubnet:getSubnet", "aws:ec2/getAmi:getAmi"
	tests := map[string]struct {
		token, args string
		want        map[string]any
		findings    []standin.Finding
		err         string
	}{
		"answered":    {getSubnet, `{"id": "subnet-1"}`, map[string]any{"id": "subnet-1", "vpcId": "vpc-1", "availableIpAddressCount": 250.0}, nil, ""},
		"list":        {getAmi, `{"owners": ["amazon"], "mostRecent": true}`, map[string]any{"id": "ami-1", "owners": []any{"amazon"}, "mostRecent": true}, nil, ""},
		"error":       {getSubnet, `{"id": "subnet-2"}`, nil, nil, "couldn't find resource"},
		"no answer":   {getSubnet, `{"vpcId": "vpc-1"}`, nil, nil, `no answer for aws:ec2/getSubnet:getSubnet with {"vpcId":"vpc-1"}`},
		"other list":  {getAmi, `{"owners": ["self"]}`, nil, nil, "no answer"},
		"misspelt":    {getAmi, `{"owner": ["self"]}`, nil, []standin.Finding{{"owner", "there is no such property; did you mean owners?"}}, ""},
		"no such one": {"aws:ec2/getVpn:getVpn", `{}`, nil, []standin.Finding{{"", "version 6.83.4 of the AWS SDK has no data source aws:ec2/getVpn:getVpn"}}, ""},
	}
	s := withSchema(t, data)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			result, findings, err := s.Invoke(t.Context(), tt.token, props(t, tt.args))
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.findings, findings)
			if tt.want != nil {
				require.Equal(t, tt.want, plainOf(result))
			}
		})
	}
}

func TestFaults(t *testing.T) {
	u := urnOf(vpc, "vpc")
	tests := map[string]struct {
		data string
		made int
		err  string
	}{
		"before":        {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", error: "VpcLimitExceeded"}]`, 0, "VpcLimitExceeded"},
		"after":         {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", after: true, error: "timed out"}]`, 1, "timed out"},
		"death":         {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", die: true}]`, 0, "told to die"},
		"death after":   {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", after: true, die: true}]`, 1, "told to die"},
		"other name":    {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", name: other, error: "x"}]`, 1, ""},
		"other type":    {`faults: [{on: create, type: "aws:ec2/subnet:Subnet", error: "x"}]`, 1, ""},
		"other op":      {`faults: [{on: delete, type: "aws:ec2/vpc:Vpc", error: "x"}]`, 1, ""},
		"short delay":   {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", delay: 1ms}]`, 1, ""},
		"endless delay": {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", delay: 1h}]`, 0, "held up"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := standin.ParseData([]byte(tt.data))
			require.NoError(t, err)
			s, err := standin.New(standin.Options{Data: data})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("nobody waits any more"))
			defer cancel()
			_, _, err = s.Create(ctx, u, property.Map{})
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
			w, err := s.Store().View()
			require.NoError(t, err)
			require.Equal(t, tt.made, w.Len())
		})
	}
}

func TestFaultEndsTheProcess(t *testing.T) {
	died := false
	data := standin.Data{Faults: []standin.Fault{{On: "read", Type: vpc, Die: true}}}
	s, err := standin.New(standin.Options{Data: data, Die: func() { died = true }})
	require.NoError(t, err)
	_, _, _, err = s.Read(t.Context(), urnOf(vpc, "vpc"), "vpc-1")
	require.Error(t, err)
	require.True(t, died)
}

func TestUnreadableData(t *testing.T) {
	tests := map[string]struct{ data, want string }{
		"unknown key":       {"fault: []", "fault"},
		"unknown operation": {"faults: [{on: make}]", `"make" is no operation`},
		"unknown refusal":   {"accept: [nic-none]", `no refusal "nic-none"`},
		"no YAML":           {"faults: [", "data"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := standin.ParseData([]byte(tt.data))
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := standin.LoadData("testdata/missing.yaml")
	require.ErrorContains(t, err, "missing.yaml")
}
