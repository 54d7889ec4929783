package rule

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

const sourcePublic = "aws/karpenter-provider-aws#5666; EC2 User Guide, efa-acc-inst-types"

func judgePublicIP(v *view) {
	for _, l := range v.launches {
		if l.Interfaces.Len() < 2 {
			continue
		}
		if v.is(Alone) {
			v.publicInterfaces(l)
		}
		if v.is(Together) && v.laidOut(l) {
			v.publicSubnet(l)
		}
	}
}

func (v *view) publicInterfaces(l *launch) {
	for _, i := range l.Interfaces.Items {
		if on, ok := need(v, l.Input, i.PublicIP); ok && on {
			v.add(at(l.Input, i.PublicIP.Path), fmt.Sprintf("an automatic public address with %d interfaces", l.Interfaces.Len()), "none",
				"set it to false on every interface; where a node needs a public address, attach an Elastic IP after launch", sourcePublic)
			return
		}
	}
}

// publicSubnet: the subnet's setting counts where the primary interface does not say false itself.
func (v *view) publicSubnet(l *launch) {
	primary := l.Interfaces.Items[0]
	for _, i := range l.Interfaces.Items {
		if i.card() == 0 && i.device() == 0 {
			primary = i
		}
	}
	if !primary.PublicIP.IsAbsent() {
		return
	}
	for _, ref := range v.subnetsOf(l, primary) {
		s, ok := v.subnet(ref.Value)
		if !ok {
			continue
		}
		if public, ok := need(v, s.Input, s.MapPublicIP); ok && public {
			v.add(at(ref.Input, ref.Path), fmt.Sprintf("subnet %s gives new instances a public address, and the launch has %d interfaces", s.name(), l.Interfaces.Len()),
				"a subnet that does not, or an explicit false", "set the public address of the primary interface to false, or name a subnet without automatic public addresses", sourcePublic)
			return
		}
	}
}

// reference is a value that names an input, with the input in which it stands.
type reference struct {
	Input
	Value[string]
}

// subnetsOf lists the subnets that a launch can start in: its own, else those of its users.
func (v *view) subnetsOf(l *launch, primary Interface) []reference {
	for _, own := range []Value[string]{primary.Subnet, l.Subnet} {
		if !own.IsAbsent() {
			return []reference{{l.Input, own}}
		}
	}
	var out []reference
	for _, u := range l.users {
		if u.group == nil {
			continue
		}
		for _, s := range u.group.Subnets.Items {
			out = append(out, reference{u.Input, s})
		}
	}
	return out
}

// judgeDeleteOnTermination is about launches with several interfaces: a single one may be kept on purpose.
func judgeDeleteOnTermination(v *view) {
	for _, l := range v.launches {
		if l.Interfaces.Len() < 2 {
			continue
		}
		var silent []string
		for _, i := range l.Interfaces.Items {
			kept, known := need(v, l.Input, i.DeleteOnTermination)
			switch {
			case known && !kept && i.Existing.IsAbsent():
				v.add(at(l.Input, i.DeleteOnTermination.Path), fmt.Sprintf("card %d device %d stays behind when its instance ends", i.card(), i.device()), "true",
					"set delete on termination to true", "aws/aws-k8s-tester#531")
			case i.DeleteOnTermination.IsAbsent() && i.card() > 0:
				silent = append(silent, i.Path)
			}
		}
		if len(silent) > 0 && l.maker.Tool != MakerParallelCluster {
			v.addAt(diag.Note, at(l.Input, silent[0]), fmt.Sprintf("%d %s of further cards do not say that they are deleted with the instance", len(silent), plural(len(silent), "interface")),
				"true, written", "set delete on termination to true on every interface: one report saw such interfaces left behind", "aws/aws-k8s-tester#531")
		}
	}
}

func judgeCombinedType(v *view) {
	for _, l := range v.launches {
		if l.needsCombined() || !v.laidOut(l) {
			continue
		}
		burning, path := 0, ""
		for _, i := range l.Interfaces.Items {
			if i.kind() == catalog.TypeEFA && (i.card() > 0 || i.device() > 0) {
				burning++
				path = orElse(path, orElse(i.Type.Path, i.Path))
			}
		}
		if burning > 0 {
			v.add(at(l.Input, path), fmt.Sprintf("%d %s of type efa beside the primary one: each takes an address", burning, plural(burning, "interface")),
				"efa-only, which takes none", "set the type to efa-only, unless each card is to carry IP traffic as well", sourceCards)
		}
	}
}

