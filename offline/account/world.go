package account

import "time"

// World is everything that an account holds in one region. The ids in it are the ids that AWS answers with; they may
// have any form, as long as the prefix is AWS's own (vpc-, subnet-, ami-, ...).
type World struct {
	// Region is the one region of the world, such as us-east-2.
	Region string `json:"region"`
	// Now is where the account's clock stands until it is moved. Zero: the machine's time, and reservations stay in the state
	// that is given until the clock is put somewhere.
	Now time.Time `json:"now,omitzero"`

	VPCs           []VPC           `json:"vpcs,omitempty"`
	Subnets        []Subnet        `json:"subnets,omitempty"`
	SecurityGroups []SecurityGroup `json:"securityGroups,omitempty"`

	Reservations      []Reservation      `json:"reservations,omitempty"`
	ReservationGroups []ReservationGroup `json:"reservationGroups,omitempty"`
	PlacementGroups   []PlacementGroup   `json:"placementGroups,omitempty"`

	// Market is what DescribeCapacityBlockOfferings knows, ExtensionMarket the same of extensions.
	Market          []Offering          `json:"market,omitempty"`
	ExtensionMarket []ExtensionOffering `json:"extensionMarket,omitempty"`
	// BlockLimit is how many instances all blocks of the account may have; 0: AWS's 256.
	BlockLimit int `json:"blockLimit,omitempty"`

	// Topology is the network nodes above an instance, from the top down, by its id. Others get the places of their
	// reservation, or nodes that instances of one reservation share.
	Topology map[string][]string `json:"topology,omitempty"`
	// Agents are instances that Systems Manager can run commands on, by id. EC2 need not have the instance.
	Agents map[string]Agent `json:"agents,omitempty"`

	Images          []Image          `json:"images,omitempty"`
	KeyPairs        []KeyPair        `json:"keyPairs,omitempty"`
	LaunchTemplates []LaunchTemplate `json:"launchTemplates,omitempty"`

	Buckets     []Bucket     `json:"buckets,omitempty"`
	FileSystems []FileSystem `json:"fileSystems,omitempty"`

	// Policies and Roles are the account's own; AWS's managed policies exist in every world.
	Policies []Policy `json:"policies,omitempty"`
	Roles    []Role   `json:"roles,omitempty"`

	// Offerings corrects the recorded DescribeInstanceTypeOfferings answers: zone name to instance types. A type that is
	// named in any zone is offered in exactly the zones that name it; other types are offered where AWS offered them
	// when the answers were recorded.
	Offerings map[string][]string `json:"offerings,omitempty"`
	// Quotas are service quotas of the account, beside the default ones for VPCs.
	Quotas []Quota `json:"quotas,omitempty"`
	// RunInstancesErrors makes RunInstances, also its dry run, refuse an instance type with an error of EC2.
	RunInstancesErrors map[string]Error `json:"runInstancesErrors,omitempty"`

	// Clusters are ParallelCluster clusters that run already.
	Clusters []Cluster `json:"clusters,omitempty"`
}

// VPC is a virtual network. Its main route table, network ACL and group named default come by themselves.
type VPC struct {
	ID   string `json:"id"`
	CIDR string `json:"cidr"` // /16 to /28
	// DNSSupport and DNSHostnames are the two attributes without which EFS and FSx names do not resolve.
	DNSSupport   bool `json:"dnsSupport"`
	DNSHostnames bool `json:"dnsHostnames"`
}

// Subnet is a part of a VPC in one zone.
type Subnet struct {
	ID   string `json:"id"`
	VPC  string `json:"vpc"`
	Zone string `json:"zone"` // name, such as us-east-2a
	// ZoneID is the zone's name for all accounts, such as use2-az1; empty is the id that AWS showed for the name when
	// the zones were recorded.
	ZoneID string `json:"zoneId,omitempty"`
	CIDR   string `json:"cidr"`
	// FreeAddresses is what DescribeSubnets shows as available, before the network interfaces that the world itself
	// puts there; nil is the size of the CIDR less the five addresses that AWS keeps.
	FreeAddresses *int `json:"freeAddresses,omitempty"`
	MapPublicIP   bool `json:"mapPublicIp"`
}

// SecurityGroup has exactly the rules that are given: a group that lets everything out says so.
type SecurityGroup struct {
	ID      string `json:"id"`
	VPC     string `json:"vpc"`
	Name    string `json:"name,omitempty"` // empty: the id
	Ingress []Rule `json:"ingress,omitempty"`
	Egress  []Rule `json:"egress,omitempty"`
}

// Rule lets a protocol in from, or out to, each of its targets.
type Rule struct {
	Protocol string `json:"protocol"` // "-1" for all, tcp, udp, icmp
	FromPort int    `json:"fromPort"` // not read for protocol -1
	ToPort   int    `json:"toPort"`

	Groups      []string `json:"groups,omitempty"` // ids, also of groups that are not in the world
	CIDRs       []string `json:"cidrs,omitempty"`
	IPv6CIDRs   []string `json:"ipv6Cidrs,omitempty"`
	PrefixLists []string `json:"prefixLists,omitempty"`
}

// ReservationKind tells a capacity block from an on-demand capacity reservation.
type ReservationKind string

// The two kinds of capacity reservation.
const (
	Block ReservationKind = "block"
	ODCR  ReservationKind = "odcr"
)

