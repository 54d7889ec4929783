package source_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/source"
)

func TestKeysOfParallelCluster(t *testing.T) {
	runAll(t, source.Options{ParallelCluster: "3.14.2"}, []spec{
		{"a slip", "Scheduling: {SlurmQueue: []}", source.ParallelCluster, []string{"error pc/key 1:14 Scheduling.SlurmQueue"}},
		{"of a later release", "Scheduling: {}\nDevSettings: {EfaInterfaceType: efa}", source.ParallelCluster, []string{"error pc/key 2:15 DevSettings.EfaInterfaceType"}},
		{"in the wrong place", "Scheduling:\n  SlurmQueues:\n    - MinCount: 4", source.ParallelCluster, []string{"error pc/key 3:7 Scheduling.SlurmQueues[0].MinCount"}},
		{"free settings", "Scheduling: {SlurmSettings: {CustomSlurmSettings: [{Anything: 1}]}}\nTags: [{Key: a, Value: b}]", source.ParallelCluster, nil},
		{"a system of no release", "Scheduling: {}\nImage: {Os: windows}", source.ParallelCluster, []string{"error pc/os 2:9 Image.Os"}},
	})
	for text, hint := range map[string]string{
		"Scheduling: {SlurmQueue: []}":                                          "write SlurmQueues",
		"Scheduling: {}\nDevSettings: {EfaInterfaceType: efa}":                  "remove it, or use a release that has it: 3.15.1, 3.16.1",
		"Scheduling:\n  SlurmQueues:\n    - MinCount: 4":                        "move it to Scheduling/SlurmQueues/ComputeResources/MinCount",
		"Scheduling:\n  SlurmQueues:\n    - ComputeResources: [{SubnetIds: a}]": "move it to Scheduling/SlurmQueues/Networking/SubnetIds",
	} {
		d := source.Read("f", []byte(text), source.Options{ParallelCluster: "3.14.2"})
		require.Len(t, d.Findings, 1, text)
		require.Equal(t, hint, d.Findings[0].Hint)
	}
}
