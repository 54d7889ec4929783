package amibuild_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
)

func componentSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	require.NoError(t, c.AddResource("component.json", bytes.NewReader(read(t, "component.schema.json"))))
	s, err := c.Compile("component.json")
	require.NoError(t, err)
	return s
}

func validate(s *jsonschema.Schema, text string) error {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return s.Validate(v)
}

// component is a document as it is read back.
type component struct {
	Phases []struct {
		Name  string
		Steps []struct {
			Name, Action string
			Inputs       struct{ Commands []string }
		}
	}
}

// everything installs every kind of component on an official image.
const everything = `
name: everything
parallelcluster: 3.16.1
os: ubuntu2204
instanceTypes: [p5.48xlarge]
parent: {official: true}
components:
  - kernel: {version: 6.8.0-1040-aws}
  - nvidia: {driver: 595.71.05, modules: open}
  - cuda: {version: 13.2.2, bundle: 595.58.03}
  - efa: {version: 1.50.0}
  - gdrcopy: {version: 2.5.2}
  - nccl: {version: 2.31.2-1}
  - ncclTests: {version: 2.17.6}
  - enroot: {version: 4.2.1}
  - pyxis: {version: 0.24.0}
  - script: {name: remote, url: "https://example.com/tools.sh"}
  - script: {name: local, file: tools.sh}
`

func planEverything(t testing.TB) amibuild.Image {
	t.Helper()
	content := []byte("echo \"it's \\ ${HOME-}\"\t# tab\n\n  echo 'indented'\n")
	i, found := locked(t, amibuild.Request{Recipe: recipe(t, everything), Files: map[string][]byte{"tools.sh": content}})
	require.False(t, found.Failed(), show(found))
	return i
}

// Every document is what Image Builder takes, proves itself after a reboot and again on the finished image, and reads back as the
// script that was meant, byte for byte.
func TestDocuments(t *testing.T) {
	s := componentSchema(t)
	i := planEverything(t)
	d, found, err := i.ImageBuilder()
	require.NoError(t, err)
	require.Empty(t, found)
	bundle, _, err := i.BuildImage()
	require.NoError(t, err)
	require.Len(t, d.Components, 12)
	for k, c := range d.Components {
		require.NoError(t, validate(s, c.Data), c.Name)
		require.NotContains(t, c.Data, "{{", "Image Builder would take it for a variable")
		var got component
		require.NoError(t, yaml.Unmarshal([]byte(c.Data), &got))
		require.Equal(t, []string{"build", "validate", "test"}, []string{got.Phases[0].Name, got.Phases[1].Name, got.Phases[2].Name})
		require.Equal(t, "Reboot", got.Phases[0].Steps[1].Action)
		verify := fmt.Sprintf("bash /opt/weft/image/%s.sh verify", i.StepName(k))
		require.Equal(t, []string{verify}, got.Phases[1].Steps[0].Inputs.Commands)
		require.Equal(t, []string{verify}, got.Phases[2].Steps[0].Inputs.Commands)
		require.Equal(t, script(t, bundle, i.StepName(k)), placed(t, got.Phases[0].Steps[0].Inputs.Commands[0]))
	}
}

// placed is the script that a build step puts on the image.
func placed(t *testing.T, command string) string {
	t.Helper()
	_, rest, ok := strings.Cut(command, "_FILE'\n")
	require.True(t, ok)
	text, _, ok := strings.Cut(rest, "WEFT_END_OF_SCRIPT_FILE\n")
	require.True(t, ok)
	return text
}

// script is the script of a step in a bundle.
func script(t testing.TB, b amibuild.Bundle, step string) string {
	t.Helper()
	for key, text := range b.Scripts {
		if regexp.MustCompile(`/\d\d-` + step + `-[0-9a-f]{8}\.sh$`).MatchString(key) {
			return text
		}
	}
	t.Fatalf("no script of %s", step)
	return ""
}

func TestSchemaRefusesOtherDocuments(t *testing.T) {
	s := componentSchema(t)
	d, _, err := planEverything(t).ImageBuilder()
	require.NoError(t, err)
	for from, to := range map[string]string{
		"schemaVersion: 1.0": "schemaVersion: 2.0", "- name: validate": "- name: check", "action: Reboot": "action: Restart", "onFailure: Abort": "onFailure: Stop",
		"maxAttempts: 1": "maxAttempts: 0", "commands:": "command:", "phases:": "stages:",
	} {
		require.Contains(t, d.Components[0].Data, from)
		require.Error(t, validate(s, strings.Replace(d.Components[0].Data, from, to, 1)), to)
	}
}

// The scripts are clean, as a whole and not only in parts, and bash reads them.
func TestScriptsAreClean(t *testing.T) {
	bundle, _, err := planEverything(t).BuildImage()
	require.NoError(t, err)
	for key, text := range bundle.Scripts {
		check := exec.Command("bash", "-n")
		check.Stdin = strings.NewReader(text)
		out, err := check.CombinedOutput()
		require.NoError(t, err, "%s: %s", key, out)
	}
	if _, err := exec.LookPath("shellcheck"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "shellcheck is not installed")
		t.Skip("shellcheck is not installed; scripts/shellcheck.sh checks the parts")
	}
	for key, text := range bundle.Scripts {
		check := exec.Command("shellcheck", "--shell=bash", "--exclude=SC2034,SC2317,SC2329", "-")
		check.Stdin = strings.NewReader(text)
		out, err := check.CombinedOutput()
		require.NoError(t, err, "%s: %s", key, out)
	}
}

// A document that Image Builder does not take is found before it is sent.
func TestLongScript(t *testing.T) {
	r := amibuild.Request{
		Recipe: recipe(t, "name: a\nparallelcluster: 3.16.1\nos: ubuntu2204\ninstanceTypes: [p5.48xlarge]\nparent: {official: true}\ncomponents:\n  - script: {name: long, file: long.sh}\n"),
		Files:  map[string][]byte{"long.sh": []byte(strings.Repeat("echo a line\n", 1000))},
	}
	i, _ := locked(t, r)
	_, found, err := i.ImageBuilder()
	require.NoError(t, err)
	require.Equal(t, []string{"error pc/size components[0].script"}, rules(found))
}
