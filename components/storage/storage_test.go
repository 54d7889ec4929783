package storage_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/components/storage"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/internal/golden"
)

var situations = map[string][]config.Storage{
	"new": {
		{Name: "scratch", Mount: "/fsx", FSxLustre: &config.FSxLustre{
			CapacityGiB: 4800, ThroughputMBps: 250, Keep: true,
			S3: []config.DataRepository{
				{Path: "/in", Bucket: "s3://data/in/"},
				{Path: "/out", Bucket: "s3://data/out/", Export: true},
			},
		}},
		{Name: "home", Mount: "/shared", EFS: &config.EFS{}},
		{Name: "tools", Mount: "/tools", EBS: &config.EBS{SizeGiB: 100}},
	},
	"existing": {
		{Name: "scratch", Mount: "/fsx", FSxLustre: &config.FSxLustre{Existing: "fs-0123456789abcdef0"}},
		{Name: "home", Mount: "/shared", EFS: &config.EFS{Existing: "fs-0fedcba9876543210"}},
	},
	"none": nil,
}

func program(s []config.Storage) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		made, err := storage.New(ctx, "storage", &storage.Args{
			Storage:          s,
			SubnetIDs:        []pulumi.StringInput{pulumi.String("subnet-1"), pulumi.String("subnet-2")},
			SecurityGroupIDs: pulumi.StringArray{pulumi.String("sg-1")},
			Tags:             map[string]string{"team": "a"},
		})
		if err != nil {
			return err
		}
		ctx.Export("ids", made.FileSystemIDs)
		return nil
	}
}

func TestGoldens(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for name, s := range situations {
		for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				first := componenttest.Record(t, program(s), mode)
				componenttest.Golden(t, name+"-"+mode.String(), first)
				require.Equal(t, first, componenttest.Record(t, program(s), mode), "a second run")
			})
		}
	}
}
