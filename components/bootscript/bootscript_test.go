package bootscript_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/components/bootscript"
	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/offline/engine/inprocess"
	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/toolchain"
)

func scripts(t testing.TB, o bootstrap.Options) []bootstrap.Script {
	t.Helper()
	const file = "../../examples/p5en-capacity-block/cluster.yaml"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, _ := config.Decode(file, text)
	p, findings := plan.New(doc.Cluster)
	require.False(t, findings.Failed(), "%v", findings)
	return bootstrap.Scripts(bootstrap.For(p, o))
}

func program(list []bootstrap.Script, use func(*pulumi.Context, *bootscript.BootScripts)) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		c, err := bootscript.New(ctx, "Pretrain", &bootscript.Args{Bucket: "pretrain-boot", Scripts: list, Tags: map[string]string{"team": "research"}})
		if err == nil && use != nil {
			use(ctx, c)
		}
		return err
	}
}

// withARN answers for the bucket.
var withARN = componenttest.Outputs("aws:s3/bucketV2:BucketV2", func(r componenttest.Registration) map[string]any {
	return map[string]any{"arn": "arn:aws:s3:::" + r.Name}
})

func TestRegistrations(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	list := []bootstrap.Script{
		{Name: bootstrap.NodeCheck, Content: []byte("#!/bin/sh\necho fine\n"), SHA256: strings.Repeat("0a", 32)},
		{Name: bootstrap.GDRCopy, Content: []byte("#!/bin/sh\necho loaded\n"), SHA256: strings.Repeat("0b", 32)},
	}
	for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
		t.Run(mode.String(), func(t *testing.T) {
			regs := componenttest.Record(t, program(list, nil), mode, withARN)
			componenttest.Golden(t, "two-scripts-"+mode.String(), regs)
			require.Equal(t, regs, componenttest.Record(t, program(list, nil), mode, withARN), "a second run is no change")
		})
	}
}

func TestBucketName(t *testing.T) {
	for mode, want := range map[componenttest.Mode]any{componenttest.Update: "pretrain-boot-id", componenttest.Preview: componenttest.Unknown} {
		componenttest.Record(t, program(scripts(t, bootstrap.Options{}), func(ctx *pulumi.Context, c *bootscript.BootScripts) {
			require.Equal(t, want, componenttest.Await(t, ctx, c.BucketName))
		}), mode, withARN)
	}
}

// A changed script is a new object, made before the old one goes; the bucket and what is unchanged stay.
func TestAChangedScriptIsANewObject(t *testing.T) {
	before, after := scripts(t, bootstrap.Options{}), scripts(t, bootstrap.Options{Mode: bootstrap.Report})
	stack := inprocess.New(t, program(before, nil), inprocess.Options{
		Config: map[string]string{"aws:region": "us-east-2"}, StandIn: standin.Options{Schema: toolchain.AWSSchema(t)},
	})
	require.NoError(t, stack.Up().Err)
	again := stack.Up()
	require.NoError(t, again.Err)
	require.True(t, again.Unchanged())

	stack.Program = program(after, nil)
	change := stack.Up()
	require.NoError(t, change.Err)
	var did []string
	for _, s := range change.Steps {
		if s.Op != "same" {
			require.Equal(t, "aws:s3/bucketObjectv2:BucketObjectv2", s.Type)
			did = append(did, s.Op)
		}
	}
	require.Equal(t, append(slicesOf("create", len(after)), slicesOf("delete", len(before))...), did)

	destroy := stack.Destroy()
	require.NoError(t, destroy.Err)
	world, err := stack.Account().Store().View()
	require.NoError(t, err)
	require.Zero(t, world.Len())
}

func slicesOf(op string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = op
	}
	return out
}

func TestNoArguments(t *testing.T) {
	made, err := componenttest.Try(func(ctx *pulumi.Context) error {
		_, err := bootscript.New(ctx, "pretrain", nil)
		return err
	}, componenttest.Update)
	require.ErrorContains(t, err, "arguments of pretrain: none")
	require.Empty(t, made)
}
