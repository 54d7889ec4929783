package judge_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// TestVersions asks every version everything, all of them against one account.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := judgetest.ReadRecord(t)
	a := judgetest.Account(t)
	require.NoError(t, a.Load(t.Context(), r.World.Account(t)))
	for _, version := range judge.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			j := judgetest.Judge(t, version, a)
			t.Run("replay", func(t *testing.T) { replay(t, r, j) })
			t.Run("program", func(t *testing.T) { program(t, r, j) })
			t.Run("interfaces", func(t *testing.T) { interfaces(t, j) })
			t.Run("no update", func(t *testing.T) { noUpdate(t, j) })
			t.Run("shared storage", func(t *testing.T) { sharedStorage(t, j) })
			t.Run("image", func(t *testing.T) { image(t, j) })
			if version == "3.16.1" {
				t.Run("updates", func(t *testing.T) { updates(t, j) })
			}
			t.Run("given up", func(t *testing.T) { givenUp(t, j) })
		})
	}
}

// program runs the pcluster program itself on a configuration that is accepted with a warning and on one that is refused.
func program(t *testing.T, r judgetest.Record, j *judge.Judge) {
	t.Helper()
	tried := 0
	for _, c := range r.Cases {
		accepted, chosen := map[string]bool{"script-missing": true, "efa-unsupported-type": false}[c.Name]
		if !chosen {
			continue
		}
		tried++
		config := r.Text(t, c.Config, j.Version())
		want, err := j.Create(t.Context(), "weft", config)
		require.NoError(t, err)
		require.Equal(t, accepted, want.Accepted, "%+v", want)
		require.NotEmpty(t, want.Findings)
		got, out, err := j.CreateByProgram(t.Context(), "weft", config)
		require.NoError(t, err)
		require.Equal(t, 1, out.Exit, "also a dry run that passes ends so")
		require.Equal(t, want.Message, got.Message)
		require.Equal(t, ordered(want.Findings), ordered(got.Findings))
	}
	require.Equal(t, 2, tried)
}

// image asks about an image of a GPU node, and about one that cannot be built for lack of security groups.
func image(t *testing.T, j *judge.Judge) {
	t.Helper()
	official, err := account.OfficialImages(j.Version())
	require.NoError(t, err)
	i := slices.IndexFunc(official, func(i account.Image) bool { return i.OS == "ubuntu2204" && i.Architecture == "x86_64" })
	good := `
Build:
  InstanceType: g4dn.xlarge
  ParentImage: ` + official[i].ID + `
  Installation: {NvidiaSoftware: {Enabled: true}}
`
	got, err := j.BuildImage(t.Context(), "gpu", "us-east-2", good)
	require.NoError(t, err)
	require.True(t, got.Accepted, "%+v", got)

	got, err = j.BuildImage(t.Context(), "gpu", "us-east-2", good+"  SubnetId: subnet-privatea000000000\n")
	require.NoError(t, err)
	require.False(t, got.Accepted)
	require.Equal(t, "SecurityGroupsAndSubnetValidator", got.Findings[0].Type)
}

// sharedStorage asks about what the recorded configurations do not have: an EFS file system and a role that exist.
func sharedStorage(t *testing.T, j *judge.Judge) {
	t.Helper()
	const config = `
Region: us-east-2
Image: {Os: ubuntu2204}
HeadNode:
  InstanceType: m6i.2xlarge
  Networking: {SubnetId: subnet-privatea000000000}
  Ssh: {KeyName: ed}
  Iam: {InstanceRole: "arn:aws:iam::123456789012:role/weft/head"}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: cpu
      Networking: {SubnetIds: [subnet-privatea000000000]}
      ComputeResources: [{Name: c5, InstanceType: c5.2xlarge, MaxCount: 8}]
SharedStorage:
  - {Name: home, MountDir: /shared, StorageType: Efs, EfsSettings: {FileSystemId: fs-0000000000000000e}}
`
	got, err := j.Create(t.Context(), "weft", config)
	require.NoError(t, err)
	require.True(t, got.Accepted, "%+v", got)
	require.Empty(t, got.Findings)

	got, err = j.Create(t.Context(), "weft", strings.NewReplacer("fs-0000000000000000e", "fs-0000000000000000f", "weft/head", "weft/none").Replace(config))
	require.NoError(t, err)
	require.False(t, got.Accepted, "%+v", got)
}

// givenUp is the last test of a judge: who does not wait for an answer cannot ask again.
func givenUp(t *testing.T, j *judge.Judge) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := j.Create(ctx, "weft", inUse)
	require.ErrorIs(t, err, context.Canceled)
	_, err = j.Create(t.Context(), "weft", inUse)
	require.ErrorContains(t, err, "the judge stopped")
}

func TestUnknownVersion(t *testing.T) {
	t.Parallel()
	_, err := judge.New(t.Context(), "2.11.0", nil)
	require.ErrorContains(t, err, `no environment for ParallelCluster "2.11.0", only for [3.14.2 3.15.1 3.16.1]`)
}
