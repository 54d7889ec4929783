package config

// Storage is one file system that all nodes mount. Exactly one of ebs, efs and fsxLustre is given.
type Storage struct {
	// Name of the file system.
	Name string `yaml:"name" weft:"required,eg=data"`
	// Mount directory, absolute.
	Mount string `yaml:"mount" weft:"required,eg=/data"`
	// EBS is a volume that the head node serves.
	EBS *EBS `yaml:"ebs"`
	// EFS is a new or existing EFS file system.
	EFS *EFS `yaml:"efs"`
	// FSxLustre is a new or existing FSx for Lustre file system.
	FSxLustre *FSxLustre `yaml:"fsxLustre"`
}

// EBS is a volume that the head node serves over NFS.
type EBS struct {
	// SizeGiB of the volume.
	SizeGiB int `yaml:"sizeGiB" weft:"required,min=1,max=16384"`
	// VolumeType in EBS's words.
	VolumeType string `yaml:"volumeType" weft:"oneof=gp3|io2"`
	// Keep the volume when the cluster is deleted.
	Keep bool `yaml:"keep"`
}

// EFS is a new or existing EFS file system. Existing names it; else one is made.
type EFS struct {
	// Existing file system, fs-….
	Existing string `yaml:"existing" weft:"id=fs"`
	// Keep a new file system when the cluster is deleted.
	Keep bool `yaml:"keep"`
}

// FSxLustre is a new or existing FSx for Lustre file system. Existing names it; else one is made.
type FSxLustre struct {
	// Existing file system, fs-….
	Existing string `yaml:"existing" weft:"id=fs"`
	// CapacityGiB of a new file system: 1200 or a multiple of 2400.
	CapacityGiB int `yaml:"capacityGiB" weft:"min=0"`
	// ThroughputMBps for each TiB of a new file system: 125, 250, 500 or 1000.
	ThroughputMBps int `yaml:"throughputMBps" weft:"oneof=125|250|500|1000"`
	// Keep a new file system when the cluster is deleted.
	Keep bool `yaml:"keep"`
	// S3 links directories of a new file system with buckets.
	S3 []DataRepository `yaml:"s3"`
}

// DataRepository links a directory of a file system with a bucket.
type DataRepository struct {
	// Path in the file system, absolute.
	Path string `yaml:"path" weft:"required,eg=/datasets"`
	// Bucket URL, s3://bucket/prefix/.
	Bucket string `yaml:"bucket" weft:"required,eg=s3://my-datasets/tokens/"`
	// Export writes changes back.
	Export bool `yaml:"export"`
}
