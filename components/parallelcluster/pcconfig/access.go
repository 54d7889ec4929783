package pcconfig

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// sessionManager is what an instance needs to be reached by Session Manager.
const sessionManager = "AmazonSSMManagedInstanceCore"

func (t translator) headPolicies() []string {
	return append([]string{managedPolicy(t.plan.Region, sessionManager)}, t.config.HeadNode.Policies...)
}

// PolicyPath is where policies stand that nodes get: the role that ParallelCluster works with may attach those below this path,
// and a few of AWS's own (parallelcluster-policies.yaml of the release).
const PolicyPath = "/parallelcluster/"

// ProviderPolicyName names the policy of ProviderPolicy. IAM has one space of names for all Regions, and each of them may have
// a cluster of the same name.
func ProviderPolicyName(p plan.Cluster) string { return p.Name + "-" + p.Region + "-provider" }

// LoginPolicyName names the policy that gives the login nodes of a cluster what LoginGrants lists.
func LoginPolicyName(p plan.Cluster) string { return p.Name + "-" + p.Region + "-login-s3" }

// loginPolicies: login pools have no S3Access, so their grants come as policies.
func (t translator) loginPolicies() []string {
	out := []string{managedPolicy(t.plan.Region, sessionManager)}
	if len(t.ids.LoginPolicies) == 0 && len(t.loginGrants()) > 0 {
		partition, _ := Partition(t.plan.Region)
		return append(out, "arn:"+partition+":iam::000000000000:policy"+PolicyPath+LoginPolicyName(t.plan))
	}
	return append(out, t.ids.LoginPolicies...)
}

func nodeIam(policies []string, grants []S3Access) *NodeIam {
	if len(policies) == 0 && len(grants) == 0 {
		return nil
	}
	out := NodeIam{S3Access: grants}
	for _, arn := range policies {
		if p := (Policy{arn}); !slices.Contains(out.AdditionalIamPolicies, p) {
			out.AdditionalIamPolicies = append(out.AdditionalIamPolicies, p)
		}
	}
	return &out
}

// LoginGrants lists what login nodes may read and write in S3. ParallelCluster's login pools take no S3Access, so it
// must reach them as an IAM policy.
func LoginGrants(p plan.Cluster) []S3Access { return newTranslator(p, IDs{}).loginGrants() }

func (t translator) loginGrants() []S3Access {
	var out []S3Access
	for _, pool := range t.config.LoginNodes {
		for _, a := range t.grants(bootstrap.Login, pool.Name) {
			out = join(out, a)
		}
	}
	return out
}

// grants lists what the nodes of a kind, of the pool or group of a name, may do in S3: what the config says, and every boot
// script that comes from S3. ParallelCluster does not notice a script without its grant; the node does, and fails to boot.
func (t translator) grants(kind bootstrap.Kind, name string) []S3Access {
	var out []S3Access
	for _, a := range t.config.S3 {
		if slices.Contains(a.Nodes, string(kind)) {
			out = join(out, S3Access{BucketName: a.Bucket, KeyName: a.Prefix, EnableWriteAccess: a.Write})
		}
	}
	for _, script := range t.scripts(kind) {
		if bucket, key, ok := splitS3(script.URL); ok {
			out = join(out, S3Access{BucketName: bucket, KeyName: key})
		}
	}
	for _, a := range t.bootGrants(t.own(kind, name)) {
		out = join(out, a)
	}
	return out
}

func (t translator) scripts(kind bootstrap.Kind) []config.Script {
	users := t.users(kind)
	return slices.Concat(users.OnStart, users.OnConfigured)
}

// join adds a grant unless one of the list covers it.
func join(list []S3Access, a S3Access) []S3Access {
	if slices.ContainsFunc(list, func(have S3Access) bool { return have.covers(a) }) {
		return list
	}
	return append(slices.DeleteFunc(list, a.covers), a)
}

// covers reports whether a grant gives all that another one does.
func (a S3Access) covers(b S3Access) bool {
	if a.BucketName != b.BucketName || b.EnableWriteAccess && !a.EnableWriteAccess {
		return false
	}
	prefix, open := strings.CutSuffix(a.KeyName, "*")
	return a.KeyName == "" || a.KeyName == b.KeyName || open && b.KeyName != "" && strings.HasPrefix(b.KeyName, prefix)
}

// splitS3 takes s3://bucket/key apart; false for another URL.
func splitS3(url string) (bucket, key string, ok bool) {
	rest, ok := strings.CutPrefix(url, "s3://")
	if !ok {
		return "", "", false
	}
	bucket, key, ok = strings.Cut(rest, "/")
	return bucket, key, ok
}
