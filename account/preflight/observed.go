package preflight

import (
	"slices"
	"time"
)

// Observed is what the account holds of what a plan names. An object that does not exist is absent from its list.
type Observed struct {
	// Denied names the reads that AWS refused; what they would have filled is empty.
	Denied []Denied `yaml:"denied,omitempty"`

	Reservations []Reservation `yaml:"reservations,omitempty"`
	// Neighbours are the account's other reservations; they are read only where a named one does not exist.
	Neighbours []Reservation `yaml:"neighbours,omitempty"`

	VPC            *VPC            `yaml:"vpc,omitempty"` // of an existing network
	Subnets        []Subnet        `yaml:"subnets,omitempty"`
	SecurityGroups []SecurityGroup `yaml:"securityGroups,omitempty"`
	// Held counts the private addresses that nodes of this cluster hold already, by subnet. It is read only where a
	// subnet seems too small.
	Held map[string]int `yaml:"held,omitempty"`

	Images    []Image    `yaml:"images,omitempty"`
	Offerings []Offering `yaml:"offerings,omitempty"`
	Quotas    []Quota    `yaml:"quotas,omitempty"`
	// Usage of what a network that is made adds to; nil where none is made.
	Usage *Usage `yaml:"usage,omitempty"`
	// Stack of the cluster; nil where there is none.
	Stack *Stack `yaml:"stack,omitempty"`
	// Fleet is the status of that cluster's compute fleet, as ParallelCluster keeps it: RUNNING, STOPPED, …; empty where nothing tells.
	Fleet string `yaml:"fleet,omitempty"`
	// Home is the subnet in which the head node of that stack stands; it is read only where the network is made.
	Home *Subnet `yaml:"home,omitempty"`
}

// Denied is a read that AWS refused.
type Denied struct {
	Read   string `yaml:"read"`   // as the checks name it
	Action string `yaml:"action"` // the IAM action that is missing, such as ec2:DescribeSubnets
	Code   string `yaml:"code"`   // of the error
}

// Reservation is a capacity reservation, in EC2's words.
type Reservation struct {
	ID       string `yaml:"id"`
	Kind     string `yaml:"kind"` // capacity-block, or default for an on-demand reservation
	Type     string `yaml:"type"` // of its instances
	Zone     string `yaml:"zone,omitempty"`
	ZoneID   string `yaml:"zoneId,omitempty"`
	Platform string `yaml:"platform"`
	Tenancy  string `yaml:"tenancy"`
	State    string `yaml:"state"`
	// Total is the number of instances; 0 before a block starts. Requested is what the tag of a block says that was
	// bought: a number, or whatever else stands there.
	Total     int    `yaml:"total"`
	Requested string `yaml:"requested,omitempty"`

	Start          time.Time `yaml:"start,omitempty"` // zero: not told
	End            time.Time `yaml:"end,omitempty"`   // zero: without end
	PlacementGroup string    `yaml:"placementGroup,omitempty"`
}

// VPC is a network and whether it resolves names.
type VPC struct {
	ID           string `yaml:"id"`
	DNSSupport   bool   `yaml:"dnsSupport"`
	DNSHostnames bool   `yaml:"dnsHostnames"`
}

// Subnet is a subnet.
type Subnet struct {
	ID          string `yaml:"id"`
	VPC         string `yaml:"vpc"`
	Zone        string `yaml:"zone"`
	ZoneID      string `yaml:"zoneId,omitempty"`
	Free        int    `yaml:"free"` // private IPv4 addresses
	MapPublicIP bool   `yaml:"mapPublicIp,omitempty"`
	Name        string `yaml:"name,omitempty"` // its tag
}

// SecurityGroup is a security group with its rules.
type SecurityGroup struct {
	ID      string       `yaml:"id"`
	VPC     string       `yaml:"vpc"`
	Ingress []Permission `yaml:"ingress,omitempty"`
	Egress  []Permission `yaml:"egress,omitempty"`
}

// Permission is one rule as EC2 gives it: a protocol, and everything that it is let in from or out to.
type Permission struct {
	Protocol string   `yaml:"protocol"` // "-1" is all traffic
	Groups   []string `yaml:"groups,omitempty"`
	Ranges   []string `yaml:"ranges,omitempty"` // CIDRs and prefix lists
}

// Image is a machine image.
type Image struct {
	ID           string            `yaml:"id"`
	Name         string            `yaml:"name,omitempty"`
	Amazon       bool              `yaml:"amazon,omitempty"` // owned by Amazon
	State        string            `yaml:"state"`
	Architecture string            `yaml:"architecture"`
	Platform     string            `yaml:"platform"` // PlatformDetails: Linux/UNIX, Red Hat Enterprise Linux
	Tags         map[string]string `yaml:"tags,omitempty"`
}

// Offering says that a type is offered in a zone.
type Offering struct {
	Type string `yaml:"type"`
	Zone string `yaml:"zone"` // name, or id where the plan names zones by id
}

// Quota is a service quota of the account in the Region: the applied value, or AWS's default where none is applied.
type Quota struct {
	Service string  `yaml:"service"`
	Code    string  `yaml:"code"`
	Value   float64 `yaml:"value"`
}

// Usage counts what a network that is made adds to.
type Usage struct {
	VPCs      []string `yaml:"vpcs,omitempty"` // their CIDRs
	Addresses int      `yaml:"addresses"`      // Elastic IP addresses
}

// Stack is the CloudFormation stack of a cluster.
type Stack struct {
	Name   string `yaml:"name"`
	Status string `yaml:"status"`
	// Config is the configuration of the cluster, as JSON; empty where the template holds none that can be read.
	Config string `yaml:"config,omitempty"`
	// Version of ParallelCluster that made the cluster; empty where nothing tells.
	Version string `yaml:"version,omitempty"`
}

func (o Observed) denied(read string) bool {
	return slices.ContainsFunc(o.Denied, func(d Denied) bool { return d.Read == read })
}

func (o Observed) reservation(id string) (Reservation, bool) {
	return first(o.Reservations, func(r Reservation) bool { return r.ID == id })
}

func (o Observed) subnet(id string) (Subnet, bool) {
	return first(o.Subnets, func(s Subnet) bool { return s.ID == id })
}

func (o Observed) securityGroup(id string) (SecurityGroup, bool) {
	return first(o.SecurityGroups, func(g SecurityGroup) bool { return g.ID == id })
}

func (o Observed) image(id string) (Image, bool) {
	return first(o.Images, func(i Image) bool { return i.ID == id })
}

func first[T any](list []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}
