package preflight_test

import (
	"testing"
	"time"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
)

const atBlock = "groups[0].capacity.block.reservation " + block + ": "

func reservation(edit func(*preflight.Reservation)) func(*preflight.Observed) {
	return func(o *preflight.Observed) { edit(&o.Reservations[0]) }
}

// beside adds a second reservation like the first.
func beside(edit func(*preflight.Reservation)) func(*preflight.Observed) {
	return func(o *preflight.Observed) {
		r := o.Reservations[0]
		r.ID = other
		edit(&r)
		o.Reservations = append(o.Reservations, r)
	}
}

func TestHealthy(t *testing.T) {
	judge(t, map[string]row{
		"a block, everything named": {},
		"an on-demand reservation":  {config: reserved, world: odcr},
		"on demand": {config: all(onDemand, func(c *config.Cluster) { c.Groups[0].InstanceType = "hpc7a.96xlarge" }), world: func(o *preflight.Observed) {
			o.Offerings = append(o.Offerings, preflight.Offering{Type: "hpc7a.96xlarge", Zone: "us-east-2a"})
		}},
	})
}

func TestBlockKind(t *testing.T) {
	judge(t, map[string]row{
		"asked as a block, is on demand": {
			world: odcr,
			want:  []string{"error block/kind " + atBlock + block + " is an on-demand reservation | a capacity block, as group train asks"},
		},
		"asked as on demand, is a block": {
			config: reserved,
			want:   []string{"error block/kind groups[0].capacity.reservation " + block + ": " + block + " is a capacity block | an on-demand reservation, as group train asks"},
		},
		"a type that EC2 may add": {
			world: reservation(func(r *preflight.Reservation) { r.Kind = "flex-block" }),
			want:  []string{"error block/kind " + atBlock + block + ` is a reservation of type "flex-block" | a capacity block, as group train asks`},
		},
	})
}

