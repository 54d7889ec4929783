package standin

import (
	"net/netip"
	"slices"
)

const (
	vpcType         = "aws:ec2/vpc:Vpc"
	subnetType      = "aws:ec2/subnet:Subnet"
	gatewayType     = "aws:ec2/internetGateway:InternetGateway"
	natType         = "aws:ec2/natGateway:NatGateway"
	addressType     = "aws:ec2/eip:Eip"
	tableType       = "aws:ec2/routeTable:RouteTable"
	routeType       = "aws:ec2/route:Route"
	associationType = "aws:ec2/routeTableAssociation:RouteTableAssociation"
	endpointType    = "aws:ec2/vpcEndpoint:VpcEndpoint"
)

var networkRefusals = []refusal{
	{
		id: "vpc-range", ops: []string{opCreate}, types: []string{vpcType},
		source: "VPC User Guide, \"VPC CIDR blocks\": between /28 and /16; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			if cidr := r.Inputs.Text("cidrBlock"); cidr != "" && !validBlock(cidr) {
				return complain("InvalidVpc.Range", "The CIDR '%s' is invalid.", cidr)
			}
			return nil
		},
	},
	{
		id: "subnet-range", ops: []string{opCreate}, types: []string{subnetType},
		source: "VPC User Guide, \"Subnet CIDR blocks\": a part of the VPC's block, between /28 and /16; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			cidr := r.Inputs.Text("cidrBlock")
			if cidr == "" || (validBlock(cidr) && insideVPC(r, cidr)) {
				return nil
			}
			return complain("InvalidSubnet.Range", "The CIDR '%s' is invalid.", cidr)
		},
	},
	{
		id: "subnet-conflict", ops: []string{opCreate}, types: []string{subnetType},
		source: "VPC User Guide, \"Subnet CIDR blocks\": blocks of one VPC must not overlap; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			mine, err := netip.ParsePrefix(r.Inputs.Text("cidrBlock"))
			if err != nil {
				return nil
			}
			for _, other := range siblings(r, "vpcId") {
				if theirs, err := netip.ParsePrefix(other.Inputs.Text("cidrBlock")); err == nil && mine.Overlaps(theirs) {
					return complain("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", mine)
				}
			}
			return nil
		},
	},
	{
		id: "gateway-second", ops: []string{opCreate}, types: []string{gatewayType},
		source: "VPC User Guide, \"Internet gateways\": one to a VPC; the code is EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			if vpc := r.Inputs.Text("vpcId"); vpc != "" && len(siblings(r, "vpcId")) > 0 {
				return complain("Resource.AlreadyAssociated", "network %s already has an internet gateway attached", vpc)
			}
			return nil
		},
	},
	{
		id: "nat-without-gateway", ops: []string{opCreate}, types: []string{natType},
		source: "VPC User Guide, \"NAT gateway creation fails\": Gateway.NotAttached. EC2 takes the request and the gateway " +
			"fails afterwards. Judged only when the VPC was made here",
		judge: func(r Request, _ *StandIn) *complaint {
			subnet, _ := r.World.Get(subnetType, r.Inputs.Text("subnetId"))
			vpc := subnet.Inputs.Text("vpcId")
			_, ours := r.World.Get(vpcType, vpc)
			if !ours || r.Inputs.Text("connectivityType") == "private" || len(having(r.World, gatewayType, "vpcId", vpc)) > 0 {
				return nil
			}
			return complain("Gateway.NotAttached", "Network %s has no Internet gateway attached", vpc)
		},
	},
	{
		id: "address-in-use", ops: []string{opCreate}, types: []string{natType},
		source: "VPC User Guide, \"NAT gateway creation fails\": an Elastic IP address serves one gateway; the code is EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			if id := r.Inputs.Text("allocationId"); id != "" && len(siblings(r, "allocationId")) > 0 {
				return complain("Resource.AlreadyAssociated", "Elastic IP address [%s] is already associated", id)
			}
			return nil
		},
	},
	{
		id: "route-exists", ops: []string{opCreate}, types: []string{routeType},
		source: "EC2 API Reference, CreateRoute; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			for _, other := range siblings(r, "routeTableId") {
				for _, to := range []string{"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"} {
					if mine := r.Inputs.Text(to); mine != "" && mine == other.Inputs.Text(to) {
						return complain("RouteAlreadyExists", "The route identified by %s already exists.", mine)
					}
				}
			}
			return nil
		},
	},
	{
		id: "association-exists", ops: []string{opCreate}, types: []string{associationType},
		source: "VPC User Guide, \"Subnet route tables\": one table to a subnet; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			if subnet := r.Inputs.Text("subnetId"); subnet != "" && len(siblings(r, "subnetId")) > 0 {
				return complain("Resource.AlreadyAssociated", "the specified association for route table %s conflicts with an existing association",
					r.Inputs.Text("routeTableId"))
			}
			return nil
		},
	},
	{
		id: "endpoint-route-exists", ops: []string{opCreate}, types: []string{endpointType},
		source: "VPC User Guide, \"Gateway endpoints\": a table has one route to a service; the code is EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			for _, other := range siblings(r, "serviceName") {
				for _, table := range r.Inputs.Texts("routeTableIds") {
					if slices.Contains(other.Inputs.Texts("routeTableIds"), table) {
						return complain("RouteAlreadyExists", "route table %s already has a route to %s", table, r.Inputs.Text("serviceName"))
					}
				}
			}
			return nil
		},
	},
}

// validBlock tells whether text is an IPv4 block of a size that EC2 takes.
func validBlock(text string) bool {
	block, err := netip.ParsePrefix(text)
	return err == nil && block.Addr().Is4() && block.Bits() >= 16 && block.Bits() <= 28
}

// insideVPC tells whether a block lies in the block of the subnet's VPC. A VPC that was not made here is not judged.
func insideVPC(r Request, cidr string) bool {
	vpc, ok := r.World.Get(vpcType, r.Inputs.Text("vpcId"))
	outer, err := netip.ParsePrefix(vpc.Inputs.Text("cidrBlock"))
	inner, innerErr := netip.ParsePrefix(cidr)
	if !ok || err != nil || innerErr != nil {
		return true
	}
	return outer.Bits() <= inner.Bits() && outer.Contains(inner.Addr())
}

// siblings are the other resources of the same type with the same value of a property.
func siblings(r Request, property string) []Resource {
	var found []Resource
	for _, id := range r.World.IDs(r.Type) {
		if other, _ := r.World.Get(r.Type, id); id != r.ID && other.Inputs.Text(property) == r.Inputs.Text(property) {
			found = append(found, other)
		}
	}
	return found
}

// having lists the ids of a type whose property names the wanted value, alone or in a list.
func having(w *World, typ, property, want string) []string {
	var found []string
	for _, id := range w.IDs(typ) {
		if r, _ := w.Get(typ, id); slices.Contains(r.Inputs.Texts(property), want) {
			found = append(found, id)
		}
	}
	return found
}
