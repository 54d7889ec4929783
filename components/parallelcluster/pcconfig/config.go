// Package pcconfig is the configuration of an AWS ParallelCluster 3.x cluster: typed, translated from a plan, written as
// YAML, and compared by ParallelCluster's own rules for updates.
//
// It translates and decides nothing: what a cluster is stands in the plan. Names of types and fields are
// ParallelCluster's keys (AWS ParallelCluster User Guide, cluster configuration file); the fields stand in the order
// in which they are written.
package pcconfig

// Config is one cluster configuration file.
type Config struct {
	Region        string          `yaml:"Region"`
	Image         Image           `yaml:"Image"`
	HeadNode      HeadNode        `yaml:"HeadNode"`
	LoginNodes    *LoginNodes     `yaml:"LoginNodes,omitempty"`
	Scheduling    Scheduling      `yaml:"Scheduling"`
	SharedStorage []SharedStorage `yaml:"SharedStorage,omitempty"`
	Monitoring    Monitoring      `yaml:"Monitoring"`
	Iam           *Iam            `yaml:"Iam,omitempty"`
	Imds          Imds            `yaml:"Imds"`
	Tags          []Tag           `yaml:"Tags,omitempty"`
	DevSettings   *DevSettings    `yaml:"DevSettings,omitempty"`
}

// Image is the operating system of all nodes and, unless a node's own Image says otherwise, what they boot. Without
// CustomAmi that is the official image.
type Image struct {
	Os        string `yaml:"Os"`
	CustomAmi string `yaml:"CustomAmi,omitempty"`
}

// NodeImage is what the nodes of one kind boot.
type NodeImage struct {
	CustomAmi string `yaml:"CustomAmi"`
}

// HeadNode runs Slurm's controller.
type HeadNode struct {
	InstanceType  string         `yaml:"InstanceType"`
	Image         *NodeImage     `yaml:"Image,omitempty"`
	Networking    HeadNetworking `yaml:"Networking"`
	Ssh           *Ssh           `yaml:"Ssh,omitempty"`
	LocalStorage  *LocalStorage  `yaml:"LocalStorage,omitempty"`
	CustomActions *CustomActions `yaml:"CustomActions,omitempty"`
	Iam           *NodeIam       `yaml:"Iam,omitempty"`
}

// HeadNetworking is where the head node stands. SecurityGroups replace ParallelCluster's own group,
// AdditionalSecurityGroups stand beside it; only one of them is given.
type HeadNetworking struct {
	SubnetId                 string   `yaml:"SubnetId"`
	ElasticIp                bool     `yaml:"ElasticIp,omitempty"`
	SecurityGroups           []string `yaml:"SecurityGroups,omitempty"`
	AdditionalSecurityGroups []string `yaml:"AdditionalSecurityGroups,omitempty"`
}

// Ssh says who may open a connection: AllowedIps is one CIDR or prefix list.
type Ssh struct {
	KeyName    string `yaml:"KeyName,omitempty"`
	AllowedIps string `yaml:"AllowedIps,omitempty"`
}

// LoginNodes are the machines for users.
type LoginNodes struct {
	Pools []LoginPool `yaml:"Pools"`
}

// LoginPool is a pool of equal login nodes.
type LoginPool struct {
	Name          string         `yaml:"Name"`
	InstanceType  string         `yaml:"InstanceType"`
	Count         int            `yaml:"Count"`
	Image         *NodeImage     `yaml:"Image,omitempty"`
	Networking    NodeNetworking `yaml:"Networking"`
	Ssh           *Ssh           `yaml:"Ssh,omitempty"`
	CustomActions *CustomActions `yaml:"CustomActions,omitempty"`
	Iam           *NodeIam       `yaml:"Iam,omitempty"`
}

// NodeNetworking is where login or compute nodes stand; see HeadNetworking for the groups.
type NodeNetworking struct {
	SubnetIds                []string        `yaml:"SubnetIds"`
	SecurityGroups           []string        `yaml:"SecurityGroups,omitempty"`
	AdditionalSecurityGroups []string        `yaml:"AdditionalSecurityGroups,omitempty"`
	PlacementGroup           *PlacementGroup `yaml:"PlacementGroup,omitempty"`
}