func TestBlockState(t *testing.T) {
	state := func(s string) func(*preflight.Reservation) { return func(r *preflight.Reservation) { r.State = s } }
	over := func(s, why string) row {
		return row{
			world: reservation(state(s)),
			want:  []string{"error block/state " + atBlock + block + " is " + s + ": " + why + " | an active reservation, or one that will become so"},
		}
	}
	ends := func(in time.Duration) func(*preflight.Observed) {
		return reservation(func(r *preflight.Reservation) { r.End = now.Add(in) })
	}
	judge(t, map[string]row{
		"scheduled, days ahead": {
			world: reservation(func(r *preflight.Reservation) { r.State, r.Start, r.Total = "scheduled", now.Add(52*time.Hour), 0 }),
			want:  []string{"warn block/state " + atBlock + block + " is scheduled: bought, and not begun; it starts at 2026-12-04 15:30 UTC, in 2 d 4 h | an active reservation"},
		},
		"scheduled, within the hour": {
			world: reservation(func(r *preflight.Reservation) { r.State, r.Start = "scheduled", now.Add(30*time.Minute) }),
			want:  []string{"warn block/state " + atBlock + block + " is scheduled: bought, and not begun; it starts at 2026-12-02 12:00 UTC, in 30 min | an active reservation"},
		},
		"scheduled, late": {
			world: reservation(func(r *preflight.Reservation) { r.State, r.Start = "scheduled", now.Add(-90*time.Minute) }),
			want:  []string{"warn block/state " + atBlock + block + " is scheduled: bought, and not begun; it was to start at 2026-12-02 10:00 UTC, 1 h 30 min ago | an active reservation"},
		},
		"not paid yet": {
			world: reservation(func(r *preflight.Reservation) { r.State, r.Start = "payment-pending", time.Time{} }),
			want: []string{"warn block/state " + atBlock + block + " is payment-pending: waits for its upfront payment; unpaid after 12 hours it is released; it shows no start" +
				" | an active reservation"},
		},
		"expired":        over("expired", "its time has ended, at 2026-12-14 11:30 UTC"),
		"cancelled":      over("cancelled", "it was cancelled"),
		"failed":         over("failed", "EC2 could not make it"),
		"payment failed": over("payment-failed", "its upfront payment failed, and it was released"),
		"unavailable":    over("unavailable", "its capacity is not available"),
		"expired, and shows nothing any more": {
			world: reservation(func(r *preflight.Reservation) { r.State, r.Total, r.Requested, r.End = "expired", 0, "", time.Time{} }),
			want:  []string{"error block/state " + atBlock + block + " is expired: its time has ended | an active reservation, or one that will become so"},
		},
		"a state that EC2 may add": {
			world: reservation(state("dormant")),
			want:  []string{"error block/state " + atBlock + block + ` is in state "dormant", which weft does not know | active, or a state that leads there`},
		},
		"a minute before the warning": {world: ends(41 * time.Minute)},
		"at the warning": {
			world: ends(40 * time.Minute),
			want: []string{"error block/state " + atBlock + block + " ends at 2026-12-02 12:10 UTC, and EC2 ends its instances from 2026-12-02 11:40 UTC on: not launchable at 2026-12-02 11:30 UTC" +
				" | a block that runs on after 2026-12-02 12:10 UTC"},
		},
		"UltraServers end half an hour earlier": {
			config: func(c *config.Cluster) { c.Groups[0].InstanceType = "p6e-gb200.36xlarge"; c.Image.AMI = "" },
			world:  all(ends(70*time.Minute), reservation(func(r *preflight.Reservation) { r.Type = "p6e-gb200.36xlarge" })),
			want: []string{"error block/state " + atBlock + block + " ends at 2026-12-02 12:40 UTC, and EC2 ends its instances from 2026-12-02 11:40 UTC on: not launchable at 2026-12-02 11:30 UTC" +
				" | a block that runs on after 2026-12-02 12:40 UTC"},
		},
		"active without an end": {
			world: reservation(func(r *preflight.Reservation) { r.End = time.Time{} }),
			want:  []string{"warn block/state " + atBlock + block + " is active and shows no end | the time at which the block ends"},
		},
		"an on-demand reservation about to end": {config: reserved, world: all(odcr, ends(time.Minute))},
		"each block for itself": {
			config: second("more", "p5en.48xlarge", 4, blockOf(other)),
			world:  beside(state("expired")),
			want: []string{
				"error block/state groups[1].capacity.block.reservation " + other + ": " + other + " is expired: its time has ended, at 2026-12-14 11:30 UTC | an active reservation, or one that will become so",
			},
		},
		"one block, several groups: said once": {
			config: all(func(c *config.Cluster) { c.Groups[0].Count = 2 }, second("more", "p5en.48xlarge", 2, blockOf(block))),
			world:  reservation(state("expired")),
			want:   []string{"error block/state " + atBlock + block + " is expired: its time has ended, at 2026-12-14 11:30 UTC | an active reservation, or one that will become so"},
		},
	})
}

func TestBlockType(t *testing.T) {
	judge(t, map[string]row{
		"another type": {
			world: reservation(func(r *preflight.Reservation) { r.Type = "p5.48xlarge" }),
			want:  []string{"error block/type " + atBlock + block + " is for p5.48xlarge in us-east-2a (use2-az1) | p5en.48xlarge, as group train asks"},
		},
		"of one of two groups": {
			config: all(func(c *config.Cluster) { c.Groups[0].Count = 2 }, second("more", "p5.48xlarge", 2, blockOf(block))),
			world: func(o *preflight.Observed) {
				o.Offerings = append(o.Offerings, preflight.Offering{Type: "p5.48xlarge", Zone: "us-east-2a"})
			},
			want: []string{"error block/type groups[1].capacity.block.reservation " + block + ": " + block + " is for p5en.48xlarge in us-east-2a (use2-az1) | p5.48xlarge, as group more asks"},
		},
	})
}

