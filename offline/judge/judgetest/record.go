package judgetest

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/weft-hpc/weft/offline/judge"
)

//go:embed testdata/dryrun/cases.json
var recorded []byte

// Record is the file of verdicts that the real ParallelCluster gave on an account whose answers were recorded.
type Record struct {
	World    World    `json:"world"`
	Versions []string `json:"versions"`
	Cases    []Case   `json:"cases"`
}

// Case is one configuration and what each version said of it.
type Case struct {
	Name     string          `json:"name"`
	Config   json.RawMessage `json:"config"` // an object, or a string that is the text itself
	Verdicts []Ruling        `json:"verdicts"`
}

// Ruling is what some versions said.
type Ruling struct {
	Versions []string        `json:"versions"`
	Accepted bool            `json:"accepted"`
	Message  string          `json:"message"`
	Findings []judge.Finding `json:"findings"`
}

// ReadRecord reads the recorded verdicts.
func ReadRecord(t testing.TB) Record {
	t.Helper()
	var r Record
	if err := json.Unmarshal(recorded, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Text is the text of a configuration for a version, with that version's images. JSON is YAML.
func (r Record) Text(t testing.TB, config json.RawMessage, version string) string {
	t.Helper()
	text := string(config)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(config, &text); err != nil {
			t.Fatal(err)
		}
	}
	return strings.NewReplacer(r.World.swaps(version)...).Replace(text)
}

// swaps pairs the custom images of 3.16.1 with those of another version. The image of another version in a configuration
// is that of 3.14.2, for 3.14.2 that of 3.15.1.
func (w World) swaps(version string) []string {
	ids := map[string]string{}
	for id, image := range w.Images {
		ids[image.Name] = id
	}
	var pairs []string
	for name, id := range ids {
		if kind, ok := strings.CutPrefix(name, "custom-3.16.1-"); ok {
			pairs = append(pairs, id, ids["custom-"+version+"-"+kind])
		}
	}
	if version == "3.14.2" {
		pairs = append(pairs, ids["custom-3.14.2-ubuntu2204"], ids["custom-3.15.1-ubuntu2204"])
	}
	return pairs
}
