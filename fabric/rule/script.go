package rule

// NodeScript is what installs software on a node: a component of an image, a custom action, user data.
type NodeScript struct {
	Input
	// What it is, for findings: "image component efa".
	What string
	Text Value[string]
	// InstanceTypes that the software is for; empty: those of the options.
	InstanceTypes []string
}

// JobScript is a Slurm job script or a file of environment settings.
type JobScript struct {
	Input
	Text Value[string]
	// Environment says that the file only sets variables.
	Environment bool
	// InstanceType that the job runs on, where the source tells.
	InstanceType Value[string]
}
