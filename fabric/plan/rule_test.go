package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
)

const reservation = "cr-0123456789abcdef0"

// good is a config without findings: one block of p5en nodes in a network that weft makes.
func good() config.Cluster {
	c := config.Default()
	c.Name, c.Region = "train", "us-east-2"
	c.Network.Create = &config.NetworkCreate{}
	config.SetDefaults(c.Network.Create)
	c.Groups = []config.Group{group("train", "p5en.48xlarge", 4)}
	return c
}

func group(name, instanceType string, count int) config.Group {
	g := config.Group{}
	config.SetDefaults(&g)
	g.Name, g.InstanceType, g.Count, g.Zone = name, instanceType, count, "us-east-2a"
	g.Capacity = config.Capacity{Block: &config.Block{Reservation: reservation}}
	return g
}

func onDemand(g config.Group) config.Group {
	g.Capacity = config.Capacity{OnDemand: true}
	return g
}

func offering(count int) *config.Offering {
	return &config.Offering{ID: "cb-0123456789abcdef0", Count: count, DurationHours: 336, Start: "2026-12-01T11:30:00Z", Fee: "1.00", MaxFee: "1.00"}
}

func moe(dispatcher string, expert int) func(*config.Cluster) {
	return func(c *config.Cluster) {
		c.Workload.Kind, c.Workload.Dispatcher, c.Workload.ExpertParallel = "moe", dispatcher, expert
	}
}

func TestGoodConfigHasNoFindings(t *testing.T) {
	_, findings := plan.New(good())
	require.Empty(t, findings)
}