// needsCombined: PCS and eksctl take no efa-only interfaces.
func (l *launch) needsCombined() bool {
	if l.maker.Tool == MakerEKSCTL {
		return true
	}
	for _, u := range l.users {
		if u.kind == PCSComputeNodeGroup {
			return true
		}
	}
	return false
}

func judgeNotSupported(v *view) {
	for _, l := range v.launches {
		if !v.laidOut(l) || !l.hasEFA() {
			continue
		}
		for _, t := range v.typesOf(l) {
			v.refuseType(at(l.Input, l.InstanceType.Path), t.name)
		}
	}
	v.eachResource(func(c clusterResource) {
		if !v.is(Alone) || !IsTrue(c.resource.EFA) {
			return
		}
		for _, t := range c.resource.types().Items {
			if name, ok := need(v, c.Input, t); ok {
				v.refuseType(at(c.Input, t.Path), name)
			}
		}
	})
}

func (l *launch) hasEFA() bool {
	for _, i := range l.Interfaces.Items {
		if i.isEFA() {
			return true
		}
	}
	return false
}

// refuseType says what is known of a type: a name that no list has is unknown, never unsupported.
func (v *view) refuseType(place diag.Place, name string) {
	_, detailed := catalog.Instance(name)
	switch support := catalog.EFASupport(name); {
	case detailed && support == catalog.Supported:
	case support == catalog.Unsupported:
		v.add(place, name+" takes no EFA", "a type that takes EFA, or no EFA interface", "leave EFA out, or take another type", "EC2 DescribeInstanceTypes, NetworkInfo.EfaSupported")
	case support == catalog.Supported:
		v.addAt(diag.Note, place, name+" takes EFA, and no card facts of it are known", "a type of the catalogue", "its cards were not judged: compare them with EC2's DescribeInstanceTypes", "EC2 DescribeInstanceTypes")
	default:
		hint := "its cards were not judged: compare them with EC2's DescribeInstanceTypes"
		if near := catalog.NearestInstance(name); near != "" {
			hint = "did you mean " + near + "? If not, " + hint
		}
		v.addAt(diag.Warn, place, name+" is in no list of types that is known here", "a type of the catalogue", hint, "EC2 DescribeInstanceTypes")
	}
}

func judgeEFAOff(v *view) {
	for _, l := range v.launches {
		if l.hasEFA() || !v.laidOut(l) {
			continue
		}
		for _, u := range l.users {
			if u.group != nil && u.nodes.Or(0) > 1 {
				v.efaLeftOff(l, u)
			}
		}
	}
	v.eachResource(v.efaSwitchedOff)
}

func (v *view) efaSwitchedOff(c clusterResource) {
	nodes := c.resource.Max.Or(defaultMaxCount)
	switch {
	case nodes < 2 || IsTrue(c.resource.EFA):
		return
	case c.resource.EFA.IsUnknown():
		v.wait(c.Input, c.resource.EFA.Path)
		return
	}
	for _, t := range c.resource.types().Items {
		if row, ok := catalog.Instance(t.Or("")); ok && forTraining(row) {
			v.add(at(c.Input, orElse(c.resource.EFA.Path, c.resource.Path)), fmt.Sprintf("EFA off on up to %d nodes of %s", nodes, row.Name),
				fmt.Sprintf("on: %.0f Gbps a node; without it NCCL goes over TCP", row.EFA.Gbps), "set Efa: {Enabled: true}, unless the nodes never talk to each other", sourceEFA)
		}
	}
}

// forTraining: a type whose accelerators talk over EFA.
func forTraining(t catalog.InstanceType) bool {
	return t.Accelerator.Count > 0 && len(t.EFACards()) > 0
}

func (v *view) efaLeftOff(l *launch, u user) {
	names := u.types.Items
	if !l.InstanceType.IsAbsent() {
		names = []Value[string]{l.InstanceType}
	}
	for _, name := range names {
		if t, ok := catalog.Instance(name.Or("")); ok && forTraining(t) {
			v.add(at(l.Input, l.Interfaces.Path), fmt.Sprintf("no EFA interface on %s, for up to %d nodes of %s %s", t.Name, u.nodes.Or(0), u.noun, u.name()),
				fmt.Sprintf("%d EFA interfaces, %.0f Gbps a node: without them NCCL goes over TCP", len(t.EFACards()), t.EFA.Gbps),
				"add the EFA interfaces, unless the nodes never talk to each other", sourceEFA)
			return
		}
	}
}

// list writes words as "interface, efa or efa-only".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "") + " only"
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
