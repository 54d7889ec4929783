// Package config is what a user writes: the stack's `weft:cluster` value, or the same as a YAML file.
//
// Decoding is strict: an unknown key, a wrong type or a value that the key does not take is a finding
// with its position, and all findings come in one pass. Defaults are stated in one place, default.go.
package config

import "github.com/weft-hpc/weft/fabric/diag"

// Cluster is one GPU training cluster.
type Cluster struct {
	// Name of the cluster and of everything that is made for it: a letter, then letters, digits and hyphens,
	// 60 characters at most (40 with Slurm accounting).
	Name string `yaml:"name" weft:"required,eg=pretrain"`
	// Region is the AWS Region, for example us-east-2.
	Region string `yaml:"region" weft:"required,eg=us-east-2"`
	// ParallelCluster is the AWS ParallelCluster version that renders and runs the cluster. One place sets
	// the version: images, templates and commands follow.
	ParallelCluster string `yaml:"parallelcluster"`
	// OS is the operating system of all nodes, in ParallelCluster's words.
	OS string `yaml:"os"`
	// Network is where the nodes stand: made for the cluster, or existing.
	Network Network `yaml:"network"`
	// HeadNode runs Slurm's controller.
	HeadNode HeadNode `yaml:"headNode"`
	// LoginNodes are pools of machines for users.
	LoginNodes []LoginPool `yaml:"loginNodes"`
	// Groups are the compute nodes: one Slurm queue for each group.
	Groups []Group `yaml:"groups" weft:"required"`
	// Image is what all nodes boot, unless a group says otherwise.
	Image Image `yaml:"image"`
	// Storage is what all nodes mount.
	Storage []Storage `yaml:"storage"`
	// S3 is what the nodes may read, and write where it says so.
	S3 []S3Access `yaml:"s3"`
	// Bootstrap names scripts of yours that run at boot, beside weft's own.
	Bootstrap Bootstrap `yaml:"bootstrap"`
	// Tags go on every resource. The prefixes aws: and parallelcluster: are reserved.
	Tags map[string]string `yaml:"tags" weft:"free"`
	// IAM bounds what ParallelCluster may make.
	IAM IAM `yaml:"iam"`
	// Slurm settings of the cluster.
	Slurm Slurm `yaml:"slurm"`
	// EndGuard brings jobs to the end of a capacity block.
	EndGuard EndGuard `yaml:"endGuard"`
	// Monitoring of the cluster.
	Monitoring Monitoring `yaml:"monitoring"`
	// Workload is what the cluster is for: it decides version floors and what is validated.
	Workload Workload `yaml:"workload"`
	// Validation runs after each deployment.
	Validation Validation `yaml:"validation"`
	// Preflight reads the account before anything is registered.
	Preflight Preflight `yaml:"preflight"`
	// Rules judge at other levels than their own, each with its reason.
	Rules map[diag.ID]diag.Override `yaml:"rules"`
}

// Network is either made for the cluster or existing, never both.
type Network struct {
	// Create makes a VPC with a public subnet for the head node and a private subnet in each zone of a group.
	Create *NetworkCreate `yaml:"create"`
	// Existing takes over what the account has.
	Existing *NetworkExisting `yaml:"existing"`
}

// NetworkCreate is a network made for the cluster.
type NetworkCreate struct {
	// CIDR of the VPC, a prefix of 16 to 20 bits.
	CIDR string `yaml:"cidr"`
	// HeadSubnet says whether the head node stands in the public or a private subnet.
	HeadSubnet string `yaml:"headSubnet" weft:"oneof=public|private"`
	// Zone of head node, NAT gateway and FSx for Lustre, by name or id; the first group's when left out. None of them
	// can move: write it before the first group's next capacity lies in another zone.
	Zone string `yaml:"zone"`
}