// Each row changes the good config in one way, and names the findings that the change must give.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*config.Cluster)
		want   []string // level rule path
	}{
		{
			"placement group on a block", func(c *config.Cluster) { c.Groups[0].PlacementGroup = "pg" },
			[]string{"error block/placement-group groups[0].placementGroup"},
		},
		{"placement group of a reservation", func(c *config.Cluster) {
			c.Groups[0].PlacementGroup, c.Groups[0].Capacity = "pg", config.Capacity{Reservation: reservation}
		}, nil},
		{
			"block without reservation", func(c *config.Cluster) { c.Groups[0].Capacity.Block = &config.Block{} },
			[]string{"error block/pairing groups[0].capacity.block"},
		},
		{
			"offering that the stack buys", func(c *config.Cluster) { c.Groups[0].Capacity.Block = &config.Block{Offering: offering(4)} }, nil,
		},
		{
			"one offering, pinned in two ways", func(c *config.Cluster) {
				c.Groups[0].Capacity.Block = &config.Block{Offering: offering(6)}
				second, other := group("more", "p5en.48xlarge", 2), offering(6)
				other.MaxFee = "1"
				second.Capacity.Block = &config.Block{Offering: other}
				third := group("most", "p5en.48xlarge", 2)
				third.Capacity.Block = &config.Block{Offering: offering(6), Purchase: &config.Purchase{Budget: "1"}}
				c.Groups = append(c.Groups, second, third)
			},
			[]string{"error block/size groups[0].count", "error config/conflict groups[1].capacity.block", "error config/conflict groups[2].capacity.block"},
		},
		{
			"offering too small", func(c *config.Cluster) { c.Groups[0].Capacity.Block = &config.Block{Offering: offering(2)} },
			[]string{"error block/size groups[0].count"},
		},
		{"two blocks", func(c *config.Cluster) {
			second := group("more", "p5en.48xlarge", 2)
			second.Capacity.Block.Reservation = "cr-0fedcba9876543210"
			c.Groups = append(c.Groups, second)
		}, []string{"warn block/several groups[1].capacity.block"}},
		{"one block, two groups", func(c *config.Cluster) { c.Groups = append(c.Groups, group("more", "p5en.48xlarge", 2)) }, nil},
		{"one block in two zones", func(c *config.Cluster) {
			second := group("more", "p5en.48xlarge", 2)
			second.Zone = "us-east-2b"
			c.Groups = append(c.Groups, second)
		}, []string{"error efa/one-zone groups[1].zone"}},
		{"one block, two types", func(c *config.Cluster) { c.Groups = append(c.Groups, group("more", "p5.48xlarge", 2)) }, []string{"error block/type groups[1].instanceType"}},
		{"one on-demand reservation, two types, two zones", func(c *config.Cluster) {
			second := group("more", "p5.48xlarge", 2)
			second.Zone = "us-east-2b"
			c.Groups = append(c.Groups, second)
			for i := range c.Groups {
				c.Groups[i].Capacity = config.Capacity{Reservation: reservation}
			}
		}, []string{"error block/type groups[1].instanceType", "error efa/one-zone groups[1].zone"}},
		{"one reservation, a block and none", func(c *config.Cluster) {
			second := group("more", "p5en.48xlarge", 2)
			second.Capacity = config.Capacity{Reservation: reservation}
			c.Groups = append(c.Groups, second)
		}, []string{"error block/kind groups[1].capacity.reservation"}},
		{
			"unknown type", func(c *config.Cluster) { c.Groups[0].InstanceType = "p5em.48xlarge" },
			[]string{"error nic/not-supported groups[0].instanceType"},
		},
		{
			"type with EFA and without card facts", func(c *config.Cluster) { c.Groups[0].InstanceType = "hpc7a.96xlarge" },
			[]string{"error nic/not-supported groups[0].instanceType"},
		},
		{"plain nodes of a type without card facts", func(c *config.Cluster) {
			c.Groups[0] = onDemand(c.Groups[0])
			c.Groups[0].InstanceType, c.Groups[0].EFA = "m6i.4xlarge", false
		}, nil},
		{
			"EFA off", func(c *config.Cluster) { c.Groups[0].EFA = false },
			[]string{"warn nic/efa-off groups[0].efa"},
		},
		{"EFA off on one node", func(c *config.Cluster) { c.Groups[0].EFA, c.Groups[0].Count = false, 1 }, nil},
		{
			"p6-b300 before 3.15", func(c *config.Cluster) { c.Groups[0].InstanceType, c.ParallelCluster = "p6-b300.48xlarge", "3.14.2" },
			[]string{"error nic/efa-card groups[0].instanceType"},
		},
		{"too many addresses", func(c *config.Cluster) {
			c.Network.Create.CIDR = "10.0.0.0/20"
			c.Groups[0].InstanceType, c.Groups[0].Layout, c.Groups[0].Count = "p6-b300.48xlarge", plan.MostBandwidth, 30
		}, []string{"error nic/addresses network.create.cidr"}},
		{"too many zones", func(c *config.Cluster) {
			c.Groups = nil
			for i := range 8 {
				g := onDemand(group(fmt.Sprintf("g%d", i), "p5en.48xlarge", 1))
				g.Zone = fmt.Sprintf("us-east-2%c", 'a'+i)
				c.Groups = append(c.Groups, g)
			}
		}, []string{"error config/value groups"}},
		{
			"unknown ParallelCluster version", func(c *config.Cluster) { c.ParallelCluster = "3.99.0" },
			[]string{"error pc/version parallelcluster"},
		},
		{
			"system that the version lacks", func(c *config.Cluster) { c.OS = "alinux2" },
			[]string{"error pc/os os"},
		},
		{
			"system without an official image", func(c *config.Cluster) { c.OS = "rocky9" },
			[]string{"error pc/os os"},
		},
		{"system without an official image, image of one's own", func(c *config.Cluster) {
			c.OS, c.Image.AMI = "rocky9", "ami-0123456789abcdef0"
		}, nil},
		{"system without an official image, which a group asks for", func(c *config.Cluster) {
			c.OS, c.Image.AMI, c.Groups[0].Image = "rocky9", "ami-0123456789abcdef0", &config.Image{Official: true}
		}, []string{"error pc/os groups[0].image"}},
		{"system that the type does not boot", func(c *config.Cluster) {
			c.OS, c.Groups[0].InstanceType, c.HeadNode.InstanceType = "rhel9", "p6e-gb200.36xlarge", "m7g.2xlarge"
		}, []string{"error pc/os groups[0].instanceType"}},
		{
			"architectures", func(c *config.Cluster) { c.HeadNode.InstanceType = "m7g.2xlarge" },
			[]string{"error config/conflict groups[0].instanceType"},
		},
		{"cluster name", func(c *config.Cluster) { c.Name = "9lives" }, []string{"error pc/name name"}},
		{"cluster name with accounting", func(c *config.Cluster) {
			c.Name = "a-name-of-more-than-forty-characters-in-all"
			c.Slurm.Database = &config.SlurmDatabase{URI: "db:3306", User: "slurm", PasswordSecret: "arn"}
		}, []string{"error pc/name name"}},
		{"queue name", func(c *config.Cluster) { c.Groups[0].Name = "Train_1" }, []string{"error pc/name groups[0].name"}},
		{"queue named default", func(c *config.Cluster) { c.Groups[0].Name = "default" }, []string{"error pc/name groups[0].name"}},
		{"too many queues", func(c *config.Cluster) {
			for i := range 50 {
				c.Groups = append(c.Groups, group(fmt.Sprintf("g%d", i), "p5en.48xlarge", 1))
			}
		}, []string{"error pc/size groups"}},
		{"too many login pools", func(c *config.Cluster) {
			for i := range 11 {
				c.LoginNodes = append(c.LoginNodes, config.LoginPool{Name: fmt.Sprintf("l%d", i), InstanceType: "m6i.large", Count: 1})
			}
		}, []string{"error pc/size loginNodes"}},
		{"one CPU a rank", func(c *config.Cluster) { c.Workload.CPUsPerRank = 1 }, []string{"error cpu/per-rank workload.cpusPerRank"}},
		{"more CPUs than there are", func(c *config.Cluster) { c.Workload.CPUsPerRank = 48 }, []string{"error cpu/per-rank workload.cpusPerRank"}},
		{"more ranks than CPUs", func(c *config.Cluster) { c.Workload.RanksPerNode = 200 }, []string{"error cpu/per-rank workload.ranksPerNode"}},
		{"all CPUs a rank", func(c *config.Cluster) { c.Workload.CPUsPerRank = 24 }, nil},
		{"experts within a node", moe("hybridep", 8), nil},
		{"experts over nodes", moe("nccl", 16), []string{"warn moe/ep-spans-nodes workload.expertParallel"}},
		{"experts over nodes by tensor parallelism", func(c *config.Cluster) {
			moe("nccl", 8)(c)
			c.Workload.TensorParallel = 2
		}, []string{"warn moe/ep-spans-nodes workload.expertParallel"}},
		{"experts over nodes but one expert tensor", func(c *config.Cluster) {
			moe("nccl", 8)(c)
			c.Workload.TensorParallel, c.Workload.ExpertTensorParallel = 2, 1
		}, nil},
		{
			"node-only dispatcher over nodes", moe("hybridep", 16),
			[]string{"error moe/dispatcher workload.dispatcher", "error moe/ep-spans-nodes workload.expertParallel"},
		},
		{
			"DeepEP v1 over nodes", moe("deepep-v1", 16),
			[]string{"error moe/dispatcher workload.dispatcher", "error moe/ep-spans-nodes workload.expertParallel"},
		},
		{"DeepEP v1 beyond its ranks", func(c *config.Cluster) {
			moe("deepep-v1-nvshmem", 16)(c)
			c.Groups[0].Count = 32
		}, []string{"error moe/dispatcher workload.dispatcher", "warn moe/ep-spans-nodes workload.expertParallel"}},
		{"DeepEP v2 through a proxy", func(c *config.Cluster) {
			moe("deepep-v2", 16)(c)
			c.Image.AMI = "ami-0123456789abcdef0"
			c.Groups[0].InstanceType = "p5.48xlarge"
		}, []string{"warn moe/dispatcher groups[0].instanceType", "warn moe/ep-spans-nodes workload.expertParallel"}},
		{"FP8 with hybridep in Megatron-LM 0.19.0", func(c *config.Cluster) {
			moe("hybridep", 8)(c)
			c.Workload.FP8Dispatch, c.Workload.Framework, c.Workload.FrameworkVersion = true, "megatron-lm", "0.19.0"
		}, []string{"error moe/dispatcher workload.fp8Dispatch"}},
		{"ranks that straddle nodes", func(c *config.Cluster) {
			moe("nccl", 4)(c)
			c.Workload.RanksPerNode = 4
		}, []string{"error moe/rank-order workload.ranksPerNode"}},
		{
			"official image below a floor", func(c *config.Cluster) { c.Groups[0].InstanceType, c.ParallelCluster = "p6-b200.48xlarge", "3.13.2" },
			[]string{"error ver/floor groups[0].image", "note pc/key groups[0].layout"},
		},
		{"most-bandwidth before 3.15", func(c *config.Cluster) {
			c.Groups[0].Layout, c.Groups[0].InstanceType, c.ParallelCluster = plan.MostBandwidth, "p5.48xlarge", "3.14.2"
		}, []string{"warn pc/key groups[0].layout"}},
		{
			"official image with a known-bad version", func(c *config.Cluster) { c.ParallelCluster = "3.15.1" },
			[]string{"error ver/denied groups[0].image"},
		},
		{
			"container below the floor", func(c *config.Cluster) { c.Workload.Components = map[string]string{"nccl": "2.17.1"} },
			[]string{"error ver/floor workload.components"},
		},
		{
			"container with an unreadable version", func(c *config.Cluster) { c.Workload.Components = map[string]string{"nccl": "latest"} },
			[]string{"error ver/unreadable workload.components"},
		},
		{
			"container with an unknown component", func(c *config.Cluster) { c.Workload.Components = map[string]string{"nickel": "2.31.2"} },
			[]string{"error config/key workload.components.nickel"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := good()
			c.change(&changed)
			_, findings := plan.New(changed)
			var got []string
			for _, f := range findings {
				got = append(got, fmt.Sprintf("%s %s %s", f.Level, f.Rule, f.Place.Path))
			}
			require.Equal(t, c.want, got, "%+v", findings)
			diagtest.Complete(t, findings)
		})
	}
}

