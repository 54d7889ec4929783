package source

import "strings"

// form is how a kind is known and read.
type form struct {
	kind Kind
	is   func(root map[string]any) bool
	read func(*Document)
}

// forms come in an order in which the more telling come first.
func forms() []form {
	return []form{
		{Terraform, isTerraform, readTerraform},
		{Pulumi, isPulumi, readPulumi},
		{CloudFormation, isCloudFormation, readCloudFormation},
		{ParallelCluster, isParallelCluster, readParallelCluster},
		{Account, isAccount, readAccount},
		{EC2, isEC2, readEC2},
		{Config, isConfig, func(*Document) {}},
	}
}

func recognise(root any) (form, bool) {
	if list, ok := root.([]any); ok {
		return recogniseList(list)
	}
	m, ok := root.(map[string]any)
	if !ok {
		return form{}, false
	}
	for _, f := range forms() {
		if f.is(m) {
			return f, true
		}
	}
	return form{}, false
}

// recogniseList is for answers that a query cut down to their list.
func recogniseList(list []any) (form, bool) {
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			for _, s := range sections {
				if _, ok := m[s.ids[0]]; ok && s.inside == "" && strings.HasSuffix(s.key, "s") && distinct(m, s.key) {
					return form{EC2, nil, func(d *Document) { d.bareList(s) }}, true
				}
			}
		}
	}
	return form{}, false
}

// distinct tells apart answers whose items carry the same ids.
func distinct(m map[string]any, key string) bool {
	_, instance := m["InstanceId"]
	_, groupRule := m["SecurityGroupRuleId"]
	switch key {
	case "Instances":
		return instance
	case "SecurityGroupRules":
		return groupRule
	case "LaunchTemplateVersions":
		return m["LaunchTemplateData"] != nil
	case "SecurityGroups":
		return m["IpPermissions"] != nil
	default:
		return !instance && !groupRule
	}
}

// configKeys are keys at the top of weft's own configuration; see package config.
var configKeys = []string{
	"name", "region", "parallelcluster", "os", "network", "headNode", "loginNodes", "groups", "image", "storage", "s3", "bootstrap",
	"tags", "iam", "slurm", "monitoring", "workload", "validation", "preflight", "rules", "endGuard",
}

// isConfig goes by several of the keys, so that one with a slip is still known, or one without groups.
func isConfig(root map[string]any) bool {
	n := 0
	for _, key := range configKeys {
		if _, ok := root[key]; ok {
			n++
		}
	}
	_, groups := root["groups"].([]any)
	return n >= 3 || n == 2 && groups
}