// NetworkExisting names subnets and groups that the account has.
type NetworkExisting struct {
	// VPC that all subnets lie in.
	VPC string `yaml:"vpc" weft:"required,id=vpc"`
	// HeadSubnet of the head node.
	HeadSubnet string `yaml:"headSubnet" weft:"required,id=subnet"`
	// ComputeSubnet of every group that names none itself.
	ComputeSubnet string `yaml:"computeSubnet" weft:"id=subnet"`
	// LoginSubnet of the login nodes; the head node's when left out.
	LoginSubnet string `yaml:"loginSubnet" weft:"id=subnet"`
	// SecurityGroups of the compute nodes. One of them must let all traffic in from and out to itself, by
	// its own id. Left out, groups are made.
	SecurityGroups []string `yaml:"securityGroups" weft:"id=sg"`
	// HeadSecurityGroups of head and login nodes, only together with SecurityGroups.
	HeadSecurityGroups []string `yaml:"headSecurityGroups" weft:"id=sg"`
}

// HeadNode runs Slurm's controller.
type HeadNode struct {
	// InstanceType, of the same architecture as the compute nodes.
	InstanceType string `yaml:"instanceType"`
	// Key is the name of an EC2 key pair. Left out, the node is reached by Session Manager only.
	Key string `yaml:"key"`
	// AllowedIPs are the addresses that may open an SSH connection, as CIDR or prefix list.
	AllowedIPs []string `yaml:"allowedIPs"`
	// RootVolumeGiB is the size of the root volume; 0 takes the image's.
	RootVolumeGiB int `yaml:"rootVolumeGiB" weft:"min=0,max=16384"`
	// ElasticIP gives the head node a fixed public address.
	ElasticIP bool `yaml:"elasticIP"`
	// Policies are ARNs of IAM policies for the head node.
	Policies []string `yaml:"policies"`
}

// LoginPool is a pool of login nodes.
type LoginPool struct {
	// Name of the pool.
	Name string `yaml:"name" weft:"required,eg=people"`
	// InstanceType, of the same architecture as the head node.
	InstanceType string `yaml:"instanceType" weft:"required,eg=m7i.xlarge"`
	// Count of nodes.
	Count int `yaml:"count" weft:"min=0,max=1000"`
}

// Image is what a node boots. At most one of its keys is given; none means the official ParallelCluster image.
type Image struct {
	// Official takes the newest official ParallelCluster image of version, system and architecture.
	Official bool `yaml:"official"`
	// AMI is the id of an image of your own, built for the same ParallelCluster version.
	AMI string `yaml:"ami" weft:"id=ami"`
	// Recipe is the path of an image recipe, relative to the project.
	Recipe string `yaml:"recipe"`
}

// S3Access grants the nodes a bucket.
type S3Access struct {
	// Bucket name.
	Bucket string `yaml:"bucket" weft:"required,eg=my-datasets"`
	// Prefix of the keys, with * at its end; left out, the whole bucket.
	Prefix string `yaml:"prefix"`
	// Write grants writing too.
	Write bool `yaml:"write"`
	// Nodes that get the grant: head, login, compute.
	Nodes []string `yaml:"nodes" weft:"oneof=head|login|compute"`
}

// Bootstrap names scripts of yours, in the order in which they run, after weft's own.
type Bootstrap struct {
	// Head is what the head node runs.
	Head Actions `yaml:"head"`
	// Login is what every login node runs.
	Login Actions `yaml:"login"`
	// Compute is what every compute node runs.
	Compute Actions `yaml:"compute"`
	// TimeoutMinutes is how long a compute node may take from launch to ready.
	TimeoutMinutes int `yaml:"timeoutMinutes" weft:"min=5,max=360"`
	// HeadTimeoutMinutes is how long the head node may take.
	HeadTimeoutMinutes int `yaml:"headTimeoutMinutes" weft:"min=5,max=360"`
	// NodeCheck says what a compute node does that is not as the plan says: enforce fails its boot, report only
	// writes it to the log.
	NodeCheck string `yaml:"nodeCheck" weft:"oneof=enforce|report"`
	// GDRCopy is installed on GPU nodes whose image lacks it or has it too old; left out, such a node fails.
	GDRCopy *GDRCopyArchive `yaml:"gdrcopy"`
}

