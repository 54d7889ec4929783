package preflight_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
)

const (
	block  = "cr-0ccccccccccccccc1"
	vpc    = "vpc-0aaaaaaaaaaaaaa01"
	nodes  = "subnet-0bbbbbbbbbbbbbbb1"
	head   = "subnet-0bbbbbbbbbbbbbbb2"
	group  = "sg-0aaaaaaaaaaaaaaa1"
	ami    = "ami-0aaaaaaaaaaaaaaa1"
	other  = "cr-0ddddddddddddddd2"
	elsewr = "vpc-0eeeeeeeeeeeeee01"
)

// now is two days into the block of the healthy world.
var now = time.Date(2026, 12, 2, 11, 30, 0, 0, time.UTC)

// base is a config to which the healthy world has everything.
const base = `
name: weft
region: us-east-2
parallelcluster: 3.16.1
os: ubuntu2204
network:
  existing: {vpc: ` + vpc + `, headSubnet: ` + head + `, computeSubnet: ` + nodes + `, securityGroups: [` + group + `], headSecurityGroups: [` + group + `]}
image: {ami: ` + ami + `}
groups:
  - {name: train, instanceType: p5en.48xlarge, count: 4, capacity: {block: {reservation: ` + block + `}}}
`

// cluster decodes the base config and edits it.
func cluster(t testing.TB, edits ...func(*config.Cluster)) config.Cluster {
	t.Helper()
	doc, found := config.Decode("cluster.yaml", []byte(base))
	require.False(t, found.Failed(), "%v", found)
	for _, edit := range edits {
		if edit != nil {
			edit(&doc.Cluster)
		}
	}
	return doc.Cluster
}

func request(t testing.TB, edits ...func(*config.Cluster)) preflight.Request {
	t.Helper()
	p, _ := plan.New(cluster(t, edits...))
	return preflight.Request{Plan: p}
}

// healthy is an account that has what the base config names, and nothing to complain about.
func healthy() preflight.Observed {
	return preflight.Observed{
		Reservations: []preflight.Reservation{{
			ID: block, Kind: "capacity-block", Type: "p5en.48xlarge", Zone: "us-east-2a", ZoneID: "use2-az1",
			Platform: "Linux/UNIX", Tenancy: "default", State: "active", Total: 4, Requested: "4",
			Start: now.AddDate(0, 0, -2), End: now.AddDate(0, 0, 12),
		}},
		VPC: &preflight.VPC{ID: vpc, DNSSupport: true, DNSHostnames: true},
		Subnets: []preflight.Subnet{
			{ID: nodes, VPC: vpc, Zone: "us-east-2a", ZoneID: "use2-az1", Free: 251, Name: "nodes"},
			{ID: head, VPC: vpc, Zone: "us-east-2a", ZoneID: "use2-az1", Free: 251},
		},
		SecurityGroups: []preflight.SecurityGroup{{
			ID: group, VPC: vpc,
			Ingress: []preflight.Permission{{Protocol: "-1", Groups: []string{group}}},
			Egress:  []preflight.Permission{{Protocol: "-1", Groups: []string{group}, Ranges: []string{"0.0.0.0/0"}}},
		}},
		Images: []preflight.Image{{
			ID: ami, Name: "weft-2026-11", State: "available", Architecture: "x86_64", Platform: "Linux/UNIX",
			Tags: map[string]string{
				"parallelcluster:version": "3.16.1", "parallelcluster:build_status": "available",
				"parallelcluster:os": "ubuntu2204", "parallelcluster:nvidia_version": "595.71.05",
			},
		}},
		Offerings: []preflight.Offering{
			{Type: "p5en.48xlarge", Zone: "us-east-2a"},
			{Type: "p5en.48xlarge", Zone: "us-east-2c"},
			{Type: "m6i.2xlarge", Zone: "us-east-2a"},
			{Type: "m6i.2xlarge", Zone: "us-east-2b"},
			{Type: "m6i.2xlarge", Zone: "us-east-2c"},
		},
	}
}

// row is one line of a check's table: a config and a world that differ from the healthy ones, and what is found.
type row struct {
	config func(*config.Cluster)
	world  func(*preflight.Observed)
	want   []string // "level rule place: got | want"; empty: nothing is found
}

// judge runs a table over the base config and the healthy world.
func judge(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			observed := healthy()
			if r.world != nil {
				r.world(&observed)
			}
			found := preflight.Judge(request(t, r.config), observed, now)
			diagtest.Complete(t, found)
			require.Equal(t, r.want, lines(found))
		})
	}
}

func lines(l diag.List) []string {
	var out []string
	for _, f := range l {
		out = append(out, fmt.Sprintf("%s %s %s: %s | %s", f.Level, f.Rule, f.Place, f.Got, f.Want))
	}
	return out
}

func onDemand(c *config.Cluster) { c.Groups[0].Capacity = config.Capacity{OnDemand: true} }

func reserved(c *config.Cluster) { c.Groups[0].Capacity = config.Capacity{Reservation: block} }

// odcr makes the reservation of the healthy world an on-demand one.
func odcr(o *preflight.Observed) {
	o.Reservations[0].Kind, o.Reservations[0].Requested, o.Reservations[0].End = "default", "", time.Time{}
}

// second adds a group on a reservation.
func second(name, instanceType string, count int, capacity config.Capacity) func(*config.Cluster) {
	return func(c *config.Cluster) {
		g := config.Group{Name: name, InstanceType: instanceType, Count: count, Capacity: capacity}
		config.SetDefaults(&g)
		g.InstanceType, g.Count = instanceType, count
		c.Groups = append(c.Groups, g)
	}
}

func blockOf(id string) config.Capacity {
	return config.Capacity{Block: &config.Block{Reservation: id}}
}

func created(c *config.Cluster) {
	c.Network = config.Network{Create: &config.NetworkCreate{CIDR: "10.0.0.0/16", HeadSubnet: "public"}}
	for i := range c.Groups {
		c.Groups[i].Zone = "us-east-2a"
	}
}

func all[T any](edits ...func(*T)) func(*T) {
	return func(v *T) {
		for _, edit := range edits {
			edit(v)
		}
	}
}
