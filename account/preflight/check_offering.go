package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// standing is a kind of node and where it stands.
type standing struct {
	instanceType, path, who string
	zone                    string // as the plan says; empty where a subnet says it
	subnet                  string
	reservation             string
}

// standings lists all nodes of a plan: the head node, login nodes, groups.
func standings(p plan.Cluster) []standing {
	zone := ""
	if p.Network.Public != nil {
		zone = p.Network.Public.Zone
	}
	out := []standing{{
		instanceType: p.Config.HeadNode.InstanceType, path: "headNode.instanceType", who: "the head node", zone: zone, subnet: p.Network.Head,
	}}
	for i, l := range p.Config.LoginNodes {
		out = append(out, standing{
			instanceType: l.InstanceType, path: fmt.Sprintf("loginNodes[%d].instanceType", i), who: "login nodes " + l.Name, zone: zone, subnet: p.Network.Login,
		})
	}
	for i, g := range p.Groups {
		out = append(out, standing{
			instanceType: g.InstanceType, path: groupPath(i) + ".instanceType", who: "group " + g.Name, zone: g.Zone, subnet: g.Subnet,
			reservation: g.Capacity.Reservation,
		})
	}
	return out
}

func judgeOffering(v *view) {
	if v.observed.denied(readOfferings) {
		return
	}
	for _, s := range standings(v.plan) {
		z, ok := v.standsIn(s)
		if s.instanceType == "" || !ok || v.holds(s) {
			continue
		}
		offered := v.zonesOf(s.instanceType, z.name == "")
		if slices.Contains(offered, z.name) || slices.Contains(offered, z.id) {
			continue
		}
		hint := fmt.Sprintf("put %s into one of these zones, or take another type", s.who)
		if len(offered) == 0 {
			hint = "take another type or Region"
		}
		v.add(at(s.path, ""), fmt.Sprintf("%s is not offered in %s, where %s stands", s.instanceType, z, s.who),
			"a zone that offers it: "+cmp.Or(strings.Join(offered, ", "), "none in "+v.plan.Region), hint, "EC2 API, DescribeInstanceTypeOfferings")
	}
}

// standsIn is the zone of a kind of node. False: nobody says.
func (v *view) standsIn(s standing) (zone, bool) {
	if subnet, ok := v.observed.subnet(s.subnet); ok {
		return zone{subnet.Zone, subnet.ZoneID}, true
	}
	return zoneNamed(s.zone), s.zone != ""
}

// holds reports that a reservation of the type exists: EC2 has promised the instances, whatever it offers beside.
func (v *view) holds(s standing) bool {
	r, ok := v.observed.reservation(s.reservation)
	return ok && r.Type == s.instanceType
}

// zonesOf lists the zones that offer a type, by name or by id.
func (v *view) zonesOf(instanceType string, byID bool) []string {
	var out []string
	for _, o := range v.observed.Offerings {
		if o.Type == instanceType && config.IsZoneID(o.Zone) == byID {
			out = append(out, o.Zone)
		}
	}
	slices.Sort(out)
	return out
}

func judgeQuota(v *view) {
	if v.observed.denied(readQuotas) {
		return
	}
	for _, d := range demands(v.plan) {
		q, ok := first(v.observed.Quotas, func(q Quota) bool { return q.Service == d.service && q.Code == d.code })
		switch {
		case !ok:
			v.addAt(diag.Note, at(v.demandPath(d), ""), fmt.Sprintf("Service Quotas knows no value of %s (%s)", d.name, d.code),
				fmt.Sprintf("%d", d.amount), "look the quota up in the Service Quotas console", sourceQuotas)
		case len(d.groups) > 0:
			v.judgeInstances(d, q.Value)
		default:
			v.judgeNetworkQuota(d, q.Value)
		}
	}
}

const sourceQuotas = "Service Quotas"

func (v *view) demandPath(d demand) string {
	if len(d.groups) > 0 {
		return groupPath(d.groups[0]) + ".count"
	}
	return "network.create"
}

// judgeInstances compares with the whole quota. What runs beside is not counted: nodes of this cluster would be counted
// twice.
func (v *view) judgeInstances(d demand, quota float64) {
	if float64(d.amount) <= quota {
		return
	}
	var who []string
	for _, i := range d.groups {
		g := v.plan.Groups[i]
		who = append(who, fmt.Sprintf("%d %s of group %s", g.Nodes, g.InstanceType, g.Name))
	}
	v.add(at(v.demandPath(d), ""), fmt.Sprintf("%.0f vCPUs, the quota %s (%s)", quota, d.name, d.code),
		fmt.Sprintf("%d vCPUs: %s", d.amount, strings.Join(who, ", ")),
		fmt.Sprintf("ask for more: aws service-quotas request-service-quota-increase --service-code %s --quota-code %s --desired-value %d; instances of a capacity block do not count", d.service, d.code, d.amount),
		"EC2 error VcpuLimitExceeded; "+sourceQuotas)
}

// judgeNetworkQuota counts what exists. Where a VPC has the planned addresses already, the network may be the cluster's
// own from an earlier run, so that nothing is added: then there is only a note.
func (v *view) judgeNetworkQuota(d demand, quota float64) {
	if v.observed.Usage == nil {
		return
	}
	used, noun := len(v.observed.Usage.VPCs), "VPCs"
	if d.quotaKey == quotaAddresses {
		used, noun = v.observed.Usage.Addresses, "Elastic IP addresses"
	}
	if float64(used+d.amount) <= quota {
		return
	}
	level := diag.Unset
	if slices.Contains(v.observed.Usage.VPCs, v.plan.Network.CIDR) {
		level = diag.Note
	}
	v.addAt(level, at(v.demandPath(d), ""), fmt.Sprintf("%d %s of %.0f, the quota %s (%s)", used, noun, quota, d.name, d.code),
		fmt.Sprintf("room for %d more, unless the cluster's network stands already", d.amount),
		fmt.Sprintf("remove what nobody uses, or ask for more: aws service-quotas request-service-quota-increase --service-code %s --quota-code %s --desired-value %d", d.service, d.code, used+d.amount),
		sourceQuotas)
}
