package preflight_test

import (
	"testing"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
)

// enough gives the account room for instances on demand.
func enough(o *preflight.Observed) {
	o.Quotas = append(o.Quotas,
		preflight.Quota{Service: "ec2", Code: "L-417A185B", Value: 1920}, preflight.Quota{Service: "ec2", Code: "L-DB2E81BA", Value: 1920})
}

func TestOffering(t *testing.T) {
	moved := func(o *preflight.Observed) { o.Subnets[0].Zone, o.Subnets[0].ZoneID = "us-east-2b", "use2-az2" }
	judge(t, map[string]row{
		"in other zones": {
			config: onDemand, world: all(enough, moved),
			want: []string{"error account/offering groups[0].instanceType: p5en.48xlarge is not offered in us-east-2b (use2-az2), where group train stands" +
				" | a zone that offers it: us-east-2a, us-east-2c"},
		},
		"nowhere in the Region": {
			config: onDemand, world: all(enough, func(o *preflight.Observed) { o.Offerings = o.Offerings[2:] }),
			want: []string{"error account/offering groups[0].instanceType: p5en.48xlarge is not offered in us-east-2a (use2-az1), where group train stands" +
				" | a zone that offers it: none in us-east-2"},
		},
		"a reservation is a promise": {world: func(o *preflight.Observed) { o.Offerings = o.Offerings[2:] }},
		"the head node": {
			config: func(c *config.Cluster) { c.HeadNode.InstanceType = "m9i.large" },
			want: []string{"error account/offering headNode.instanceType: m9i.large is not offered in us-east-2a (use2-az1), where the head node stands" +
				" | a zone that offers it: none in us-east-2"},
		},
		"refused is not unoffered": {
			config: onDemand,
			world: all(enough, func(o *preflight.Observed) {
				o.Offerings = nil
				o.Denied = []preflight.Denied{{Read: "offerings", Action: "ec2:DescribeInstanceTypeOfferings", Code: "UnauthorizedOperation"}}
			}),
			want: []string{"error account/denied preflight: ec2:DescribeInstanceTypeOfferings is refused (UnauthorizedOperation): not fully judged: account/offering" +
				" | an IAM identity that may call ec2:DescribeInstanceTypeOfferings"},
		},
	})
}

func TestQuota(t *testing.T) {
	full := func(vpcs []string, addresses int) func(*preflight.Observed) {
		return all(room, func(o *preflight.Observed) { o.Usage = &preflight.Usage{VPCs: vpcs, Addresses: addresses} })
	}
	five := []string{"172.16.0.0/16", "172.17.0.0/16", "172.18.0.0/16", "172.19.0.0/16", "172.20.0.0/16"}
	const vpcsFull = "account/quota network.create: 5 VPCs of 5, the quota VPCs per Region (L-F678F1CE) | room for 1 more, unless the cluster's network stands already"
	judge(t, map[string]row{
		"instances on demand": {
			config: onDemand, world: func(o *preflight.Observed) {
				o.Quotas = []preflight.Quota{{Service: "ec2", Code: "L-417A185B", Value: 384}}
			},
			want: []string{"error account/quota groups[0].count: 384 vCPUs, the quota Running On-Demand P instances (L-417A185B) | 768 vCPUs: 4 p5en.48xlarge of group train"},
		},
		"groups of one quota together": {
			config: all(onDemand, second("more", "p5.48xlarge", 1, config.Capacity{OnDemand: true})),
			world: func(o *preflight.Observed) {
				o.Quotas = []preflight.Quota{{Service: "ec2", Code: "L-417A185B", Value: 800}}
				o.Offerings = append(o.Offerings, preflight.Offering{Type: "p5.48xlarge", Zone: "us-east-2a"})
			},
			want: []string{"error account/quota groups[0].count: 800 vCPUs, the quota Running On-Demand P instances (L-417A185B) | 960 vCPUs: 4 p5en.48xlarge of group train, 1 p5.48xlarge of group more"},
		},
		"blocks do not count": {world: func(o *preflight.Observed) {
			o.Quotas = []preflight.Quota{{Service: "ec2", Code: "L-417A185B", Value: 0}}
		}},
		"no value": {
			config: onDemand,
			want:   []string{"note account/quota groups[0].count: Service Quotas knows no value of Running On-Demand P instances (L-417A185B) | 768"},
		},
		"refused is not unknown": {
			config: onDemand,
			world: func(o *preflight.Observed) {
				o.Denied = []preflight.Denied{{Read: "quotas", Action: "servicequotas:GetServiceQuota", Code: "AccessDeniedException"}}
			},
			want: []string{"error account/denied preflight: servicequotas:GetServiceQuota is refused (AccessDeniedException): not fully judged: account/quota" +
				" | an IAM identity that may call servicequotas:GetServiceQuota"},
		},
		"a network that fits":     {config: created, world: full(five[:4], 4)},
		"no room for another VPC": {config: created, world: full(five, 0), want: []string{"error " + vpcsFull}},
		"the VPC may be its own":  {config: created, world: full(append(five[:4:4], "10.0.0.0/16"), 0), want: []string{"note " + vpcsFull}},
		"addresses of gateway and head node": {
			config: all(created, func(c *config.Cluster) { c.HeadNode.ElasticIP = true }), world: full(nil, 4),
			want: []string{"error account/quota network.create: 4 Elastic IP addresses of 5, the quota EC2-VPC Elastic IPs (L-0263D0A3) | room for 2 more, unless the cluster's network stands already"},
		},
	})
}
