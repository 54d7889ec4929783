package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/version"
)

// published are layouts that EC2's guide prints, told in a few words.
var published = []struct {
	instanceType, layout, want string
	addresses                  int
	primaryEFA                 bool
}{
	{"p5.48xlarge", plan.SaveAddresses, "1 interface, 32 efa-only", 1, true},
	{"p5.48xlarge", plan.MostBandwidth, "8 interface, 32 efa-only", 8, true},
	{"p5e.48xlarge", plan.MostBandwidth, "8 interface, 32 efa-only", 8, true},
	{"p6-b200.48xlarge", plan.SaveAddresses, "1 interface, 8 efa-only", 1, true},
	{"p6-b200.48xlarge", plan.MostBandwidth, "8 interface, 8 efa-only", 8, true},
	{"p6-b300.48xlarge", plan.SaveAddresses, "1 interface, 16 efa-only", 1, false},
	{"p6-b300.48xlarge", plan.MostBandwidth, "17 interface, 16 efa-only", 17, false},
	{"p6e-gb200.36xlarge", plan.SaveAddresses, "1 interface, 4 efa-only", 1, false},
	{"p5en.48xlarge", plan.SaveAddresses, "1 interface, 16 efa-only", 1, true},
	{"p4d.24xlarge", plan.SaveAddresses, "1 interface, 4 efa-only", 1, true},
	{"p5.4xlarge", plan.SaveAddresses, "1 interface, 1 efa-only", 1, true},
	{"g6e.48xlarge", plan.SaveAddresses, "1 interface, 4 efa-only", 1, true},
	{"trn1.32xlarge", plan.SaveAddresses, "1 interface, 8 efa-only", 1, true},
}

func TestPublishedLayouts(t *testing.T) {
	for _, c := range published {
		t.Run(c.instanceType+"/"+c.layout, func(t *testing.T) {
			instance, ok := catalog.Instance(c.instanceType)
			require.True(t, ok)
			got := plan.Interfaces(instance, c.layout, true)
			require.Equal(t, c.want, plan.Describe(got))
			require.Equal(t, c.addresses, addresses(got))
			require.Equal(t, c.primaryEFA, efaOnCard(got, 0) == 1)
			for _, i := range got {
				if i.Card > 0 && i.Type == plan.EFAOnly {
					require.Zero(t, i.Device, "EC2's guide puts EFA of a further card on device 0")
				}
			}
		})
	}
}

// The properties of every launch that EC2 takes, for every type of the catalogue and both layouts.
func TestLayoutProperties(t *testing.T) {
	types := catalog.Instances()
	rapid.Check(t, func(t *rapid.T) {
		instance := rapid.SampledFrom(types).Draw(t, "type")
		layout := rapid.SampledFrom([]string{plan.SaveAddresses, plan.MostBandwidth}).Draw(t, "layout")
		efa := rapid.Bool().Draw(t, "efa")
		requireLaunchable(t, instance, plan.Interfaces(instance, layout, efa), efa)
	})
}

// What ParallelCluster generates holds the same properties, but for the combined interfaces of versions before
// 3.15 on a card that takes no EFA: those the planner refuses.
func TestGeneratedProperties(t *testing.T) {
	types := catalog.Instances()
	rapid.Check(t, func(t *rapid.T) {
		instance := rapid.SampledFrom(types).Draw(t, "type")
		release := rapid.SampledFrom([]string{"3.15.1", "3.16.1"}).Draw(t, "release")
		got := plan.Generated(version.MustParse(release), instance, true)
		require.Equal(t, plan.Interface{Card: 0, Device: 0, Type: got[0].Type}, got[0])
		require.NotEqual(t, plan.EFAOnly, got[0].Type)
	})
}

func requireLaunchable(t require.TestingT, instance catalog.InstanceType, got []plan.Interface, efa bool) {
	require.Equal(t, plan.Interface{Card: 0, Device: 0, Type: got[0].Type}, got[0], "the primary interface")
	require.NotEqual(t, plan.EFAOnly, got[0].Type, "the primary interface carries IP")
	perCard, perCardEFA, total := map[int]int{}, map[int]int{}, 0
	seen := map[[2]int]bool{}
	for _, i := range got {
		require.False(t, seen[[2]int{i.Card, i.Device}], "card %d device %d twice", i.Card, i.Device)
		seen[[2]int{i.Card, i.Device}] = true
		perCard[i.Card]++
		if i.TakesEFA() {
			perCardEFA[i.Card]++
			total++
			require.True(t, instance.TakesEFA(i.Card), "card %d takes no EFA", i.Card)
		}
	}
	for _, card := range instance.Cards {
		require.LessOrEqual(t, perCardEFA[card.Index], 1, "EFA interfaces of card %d", card.Index)
		if card.MaxInterfaces > 0 {
			require.LessOrEqual(t, perCard[card.Index], card.MaxInterfaces, "interfaces of card %d", card.Index)
		}
	}
	want := len(instance.EFACards())
	if instance.SaveAddressesCards != nil {
		want = len(instance.SaveAddressesCards)
	}
	if !efa {
		want = 0
	}
	require.Equal(t, want, total, "EFA interfaces")
}

func addresses(interfaces []plan.Interface) int {
	n := 0
	for _, i := range interfaces {
		if i.TakesAddress() {
			n++
		}
	}
	return n
}

func efaOnCard(interfaces []plan.Interface, card int) int {
	n := 0
	for _, i := range interfaces {
		if i.Card == card && i.TakesEFA() {
			n++
		}
	}
	return n
}
