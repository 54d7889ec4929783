package amibuild_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

func rendered(t *testing.T, text string) (amibuild.Bundle, []string) {
	t.Helper()
	i, _ := locked(t, amibuild.Request{Recipe: recipe(t, text)})
	b, found, err := i.BuildImage()
	require.NoError(t, err)
	return b, rules(found)
}

const scripts = "build: {scripts: s3://b/p}\n"

func TestBuildImageRefuses(t *testing.T) {
	many := ""
	for i := range 15 {
		many += fmt.Sprintf("  - script: {name: s%d, url: \"https://x/%d.sh\"}\n", i, i)
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"good":       {text: official + scripts + "components:\n" + newEFA},
		"no scripts": {text: official + "components:\n" + newEFA, want: []string{"error config/required build.scripts"}},
		"sixteen":    {text: official + scripts + "components:\n" + many, want: []string{"error pc/size components"}},
		"kernel":     {text: official + scripts + "components:\n  - kernel: {version: 6.8.0-1040-aws}\n" + newEFA, want: []string{"error ami/kernel components[0].kernel"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := rendered(t, c.text)
			require.Equal(t, c.want, got)
		})
	}
}

// An official image that nobody pinned has no id, and the way to it is named.
func TestBuildImageWithoutParent(t *testing.T) {
	i, _ := amibuild.New(amibuild.Request{Recipe: recipe(t, official+scripts+"components:\n"+newEFA)})
	b, found, err := i.BuildImage()
	require.NoError(t, err)
	require.Equal(t, []string{"error ami/parent parent.official"}, rules(found))
	require.Contains(t, found[0].Hint, "--filters 'Name=name,Values=aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64*'")
	require.Contains(t, string(b.Config), "ami-of:aws-parallelcluster-3.16.1")
}

// The scripts that a configuration names are those of the bundle, in the recipe's order, under names that change with their content.
func TestBundleIsWhole(t *testing.T) {
	b, _ := rendered(t, official+scripts+"components:\n"+newEFA+"  - nccl: {version: 2.30.4-1}\n")
	keys := slices.Sorted(maps.Keys(b.Scripts))
	require.Len(t, keys, 3)
	at := 0
	for _, key := range keys {
		i := strings.Index(string(b.Config), "Value: s3://b/p/"+key)
		require.Greater(t, i, at)
		at = i
	}
	other, _ := rendered(t, official+scripts+"components:\n  - efa: {version: 1.51.0}\n  - nccl: {version: 2.30.4-1}\n")
	require.NotEqual(t, keys[0], slices.Sorted(maps.Keys(other.Scripts))[0])
}

// What the recipe asks for stands in the configuration.
func TestBuildImageSays(t *testing.T) {
	b, _ := rendered(t, plain+`tags: {team: "yes"}
build: {scripts: s3://b/p, updatePackages: true, rootVolumeGiB: 100, kmsKey: "arn:aws:kms:us-east-2:123456789012:key/1", subnet: subnet-01234567, securityGroups: [sg-01234567], cleanupRole: "arn:aws:iam::123456789012:role/r"}
components:
  - nvidia: {}
`)
	for _, line := range []string{
		"UpdateOsPackages:\n    Enabled: true\n", "NvidiaSoftware:\n      Enabled: true\n", "Size: 100\n", "Encrypted: true\n    KmsKeyId: arn:aws:kms:us-east-2:123456789012:key/1\n", "SubnetId: subnet-01234567\n", "- sg-01234567\n",
		"CleanupLambdaRole: \"arn:aws:iam::123456789012:role/r\"\n", "ParentImage: ami-01234567\n", "InstanceType: g4dn.4xlarge\n", "Value: \"yes\"\n",
	} {
		require.Contains(t, string(b.Config), line)
	}
}

