package rule

import "github.com/weft-hpc/weft/fabric/diag"

// Input is what all inputs have in common.
type Input struct {
	// Place is where the input was found: file or resource, and the path of the part that is this input.
	Place diag.Place
	// Key names the input within its Set for references: a URN, an address, a logical id. Empty: only its ID does.
	Key string
	// ID is its id in AWS, or the name by which others refer to it.
	ID Value[string]
	// Alias is a second name by which others refer to it: a template's name beside its id.
	Alias Value[string]
	// Later says when its unknown values become known.
	Later Later
}

// Later says when the unknown values of an input become known.
type Later uint8

// The ways.
const (
	LaterNever   Later = iota // the source never tells: a file whose expressions need an account
	LaterAtApply              // the same rules judge it again when the resource is about to be created
)

// Set is everything that is judged together.
type Set struct {
	Templates          []LaunchTemplate
	Instances          []Instance
	Groups             []NodeGroup
	PlacementGroups    []PlacementGroup
	SecurityGroups     []SecurityGroup
	SecurityGroupRules []SecurityGroupRule
	Subnets            []Subnet
	Reservations       []Reservation
	Images             []Image
	Clusters           []ParallelCluster
	NodeScripts        []NodeScript
	JobScripts         []JobScript
	Unread             []Unread

	// WholeAccount says that the reservations are all that the account has: an id that is not among them is none.
	WholeAccount bool
}

// Add adds everything of another set.
func (s *Set) Add(other Set) {
	s.Templates = append(s.Templates, other.Templates...)
	s.Instances = append(s.Instances, other.Instances...)
	s.Groups = append(s.Groups, other.Groups...)
	s.PlacementGroups = append(s.PlacementGroups, other.PlacementGroups...)
	s.SecurityGroups = append(s.SecurityGroups, other.SecurityGroups...)
	s.SecurityGroupRules = append(s.SecurityGroupRules, other.SecurityGroupRules...)
	s.Subnets = append(s.Subnets, other.Subnets...)
	s.Reservations = append(s.Reservations, other.Reservations...)
	s.Images = append(s.Images, other.Images...)
	s.Clusters = append(s.Clusters, other.Clusters...)
	s.NodeScripts = append(s.NodeScripts, other.NodeScripts...)
	s.JobScripts = append(s.JobScripts, other.JobScripts...)
	s.Unread = append(s.Unread, other.Unread...)
	s.WholeAccount = s.WholeAccount || other.WholeAccount
}

// Unread is a part of a source that should hold an input and cannot be read now: a template body that is still an
// output.
type Unread struct {
	Input
	What string // what it should hold: "a ParallelCluster configuration"
}

// Market types of EC2.
const (
	MarketBlock = "capacity-block"
	MarketSpot  = "spot"
)

// Launch is what a launch of instances asks for, in the terms of EC2's launch template data.
type Launch struct {
	InstanceType Value[string]
	Image        Value[string] // ami-…
	Interfaces   List[Interface]
	// SecurityGroups and PublicIP of the request itself, where it lists no interfaces.
	SecurityGroups List[Value[string]]
	Subnet         Value[string]
	PublicIP       Value[bool]

	Market           Value[string] // InstanceMarketOptions.MarketType: capacity-block, spot; absent: on demand
	Reservation      Value[string] // CapacityReservationTarget.CapacityReservationId
	ReservationGroup Value[string] // CapacityReservationTarget.CapacityReservationResourceGroupArn
	Preference       Value[string] // CapacityReservationPreference: open, none, capacity-reservations-only

	PlacementGroup Value[string] // Placement.GroupName or GroupId
	Tenancy        Value[string] // Placement.Tenancy
	Zone           Value[string] // Placement.AvailabilityZone

	MetadataTokens Value[string] // MetadataOptions.HttpTokens
	MetadataHops   Value[int]    // MetadataOptions.HttpPutResponseHopLimit

	Tags map[string]string // that the instances get, as far as known
}

// Interface is one network interface of a launch.
type Interface struct {
	// Path of the interface in its source: networkInterfaces[3].
	Path string

	Card                Value[int]    // NetworkCardIndex; absent: 0
	Device              Value[int]    // DeviceIndex
	Type                Value[string] // InterfaceType: interface, efa, efa-only; absent: interface
	Subnet              Value[string]
	SecurityGroups      List[Value[string]]
	PublicIP            Value[bool] // AssociatePublicIpAddress
	DeleteOnTermination Value[bool]
	// Existing is the id of an interface that exists and is attached.
	Existing Value[string]
}