// PlacementGroup is a managed group (Enabled true), none (Enabled false), or an existing one by its name.
type PlacementGroup struct {
	Enabled *bool  `yaml:"Enabled,omitempty"`
	Name    string `yaml:"Name,omitempty"`
}

// Scheduling is Slurm and its queues.
type Scheduling struct {
	Scheduler     string        `yaml:"Scheduler"`
	SlurmSettings SlurmSettings `yaml:"SlurmSettings"`
	SlurmQueues   []SlurmQueue  `yaml:"SlurmQueues"`
}

// SlurmSettings hold for the whole cluster. ScaledownIdletime is in minutes, -1 keeps every node.
type SlurmSettings struct {
	ScaledownIdletime           int                 `yaml:"ScaledownIdletime"`
	QueueUpdateStrategy         string              `yaml:"QueueUpdateStrategy,omitempty"`
	EnableMemoryBasedScheduling bool                `yaml:"EnableMemoryBasedScheduling,omitempty"`
	CustomSlurmSettings         []map[string]string `yaml:"CustomSlurmSettings,omitempty"`
	Database                    *Database           `yaml:"Database,omitempty"`
}

// Database is the MySQL server of Slurm accounting.
type Database struct {
	Uri               string `yaml:"Uri"`
	UserName          string `yaml:"UserName"`
	PasswordSecretArn string `yaml:"PasswordSecretArn"`
}

// SlurmQueue is one group of the plan.
type SlurmQueue struct {
	Name                   string            `yaml:"Name"`
	CapacityType           string            `yaml:"CapacityType"`
	JobExclusiveAllocation bool              `yaml:"JobExclusiveAllocation,omitempty"`
	HealthChecks           *HealthChecks     `yaml:"HealthChecks,omitempty"`
	Image                  *NodeImage        `yaml:"Image,omitempty"`
	Networking             NodeNetworking    `yaml:"Networking"`
	ComputeSettings        *ComputeSettings  `yaml:"ComputeSettings,omitempty"`
	CustomActions          *CustomActions    `yaml:"CustomActions,omitempty"`
	Iam                    *NodeIam          `yaml:"Iam,omitempty"`
	ComputeResources       []ComputeResource `yaml:"ComputeResources"`
}

// HealthChecks run in the prolog of each job.
type HealthChecks struct {
	Gpu Enabled `yaml:"Gpu"`
}

// Enabled switches something.
type Enabled struct {
	Enabled bool `yaml:"Enabled"`
}

// ComputeSettings are the local disks of a queue's nodes.
type ComputeSettings struct {
	LocalStorage LocalStorage `yaml:"LocalStorage"`
}

// LocalStorage are the disks of a node. Size is in GiB.
type LocalStorage struct {
	RootVolume      *RootVolume      `yaml:"RootVolume,omitempty"`
	EphemeralVolume *EphemeralVolume `yaml:"EphemeralVolume,omitempty"`
}

// RootVolume is the disk that a node boots from; Size is in GiB.
type RootVolume struct {
	Size int `yaml:"Size"`
}

// EphemeralVolume joins the local NVMe disks.
type EphemeralVolume struct {
	MountDir string `yaml:"MountDir"`
}

// ComputeResource is the nodes of a queue.
type ComputeResource struct {
	Name                      string                     `yaml:"Name"`
	InstanceType              string                     `yaml:"InstanceType"`
	MinCount                  int                        `yaml:"MinCount"`
	MaxCount                  int                        `yaml:"MaxCount"`
	Efa                       *Enabled                   `yaml:"Efa,omitempty"`
	CapacityReservationTarget *CapacityReservationTarget `yaml:"CapacityReservationTarget,omitempty"`
	LaunchTemplateOverrides   *LaunchTemplateOverrides   `yaml:"LaunchTemplateOverrides,omitempty"`
}

// CapacityReservationTarget is the reservation that the nodes are launched into.
type CapacityReservationTarget struct {
	CapacityReservationId string `yaml:"CapacityReservationId"`
}

