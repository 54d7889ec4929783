package config

// Group is a set of equal compute nodes on one kind of capacity. It becomes one Slurm queue.
type Group struct {
	// Name of the group and its queue: lower case letters, digits and hyphens, 25 characters at most.
	Name string `yaml:"name" weft:"required,eg=train"`
	// InstanceType of every node, for example p6-b200.48xlarge.
	InstanceType string `yaml:"instanceType" weft:"required,eg=p5en.48xlarge"`
	// Count of nodes. On a block all of them are static; else it is the most that Slurm may start.
	Count int `yaml:"count" weft:"required,min=1,max=10000"`
	// MinCount of nodes that always run. Not for blocks, whose nodes always do.
	MinCount int `yaml:"minCount" weft:"min=0,max=10000"`
	// Capacity says where the instances come from.
	Capacity Capacity `yaml:"capacity" weft:"required"`
	// Zone is the Availability Zone, by name (us-east-2a) or id (use2-az1). Needed where the network is made.
	Zone string `yaml:"zone"`
	// Subnet of the nodes where the network exists; the network's computeSubnet when left out.
	Subnet string `yaml:"subnet" weft:"id=subnet"`
	// Layout of the network interfaces. save-addresses takes one address a node, most-bandwidth adds plain
	// interfaces for IP traffic on further cards.
	Layout string `yaml:"layout" weft:"oneof=save-addresses|most-bandwidth"`
	// PlacementGroup is the name of an existing cluster placement group, for an on-demand reservation that was
	// made in one. On-demand groups get a managed one without it; a block takes none.
	PlacementGroup string `yaml:"placementGroup"`
	// EFA is left on unless the nodes never talk to each other.
	EFA bool `yaml:"efa"`
	// Image of this group; the cluster's when left out.
	Image *Image `yaml:"image"`
	// RootVolumeGiB is the size of the root volume; 0 takes the image's.
	RootVolumeGiB int `yaml:"rootVolumeGiB" weft:"min=0,max=16384"`
	// ScratchMount is where the local NVMe storage is mounted.
	ScratchMount string `yaml:"scratchMount"`
}

// Capacity says where instances come from. Exactly one of its keys is given.
type Capacity struct {
	// Block is a Capacity Block for ML.
	Block *Block `yaml:"block"`
	// Reservation is the id of an on-demand capacity reservation, cr-….
	Reservation string `yaml:"reservation"`
	// OnDemand takes what EC2 has.
	OnDemand bool `yaml:"onDemand"`
}

// Block is a Capacity Block: one that was bought (reservation), or a pinned offering that is to be bought.
type Block struct {
	// Reservation is the id of a bought block's capacity reservation, cr-….
	Reservation string `yaml:"reservation"`
	// Offering is an offering that a person has looked at and confirmed, pinned with its price.
	Offering *Offering `yaml:"offering"`
	// Purchase is what else is to be said about buying the offering.
	Purchase *Purchase `yaml:"purchase"`
}

// Offering is one pinned offering of the capacity market. The purchase is upfront and can't be cancelled, so
// everything that decides the price stands here.
type Offering struct {
	// ID of the offering.
	ID string `yaml:"id" weft:"required"`
	// Count of instances that the offering holds.
	Count int `yaml:"count" weft:"required,min=1,max=64"`
	// DurationHours as offered, for example 336. A block ends at 11:30 UTC whenever it starts, so that a real duration
	// differs by part of a day from the 24 to 4368 hours that were asked for; full hours count, minutes are left off.
	DurationHours int `yaml:"durationHours" weft:"required,min=1,max=4391"`
	// Start of the block, RFC 3339.
	Start string `yaml:"start" weft:"required,time"`
	// Fee is the upfront fee as offered, a decimal number without currency.
	Fee string `yaml:"fee" weft:"required,decimal"`
	// MaxFee is the most that may be paid: what the person confirmed.
	MaxFee string `yaml:"maxFee" weft:"required,decimal"`
	// Currency of both fees.
	Currency string `yaml:"currency"`
	// ConfirmedUntil ends the confirmation, RFC 3339.
	ConfirmedUntil string `yaml:"confirmedUntil" weft:"required,time"`
}

// Purchase is what a person says about buying an offering, beside its price.
type Purchase struct {
	// Budget that the fee must not exceed, whatever price was confirmed, in the offering's currency.
	Budget string `yaml:"budget" weft:"decimal"`
	// Resume is the name of an attempt without an outcome that was looked into and written off: EC2 and the bill show no
	// block of it. A finding of block/purchase gives the name, and from when on it can be written here.
	Resume string `yaml:"resume" weft:"eg=0a1b2c3d"`
	// Beside names reservations that look like what is to be bought, and that another block is wanted beside.
	Beside []string `yaml:"beside" weft:"id=cr"`
}