// Maker is a tool that made an input, where the input itself says so.
type Maker struct {
	Tool    string // ParallelCluster, eksctl; empty: nobody says
	Version string // of the tool; empty: not known
}

// Tools that make launch templates.
const (
	MakerParallelCluster = "ParallelCluster"
	MakerEKSCTL          = "eksctl"
)

// LaunchTemplate is a launch template's data, or a version of it.
type LaunchTemplate struct {
	Input
	Launch
	Maker Maker
}

// Instance is a single instance that is launched or exists.
type Instance struct {
	Input
	Launch
	Template Value[string] // id or name of its launch template
	// Exists says that the instance runs already: it was found in an account.
	Exists bool
}

// GroupKind is what keeps the nodes of a group up.
type GroupKind string

// The kinds, in words for findings.
const (
	AutoScalingGroup        GroupKind = "auto scaling group"
	EKSNodeGroup            GroupKind = "EKS node group"
	PCSComputeNodeGroup     GroupKind = "PCS compute node group"
	BatchComputeEnvironment GroupKind = "Batch compute environment"
	Fleet                   GroupKind = "EC2 fleet"
)

// NodeGroup is a group of nodes that are launched alike: an auto scaling group, EKS node group, PCS compute node group,
// Batch compute environment or EC2 fleet.
type NodeGroup struct {
	Input
	Kind GroupKind

	// Template is the id or name of the launch template that the group launches from.
	Template Value[string]
	// InstanceTypes beyond the template's: EKS instanceTypes, overrides of a mixed instances policy or a fleet.
	InstanceTypes List[Value[string]]
	Subnets       List[Value[string]]
	Zones         List[Value[string]]
	Min, Max      Value[int]
	// CapacityType is the group's own market: CAPACITY_BLOCK, ON_DEMAND or SPOT of EKS and PCS, capacity-block of a
	// fleet. Compare it by AsksForBlock.
	CapacityType   Value[string]
	PlacementGroup Value[string]
	Image          Value[string]
	SecurityGroups List[Value[string]]
}

// PlacementGroup is a placement group.
type PlacementGroup struct {
	Input
	Strategy Value[string] // cluster, partition, spread
}

// SecurityGroup is a security group with the rules that it lists itself.
type SecurityGroup struct {
	Input
	VPC     Value[string]
	Ingress List[Permission]
	Egress  List[Permission]
	// Whole says that the rules above are all there are: the group was read from an account. Else separate rule
	// resources may add to them.
	Whole bool
}

// Permission is one entry of a security group's rules. An entry may name ranges, other groups and the group itself.
type Permission struct {
	Path     string
	Protocol Value[string] // -1, tcp, …
	Groups   List[Value[string]]
	Self     Value[bool] // names the group itself without its id
	CIDRs    List[Value[string]]
}

// SecurityGroupRule is a rule of a security group as a resource of its own.
type SecurityGroupRule struct {
	Input
	Permission
	Group  Value[string] // the group that the rule belongs to
	Egress Value[bool]
}

// Subnet is a subnet.
type Subnet struct {
	Input
	VPC         Value[string]
	Zone        Value[string] // name, us-east-2a
	ZoneID      Value[string] // use2-az1
	MapPublicIP Value[bool]   // MapPublicIpOnLaunch
	Free        Value[int]    // free addresses
}

// Kinds of reservations, in EC2's words.
const (
	KindBlock = "capacity-block"
	KindODCR  = "default"
)

// Reservation is a capacity reservation: a Capacity Block or one on demand.
type Reservation struct {
	Input
	Kind           Value[string] // KindBlock or KindODCR
	InstanceType   Value[string]
	Zone           Value[string]
	Count          Value[int] // instances that it holds; of a block that has not started, those bought
	State          Value[string]
	Tenancy        Value[string]
	PlacementGroup Value[string] // ARN of the group that an on-demand reservation was made in
}

// Image is an AMI.
type Image struct {
	Input
	Name         Value[string]
	Architecture Value[string] // x86_64 or arm64
	State        Value[string]
	Tags         map[string]Value[string]
	// Public says that a maker other than the account's owner publishes it, so that it carries no tags here.
	Public bool
}
