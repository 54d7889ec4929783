package pcconfig

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

func TestOwnActionsComeFirst(t *testing.T) {
	p := planned(t, "custom-actions")
	own := BootActions(p)[2].OnConfigured
	require.NotEmpty(t, own)
	c := New(p, IDs{BootBucket: "actions-boot-0123abc"})
	queue := c.Scheduling.SlurmQueues[0]
	var got []Script
	for _, a := range own {
		got = append(got, Script{Script: "s3://actions-boot-0123abc/" + a.Script.Key(), Args: a.Args})
	}
	require.Equal(t, append(got, Script{Script: "s3://scripts/v2/third.sh"}), queue.CustomActions.OnNodeConfigured.Sequence)
	require.Len(t, queue.CustomActions.OnNodeStart.Sequence, 2)
	require.Contains(t, queue.Iam.S3Access, S3Access{BucketName: "actions-boot-0123abc", KeyName: "weft/*"})
	require.NotContains(t, c.HeadNode.Iam.S3Access, S3Access{BucketName: "actions-boot-0123abc", KeyName: "weft/*"}, "the head node runs none")
}

// Nodes without actions get no grant, and the archive of GDRCopy is granted where it may be installed.
func TestGrantsOfActions(t *testing.T) {
	p := planned(t, "p5en-block")
	p.Config.Bootstrap.GDRCopy = &config.GDRCopyArchive{URL: "s3://archives/gdrcopy.tar.gz", SHA256: strings.Repeat("0a", 32), Version: "2.5.1"}
	grants := Preview(p).Scheduling.SlurmQueues[0].Iam.S3Access
	require.Equal(t, []S3Access{{BucketName: "train-boot-unknown", KeyName: "weft/*"}, {BucketName: "archives", KeyName: "gdrcopy.tar.gz"}}, grants)

	p.Groups[0].Healthy.Kind, p.Groups[0].Healthy.EFADevices = "cpu", 0
	queue := Preview(p).Scheduling.SlurmQueues[0]
	require.Nil(t, queue.CustomActions)
	require.Nil(t, queue.Iam)
}

// Login pools take their grants as a policy; the actions of weft's would be no exception.
func TestGrantsOfOtherNodes(t *testing.T) {
	p := planned(t, "login-nodes")
	tr := newTranslator(p, IDs{BootBucket: "b"})
	script := bootstrap.Render(bootstrap.NodeCheck, bootstrap.Expectation{})
	for i := range tr.actions {
		tr.actions[i].OnConfigured = []bootstrap.Action{{Script: script}}
	}
	grant := S3Access{BucketName: "b", KeyName: "weft/*"}
	require.Contains(t, tr.loginGrants(), grant)
	require.Contains(t, tr.headNode().Iam.S3Access, grant)
	require.Equal(t, "s3://b/"+script.Key(), tr.loginNodes().Pools[0].CustomActions.OnNodeConfigured.Sequence[0].Script)
}

func TestBootBucketName(t *testing.T) {
	for cluster, want := range map[string]string{
		"pretrain":                    "pretrain-boot",
		"Pretrain":                    "pretrain-boot",
		strings.Repeat("a", 50):       strings.Repeat("a", 50) + "-boot",
		strings.Repeat("a", 60):       strings.Repeat("a", 43) + "-11ee39-boot",
		strings.Repeat("a", 59) + "b": strings.Repeat("a", 43) + "-e0e2b5-boot",
	} {
		got := BootBucketName(cluster)
		require.LessOrEqual(t, len(got)+bootSuffix, 63)
		require.Equal(t, want, got)
	}
}

func TestABucketThatIsNotKnownIsNoChange(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"a-boot-unknown", "a-boot-0123abc", true},
		{"a-boot-0123abc", "a-boot-unknown", true},
		{"s3://a-boot-unknown/weft/x.sh", "s3://a-boot-0123abc/weft/x.sh", true},
		{"s3://a-boot-unknown/weft/x.sh", "s3://a-boot-0123abc/weft/y.sh", false},
		{"s3://a-boot-unknown/weft/x.sh", "s3://b-boot-0123abc/weft/x.sh", false},
		{"s3://a-boot-unknown/weft/x.sh", "s3://a-boot-0123/bc/weft/x.sh", false},
		{"a-boot-unknown", "datasets", false},
		{"a-boot-unknown", "a-boot-0123abcd", false},
		{"a-boot-0123abc", "a-boot-0123abd", false},
	} {
		require.Equal(t, row.same, sameButBucket(row.a, row.b), "%s %s", row.a, row.b)
	}
}

func TestAChangedActionIsAChangeOfItsQueue(t *testing.T) {
	p := planned(t, "p5en-block")
	before, err := New(p, IDs{BootBucket: BootBucketName(p.Name) + "-0123abc"}).YAML()
	require.NoError(t, err)
	p.Config.Bootstrap.NodeCheck = "report"
	after, err := Preview(p).YAML()
	require.NoError(t, err)
	changes, err := Update(p.ParallelCluster, before, after)
	require.NoError(t, err)
	var keys []string
	for _, c := range changes {
		keys = append(keys, c.Key+" "+c.Needs.String())
	}
	require.Equal(t, []string{"Scheduling.SlurmQueues[train].CustomActions.OnNodeConfigured.Sequence drain"}, keys)
}

func TestCheckAddsOwnActionsToTheUsersScripts(t *testing.T) {
	p := planned(t, "custom-actions")
	for minutes, want := range map[int]bool{0: false, 30: false, 31: true, 49: true, 50: false} {
		p.Config.Bootstrap.Compute.OnStart[0].Minutes = minutes
		findings := Check(p)
		if !want {
			require.Empty(t, findings, minutes)
			continue
		}
		require.Len(t, findings, 1, minutes)
		require.Equal(t, diag.BootTimeout, findings[0].Rule)
		require.Equal(t, diag.Warn, findings[0].Severity())
		require.Contains(t, findings[0].Hint, "timeoutMinutes above")
	}
}
