package pcconfig

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

func TestIDsTakeThePlaceOfPlaceholders(t *testing.T) {
	p := planned(t, "p6-b300-most-bandwidth")
	c := New(p, IDs{
		HeadSubnet:           "subnet-0000000000000000a",
		ComputeSubnets:       map[string]string{"train": "subnet-0000000000000000b"},
		ClusterSecurityGroup: "sg-0000000000000000a",
		Templates:            map[string]Template{"train": {ID: "lt-0000000000000000a", Version: 3}},
		BootBucket:           BootBucketName(p.Name) + "-0123abc",
	})
	text, err := c.YAML()
	require.NoError(t, err)
	require.NotContains(t, string(text), unknown)
	require.NotContains(t, string(text), unknownBucket)
	require.Equal(t, &LaunchTemplateOverrides{LaunchTemplateId: "lt-0000000000000000a", Version: 3}, c.Scheduling.SlurmQueues[0].ComputeResources[0].LaunchTemplateOverrides)
	require.Equal(t, []string{"subnet-0000000000000000b"}, c.Scheduling.SlurmQueues[0].Networking.SubnetIds)
	require.Equal(t, []string{"sg-0000000000000000a"}, c.HeadNode.Networking.AdditionalSecurityGroups)

	preview, err := Preview(p).YAML()
	require.NoError(t, err)
	changes, err := Update(p.ParallelCluster, text, preview)
	require.NoError(t, err)
	require.Empty(t, changes, "what is not known yet is no change")
}

func TestIDsOfWhatTheStackMakes(t *testing.T) {
	block := New(planned(t, "p6-b300-bought-block"), IDs{Reservations: map[string]string{"train": "cr-0000000000000000b"}})
	require.Equal(t, "cr-0000000000000000b", block.Scheduling.SlurmQueues[0].ComputeResources[0].CapacityReservationTarget.CapacityReservationId)

	images := New(planned(t, "own-images"), IDs{Images: map[string]string{"built": "ami-0000000000000000b"}})
	require.Equal(t, "ami-0000000000000000b", images.Scheduling.SlurmQueues[1].Image.CustomAmi)

	storage := New(planned(t, "storage"), IDs{FileSystems: map[string]string{"fsx": "fs-0000000000000000b"}})
	require.Equal(t, "fs-0000000000000000b", storage.SharedStorage[3].FsxLustreSettings.FileSystemId)

	login := New(planned(t, "login-nodes"), IDs{LoginSubnet: "subnet-0000000000000000a", LoginPolicies: []string{"arn:aws:iam::123456789012:policy/parallelcluster/x"}})
	require.Contains(t, login.LoginNodes.Pools[0].Iam.AdditionalIamPolicies, Policy{"arn:aws:iam::123456789012:policy/parallelcluster/x"})

	groups := New(planned(t, "existing-network"), IDs{SecurityGroups: []string{"sg-0000000000000000c"}, HeadSecurityGroups: []string{"sg-0000000000000000d"}})
	require.Equal(t, []string{"sg-0000000000000000c"}, groups.Scheduling.SlurmQueues[0].Networking.SecurityGroups)
	require.Equal(t, []string{"sg-0000000000000000d"}, groups.HeadNode.Networking.SecurityGroups)
}

func TestHeadAndLoginNodesTakeTheComputeGroupsWhereTheyHaveNone(t *testing.T) {
	p := planned(t, "existing-network")
	p.Network.HeadSecurityGroups = nil
	c := Preview(p)
	require.Equal(t, p.Network.SecurityGroups, c.HeadNode.Networking.SecurityGroups)
	require.Equal(t, p.Network.SecurityGroups, c.LoginNodes.Pools[0].Networking.SecurityGroups)
	require.Empty(t, c.HeadNode.Networking.AdditionalSecurityGroups)
}