// GDRCopyArchive is GDRCopy's release archive, or a .tar.gz of its packages for the nodes' system.
type GDRCopyArchive struct {
	// URL is s3://bucket/key or https://host/path.
	URL string `yaml:"url" weft:"required,eg=s3://my-archives/gdrcopy-2.5.1.tar.gz"`
	// SHA256 of the archive, 64 hex digits.
	SHA256 string `yaml:"sha256"`
	// Version of GDRCopy in it.
	Version string `yaml:"version" weft:"required,eg=2.5.1"`
}

// Actions run at two moments of a node's boot.
type Actions struct {
	// OnStart runs before ParallelCluster configures the node.
	OnStart []Script `yaml:"onStart"`
	// OnConfigured runs after it, before Slurm takes the node.
	OnConfigured []Script `yaml:"onConfigured"`
}

// Script is one boot script.
type Script struct {
	// URL is s3://bucket/key or https://host/path.
	URL string `yaml:"url" weft:"required,eg=s3://my-scripts/setup.sh"`
	// SHA256 of the script, 64 hex digits.
	SHA256 string `yaml:"sha256"`
	// Args of the script.
	Args []string `yaml:"args" weft:"free"`
	// Minutes the script may take; counted against the bootstrap timeout.
	Minutes int `yaml:"minutes" weft:"min=0,max=360"`
}

// IAM bounds what ParallelCluster may make.
type IAM struct {
	// PermissionsBoundary is the ARN of the policy that bounds every role.
	PermissionsBoundary string `yaml:"permissionsBoundary"`
	// ResourcePrefix is put before names of roles and policies: /path/ or /path/name.
	ResourcePrefix string `yaml:"resourcePrefix"`
	// Policies are ARNs of IAM policies for the compute nodes.
	Policies []string `yaml:"policies"`
}

// Slurm settings of the cluster.
type Slurm struct {
	// ScaledownIdleMinutes until an idle dynamic node ends; -1 keeps every node.
	ScaledownIdleMinutes int `yaml:"scaledownIdleMinutes" weft:"min=-1,max=10080"`
	// QueueUpdateStrategy says what an update may do to running nodes. COMPUTE_FLEET_STOP refuses such
	// updates while the fleet runs, DRAIN waits for jobs, TERMINATE ends them.
	QueueUpdateStrategy string `yaml:"queueUpdateStrategy" weft:"oneof=COMPUTE_FLEET_STOP|DRAIN|TERMINATE"`
	// MemoryScheduling lets Slurm schedule by memory.
	MemoryScheduling bool `yaml:"memoryScheduling"`
	// Exclusive gives a job whole nodes.
	Exclusive bool `yaml:"exclusive"`
	// Settings are lines of slurm.conf that ParallelCluster does not manage itself.
	Settings map[string]string `yaml:"settings"`
	// Database of Slurm accounting; left out, there is no accounting.
	Database *SlurmDatabase `yaml:"database"`
}

// SlurmDatabase is the MySQL server of Slurm accounting.
type SlurmDatabase struct {
	// URI is host:port.
	URI string `yaml:"uri" weft:"required,eg=db.example.com:3306"`
	// User is the name that Slurm logs in with.
	User string `yaml:"user" weft:"required,eg=slurm"`
	// PasswordSecret is the ARN of the secret that holds the password.
	PasswordSecret string `yaml:"passwordSecret" weft:"required,eg=arn:aws:secretsmanager:…"`
}

// Monitoring of the cluster.
type Monitoring struct {
	// Detailed monitoring asks EC2 for one-minute metrics, at extra cost.
	Detailed bool `yaml:"detailed"`
	// LogRetentionDays of CloudWatch logs.
	LogRetentionDays int `yaml:"logRetentionDays" weft:"oneof=1|3|5|7|14|30|60|90|120|150|180|365|400|545|731|1827|3653"`
	// Dashboard in CloudWatch.
	Dashboard bool `yaml:"dashboard"`
	// GPUHealthChecks run DCGM diagnostics in the prolog of each job.
	GPUHealthChecks bool `yaml:"gpuHealthChecks"`
}

// Preflight reads the account before anything is registered.
type Preflight struct {
	// Skip names checks that are left out, each with the reason: block/zone: "zone is checked elsewhere".
	Skip map[diag.ID]string `yaml:"skip"`
}