func TestBlockZone(t *testing.T) {
	judge(t, map[string]row{
		"subnet in another zone": {
			world: reservation(func(r *preflight.Reservation) { r.Zone, r.ZoneID = "us-east-2c", "use2-az3" }),
			want: []string{"error block/zone " + atBlock + block + " lies in us-east-2c (use2-az3)" +
				" | us-east-2a (use2-az1), where " + nodes + " of group train lies"},
		},
		"zone of a network that is made": {
			config: created,
			world:  all(room, reservation(func(r *preflight.Reservation) { r.Zone, r.ZoneID = "us-east-2c", "use2-az3" })),
			want:   []string{"error block/zone " + atBlock + block + " lies in us-east-2c (use2-az3) | us-east-2a, as group train asks"},
		},
		"the zone's id": {
			config: all(created, func(c *config.Cluster) { c.Groups[0].Zone = "use2-az1" }),
			world: all(room, func(o *preflight.Observed) {
				o.Offerings = append(o.Offerings, preflight.Offering{Type: "m6i.2xlarge", Zone: "use2-az1"})
			}),
		},
		"another zone's id": {
			config: all(created, func(c *config.Cluster) { c.Groups[0].Zone = "use2-az2" }),
			world: all(room, func(o *preflight.Observed) {
				o.Offerings = append(o.Offerings, preflight.Offering{Type: "m6i.2xlarge", Zone: "use2-az2"})
			}),
			want: []string{"error block/zone " + atBlock + block + " lies in us-east-2a (use2-az1) | use2-az2, as group train asks"},
		},
	})
}

func TestBlockPlatform(t *testing.T) {
	rhel := reservation(func(r *preflight.Reservation) { r.Platform = "Red Hat Enterprise Linux" })
	judge(t, map[string]row{
		"another than the image's": {
			world: rhel,
			want:  []string{"error block/platform " + atBlock + block + " is for Red Hat Enterprise Linux | Linux/UNIX, the platform of " + ami},
		},
		"the image's own counts": {world: all(rhel, func(o *preflight.Observed) { o.Images[0].Platform = "Red Hat Enterprise Linux" })},
		"the system's where no image is named": {
			config: func(c *config.Cluster) { c.Image.AMI = "" }, world: rhel,
			want: []string{"error block/platform " + atBlock + block + " is for Red Hat Enterprise Linux | Linux/UNIX, the platform of ubuntu2204"},
		},
	})
}

func TestBlockTenancy(t *testing.T) {
	judge(t, map[string]row{
		"dedicated": {
			world: reservation(func(r *preflight.Reservation) { r.Tenancy = "dedicated" }),
			want:  []string{"error block/tenancy " + atBlock + block + " has dedicated tenancy | default tenancy, which the nodes have"},
		},
	})
}

func TestBlockSize(t *testing.T) {
	six := reservation(func(r *preflight.Reservation) { r.Total, r.Requested = 6, "" })
	judge(t, map[string]row{
		"one group too large": {
			config: func(c *config.Cluster) { c.Groups[0].Count = 5 },
			want:   []string{"error block/size groups[0].count " + block + ": " + block + " holds 4 instances | 5 instances, as group train asks"},
		},
		"two groups too large together": {
			config: second("more", "p5en.48xlarge", 4, blockOf(block)), world: six,
			want: []string{"error block/size groups[0].count " + block + ": " + block + " holds 6 instances | 8 instances, as train, more ask for together"},
		},
		"two groups that fit": {
			config: all(func(c *config.Cluster) { c.Groups[0].Count = 2 }, second("more", "p5en.48xlarge", 4, blockOf(block))), world: six,
		},
		"before the start only the tag tells": {
			config: func(c *config.Cluster) { c.Groups[0].Count = 8 },
			world:  reservation(func(r *preflight.Reservation) { r.Total, r.Requested = 0, "4" }),
			want:   []string{"error block/size groups[0].count " + block + ": " + block + " holds 4 instances | 8 instances, as group train asks"},
		},
		"neither tells": {
			world: reservation(func(r *preflight.Reservation) { r.Total, r.Requested = 0, "four" }),
			want: []string{"error block/size groups[0].count " + block + ": " + block +
				` shows no size: 0 instances, "four" in tag aws:ec2capacityreservation:incrementalRequestedQuantity | 4 instances, as group train asks`},
		},
		"an on-demand reservation": {
			config: all(reserved, func(c *config.Cluster) { c.Groups[0].Count = 5 }), world: odcr,
			want: []string{"error block/size groups[0].count " + block + ": " + block + " holds 4 instances | 5 instances, as group train asks"},
		},
	})
}

