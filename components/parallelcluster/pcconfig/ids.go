package pcconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// IDs are the ids of the resources that a configuration refers to. An id that is left out stands as a
// placeholder, see IsPlaceholder.
type IDs struct {
	HeadSubnet     string
	LoginSubnet    string
	ComputeSubnets map[string]string // by group
	// ClusterSecurityGroup lets all traffic through between its members, by its own id. It stands beside
	// ParallelCluster's groups on every node of a cluster without existing groups.
	ClusterSecurityGroup string
	// SecurityGroups of compute nodes, and HeadSecurityGroups of head and login nodes, replace ParallelCluster's
	// groups. Left out, they are the plan's.
	SecurityGroups     []string
	HeadSecurityGroups []string
	// Templates by group, where the plan overrides ParallelCluster's interfaces.
	Templates map[string]Template
	// Image of the cluster and Images of groups that are built in the same stack. Ids of images that exist
	// stand in the plan.
	Image  string
	Images map[string]string
	// Reservations by group, of blocks that are bought in the same stack. Others stand in the plan.
	Reservations map[string]string
	// FileSystems by the name of the storage. EFS and FSx file systems are never made by ParallelCluster: it would delete
	// them with the cluster, and a new FSx of its own forbids to change queue subnets.
	FileSystems map[string]string
	// BootBucket is the bucket that holds the scripts of BootActions under their keys.
	BootBucket string
	// LoginPolicies are ARNs of the policies that give login nodes what LoginGrants lists.
	LoginPolicies []string
}

// Template is a version of a launch template.
type Template struct {
	ID      string
	Version int // 0: not known yet
}

// Placeholders have the length and characters of AWS's ids, so that they pass for one in ParallelCluster's schema and in
// a size check, and letters that no AWS id has, whose digits are hexadecimal.
const unknown = "0unknown0"

var placeholderForm = regexp.MustCompile(`^[a-z]+-` + unknown + `[0-9a-z]{8}$`)

// IsPlaceholder reports whether an id stands for one that is not known yet.
func IsPlaceholder(id string) bool { return placeholderForm.MatchString(id) }

var notInID = regexp.MustCompile(`[^0-9a-z]`)

// placeholder gives the id that stands for a resource until its own is known: subnet-0unknown00000head.
func placeholder(prefix, of string) string {
	name := notInID.ReplaceAllString(strings.ToLower(of), "")
	if len(name) > 8 {
		sum := sha256.Sum256([]byte(of))
		name = name[:4] + hex.EncodeToString(sum[:2])
	}
	return prefix + "-" + unknown + strings.Repeat("0", 8-len(name)) + name
}

// known gives the first id that is not empty, or the placeholder of the resource.
func known(prefix, of string, ids ...string) string {
	for _, id := range ids {
		if id != "" {
			return id
		}
	}
	return placeholder(prefix, of)
}