// Reservation is a capacity reservation. Of a block that is not active EC2 shows no instances; the size that was bought
// is then in the tag aws:ec2capacityreservation:incrementalRequestedQuantity only.
type Reservation struct {
	ID     string          `json:"id"`
	Kind   ReservationKind `json:"kind"`
	Type   string          `json:"type"` // instance type
	Zone   string          `json:"zone"`
	ZoneID string          `json:"zoneId,omitempty"` // empty: as in Subnet
	Count  int             `json:"count"`            // instances bought
	Used   int             `json:"used,omitempty"`   // of them, instances that run
	State  string          `json:"state"`            // as EC2 names it: scheduled, active, expired, payment-failed, ...

	Platform string    `json:"platform,omitempty"` // empty: Linux/UNIX
	Tenancy  string    `json:"tenancy,omitempty"`  // empty: default
	Start    time.Time `json:"start,omitzero"`
	End      time.Time `json:"end,omitzero"` // zero: unlimited
	// PlacementGroupARN is the placement group in which an on-demand reservation was made.
	PlacementGroupARN string `json:"placementGroupArn,omitempty"`

	// BlockID is the capacity block (cb-...) that the reservation is a part of.
	BlockID string `json:"blockId,omitempty"`
	// Interconnect is what DescribeCapacityBlockStatus says of the block: ok, impaired or insufficient-data. Empty: the
	// call does not show the block. Only blocks of UltraServers are shown by it.
	Interconnect string `json:"interconnect,omitempty"`
	// Unavailable is how many instances that call shows as broken.
	Unavailable int `json:"unavailable,omitempty"`
	// UltraServer is the type of UltraServer of a block of such.
	UltraServer string `json:"ultraServer,omitempty"`

	// Owner is the account that shares it; empty: the account itself.
	Owner string            `json:"owner,omitempty"`
	Tags  map[string]string `json:"tags,omitempty"` // beside AWS's own

	Created time.Time `json:"created,omitzero"`
	// PaidAt is when the payment of one in the state payment-pending comes; zero: never, and 12 hours after Created EC2
	// gives up.
	PaidAt time.Time `json:"paidAt,omitzero"`

	// Places are the network nodes, from the top down, above each of its instances in the order of launch; when there are
	// more instances the places come again.
	Places [][]string `json:"places,omitempty"`
}

// ReservationGroup is a resource group of capacity reservations.
type ReservationGroup struct {
	ARN          string   `json:"arn"`
	Reservations []string `json:"reservations"` // ids
}

// PlacementGroup is an EC2 placement group.
type PlacementGroup struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Strategy string `json:"strategy"` // cluster, spread or partition
}

// Image is an available machine image.
type Image struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Owner        string            `json:"owner"`        // account id, or amazon; empty: the account itself
	Architecture string            `json:"architecture"` // x86_64 or arm64
	OS           string            `json:"os"`           // as ParallelCluster names it; decides the root device's name
	RootSize     int               `json:"rootSize"`     // GiB
	Tags         map[string]string `json:"tags,omitempty"`
}

// KeyPair is an EC2 key pair.
type KeyPair struct {
	Name string `json:"name"`
	Type string `json:"type"` // rsa or ed25519
}

// LaunchTemplate is an EC2 launch template with all its versions.
type LaunchTemplate struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // empty: the id
	// Versions are LaunchTemplateData as EC2's API takes it, version 1 first; version 1 is the default.
	Versions []map[string]any `json:"versions"`
}

// Bucket is an S3 bucket.
type Bucket struct {
	Name       string            `json:"name"`
	Versioning bool              `json:"versioning"`
	Objects    map[string]string `json:"objects,omitempty"` // key to content
}

// FileSystemKind is the service of a file system.
type FileSystemKind string

// The kinds of file system.
const (
	Lustre FileSystemKind = "lustre" // Amazon FSx for Lustre
	EFS    FileSystemKind = "efs"
)

// FileSystem is a file system with one network interface in each of its subnets.
type FileSystem struct {
	ID             string         `json:"id"`
	Kind           FileSystemKind `json:"kind"`
	Subnets        []string       `json:"subnets"`
	SecurityGroups []string       `json:"securityGroups"`

	// The rest is read for Lustre only.
	Capacity   int    `json:"capacity"`   // GiB
	Deployment string `json:"deployment"` // SCRATCH_2, PERSISTENT_2, ...
	MountName  string `json:"mountName"`
}

// Policy is an IAM policy of the account.
type Policy struct {
	ARN      string `json:"arn"`
	Document string `json:"document,omitempty"` // JSON; empty: some valid document
}

// Role is an IAM role for EC2, in an instance profile that has its name.
type Role struct {
	ARN string `json:"arn"`
}

// Quota is the value of a service quota.
type Quota struct {
	Service string  `json:"service"` // such as ec2
	Code    string  `json:"code"`    // such as L-417A185B
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
}

// Error is an error of AWS.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Cluster is a ParallelCluster cluster that runs: its stack, its configuration in S3, its head node and the status of
// its compute fleet.
type Cluster struct {
	Name          string `json:"name"`
	Version       string `json:"version"`       // of ParallelCluster
	Configuration string `json:"configuration"` // YAML
	Fleet         Fleet  `json:"fleet"`
	Subnet        string `json:"subnet"`       // of the head node
	InstanceType  string `json:"instanceType"` // of the head node
}

// Fleet is the status of a cluster's compute fleet.
type Fleet string

// The fleet's two lasting states.
const (
	Running Fleet = "running"
	Stopped Fleet = "stopped"
)
