package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
)

// made plans a network for groups in zones, g0 and on, with a home zone where one is named.
func made(t *testing.T, home string, zones ...string) plan.Network {
	t.Helper()
	c := good()
	c.Network.Create.Zone, c.Groups = home, nil
	for _, zone := range zones {
		g := onDemand(group("g", "p5en.48xlarge", 1))
		g.Zone = zone
		c.Groups = append(c.Groups, g)
	}
	p, _ := plan.New(c)
	return p.Network
}

func ranges(n plan.Network) map[string]string {
	out := map[string]string{"public": n.Public.CIDR}
	for _, s := range n.Compute {
		out[s.Zone] = s.CIDR
	}
	return out
}

// A subnet keeps its addresses when groups come, go and change places.
func TestSubnetsStay(t *testing.T) {
	all := ranges(made(t, "", "us-east-2c", "us-east-2a", "us-east-2b"))
	require.Equal(t, map[string]string{
		"public": "10.0.0.0/19", "us-east-2a": "10.0.32.0/19", "us-east-2b": "10.0.64.0/19", "us-east-2c": "10.0.96.0/19",
	}, all)
	for _, zones := range [][]string{{"us-east-2b"}, {"us-east-2b", "us-east-2c"}, {"us-east-2a", "us-east-2c", "us-east-2b"}} {
		for zone, cidr := range ranges(made(t, "", zones...)) {
			require.Equal(t, all[zone], cidr, "%s of %v", zone, zones)
		}
	}
	require.Equal(t, map[string]string{"public": "10.0.0.0/19", "use2-az1": "10.0.32.0/19", "use2-az3": "10.0.96.0/19"}, ranges(made(t, "", "use2-az3", "use2-az1")))
}

// Zones that want one part, and zones beyond the seventh letter, get parts of their own.
func TestSubnetsDoNotOverlap(t *testing.T) {
	for _, zones := range [][]string{
		{"us-west-2a", "us-west-2-lax-1a", "usw2-az1"},
		{"us-east-1a", "us-east-1h", "us-east-1b", "us-east-1i", "us-east-1z", "us-east-1f", "us-east-1g"},
		{"", "A", "-"},
	} {
		seen := map[string]string{}
		for zone, cidr := range ranges(made(t, "", zones...)) {
			require.Empty(t, seen[cidr], "%s has the part of another", zone)
			seen[cidr] = zone
		}
		require.Len(t, seen, len(zones)+1)
	}
}

// What can't move stands in the zone that is named for it, else in the first group's.
func TestHomeZone(t *testing.T) {
	n := made(t, "", "us-east-2b", "us-east-2a")
	require.Equal(t, "us-east-2b", n.Public.Zone)
	require.Equal(t, "us-east-2b", n.Compute[0].Zone)

	n = made(t, "us-east-2a", "us-east-2b", "us-east-2a")
	require.Equal(t, "us-east-2a", n.Public.Zone)
	require.Equal(t, []string{"us-east-2a", "us-east-2b"}, []string{n.Compute[0].Zone, n.Compute[1].Zone})

	n = made(t, "us-east-2c", "us-east-2b")
	require.Equal(t, plan.Subnet{Zone: "us-east-2c", CIDR: "10.0.96.0/19"}, n.Compute[0], "no nodes, but FSx and a private head node")
}

func TestLeavesSubnets(t *testing.T) {
	own, moved := made(t, "", "us-east-2a"), made(t, "", "us-east-2b")
	exists := plan.Network{VPC: "vpc-0aaaaaaaaaaaaaa01", Head: "subnet-0bbbbbbbbbbbbbbb2"}
	require.Empty(t, own.LeavesSubnets(own))
	require.Empty(t, exists.LeavesSubnets(exists))
	require.Empty(t, plan.Network{Create: true}.LeavesSubnets(plan.Network{Create: true}), "neither could be laid out")
	for want, found := range map[string]diag.List{
		"network.create.zone: head node, NAT gateway and FSx for Lustre in us-east-2b": moved.LeavesSubnets(own),
		"network.existing: the network that exists | a network of the stack's own, in": exists.LeavesSubnets(own),
		"network.create: a network of the stack's own | the network that exists, in":   own.LeavesSubnets(exists),
	} {
		require.Len(t, found, 1)
		require.Contains(t, found[0].Place.Path+": "+found[0].Got+" | "+found[0].Want, want)
		diagtest.Complete(t, found)
	}
}

func TestMovesHead(t *testing.T) {
	n := made(t, "", "us-east-2b")
	require.Empty(t, n.MovesHead("us-east-2b", "use2-az2"))
	require.Empty(t, n.MovesHead(), "it stands nowhere")
	require.Empty(t, made(t, "", "use2-az2").MovesHead("us-east-2b", "use2-az2"))
	require.Empty(t, plan.Network{}.MovesHead("us-east-2a"), "of a network that exists the subnet's id is compared")

	found := n.MovesHead("us-east-2a", "use2-az1")
	require.Len(t, found, 1)
	require.Equal(t, diag.PCUpdate, found[0].Rule)
	require.Equal(t, "add zone: us-east-2a to network.create; groups may lie in other zones", found[0].Hint)
	diagtest.Complete(t, found)
}
