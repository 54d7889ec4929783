package standin

import (
	"fmt"
	"strings"
)

const (
	groupType   = "aws:ec2/securityGroup:SecurityGroup"
	ingressType = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	egressType  = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
)

// peers are the properties that say where a rule's traffic comes from or goes to. A rule has exactly one of them.
var peers = []string{"cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId"}

var groupRefusals = []refusal{
	{
		id: "rule-peer", ops: []string{opCreate, opUpdate}, types: []string{ingressType, egressType},
		source: "the provider's own check (exactly one of the four); its text",
		judge: func(r Request, _ *StandIn) *complaint {
			given := 0
			for _, p := range peers {
				if r.Inputs.Text(p) != "" {
					given++
				}
			}
			if given == 1 {
				return nil
			}
			return complain("InvalidParameterCombination", "Exactly one of these attributes must be configured: [%s], got %d",
				strings.Join(peers, ","), given)
		},
	},
	{
		id: "rule-duplicate", ops: []string{opCreate, opUpdate}, types: []string{ingressType, egressType},
		source: "EC2 API Reference, AuthorizeSecurityGroupIngress and Egress; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			for _, other := range siblings(r, "securityGroupId") {
				if ruleOf(r.Inputs) == ruleOf(other.Inputs) {
					return complain("InvalidPermission.Duplicate", "the specified rule %q already exists", ruleOf(r.Inputs))
				}
			}
			return nil
		},
	},
	{
		id: "rule-all-ports", ops: []string{opCreate, opUpdate}, types: []string{ingressType, egressType},
		source: "EC2 API Reference, IpPermission: protocol -1 is all traffic on all ports; the provider refuses ports with it",
		judge: func(r Request, _ *StandIn) *complaint {
			_, from := r.Inputs.Number("fromPort")
			_, to := r.Inputs.Number("toPort")
			if r.Inputs.Text("ipProtocol") == "-1" && (from || to) {
				return complain("InvalidParameterCombination", "fromPort and toPort may not be given when ipProtocol is -1")
			}
			return nil
		},
	},
}

// ruleOf puts a rule in EC2's words.
func ruleOf(rule Document) string {
	peer := ""
	for _, p := range peers {
		peer = or(peer, rule.Text(p))
	}
	if protocol := rule.Text("ipProtocol"); protocol != "-1" {
		from, _ := rule.Number("fromPort")
		to, _ := rule.Number("toPort")
		return fmt.Sprintf("peer: %s, %s, from port: %d, to port: %d, ALLOW", peer, strings.ToUpper(protocol), from, to)
	}
	return fmt.Sprintf("peer: %s, ALL, ALLOW", peer)
}
