package preflight_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	emulated "github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// emulatedWorld is the healthy account in the words of the emulated one.
func emulatedWorld() emulated.World {
	image := emulated.CustomImage(ami, "3.16.1", "ubuntu2204", "x86_64")
	image.ID = ami
	image.Tags["parallelcluster:nvidia_version"] = "595.71.05"
	observed := healthy()
	r := observed.Reservations[0]
	self := []emulated.Rule{{Protocol: "-1", Groups: []string{group}}, {Protocol: "tcp", FromPort: 443, ToPort: 443, CIDRs: []string{"0.0.0.0/0"}}}
	return emulated.World{
		Region: "us-east-2",
		VPCs:   []emulated.VPC{{ID: vpc, CIDR: "10.1.0.0/16", DNSSupport: true, DNSHostnames: true}},
		Subnets: []emulated.Subnet{
			{ID: nodes, VPC: vpc, Zone: "us-east-2a", ZoneID: "use2-az1", CIDR: "10.1.1.0/24"},
			{ID: head, VPC: vpc, Zone: "us-east-2a", ZoneID: "use2-az1", CIDR: "10.1.2.0/24"},
		},
		SecurityGroups: []emulated.SecurityGroup{{ID: group, VPC: vpc, Ingress: self, Egress: self}},
		Reservations: []emulated.Reservation{{
			ID: block, Kind: emulated.Block, Type: r.Type, Zone: r.Zone, ZoneID: r.ZoneID, Count: r.Total, State: r.State, Start: r.Start, End: r.End,
		}},
		Images:    []emulated.Image{image},
		Offerings: map[string][]string{"us-east-2a": {"p5en.48xlarge", "m6i.2xlarge"}},
		Quotas:    []emulated.Quota{{Service: "ec2", Code: "L-417A185B", Name: "Running On-Demand P instances", Value: 384}},
	}
}

// TestEmulatedAccount runs preflight with the SDK's own clients.
func TestEmulatedAccount(t *testing.T) {
	a := judgetest.Account(t)
	clients := preflight.NewClients(aws.Config{
		Region: "us-east-2", BaseEndpoint: aws.String(a.Endpoint()),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
	tests := map[string]struct {
		config func(*config.Cluster)
		world  func(*emulated.World)
		want   []diag.ID
	}{
		"confirmed": {},
		"a block that is scheduled, and a group too large for it": {
			config: func(c *config.Cluster) { c.Groups[0].Count = 5 },
			world: func(w *emulated.World) {
				w.Reservations[0].State, w.Reservations[0].Start = "scheduled", now.AddDate(0, 0, 1)
			},
			want: []diag.ID{diag.BlockState, diag.BlockSize},
		},
		"nothing that the config names": {
			world: func(w *emulated.World) {
				w.VPCs, w.Subnets, w.SecurityGroups, w.Images, w.Reservations = nil, nil, nil, nil, nil
			},
			want: []diag.ID{
				diag.AccountMissing, diag.AccountMissing, diag.AccountMissing, diag.AccountMissing, diag.AccountMissing, diag.AccountMissing,
			},
		},
		"a crowded public subnet, no rules": {
			world: func(w *emulated.World) {
				w.Subnets[0].FreeAddresses, w.Subnets[0].MapPublicIP = aws.Int(2), true
				w.SecurityGroups[0].Ingress, w.SecurityGroups[0].Egress = nil, nil
				w.VPCs[0].DNSHostnames = false
			},
			want: []diag.ID{diag.NICAddresses, diag.NICPublicIP, diag.SGSelfEgress, diag.SGSelfIngress, diag.AccountVPC},
		},
		"an image of another version": {
			world: func(w *emulated.World) { w.Images[0].Tags["parallelcluster:version"] = "3.15.1" },
			want:  []diag.ID{diag.AMIParallelCluster},
		},
		"on demand, beyond the quota": {config: onDemand, want: []diag.ID{diag.AccountQuota}},
		"a network to be made, and no room for a VPC": {
			config: created,
			world: func(w *emulated.World) {
				w.Quotas = []emulated.Quota{
					{Service: "vpc", Code: "L-F678F1CE", Name: "VPCs per Region", Value: 1},
					{Service: "ec2", Code: "L-0263D0A3", Name: "EC2-VPC Elastic IPs", Value: 5},
				}
			},
			want: []diag.ID{diag.AccountQuota},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := emulatedWorld()
			if tt.world != nil {
				tt.world(&w)
			}
			require.NoError(t, a.Load(t.Context(), w))
			r := request(t, tt.config)
			r.Stack = "weft-cluster"
			found, err := preflight.Run(t.Context(), clients, r, clock)
			require.NoError(t, err)
			require.Equal(t, tt.want, rules(found), "%v", lines(found))
		})
	}
}