// The patterns are those of ParallelCluster's schema.
func TestPlaceholdersLookLikeIDs(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+-[0-9a-z]{17}$`)
	seen := map[string]string{}
	for _, of := range []string{"head", "login", "cluster", "train", "train-a", "a-name-of-twenty-five-char", "a-name-of-twenty-five-chaz", "x"} {
		id := placeholder("subnet", of)
		require.Regexp(t, form, id)
		require.True(t, IsPlaceholder(id))
		require.Empty(t, seen[id], "%s and %s", of, seen[id])
		seen[id] = of
	}
	require.False(t, IsPlaceholder("subnet-0123456789abcdef0"))
}

func TestNodeNames(t *testing.T) {
	require.Equal(t, "train-st-nodes-1", StaticNode("train", 1))
	require.Equal(t, "train-dy-nodes-12", DynamicNode("train", 12))
	longest := StaticNode(strings.Repeat("q", catalog.NewestRelease().Limits().QueueName), 9999)
	require.LessOrEqual(t, len(longest), 63, "a host name is a DNS label")
	require.Equal(t, ComputeResourceName("train"), Preview(planned(t, "p5en-block")).Scheduling.SlurmQueues[0].ComputeResources[0].Name)
}

func TestProviderTemplateOfEachPartition(t *testing.T) {
	for region, want := range map[string]string{
		"us-east-2":     "https://us-east-2-aws-parallelcluster.s3.us-east-2.amazonaws.com/parallelcluster/3.16.1/templates/custom_resource/cluster.yaml",
		"cn-north-1":    "https://cn-north-1-aws-parallelcluster.s3.cn-north-1.amazonaws.com.cn/parallelcluster/3.16.1/templates/custom_resource/cluster.yaml",
		"us-gov-west-1": "https://us-gov-west-1-aws-parallelcluster.s3.us-gov-west-1.amazonaws.com/parallelcluster/3.16.1/templates/custom_resource/cluster.yaml",
	} {
		require.Equal(t, want, ProviderTemplate("3.16.1", region))
	}
	require.Equal(t, "arn:aws-cn:iam::aws:policy/X", managedPolicy("cn-north-1", "X"))
}

func TestGrantsCoverEachOther(t *testing.T) {
	whole, prefix, key := S3Access{BucketName: "b"}, S3Access{BucketName: "b", KeyName: "v1/*"}, S3Access{BucketName: "b", KeyName: "v1/x.sh"}
	write := S3Access{BucketName: "b", KeyName: "v1/*", EnableWriteAccess: true}
	other := S3Access{BucketName: "c", KeyName: "v1/x.sh"}
	for _, row := range []struct {
		add, want []S3Access
	}{
		{[]S3Access{whole, prefix, key}, []S3Access{whole}},
		{[]S3Access{key, prefix, whole}, []S3Access{whole}},
		{[]S3Access{prefix, write}, []S3Access{write}},
		{[]S3Access{write, key}, []S3Access{write}},
		{[]S3Access{whole, write}, []S3Access{whole, write}},
		{[]S3Access{key, key, other}, []S3Access{key, other}},
	} {
		var got []S3Access
		for _, a := range row.add {
			got = join(got, a)
		}
		require.Equal(t, row.want, got)
	}
}

func TestCheckKeysNamesWhatAVersionLacks(t *testing.T) {
	c := Preview(planned(t, "p6-b300-most-bandwidth"))
	findings, err := CheckKeys("3.14.2", c)
	require.NoError(t, err)
	require.Len(t, findings, 1)
	require.Equal(t, diag.PCKey, findings[0].Rule)
	require.Equal(t, "Scheduling.SlurmQueues[train].ComputeResources[nodes].LaunchTemplateOverrides", findings[0].Place.Path)
	require.Contains(t, findings[0].Want, "3.15.1, 3.16.1")

	for _, r := range catalog.Releases() {
		findings, err := CheckKeys(r.Version, Preview(planned(t, "custom-actions")))
		require.NoError(t, err)
		require.Empty(t, findings, r.Version)
	}
}

func TestCheckSizeNamesALargeTemplate(t *testing.T) {
	p := planned(t, "custom-actions")
	p = widened(p, 50)
	script := p.Config.Bootstrap.Compute.OnStart[0]
	for range 10 {
		p.Config.Bootstrap.Compute.OnStart = append(p.Config.Bootstrap.Compute.OnStart, script)
	}
	findings, err := CheckSize(p.Name, Preview(p))
	require.NoError(t, err)
	require.Len(t, findings, 1)
	require.Equal(t, diag.PCSize, findings[0].Rule)
	require.Contains(t, findings[0].Got, "50 groups")
	require.Equal(t, findings, Check(p), "a plan is checked as it would be written")

	p.ParallelCluster = "3.99.0"
	require.Empty(t, Check(p), "the plan names a version that nobody knows")
}

// widened gives a plan as many groups as asked for, each like the first.
func widened(p plan.Cluster, groups int) plan.Cluster {
	p.Groups, p.Config.Groups = p.Groups[:1:1], p.Config.Groups[:1:1]
	for i := 1; i < groups; i++ {
		g, c := p.Groups[0], p.Config.Groups[0]
		g.Name = fmt.Sprintf("%s-%d", g.Name, i)
		c.Name = g.Name
		p.Groups, p.Config.Groups = append(p.Groups, g), append(p.Config.Groups, c)
	}
	return p
}

func TestCheckNamesWhatNoConfigurationCanSay(t *testing.T) {
	p := planned(t, "login-nodes")
	require.Empty(t, Check(p))
	p.Config.HeadNode.AllowedIPs = []string{"203.0.113.0/24", "198.51.100.0/24"}
	p.Config.Bootstrap.HeadTimeoutMinutes = 90
	findings := Check(p)
	require.Len(t, findings, 2)
	require.Equal(t, "headNode.allowedIPs", findings[0].Place.Path)
	require.Equal(t, diag.Error, findings[0].Severity())
	require.Equal(t, "bootstrap.headTimeoutMinutes", findings[1].Place.Path)
}

// An address that no route leads to: the connect command would wait for ever.
func TestCheckOfAnElasticIPThatNobodyReaches(t *testing.T) {
	for name, c := range map[string]struct {
		network plan.Network
		refused bool
	}{
		"private": {plan.Network{Create: true}, true}, "public": {plan.Network{Create: true, HeadPublic: true}, false},
		"existing": {plan.Network{Head: "subnet-0d500000000000001"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, "login-nodes")
			p.Network, p.Config.HeadNode.ElasticIP = c.network, true
			findings := Check(p)
			if !c.refused {
				require.Empty(t, findings)
				return
			}
			require.Len(t, findings, 1)
			require.Equal(t, diag.ConfigConflict, findings[0].Rule)
			require.Equal(t, "headNode.elasticIP", findings[0].Place.Path)
			require.Equal(t, diag.Error, findings[0].Severity())
		})
	}
}

// A block is bought in its offering's zone. Where subnets exist only the config's zone can be held against it before money moves.
func TestCheckOfABlockThatIsBoughtForAnExistingSubnet(t *testing.T) {
	for name, c := range map[string]struct {
		created, offering bool
		zone              string
		refused           bool
	}{
		"no zone": {false, true, "", true}, "a zone": {false, true, "us-west-2a", false}, "bought before": {false, false, "", false},
		"made network": {true, true, "", false}, // the config's own check asks for it
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, "p5-block")
			p.Network.Create = c.created
			p.Groups[0].Zone = c.zone
			if c.offering {
				p.Groups[0].Capacity.Reservation, p.Groups[0].Capacity.Offering = "", &config.Offering{ID: "cbo-0123456789abcdef0"}
			}
			findings := Check(p)
			if !c.refused {
				require.Empty(t, findings)
				return
			}
			require.Len(t, findings, 1)
			require.Equal(t, diag.ConfigRequired, findings[0].Rule)
			require.Equal(t, "groups[0].zone", findings[0].Place.Path)
			require.Equal(t, diag.Error, findings[0].Severity())
		})
	}
}

func TestConnectCommand(t *testing.T) {
	require.Equal(t, "ssh -i ops.pem ubuntu@198.51.100.7", ConnectCommand(planned(t, "p5en-block"), "i-0", "198.51.100.7"))
	require.Equal(t, "aws ssm start-session --region us-west-2 --target i-0", ConnectCommand(planned(t, "p5-block"), "i-0", "10.0.0.7"))
}

// Whatever is planned, each key that is written exists in the version, and no block has what a block must not have.
func TestAnyPlanRenders(t *testing.T) {
	types := catalog.Instances()
	rapid.Check(t, func(t *rapid.T) {
		p, _ := plan.New(drawn(t, types))
		c := Preview(p)
		findings, err := CheckKeys(p.ParallelCluster, c)
		require.NoError(t, err)
		require.Empty(t, findings)
		for _, q := range c.Scheduling.SlurmQueues {
			r := q.ComputeResources[0]
			require.NotEmpty(t, r.InstanceType)
			if q.CapacityType == "CAPACITY_BLOCK" {
				require.Nil(t, q.Networking.PlacementGroup)
				require.Equal(t, r.MinCount, r.MaxCount)
				require.NotNil(t, r.CapacityReservationTarget)
			} else if r.Efa != nil {
				require.NotNil(t, q.Networking.PlacementGroup)
			}
			require.NotEqual(t, len(q.Networking.SecurityGroups) == 0, len(q.Networking.AdditionalSecurityGroups) == 0)
			require.Equal(t, len(c.HeadNode.Networking.SecurityGroups) == 0, len(q.Networking.SecurityGroups) == 0)
		}
	})
}

// drawn is any config: of any known type, capacity, layout, network and judged version.
func drawn(t *rapid.T, types []catalog.InstanceType) config.Cluster {
	var versions []string
	for _, r := range catalog.Releases() {
		if r.Judged {
			versions = append(versions, r.Version)
		}
	}
	c := config.Default()
	c.Name, c.Region = "any", rapid.SampledFrom([]string{"us-east-2", "cn-north-1", "us-gov-west-1"}).Draw(t, "region")
	c.ParallelCluster = rapid.SampledFrom(versions).Draw(t, "version")
	c.Monitoring.GPUHealthChecks = rapid.Bool().Draw(t, "health checks")
	c.Slurm.Exclusive = rapid.Bool().Draw(t, "exclusive")
	c.Network = drawnNetwork(t)
	if rapid.Bool().Draw(t, "login") {
		c.LoginNodes = []config.LoginPool{{Name: "users", InstanceType: "m6i.large", Count: 1}}
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "groups") {
		c.Groups = append(c.Groups, drawnGroup(t, fmt.Sprintf("g%d", i), types))
	}
	return c
}

func drawnNetwork(t *rapid.T) config.Network {
	if rapid.Bool().Draw(t, "create") {
		n := config.NetworkCreate{}
		config.SetDefaults(&n)
		return config.Network{Create: &n}
	}
	n := config.NetworkExisting{VPC: "vpc-0123456789abcdef0", HeadSubnet: "subnet-0123456789abcdef0", ComputeSubnet: "subnet-0123456789abcdef1"}
	if rapid.Bool().Draw(t, "own groups") {
		n.SecurityGroups = []string{"sg-0123456789abcdef0"}
	}
	return config.Network{Existing: &n}
}

func drawnGroup(t *rapid.T, name string, types []catalog.InstanceType) config.Group {
	g := config.Group{}
	config.SetDefaults(&g)
	g.Name, g.Count, g.Zone = name, rapid.IntRange(1, 64).Draw(t, "count"), "us-east-2a"
	g.InstanceType = rapid.SampledFrom(types).Draw(t, "type").Name
	g.Layout = rapid.SampledFrom([]string{"save-addresses", "most-bandwidth"}).Draw(t, "layout")
	g.EFA = rapid.Bool().Draw(t, "efa")
	switch rapid.IntRange(0, 3).Draw(t, "capacity") {
	case 0:
		g.Capacity.OnDemand = true
	case 1:
		g.Capacity.Reservation = "cr-0123456789abcdef0"
	case 2:
		g.Capacity.Reservation, g.PlacementGroup = "cr-0123456789abcdef0", "together"
	default:
		g.Capacity.Block = &config.Block{Reservation: "cr-0123456789abcdef0"}
	}
	return g
}

func BenchmarkRender50Groups(b *testing.B) {
	p := widened(planned(b, "p5en-block"), 50)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Preview(p).YAML(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate50Groups(b *testing.B) {
	text, err := Preview(widened(planned(b, "p5en-block"), 50)).YAML()
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Update("3.16.1", text, text); err != nil {
			b.Fatal(err)
		}
	}
}
