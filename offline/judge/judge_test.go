package judge_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// TestVersions asks every version everything, all of them against one account.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := readRecord(t)
	a := judgetest.Account(t)
	require.NoError(t, a.Load(t.Context(), r.World.world(t)))
	for _, version := range judge.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			j := judgetest.Judge(t, version, a)
			t.Run("replay", func(t *testing.T) { replay(t, r, j) })
			t.Run("program", func(t *testing.T) { program(t, r, j) })
			t.Run("interfaces", func(t *testing.T) { interfaces(t, j) })
			t.Run("no update", func(t *testing.T) { noUpdate(t, j) })
			t.Run("image", func(t *testing.T) { image(t, j) })
			if version == "3.16.1" {
				t.Run("updates", func(t *testing.T) { updates(t, j) })
			}
		})
	}
}

// program runs the pcluster program itself on a configuration that is accepted with a warning and on one that is refused.
func program(t *testing.T, r record, j *judge.Judge) {
	tried := 0
	for _, c := range r.Cases {
		accepted, chosen := map[string]bool{"script-missing": true, "efa-unsupported-type": false}[c.Name]
		if !chosen {
			continue
		}
		tried++
		config := r.config(t, c.Config, j.Version())
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

func TestUnknownVersion(t *testing.T) {
	t.Parallel()
	_, err := judge.New(t.Context(), "2.11.0", nil)
	require.ErrorContains(t, err, `no environment for ParallelCluster "2.11.0", only for [3.14.2 3.15.1 3.16.1]`)
}
