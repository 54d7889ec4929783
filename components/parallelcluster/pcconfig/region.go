package pcconfig

import "strings"

// Partition gives the partition of a Region and the suffix of its DNS names (AWS General Reference, partitions).
func Partition(region string) (partition, suffix string) {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn", "amazonaws.com.cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov", "amazonaws.com"
	case strings.HasPrefix(region, "us-isob-"):
		return "aws-iso-b", "sc2s.sgov.gov"
	case strings.HasPrefix(region, "us-iso-"):
		return "aws-iso", "c2s.ic.gov"
	default:
		return "aws", "amazonaws.com"
	}
}

// managedPolicy gives the ARN of a policy that AWS keeps.
func managedPolicy(region, name string) string {
	partition, _ := Partition(region)
	return "arn:" + partition + ":iam::aws:policy/" + name
}
