package judge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/judge"
)

// interfaces compares what a version generates here with what it generated when it was recorded.
func interfaces(t *testing.T, j *judge.Judge) {
	t.Helper()
	text, err := os.ReadFile("testdata/interfaces.json")
	require.NoError(t, err)
	var recorded map[string]map[string]map[string]string // version, type, EFA
	require.NoError(t, json.Unmarshal(text, &recorded))
	require.Len(t, recorded[j.Version()], 8)
	config, want := oneQueueEach(recorded[j.Version()])
	found, err := j.Interfaces(t.Context(), "weft", config)
	if errors.Is(err, judge.ErrNoNode) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	got := map[string]string{}
	for name, interfaces := range found {
		got[name] = line(t, interfaces)
	}
	require.Equal(t, want, got)
}

// oneQueueEach is a configuration with a queue for each type, with and without EFA, and what is expected of each.
func oneQueueEach(types map[string]map[string]string) (config string, want map[string]string) {
	want = map[string]string{}
	var queues strings.Builder
	for instanceType, recorded := range types {
		for efa, interfaces := range recorded {
			name := efa + "-" + strings.ReplaceAll(strings.TrimSuffix(instanceType, "large"), ".", "-")
			fmt.Fprintf(&queues, `
    - Name: %s
      Networking: {SubnetIds: [subnet-privatea000000000]}
      ComputeResources: [{Name: cr, InstanceType: %s, MaxCount: 2, Efa: {Enabled: %t}}]`, name, instanceType, efa == "efa")
			want["weft-"+name+"-cr"] = interfaces
		}
	}
	return `Region: us-east-2
Image: {Os: ubuntu2204}
HeadNode: {InstanceType: m6i.2xlarge, Networking: {SubnetId: subnet-privatea000000000}, Ssh: {KeyName: ed}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:` + queues.String() + "\n", want
}

// line writes interfaces as the file of recorded ones does.
func line(t *testing.T, interfaces []judge.Interface) string {
	t.Helper()
	var parts []string
	for i, n := range interfaces {
		if i == 0 {
			require.Nil(t, n.PublicIP)
		} else {
			require.NotNil(t, n.PublicIP)
			require.False(t, *n.PublicIP)
		}
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d/%d %s", n.Card, n.Device, n.Type)))
	}
	return strings.Join(parts, ", ")
}