// LaunchTemplateOverrides is a launch template of one's own, whose NetworkInterfaces replace ParallelCluster's. Version is
// a number: ParallelCluster refuses $Latest and $Default.
type LaunchTemplateOverrides struct {
	LaunchTemplateId string `yaml:"LaunchTemplateId"`
	Version          int    `yaml:"Version"`
}

// CustomActions are scripts that run when a node boots.
type CustomActions struct {
	OnNodeStart      *CustomAction `yaml:"OnNodeStart,omitempty"`
	OnNodeConfigured *CustomAction `yaml:"OnNodeConfigured,omitempty"`
}

// CustomAction is a list of scripts in the order in which they run.
type CustomAction struct {
	Sequence []Script `yaml:"Sequence"`
}

// Script is one script and its arguments.
type Script struct {
	Script string   `yaml:"Script"`
	Args   []string `yaml:"Args,omitempty"`
}

// NodeIam is what the role of a node may do beside what ParallelCluster grants. Login pools take no S3Access.
type NodeIam struct {
	AdditionalIamPolicies []Policy   `yaml:"AdditionalIamPolicies,omitempty"`
	S3Access              []S3Access `yaml:"S3Access,omitempty"`
}

// Policy is the ARN of an IAM policy.
type Policy struct {
	Policy string `yaml:"Policy"`
}

// S3Access grants a bucket, or the keys of it that match KeyName.
type S3Access struct {
	BucketName        string `yaml:"BucketName"`
	KeyName           string `yaml:"KeyName,omitempty"`
	EnableWriteAccess bool   `yaml:"EnableWriteAccess,omitempty"`
}

// SharedStorage is a file system that all nodes mount. The settings that fit StorageType are given.
type SharedStorage struct {
	Name              string       `yaml:"Name"`
	MountDir          string       `yaml:"MountDir"`
	StorageType       string       `yaml:"StorageType"`
	EbsSettings       *EbsSettings `yaml:"EbsSettings,omitempty"`
	EfsSettings       *FileSystem  `yaml:"EfsSettings,omitempty"`
	FsxLustreSettings *FileSystem  `yaml:"FsxLustreSettings,omitempty"`
}

// EbsSettings are those of a volume that ParallelCluster makes. Size is in GiB.
type EbsSettings struct {
	VolumeType     string `yaml:"VolumeType"`
	Size           int    `yaml:"Size"`
	DeletionPolicy string `yaml:"DeletionPolicy"`
}

// FileSystem is an existing file system.
type FileSystem struct {
	FileSystemId string `yaml:"FileSystemId"`
}

// Monitoring of the cluster.
type Monitoring struct {
	DetailedMonitoring bool       `yaml:"DetailedMonitoring"`
	Logs               *Logs      `yaml:"Logs,omitempty"`
	Dashboards         Dashboards `yaml:"Dashboards"`
}

// Logs go to CloudWatch.
type Logs struct {
	CloudWatch CloudWatchLogs `yaml:"CloudWatch"`
}

// CloudWatchLogs are kept for a number of days.
type CloudWatchLogs struct {
	RetentionInDays int `yaml:"RetentionInDays"`
}

// Dashboards of the cluster.
type Dashboards struct {
	CloudWatch Enabled `yaml:"CloudWatch"`
}

// Iam bounds what ParallelCluster makes.
type Iam struct {
	PermissionsBoundary string `yaml:"PermissionsBoundary,omitempty"`
	ResourcePrefix      string `yaml:"ResourcePrefix,omitempty"`
}

// Imds is the version of the instance metadata service.
type Imds struct {
	ImdsSupport string `yaml:"ImdsSupport"`
}

// Tag of every resource that ParallelCluster makes.
type Tag struct {
	Key   string `yaml:"Key"`
	Value string `yaml:"Value"`
}

// DevSettings hold the bootstrap timeouts.
type DevSettings struct {
	Timeouts Timeouts `yaml:"Timeouts"`
}

// Timeouts are in seconds, from launch to ready.
type Timeouts struct {
	HeadNodeBootstrapTimeout    int `yaml:"HeadNodeBootstrapTimeout,omitempty"`
	ComputeNodeBootstrapTimeout int `yaml:"ComputeNodeBootstrapTimeout,omitempty"`
}