func TestODCRPlacementGroup(t *testing.T) {
	in := func(name string) func(*preflight.Observed) {
		return all(odcr, reservation(func(r *preflight.Reservation) { r.PlacementGroup = name }))
	}
	named := all(reserved, func(c *config.Cluster) { c.Groups[0].PlacementGroup = "close" })
	const place = "error odcr/placement-group groups[0].placementGroup " + block + ": " + block + " was made in "
	judge(t, map[string]row{
		"made in one, none asked": {config: reserved, world: in("close"), want: []string{place + "placement group close | no placement group, which group train starts in"}},
		"made in none, one asked": {config: named, world: odcr, want: []string{place + "no placement group | placement group close, which group train starts in"}},
		"another":                 {config: named, world: in("far"), want: []string{place + "placement group far | placement group close, which group train starts in"}},
		"the same":                {config: named, world: in("close")},
	})
}

func TestMissingReservation(t *testing.T) {
	gone := func(neighbours ...preflight.Reservation) func(*preflight.Observed) {
		return func(o *preflight.Observed) { o.Reservations, o.Neighbours = nil, neighbours }
	}
	const missing = "error account/missing " + atBlock + "no capacity reservation " + block + " in us-east-2: "
	const want = " | a reservation of this account, or shared with it"
	judge(t, map[string]row{
		"nobody knows why": {
			world: gone(), want: []string{missing + "mistyped, of another Region or account, or ended so long ago that EC2 has forgotten it" + want},
		},
		"two letters off": {
			world: gone(preflight.Reservation{ID: "cr-0cccccccccccccdd1", Type: "p5en.48xlarge", Zone: "us-east-2a", State: "active"}),
			want:  []string{missing + "probably mistyped" + want},
		},
		"the running cluster was made with it": {
			world: all(gone(), func(o *preflight.Observed) {
				o.Stack = &preflight.Stack{Name: "weft", Status: "CREATE_COMPLETE", Config: `{"CapacityReservationId":"` + block + `"}`}
			}),
			want: []string{missing + "it ended, and EC2 has forgotten it: the running cluster was made with this id" + want},
		},
		"two groups name it: said once": {
			config: second("more", "p5en.48xlarge", 1, blockOf(block)), world: gone(),
			want: []string{missing + "mistyped, of another Region or account, or ended so long ago that EC2 has forgotten it" + want},
		},
		"refused is not missing": {
			world: all(gone(), func(o *preflight.Observed) {
				o.Denied = []preflight.Denied{{Read: "reservations", Action: "ec2:DescribeCapacityReservations", Code: "UnauthorizedOperation"}}
			}),
			want: []string{"error account/denied preflight: ec2:DescribeCapacityReservations is refused (UnauthorizedOperation): not fully judged: " +
				"account/missing, block/kind, block/state, block/type, block/zone, block/platform, block/tenancy, block/size, odcr/placement-group, efa/one-zone, account/offering" +
				" | an IAM identity that may call ec2:DescribeCapacityReservations"},
		},
	})
}