func TestLoweredRuleKeepsItsReason(t *testing.T) {
	c := good()
	c.ParallelCluster = "3.15.1"
	c.Rules = map[diag.ID]diag.Override{diag.VerDenied: {Level: diag.Warn, Reason: "no broadcasts in this job"}}
	_, findings := plan.New(c)
	require.Len(t, findings, 1)
	require.Equal(t, diag.Warn, findings[0].Level)
	require.Equal(t, "no broadcasts in this job", findings[0].Reason)
}

// A group alone has EC2's own layout, and the rules that need no cluster.
func TestGroup(t *testing.T) {
	g, findings := plan.Group(group("b300", "p6-b300.48xlarge", 16))
	require.Empty(t, findings)
	require.Equal(t, "1 interface, 16 efa-only", plan.Describe(g.Interfaces))
	require.Equal(t, plan.Interface{Card: 1, Device: 0, Type: plan.EFAOnly}, g.Interfaces[1])
	require.Equal(t, plan.CapacityBlock, g.Capacity.Market)

	broken := group("b300", "p6-b30.48xlarge", 16)
	broken.PlacementGroup = "pg"
	_, findings = plan.Group(broken)
	require.Len(t, findings, 2)
	require.True(t, findings.Failed())
}

// What no source settles is named: facts of the type, and a layout that AWS does not spell out.
func TestUnverified(t *testing.T) {
	for layout, want := range map[string][]string{plan.SaveAddresses: nil, plan.MostBandwidth: {"layout most-bandwidth"}} {
		c := good()
		c.Groups[0].Layout = layout
		p, findings := plan.New(c)
		require.Empty(t, findings)
		require.Equal(t, want, p.Groups[0].Unverified, layout)
	}
	c := good()
	c.Groups[0].Layout, c.Groups[0].InstanceType = plan.MostBandwidth, "p6-b300.48xlarge"
	p, _ := plan.New(c)
	require.NotContains(t, p.Groups[0].Unverified, "layout most-bandwidth", "EC2's guide spells it out")
}

// A plan is made from any config, however broken, without a panic.
func TestPlanIsTotal(t *testing.T) {
	for name, c := range map[string]config.Cluster{
		"empty":        {},
		"empty groups": {Groups: make([]config.Group, 3)},
		"bad cidr":     {Network: config.Network{Create: &config.NetworkCreate{CIDR: "10.0.0.0"}}, Groups: make([]config.Group, 1)},
		"tiny cidr":    {Network: config.Network{Create: &config.NetworkCreate{CIDR: "10.0.0.0/31"}}, Groups: make([]config.Group, 1)},
		"many ranks":   {Workload: config.Workload{RanksPerNode: 1000}, Groups: []config.Group{group("a", "p5.4xlarge", 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			_, findings := plan.New(c)
			require.True(t, findings.Failed())
		})
	}
}
