package plan_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

func onBlocks(groups ...config.Group) config.Cluster {
	c := config.Default()
	c.Name, c.Region, c.Groups = "pretrain", "us-east-2", groups
	return c
}

func onBlock(name, instanceType string, b config.Block) config.Group {
	return config.Group{Name: name, InstanceType: instanceType, Count: 1, Capacity: config.Capacity{Block: &b}}
}

func TestGuardOfBlocks(t *testing.T) {
	first, second := config.Block{Reservation: "cr-00000001"}, config.Block{Reservation: "cr-00000002"}
	p, _ := plan.New(onBlocks(
		onBlock("a", "p5en.48xlarge", first), onBlock("b", "p6e-gb200.36xlarge", second), onBlock("c", "p5en.48xlarge", first),
		config.Group{Name: "d", InstanceType: "p5.48xlarge", Count: 1, Capacity: config.Capacity{OnDemand: true}},
	))
	require.Equal(t, &plan.Guard{
		Enabled: true, CheckpointMinutes: 15, Signal: "USR1", SignalTo: "steps",
		Blocks: []plan.GuardedBlock{
			{Key: "cr-00000001", Queues: []string{"a", "c"}, StopsAt: 47, SignalsAt: 47, JobsEndAt: 32, InstancesGoAt: 30},
			{Key: "cr-00000002", Queues: []string{"b"}, StopsAt: 77, SignalsAt: 77, JobsEndAt: 62, InstancesGoAt: 60},
		},
	}, p.Guard)
	block, ok := p.Guard.Block("c")
	require.True(t, ok)
	require.Equal(t, "cr-00000001", block.Key)
	_, ok = p.Guard.Block("d")
	require.False(t, ok)

	p, _ = plan.New(onBlocks(config.Group{Name: "d", InstanceType: "p5.48xlarge", Count: 1, Capacity: config.Capacity{OnDemand: true}}))
	require.Nil(t, p.Guard)
	_, ok = p.Guard.Block("d")
	require.False(t, ok)
}

func TestEndOfAnOffering(t *testing.T) {
	for _, tt := range []struct {
		start string
		hours int
		want  string
	}{
		{"2026-12-07T11:30:00Z", 24, "2026-12-08T11:30:00Z"},
		{"2026-12-07T04:55:00Z", 30, "2026-12-08T11:30:00Z"}, // 30 h 35 min: minutes are left off
		{"2026-12-07T12:31:00+01:00", 23, "2026-12-08T11:30:00Z"},
		{"2026-12-07T11:45:00Z", 24, "2026-12-09T11:30:00Z"}, // 47 h 45 min would be 47: found as a fault
		{"soon", 24, ""},
	} {
		p, _ := plan.New(onBlocks(onBlock("a", "p5en.48xlarge", config.Block{Offering: &config.Offering{ID: "cb-1", Start: tt.start, DurationHours: tt.hours}})))
		require.Equal(t, tt.want, p.Guard.Blocks[0].End, "%s and %d hours", tt.start, tt.hours)
	}
}

// Whatever the config asks, things come in their order, and jobs have the time that they were promised.
func TestGuardKeepsItsOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := onBlocks(onBlock("a", rapid.SampledFrom([]string{"p5en.48xlarge", "p6e-gb200.36xlarge", "x1.unknown"}).Draw(rt, "type"), config.Block{Reservation: "cr-00000001"}))
		c.EndGuard.CheckpointMinutes = rapid.IntRange(1, 1440).Draw(rt, "checkpoint")
		c.EndGuard.StopMinutes = rapid.IntRange(0, 10080).Draw(rt, "stop")
		p, _ := plan.New(c)
		b := p.Guard.Blocks[0]
		require.Equal(rt, c.EndGuard.StopMinutes, b.StopsAt-b.SignalsAt)
		require.Equal(rt, c.EndGuard.CheckpointMinutes, b.SignalsAt-b.JobsEndAt)
		require.Equal(rt, int(plan.GuardMargin/time.Minute), b.JobsEndAt-b.InstancesGoAt)
		require.GreaterOrEqual(rt, b.InstancesGoAt, 30)
	})
}
