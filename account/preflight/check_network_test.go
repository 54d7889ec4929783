package preflight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

// room gives the account quotas that a made network fits into.
func room(o *preflight.Observed) {
	o.Quotas = []preflight.Quota{{Service: "vpc", Code: "L-F678F1CE", Value: 5}, {Service: "ec2", Code: "L-0263D0A3", Value: 5}}
	o.Usage = &preflight.Usage{}
}

func TestMissingObjects(t *testing.T) {
	const want = "| one of this account, or shared with it"
	judge(t, map[string]row{
		"a subnet": {
			world: func(o *preflight.Observed) { o.Subnets = o.Subnets[1:] },
			want:  []string{"error account/missing network.existing.computeSubnet " + nodes + ": no subnet " + nodes + " in us-east-2 " + want},
		},
		"the VPC": {
			world: func(o *preflight.Observed) { o.VPC = nil },
			want:  []string{"error account/missing network.existing.vpc " + vpc + ": no VPC " + vpc + " in us-east-2 " + want},
		},
		"a security group": {
			world: func(o *preflight.Observed) { o.SecurityGroups = nil },
			want:  []string{"error account/missing network.existing.securityGroups[0] " + group + ": no security group " + group + " in us-east-2 " + want},
		},
		"an image": {
			world: func(o *preflight.Observed) { o.Images = nil },
			want:  []string{"error account/missing image.ami " + ami + ": no image " + ami + " in us-east-2 " + want},
		},
		"a group's own subnet": {
			config: func(c *config.Cluster) { c.Groups[0].Subnet = "subnet-0bbbbbbbbbbbbbbb3" },
			want:   []string{"error account/missing groups[0].subnet subnet-0bbbbbbbbbbbbbbb3: no subnet subnet-0bbbbbbbbbbbbbbb3 in us-east-2 " + want},
		},
		"what AWS refuses to show is not missing": {
			world: func(o *preflight.Observed) {
				o.VPC, o.Subnets, o.SecurityGroups, o.Images = nil, nil, nil, nil
				o.Denied = []preflight.Denied{
					{Read: "images", Action: "ec2:DescribeImages", Code: "UnauthorizedOperation"},
					{Read: "security groups", Action: "ec2:DescribeSecurityGroups", Code: "UnauthorizedOperation"},
					{Read: "subnets", Action: "ec2:DescribeSubnets", Code: "UnauthorizedOperation"},
					{Read: "vpc", Action: "ec2:DescribeVpcAttribute", Code: "UnauthorizedOperation"},
				}
			},
			want: []string{
				"error account/denied preflight: ec2:DescribeImages is refused (UnauthorizedOperation): not fully judged: account/missing, block/platform, ami/pcluster-version, ami/build-status, ami/os, ami/architecture, ami/nvidia-missing | an IAM identity that may call ec2:DescribeImages",
				"error account/denied preflight: ec2:DescribeSecurityGroups is refused (UnauthorizedOperation): not fully judged: account/missing, account/vpc, sg/self-ingress, sg/self-egress | an IAM identity that may call ec2:DescribeSecurityGroups",
				"error account/denied preflight: ec2:DescribeSubnets is refused (UnauthorizedOperation): not fully judged: account/missing, block/zone, account/vpc, efa/one-zone, nic/public-ip, nic/addresses, account/offering | an IAM identity that may call ec2:DescribeSubnets",
				"error account/denied preflight: ec2:DescribeVpcAttribute is refused (UnauthorizedOperation): not fully judged: account/missing, account/vpc | an IAM identity that may call ec2:DescribeVpcAttribute",
			},
		},
	})
}

