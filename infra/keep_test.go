package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file system that the config keeps stays, and with it what it stands in; everything else goes.
func TestDestroyKeepsWhatTheConfigKeeps(t *testing.T) {
	t.Parallel()
	const (
		group   = "aws:ec2/securityGroup:SecurityGroup"
		ingress = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
		egress  = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
		vpc     = "aws:ec2/vpc:Vpc"
		subnet  = "aws:ec2/subnet:Subnet"
		lustre  = "aws:fsx/lustreFileSystem:LustreFileSystem"
	)
	for name, row := range map[string]struct {
		example, old, kept string
		stays              map[string]int
	}{
		"FSx for Lustre in a network of its own": {
			"p5en-capacity-block", "throughputMBps: 250", "throughputMBps: 250\n      keep: true",
			map[string]int{vpc: 1, subnet: 1, group: 1, ingress: 1, egress: 2, lustre: 1},
		},
		"FSx for Lustre with a link to S3": {
			"p4d-on-demand", "throughputMBps: 125", "throughputMBps: 125\n      keep: true",
			map[string]int{
				vpc: 1, subnet: 1, group: 1, ingress: 1, egress: 2, lustre: 1,
				"aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": 1,
			},
		},
		"EFS in a network that exists": {
			"p5-existing-network", "efs: {}", "efs: {keep: true}",
			map[string]int{group: 1, ingress: 1, egress: 2, "aws:efs/fileSystem:FileSystem": 1, "aws:efs/mountTarget:MountTarget": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, strings.Replace(example(t, row.example), row.old, row.kept, 1), nil)
			require.NoError(t, d.Up().Err)
			destroy := d.Destroy()
			require.NoError(t, destroy.Err, steps(destroy))
			require.Equal(t, row.stays, count(d.made()))
		})
	}
}
