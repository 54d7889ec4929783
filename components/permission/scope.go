package permission

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/components/blockguard/endguard"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Scope is what policies are narrowed to. The zero Scope is every Region, account and cluster.
type Scope struct {
	// Regions in which the features may be used; none for any, or the plan's.
	Regions []string
	// Account is the account's id, twelve digits; empty for whichever the policy is attached in.
	Account string
	// Plan of the cluster that the policy is for; nil for any.
	Plan *plan.Cluster
}

func (s Scope) regions() []string {
	if len(s.Regions) == 0 && s.Plan != nil && s.Plan.Region != "" {
		return []string{s.Plan.Region}
	}
	out := slices.Clone(s.Regions)
	slices.Sort(out)
	return slices.Compact(out)
}

func (s Scope) cluster() string {
	if s.Plan == nil || s.Plan.Name == "" {
		return ""
	}
	return s.Plan.Name
}

// partition of AWS, with the suffix of its services' names: of the first Region. A policy never spans two partitions.
func (s Scope) partition() (name, suffix string) {
	if r := s.regions(); len(r) > 0 {
		return pcconfig.Partition(r[0])
	}
	return pcconfig.Partition("")
}

// arns writes a resource, service:resource, as ARNs: one for each Region. S3's have neither account nor Region, IAM's no
// Region; service::resource is one of AWS's own, without an account.
func (s Scope) arns(resource string) []string {
	if resource == "*" {
		return []string{"*"}
	}
	service, name, _ := strings.Cut(s.fill(resource), ":")
	account := orAny(s.Account)
	if rest, own := strings.CutPrefix(name, ":"); own {
		name, account = rest, ""
	}
	partition, _ := s.partition()
	switch service {
	case "s3":
		return []string{"arn:" + partition + ":s3:::" + name}
	case "iam":
		return []string{"arn:" + partition + ":iam::" + account + ":" + name}
	}
	regions := s.regions()
	if len(regions) == 0 {
		regions = []string{"*"}
	}
	var out []string
	for _, region := range regions {
		out = append(out, "arn:"+partition+":"+service+":"+region+":"+account+":"+name)
	}
	return out
}

// fill puts what is known into the places of a text: {cluster}, {stack}, {bucket}, {guard} and {document} are the beginnings
// of names that weft makes for a cluster, {suffix} and {partition} those of AWS's names.
func (s Scope) fill(text string) string {
	partition, suffix := s.partition()
	cluster, stack, bucket := "*", "*"+pcconfig.StackName(""), "*"+pcconfig.BootBucketName("")
	if name := s.cluster(); name != "" {
		cluster, stack, bucket = name, pcconfig.StackName(name), pcconfig.BootBucketName(name)
	}
	return strings.NewReplacer(
		"{cluster}", cluster, "{stack}", stack, "{bucket}", bucket, "{guard}", endguard.Name(cluster), "{document}", endguard.DocumentName(cluster),
		"{suffix}", suffix, "{partition}", partition,
	).Replace(text)
}

func orAny(text string) string {
	if text == "" {
		return "*"
	}
	return text
}