func TestVPC(t *testing.T) {
	judge(t, map[string]row{
		"no DNS": {
			world: func(o *preflight.Observed) { o.VPC = &preflight.VPC{ID: vpc} },
			want: []string{
				"error account/vpc network.existing.vpc " + vpc + ": " + vpc + " has DNS hostnames (enableDnsHostnames) off | on: nodes and file systems are found by name",
				"error account/vpc network.existing.vpc " + vpc + ": " + vpc + " has DNS resolution (enableDnsSupport) off | on: nodes and file systems are found by name",
			},
		},
		"a subnet of another": {
			world: func(o *preflight.Observed) { o.Subnets[0].VPC = elsewr },
			want:  []string{"error account/vpc network.existing.computeSubnet " + nodes + ": subnet " + nodes + " belongs to " + elsewr + " | " + vpc + ", as network.existing.vpc says"},
		},
		"a security group of another": {
			world: func(o *preflight.Observed) { o.SecurityGroups[0].VPC = elsewr },
			want:  []string{"error account/vpc network.existing.securityGroups[0] " + group + ": security group " + group + " belongs to " + elsewr + " | " + vpc + ", as network.existing.vpc says"},
		},
	})
}

func TestMountTargets(t *testing.T) {
	const far = "subnet-0bbbbbbbbbbbbbbb3"
	efs := func(c *config.Cluster) {
		c.Storage = []config.Storage{{Name: "data", Mount: "/data", FSxLustre: &config.FSxLustre{Existing: "fs-1"}}, {Name: "homes", Mount: "/shared", EFS: &config.EFS{}}}
	}
	existing := func(c *config.Cluster) {
		c.Storage = []config.Storage{{Name: "homes", Mount: "/shared", EFS: &config.EFS{Existing: "fs-1"}}}
	}
	more := func(c *config.Cluster) {
		second("more", "p5en.48xlarge", 1, config.Capacity{Block: &config.Block{Reservation: other}})(c)
		c.Groups[1].Subnet = far
	}
	login := func(c *config.Cluster) {
		c.LoginNodes, c.Network.Existing.LoginSubnet = []config.LoginPool{{Name: "users", InstanceType: "m6i.2xlarge", Count: 1}}, far
	}
	skipped := func(c *config.Cluster) {
		c.Preflight.Skip = map[diag.ID]string{}
		for _, check := range preflight.Checks() {
			if check.ID != diag.AccountVPC {
				c.Preflight.Skip[check.ID] = "another check is tried"
			}
		}
	}
	in := func(zone, id string) func(*preflight.Observed) {
		return func(o *preflight.Observed) {
			o.Subnets = append(o.Subnets, preflight.Subnet{ID: far, VPC: vpc, Zone: zone, ZoneID: id, Free: 251})
		}
	}
	headIn := func(zone, id string) func(*preflight.Observed) {
		return func(o *preflight.Observed) { o.Subnets[1].Zone, o.Subnets[1].ZoneID = zone, id }
	}
	for name, r := range map[string]row{
		"one zone":                    {config: efs},
		"a subnet in each":            {config: all(efs, more), world: in("us-east-2b", "use2-az2")},
		"two subnets in one":          {config: all(efs, more), world: in("us-east-2a", "use2-az1"), want: []string{"error account/vpc storage[1].efs " + far + ": " + nodes + " and " + far + " both lie in us-east-2a (use2-az1) | one compute subnet in each zone: the file system gets a mount target in each, and EFS takes one in a zone"}},
		"head node elsewhere":         {config: efs, world: headIn("us-east-2c", "use2-az3"), want: []string{"error account/vpc storage[1].efs " + head + ": " + head + " of the head node lies in us-east-2c (use2-az3) | a zone with a mount target: the file system gets them where groups stand, in us-east-2a (use2-az1)"}},
		"head node beside one":        {config: all(efs, more), world: all(in("us-east-2b", "use2-az2"), headIn("us-east-2b", "use2-az2"))},
		"login nodes elsewhere":       {config: all(efs, login), world: in("us-east-2b", "use2-az2"), want: []string{"error account/vpc storage[1].efs " + far + ": " + far + " of login nodes lies in us-east-2b (use2-az2) | a zone with a mount target: the file system gets them where groups stand, in us-east-2a (use2-az1)"}},
		"a file system of the user's": {config: all(existing, more), world: all(in("us-east-2a", "use2-az1"), headIn("us-east-2c", "use2-az3"))},
		"a subnet that nobody showed": {config: all(efs, more), world: headIn("us-east-2c", "use2-az3")},
		"a made network":              {config: all(efs, created)},
	} {
		t.Run(name, func(t *testing.T) {
			observed := healthy()
			if r.world != nil {
				r.world(&observed)
			}
			found := preflight.Judge(request(t, r.config, skipped), observed, now)
			diagtest.Complete(t, found)
			require.Equal(t, r.want, lines(found.AtLeast(diag.Warn)))
		})
	}
}

