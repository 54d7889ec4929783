package config

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.AssertFormat = true
	require.NoError(t, compiler.AddResource("schema.json", bytes.NewReader(Schema())))
	s, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	return s
}

// validate holds a YAML text against the schema, as an editor does.
func validate(s *jsonschema.Schema, text []byte) error {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	return s.Validate(v)
}

func TestSchemaTakesWhatDecodeTakes(t *testing.T) {
	s := compileSchema(t)
	for _, situation := range []string{"minimal", "full"} {
		require.NoError(t, validate(s, read(t, "testdata/"+situation+"/cluster.yaml")), situation)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := Encode(anyCluster().Draw(t, "cluster"))
		if err == nil {
			err = validate(s, text)
		}
		if err != nil {
			t.Fatalf("%#v\n%s", err, text)
		}
	})
}

func TestSchemaRefuses(t *testing.T) {
	s := compileSchema(t)
	require.NoError(t, validate(s, []byte(minimal)))
	for name, text := range map[string]string{
		"unknown key":     minimal + "bogus: 1\n",
		"nested unknown":  minimal + "monitoring: {bogus: 1}\n",
		"wrong type":      minimal + "monitoring: {dashboard: 'no'}\n",
		"float as text":   minimal + "parallelcluster: 3.20\n",
		"enum":            minimal + "workload: {kind: sparse}\n",
		"number enum":     minimal + "monitoring: {logRetentionDays: 100}\n",
		"minimum":         minimal + "slurm: {scaledownIdleMinutes: -2}\n",
		"maximum":         minimal + "validation: {thresholds: {allReduce: 1.5}}\n",
		"id":              minimal + "image: {ami: ami-1}\n",
		"two images":      minimal + "image: {ami: ami-01234567, official: true}\n",
		"repeated node":   minimal + "s3: [{bucket: a, nodes: [head, head]}]\n",
		"rule id":         minimal + "rules: {no/rule: {level: note}}\n",
		"level":           minimal + "rules: {ver/floor: {level: warning}}\n",
		"no level":        minimal + "rules: {ver/floor: {reason: x}}\n",
		"storage kinds":   minimal + "storage: [{name: a, mount: /a, efs: {}, ebs: {sizeGiB: 1}}]\n",
		"no storage kind": minimal + "storage: [{name: a, mount: /a}]\n",
		"empty text":      minimal + "os: ''\n",
		"no groups":       "name: a\nregion: b\nnetwork: {create: {}}\n",
		"empty groups":    "name: a\nregion: b\nnetwork: {create: {}}\ngroups: []\n",
		"no network":      "name: a\nregion: b\ngroups: [{name: a, instanceType: b, count: 1, capacity: {onDemand: true}}]\n",
	} {
		require.Error(t, validate(s, []byte(text)), name)
		_, list := Decode("c.yaml", []byte(text))
		require.True(t, list.Failed(), "the decoder refuses %s as well", name)
	}
}
