package judge_test

import (
	"cmp"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/judge"
)

// record is the file of recorded verdicts.
type record struct {
	World recordedWorld `json:"world"`
	Cases []struct {
		Name     string            `json:"name"`
		Config   json.RawMessage   `json:"config"` // an object, or a string that is the text itself
		Verdicts []recordedVerdict `json:"verdicts"`
	} `json:"cases"`
}

func readRecord(t *testing.T) record {
	t.Helper()
	text, err := os.ReadFile("testdata/dryrun/cases.json")
	require.NoError(t, err)
	var r record
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// replay asks about every recorded configuration. The same answers mean that the emulated account answers ParallelCluster
// as the recorded one did.
func replay(t *testing.T, r record, j *judge.Judge) {
	t.Helper()
	require.Len(t, r.Cases, 121)
	for _, c := range r.Cases {
		t.Run(c.Name, func(t *testing.T) {
			got, err := j.Create(t.Context(), clusterName(c.Name), r.config(t, c.Config, j.Version()))
			require.NoError(t, err)
			i := slices.IndexFunc(c.Verdicts, func(v recordedVerdict) bool { return slices.Contains(v.Versions, j.Version()) })
			require.GreaterOrEqual(t, i, 0, "no verdict of this version was recorded")
			want := c.Verdicts[i]
			require.Equal(t, want.Message, got.Message)
			require.Equal(t, want.Accepted, got.Accepted)
			require.Equal(t, ordered(want.Findings), ordered(got.Findings))
		})
	}
}

type recordedVerdict struct {
	Versions []string        `json:"versions"`
	Accepted bool            `json:"accepted"`
	Message  string          `json:"message"`
	Findings []judge.Finding `json:"findings"`
}

// clusterName is the name that was used when the verdict was recorded.
func clusterName(test string) string {
	switch test {
	case "cluster-name-too-long":
		return strings.Repeat("a", 61)
	case "cluster-name-underscore":
		return "my_cluster"
	default:
		return "weft"
	}
}

// config is the text of a configuration, with the images of the version that is asked. JSON is YAML.
func (r record) config(t *testing.T, config json.RawMessage, version string) string {
	t.Helper()
	text := string(config)
	if strings.HasPrefix(text, `"`) {
		require.NoError(t, json.Unmarshal(config, &text))
	}
	return strings.NewReplacer(r.World.swaps(version)...).Replace(text)
}

// swaps pairs the custom images of 3.16.1 with those of another version. The image of another version in a configuration
// is that of 3.14.2, for 3.14.2 that of 3.15.1.
func (w recordedWorld) swaps(version string) []string {
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

// set is a list in a message that ParallelCluster prints out of a Python set, in an order that changes.
var set = regexp.MustCompile(`\['[^\]]*'\]`)

// ordered sorts findings, and the lists in their messages.
func ordered(findings []judge.Finding) []judge.Finding {
	all := make([]judge.Finding, 0, len(findings))
	for _, f := range findings {
		f.Message = set.ReplaceAllStringFunc(f.Message, func(list string) string {
			items := strings.Split(strings.Trim(list, "[]"), ", ")
			slices.Sort(items)
			return "[" + strings.Join(items, ", ") + "]"
		})
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b judge.Finding) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Message, b.Message))
	})
	return all
}