func TestPublicIP(t *testing.T) {
	public := func(o *preflight.Observed) { o.Subnets[0].MapPublicIP = true }
	judge(t, map[string]row{
		"several interfaces": {
			world: public,
			want: []string{"error nic/public-ip network.existing.computeSubnet " + nodes + ": " + nodes + " gives new instances a public address (MapPublicIpOnLaunch)" +
				" | a subnet that does not: nodes of group train have 17 interfaces"},
		},
		"one interface": {
			config: func(c *config.Cluster) {
				c.Groups[0].InstanceType, c.Groups[0].EFA, c.Groups[0].Count = "g6e.8xlarge", false, 1
				onDemand(c)
			},
			world: all(public, enough, func(o *preflight.Observed) {
				o.Offerings = append(o.Offerings, preflight.Offering{Type: "g6e.8xlarge", Zone: "us-east-2a"})
			}),
		},
		"the head node may have one": {world: func(o *preflight.Observed) { o.Subnets[1].MapPublicIP = true }},
	})
}

func TestAddresses(t *testing.T) {
	free := func(n int) func(*preflight.Observed) { return func(o *preflight.Observed) { o.Subnets[0].Free = n } }
	judge(t, map[string]row{
		"just enough": {world: free(4)},
		"too few":     {world: free(3), want: []string{"error nic/addresses network.existing.computeSubnet " + nodes + ": " + nodes + " has 3 free addresses | 4: group train 4"}},
		"running nodes hold theirs": {
			world: all(free(1), func(o *preflight.Observed) { o.Held = map[string]int{nodes: 3} }),
		},
		"running nodes do not hold enough": {
			world: all(free(1), func(o *preflight.Observed) { o.Held = map[string]int{nodes: 2} }),
			want:  []string{"error nic/addresses network.existing.computeSubnet " + nodes + ": " + nodes + " has 1 free addresses, and nodes of the cluster hold 2 | 4: group train 4"},
		},
		"nobody may say what running nodes hold": {
			world: all(free(1), func(o *preflight.Observed) {
				o.Denied = []preflight.Denied{{Read: "held addresses", Action: "ec2:DescribeInstances", Code: "UnauthorizedOperation"}}
			}),
			want: []string{"error account/denied preflight: ec2:DescribeInstances is refused (UnauthorizedOperation): not fully judged: nic/addresses | an IAM identity that may call ec2:DescribeInstances"},
		},
		"everybody in one subnet, addresses on every card": {
			config: all(func(c *config.Cluster) {
				c.Network.Existing.HeadSubnet = nodes
				c.LoginNodes = []config.LoginPool{{Name: "door", InstanceType: "m6i.2xlarge", Count: 2}}
				c.Groups[0].Count, c.Groups[0].Layout = 2, "most-bandwidth"
			}, second("more", "p5en.48xlarge", 2, blockOf(block))),
			world: free(5),
			want: []string{"error nic/addresses network.existing.headSubnet " + nodes + ": " + nodes + " has 5 free addresses" +
				" | 37: the head node 1, login nodes door 2, group train 32, group more 2"},
		},
	})
}

