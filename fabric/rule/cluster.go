package rule

// ParallelCluster is a cluster configuration of AWS ParallelCluster.
type ParallelCluster struct {
	Input
	Version Value[string] // of ParallelCluster, where the source tells
	OS      Value[string] // Image.Os
	Image   Value[string] // Image.CustomAmi
	Region  Value[string]

	Head   HeadNode
	Logins []LoginPool
	Queues List[Queue]
}

// HeadNode is the section of the head node.
type HeadNode struct {
	Path         string
	InstanceType Value[string]
	Subnet       Value[string]
	Image        Value[string]
	Boot         Boot
}

// LoginPool is a pool of login nodes.
type LoginPool struct {
	Path         string
	Name         Value[string]
	InstanceType Value[string]
	Subnets      List[Value[string]]
	Image        Value[string]
	Boot         Boot
}

// Boot is what the nodes of a section run at boot, and what they may read for it.
type Boot struct {
	Scripts List[Script]
	// Access are the S3Access grants of the section's Iam. Its Path is given even where there are none.
	Access List[S3Access]
	// Policies are the ARNs of AdditionalIamPolicies.
	Policies List[Value[string]]
	// Role is a role or instance profile of the user's own, which S3Access does not change.
	Role Value[string]
}

// Script is a custom action.
type Script struct {
	Path string
	URL  Value[string]
}

// S3Access is a grant of S3Access.
type S3Access struct {
	Path   string
	Bucket Value[string]
	// KeyName is the object or prefix/* that the grant covers; absent: the whole bucket.
	KeyName Value[string]
}

// ClusterPlacement is a PlacementGroup section of ParallelCluster.
type ClusterPlacement struct {
	Path    string
	Given   bool // the section is there
	Enabled Value[bool]
	Name    Value[string] // Id or Name of an existing group
}

// Queue is a Slurm queue.
type Queue struct {
	Path         string
	Name         Value[string]
	CapacityType Value[string] // ONDEMAND, SPOT, CAPACITY_BLOCK; absent: ONDEMAND
	Subnets      List[Value[string]]
	// SecurityGroups replace ParallelCluster's own group, which lets all traffic in from and out to itself.
	SecurityGroups List[Value[string]]
	PublicIP       Value[bool] // Networking.AssignPublicIp
	Placement      ClusterPlacement
	Image          Value[string]
	Boot           Boot
	Target         ReservationTarget
	Resources      List[ComputeResource]
	ExclusiveJobs  Value[bool] // JobExclusiveAllocation
}

// ReservationTarget is a CapacityReservationTarget section.
type ReservationTarget struct {
	Path  string
	ID    Value[string] // CapacityReservationId
	Group Value[string] // CapacityReservationResourceGroupArn
}

// ComputeResource is a compute resource of a queue.
type ComputeResource struct {
	Path         string
	Name         Value[string]
	InstanceType Value[string]
	Instances    List[Value[string]] // Instances[].InstanceType
	Min, Max     Value[int]          // MinCount, absent: 0; MaxCount, absent: 10
	EFA          Value[bool]         // Efa.Enabled
	Placement    ClusterPlacement
	Target       ReservationTarget
	// Override is the launch template of LaunchTemplateOverrides.
	Override Value[string]
}
