package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

var (
	regionForm = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-[1-9][0-9]*$`)
	zoneID     = regexp.MustCompile(`^[a-z]+[0-9]+(-[a-z0-9]+)*-(az|wlz)[0-9]+$`)
	// zoneTail is what follows the Region in a zone's name: a of us-east-2a, -lax-1a of us-west-2-lax-1a.
	zoneTail     = regexp.MustCompile(`^([a-z]|(-[a-z0-9]+)+)$`)
	instanceForm = regexp.MustCompile(`^[a-z][a-z0-9-]*\.[a-z0-9-]+$`)
)

// IsZoneID tells the id of a zone (use2-az1, use1-dfw2-az1, use1-wl1-bos-wlz1), which means the same zone in every account, from
// its name (us-east-2a, us-east-1-dfw-2a).
func IsZoneID(zone string) bool { return zoneID.MatchString(zone) }

// regionName: everything is made in the Region, and ARNs and endpoints are built from its name.
func (v *view) regionName() {
	region := v.cluster.Region
	if !v.sound("region") || regionForm.MatchString(region) {
		return
	}
	hint := "write the Region's code, as aws ec2 describe-regions lists it"
	if name := strings.TrimRight(region, "abcdefghijklmnopqrstuvwxyz"); name != region && regionForm.MatchString(name) {
		hint = "that is a zone: its Region is " + name
	}
	v.report(diag.ConfigValue, "region", quote(region), "the code of a Region, for example us-east-2", hint)
}

// zones: the name of a zone begins with its Region. An id names its Region in letters of its own: the account knows
// which.
func (v *view) zones() {
	region := v.cluster.Region
	if !v.sound("region") || !regionForm.MatchString(region) {
		return
	}
	judge := func(path, zone string) {
		if zone == "" || !v.sound(path) || IsZoneID(zone) {
			return
		}
		if tail, inside := strings.CutPrefix(zone, region); inside && zoneTail.MatchString(tail) {
			return
		}
		v.report(diag.ConfigConflict, path, fmt.Sprintf("zone %s, region %s", quote(zone), region), "a zone of the Region, by name or id",
			"give a zone of "+region+", for example "+region+"a, or the Region that the zone lies in")
	}
	if n := v.cluster.Network.Create; n != nil {
		judge("network.create.zone", n.Zone)
	}
	each("groups", v.cluster.Groups, func(path string, g *Group) { judge(path+".zone", g.Zone) })
}

// instanceTypes: a type is a family and a size. Which types exist is the catalogue's and the account's to say.
func (v *view) instanceTypes() {
	judge := func(path, name string) {
		if name == "" || !v.sound(path) || instanceForm.MatchString(name) {
			return
		}
		v.report(diag.ConfigValue, path, quote(name), "an instance type: family and size, for example p5en.48xlarge", "write the type as EC2 spells it, in lower case")
	}
	judge("headNode.instanceType", v.cluster.HeadNode.InstanceType)
	each("loginNodes", v.cluster.LoginNodes, func(path string, p *LoginPool) { judge(path+".instanceType", p.InstanceType) })
	each("groups", v.cluster.Groups, func(path string, g *Group) { judge(path+".instanceType", g.InstanceType) })
}