// Every situation, for each version of ParallelCluster that can be asked: the real schema and validators take it, and no IAM role
// is made in a dry run.
func TestParallelClusterAccepts(t *testing.T) {
	a := judgetest.Account(t)
	require.NoError(t, a.Load(t.Context(), parents()))
	for _, version := range judge.Versions() {
		t.Run(version, func(t *testing.T) {
			j := judgetest.Judge(t, version, a)
			for _, name := range situations {
				b := bundleFor(t, name, version)
				got, err := j.BuildImage(t.Context(), name, "us-east-2", string(b.Config))
				require.NoError(t, err)
				require.True(t, got.Accepted, "%s: %+v\n%s", name, got, b.Config)
				require.Empty(t, got.Findings, name)
			}
		})
	}
}

// The judge is not one that takes everything: what our own rules refuse, it refuses too.
func TestParallelClusterRefusesToo(t *testing.T) {
	a := judgetest.Account(t)
	require.NoError(t, a.Load(t.Context(), parents()))
	j := judgetest.Judge(t, "3.16.1", a)
	good := string(bundleFor(t, "alinux2023-plain", "3.16.1").Config)
	for from, to := range map[string]string{
		"InstanceType: g4dn.4xlarge":         "InstanceType: m6i.xlarge",
		"  InstanceType: g4dn.4xlarge":       "  InstanceType: g4dn.4xlarge\n  SubnetId: subnet-0123456789abcdef0",
		"ParentImage: ami-0a1b2c3d4e5f60001": "ParentImage: nothing",
		"Components:\n":                      "Components:\n" + strings.Repeat("    - {Type: script, Value: \"s3://b/x.sh\"}\n", 15),
		"NvidiaSoftware:":                    "NvidiaDriver:",
	} {
		require.Contains(t, good, from)
		got, err := j.BuildImage(t.Context(), "bad", "us-east-2", strings.Replace(good, from, to, 1))
		require.NoError(t, err)
		require.False(t, got.Accepted, to)
	}
}

// bundleFor renders a situation for another version of ParallelCluster.
func bundleFor(t *testing.T, name, version string) amibuild.Bundle {
	t.Helper()
	r := situation(t, name)
	r.Recipe.Value.ParallelCluster = version
	i, _ := amibuild.New(r)
	if i.Parent.AMI == "" {
		i.Parent.AMI = lock(t, read(t, name, amibuild.LockFile)).Value.Parent
	}
	b, found, err := i.BuildImage()
	require.NoError(t, err)
	require.Empty(t, found)
	return b
}

// parents is an account with the images and the network that the situations build from.
func parents() account.World {
	w := account.World{
		Region:  "us-east-2",
		VPCs:    []account.VPC{{ID: "vpc-0123456789abcdef0", CIDR: "10.0.0.0/16", DNSSupport: true, DNSHostnames: true}},
		Subnets: []account.Subnet{{ID: "subnet-0123456789abcdef0", VPC: "vpc-0123456789abcdef0", Zone: "us-east-2a", CIDR: "10.0.0.0/24"}},
		SecurityGroups: []account.SecurityGroup{{
			ID: "sg-0123456789abcdef0", VPC: "vpc-0123456789abcdef0", Egress: []account.Rule{{Protocol: "-1", CIDRs: []string{"0.0.0.0/0"}}},
		}},
		Buckets: []account.Bucket{{Name: "weft-images"}},
		Roles:   []account.Role{{ARN: "arn:aws:iam::123456789012:role/image-cleanup"}, {ARN: "arn:aws:iam::123456789012:role/image-builder"}},
	}
	for i, os := range []string{"ubuntu2204", "alinux2023", "rhel9", "ubuntu2404"} {
		w.Images = append(w.Images, account.Image{ID: fmt.Sprintf("ami-0a1b2c3d4e5f6000%d", i), Name: "parent " + os, Architecture: "x86_64", OS: os, RootSize: 40})
	}
	return w
}

func TestReleaseLimit(t *testing.T) {
	require.Equal(t, 15, catalog.NewestRelease().Limits().BuildComponents)
}