func TestOneZone(t *testing.T) {
	away := func(o *preflight.Observed) {
		o.Subnets = append(o.Subnets, preflight.Subnet{ID: "subnet-0bbbbbbbbbbbbbbb3", VPC: vpc, Zone: "us-east-2c", ZoneID: "use2-az3", Free: 251})
	}
	far := func(c *config.Cluster) { c.Groups[1].Subnet = "subnet-0bbbbbbbbbbbbbbb3" }
	judge(t, map[string]row{
		"two blocks in two zones": {
			config: all(second("more", "p5en.48xlarge", 4, blockOf(other)), far),
			world:  all(away, beside(func(r *preflight.Reservation) { r.Zone, r.ZoneID = "us-east-2c", "use2-az3" })),
			want:   []string{"warn efa/one-zone groups[1]: group more stands in us-east-2c (use2-az3) | us-east-2a (use2-az1), where group train stands"},
		},
		"a group without EFA stands where it likes": {
			config: all(second("cpu", "m6i.2xlarge", 4, config.Capacity{OnDemand: true}), far, func(c *config.Cluster) { c.Groups[1].EFA = false }),
			world:  away,
		},
		"zone and subnet disagree": {
			config: func(c *config.Cluster) { c.Groups[0].Zone = "us-east-2b" },
			want:   []string{"error efa/one-zone groups[0].zone " + nodes + ": " + nodes + " of group train lies in us-east-2a (use2-az1) | us-east-2b, as the group's zone says"},
		},
		"zone and subnet agree by id": {config: func(c *config.Cluster) { c.Groups[0].Zone = "use2-az1" }},
	})
}

func TestSelfRules(t *testing.T) {
	const second = "sg-0aaaaaaaaaaaaaaa2"
	const (
		in  = "error sg/self-ingress network.existing.securityGroups[0] " + group + ": " + group + " lets in from: "
		out = "error sg/self-egress network.existing.securityGroups[0] " + group + ": " + group + " lets out to: "

		wantIn  = " | all traffic (-1) in from " + group + " itself, by its id"
		wantOut = " | all traffic (-1) out to " + group + " itself, by its id"
	)
	rules := func(ingress, egress []preflight.Permission) func(*preflight.Observed) {
		return func(o *preflight.Observed) { o.SecurityGroups[0].Ingress, o.SecurityGroups[0].Egress = ingress, egress }
	}
	allOf := func(groups []string, ranges ...string) []preflight.Permission {
		return []preflight.Permission{{Protocol: "-1", Groups: groups, Ranges: ranges}}
	}
	self := []string{group}
	two := func(c *config.Cluster) { c.Network.Existing.SecurityGroups = []string{group, second} }
	also := func(ingress, egress []preflight.Permission) func(*preflight.Observed) {
		return func(o *preflight.Observed) {
			o.SecurityGroups = append(o.SecurityGroups, preflight.SecurityGroup{ID: second, VPC: vpc, Ingress: ingress, Egress: egress})
		}
	}
	judge(t, map[string]row{
		"open egress is no rule to itself": {world: rules(allOf(self), allOf(nil, "0.0.0.0/0")), want: []string{out + "all traffic 0.0.0.0/0" + wantOut}},
		"open ingress is none either":      {world: rules(allOf(nil, "0.0.0.0/0", "::/0"), allOf(self)), want: []string{in + "all traffic 0.0.0.0/0 ::/0" + wantIn}},
		"no rules":                         {world: rules(nil, nil), want: []string{out + "nothing" + wantOut, in + "nothing" + wantIn}},
		"one protocol only": {
			world: rules([]preflight.Permission{{Protocol: "tcp", Groups: self}}, allOf(self)), want: []string{in + "tcp " + group + wantIn},
		},
		"another group only": {world: rules(allOf([]string{second}), allOf(self)), want: []string{in + "all traffic " + second + wantIn}},
		"in a mixed rule":    {world: rules(allOf([]string{second, group}, "10.0.0.0/8"), allOf(self, "0.0.0.0/0"))},
		"in a later rule": {
			world: rules(append([]preflight.Permission{{Protocol: "tcp", Ranges: []string{"10.0.0.0/8"}}}, allOf(self)...), allOf(self)),
		},
		"in another attached group": {config: two, world: all(rules(nil, nil), also(allOf([]string{second}), allOf([]string{second})))},
		"one direction on each of two groups": {
			config: two, world: all(rules(allOf(self), nil), also(nil, allOf([]string{second}))), want: []string{out + "nothing" + wantOut},
		},
		"no EFA": {
			config: func(c *config.Cluster) { c.Groups[0].EFA = false },
			world:  rules(nil, nil),
		},
	})
}
