package mirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
	"github.com/weft-hpc/weft/offline/mirror"
)

var now = time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC)

// planned plans a cluster config.
func planned(t testing.TB, text string) plan.Cluster {
	t.Helper()
	doc, found := config.Decode("cluster.yaml", []byte(text))
	require.False(t, found.Failed(), "%v", found)
	p, findings := plan.New(doc.Cluster)
	require.False(t, findings.Failed(), "%v", findings)
	return p
}

func everything(t testing.TB) plan.Cluster {
	t.Helper()
	text, err := os.ReadFile("testdata/everything/cluster.yaml")
	require.NoError(t, err)
	return planned(t, string(text))
}

// The account of every example, and of a config that names one of everything.
func TestGoldens(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	files, err := filepath.Glob("../../examples/*/cluster.yaml")
	require.NoError(t, err)
	for _, file := range append(files, "testdata/everything/cluster.yaml") {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			world, err := mirror.For(planned(t, string(text)), now)
			require.NoError(t, err)
			require.NotEmpty(t, world.Images)
			world.Images = slices.DeleteFunc(world.Images, func(i account.Image) bool { return i.Owner == "amazon" })
			var out bytes.Buffer
			encoder := json.NewEncoder(&out)
			encoder.SetIndent("", "  ")
			require.NoError(t, encoder.Encode(world))
			golden.Check(t, "testdata/"+name+"/world.json", out.Bytes())
		})
	}
}

// Preflight, which reads the account through the AWS SDK, has nothing to say.
func TestPreflightConfirmsTheAccount(t *testing.T) {
	emulated := judgetest.Account(t)
	p := everything(t)
	world, err := mirror.For(p, now)
	require.NoError(t, err)
	require.NoError(t, emulated.Load(t.Context(), world))
	clients := preflight.NewClients(aws.Config{
		Region: p.Region, BaseEndpoint: aws.String(emulated.Endpoint()),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
	findings, err := preflight.Run(t.Context(), clients, preflight.Request{Plan: p}, func() time.Time { return now })
	require.NoError(t, err)
	require.Empty(t, findings.AtLeast(diag.Note))
}

func TestWhatTheAccountCannotHold(t *testing.T) {
	for name, row := range map[string]struct {
		edit func(*plan.Cluster)
		says string
	}{
		"a database of Slurm accounting": {
			func(p *plan.Cluster) { p.Config.Slurm.Database = &config.SlurmDatabase{} }, "slurm.database: the emulated account keeps no secrets",
		},
		"images of a version that nobody recorded": {
			func(p *plan.Cluster) { p.ParallelCluster = "3.0.0" }, `no official images are known for ParallelCluster "3.0.0"`,
		},
		"a zone that there is not": {
			func(p *plan.Cluster) { p.Groups[0].Zone = "use2-az99" }, "zone use2-az99: no zone has this number",
		},
	} {
		p := everything(t)
		row.edit(&p)
		_, err := mirror.For(p, now)
		require.ErrorContains(t, err, row.says, name)
	}
}
