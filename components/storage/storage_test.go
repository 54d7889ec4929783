package storage_test

import (
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
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

// ParallelCluster refuses an EFS file system without a mount target in each zone of the cluster: the id stands for them too.
func TestFileSystemWaitsForItsMountTargets(t *testing.T) {
	var waits, want []string
	for _, r := range componenttest.Record(t, func(ctx *pulumi.Context) error {
		made, err := storage.New(ctx, "storage", &storage.Args{
			Storage:   []config.Storage{{Name: "home", Mount: "/shared", EFS: &config.EFS{}}},
			SubnetIDs: []pulumi.StringInput{pulumi.String("subnet-1"), pulumi.String("subnet-2")},
		})
		if err != nil {
			return err
		}
		_, err = ec2.NewLaunchTemplate(ctx, "user", &ec2.LaunchTemplateArgs{Description: made.FileSystemIDs.MapIndex(pulumi.String("home"))})
		return err
	}, componenttest.Update) {
		switch {
		case r.Name == "user":
			require.Equal(t, "storage-home-id", r.Inputs["description"])
			waits = r.Options.DependsOn
		case r.Custom:
			want = append(want, r.URN)
		}
	}
	require.Len(t, want, 3)
	require.Equal(t, want, waits)
}

func TestNoArguments(t *testing.T) {
	regs, err := componenttest.Try(func(ctx *pulumi.Context) error {
		_, err := storage.New(ctx, "storage", nil)
		return err
	}, componenttest.Update)
	require.ErrorContains(t, err, "arguments of storage: none")
	require.Empty(t, regs)
}

func TestNoSubnet(t *testing.T) {
	for name, s := range map[string]config.Storage{
		"lustre": {Name: "data", FSxLustre: &config.FSxLustre{CapacityGiB: 1200}}, "efs": {Name: "data", EFS: &config.EFS{}},
	} {
		t.Run(name, func(t *testing.T) {
			regs, err := componenttest.Try(func(ctx *pulumi.Context) error {
				_, err := storage.New(ctx, "storage", &storage.Args{Storage: []config.Storage{s}})
				return err
			}, componenttest.Update)
			require.ErrorContains(t, err, "arguments of storage: subnetIds is empty: data is made in them")
			require.Empty(t, regs)
		})
	}
}

// Mount targets are named after their subnets where those have names, so that each stays where it is when their order changes.
func TestSubnetNames(t *testing.T) {
	program := func(ids, names []string) pulumi.RunFunc {
		return func(ctx *pulumi.Context) error {
			args := &storage.Args{Storage: []config.Storage{{Name: "home", EFS: &config.EFS{}}}, SubnetNames: names}
			for _, id := range ids {
				args.SubnetIDs = append(args.SubnetIDs, pulumi.String(id))
			}
			_, err := storage.New(ctx, "storage", args)
			return err
		}
	}
	targets := func(ids, names []string) map[string]any {
		out := map[string]any{}
		for _, r := range componenttest.Record(t, program(ids, names), componenttest.Update) {
			if r.Type == "aws:efs/mountTarget:MountTarget" {
				out[r.Name] = r.Inputs["subnetId"]
			}
		}
		return out
	}
	want := map[string]any{"storage-home-us-east-2a": "subnet-a", "storage-home-us-east-2b": "subnet-b"}
	require.Equal(t, want, targets([]string{"subnet-a", "subnet-b"}, []string{"us-east-2a", "us-east-2b"}))
	require.Equal(t, want, targets([]string{"subnet-b", "subnet-a"}, []string{"us-east-2b", "us-east-2a"}))
	require.Equal(t, map[string]any{"storage-home-0": "subnet-a"}, targets([]string{"subnet-a"}, nil))

	_, err := componenttest.Try(program([]string{"subnet-a"}, []string{"a", "b"}), componenttest.Update)
	require.ErrorContains(t, err, "subnetNames has 2 names for 1 subnets")
}
