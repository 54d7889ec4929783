package source

// Kind is what a file is.
type Kind string

// The kinds, in words for people.
const (
	Unreadable      Kind = "not readable"
	Unrecognised    Kind = "of no kind that is judged"
	Config          Kind = "weft configuration"
	ParallelCluster Kind = "ParallelCluster configuration"
	EC2             Kind = "EC2 data"
	Account         Kind = "account dump"
	Pulumi          Kind = "Pulumi preview or state"
	Terraform       Kind = "Terraform plan or state"
	CloudFormation  Kind = "CloudFormation template"
	JobScript       Kind = "job script"
	Environment     Kind = "environment file"
	Dockerfile      Kind = "Dockerfile"
)

// Kinds lists what is judged.
func Kinds() []Kind {
	return []Kind{Config, ParallelCluster, EC2, Account, Pulumi, Terraform, CloudFormation, JobScript, Environment, Dockerfile}
}
