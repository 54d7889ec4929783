package pcconfig

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// The kinds of nodes, in the config's words.
const (
	headNodes    = "head"
	loginNodes   = "login"
	computeNodes = "compute"
)

// sessionManager is what an instance needs to be reached by Session Manager.
const sessionManager = "AmazonSSMManagedInstanceCore"

func (t translator) headPolicies() []string {
	return append([]string{managedPolicy(t.plan.Region, sessionManager)}, t.config.HeadNode.Policies...)
}

// PolicyPath is where policies stand that nodes get: the role that ParallelCluster works with may attach those below this path,
// and a few of AWS's own (parallelcluster-policies.yaml of the release).
const PolicyPath = "/parallelcluster/"

// LoginPolicyName names the policy that gives the login nodes of a cluster what LoginGrants lists.
func LoginPolicyName(cluster string) string { return cluster + "-login-s3" }

// loginPolicies: login pools have no S3Access, so their grants come as policies.
func (t translator) loginPolicies() []string {
	out := []string{managedPolicy(t.plan.Region, sessionManager)}
	if len(t.ids.LoginPolicies) == 0 && len(t.grants(loginNodes)) > 0 {
		partition, _ := Partition(t.plan.Region)
		return append(out, "arn:"+partition+":iam::000000000000:policy"+PolicyPath+LoginPolicyName(t.plan.Name))
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
func LoginGrants(p plan.Cluster) []S3Access {
	if len(p.Config.LoginNodes) == 0 {
		return nil
	}
	return translator{plan: p, config: p.Config}.grants(loginNodes)
}

// grants lists what a kind of nodes may do in S3: what the config says, and every boot script that comes from S3.
// ParallelCluster does not notice a script without its grant; the node does, and fails to boot.
func (t translator) grants(nodes string) []S3Access {
	var out []S3Access
	for _, a := range t.config.S3 {
		if slices.Contains(a.Nodes, nodes) {
			out = join(out, S3Access{BucketName: a.Bucket, KeyName: a.Prefix, EnableWriteAccess: a.Write})
		}
	}
	for _, script := range t.scripts(nodes) {
		if bucket, key, ok := splitS3(script.URL); ok {
			out = join(out, S3Access{BucketName: bucket, KeyName: key})
		}
	}
	return out
}

func (t translator) scripts(nodes string) []config.Script {
	actions := map[string]config.Actions{
		headNodes: t.config.Bootstrap.Head, loginNodes: t.config.Bootstrap.Login, computeNodes: t.config.Bootstrap.Compute,
	}[nodes]
	return slices.Concat(actions.OnStart, actions.OnConfigured)
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

// customActions writes scripts as a Sequence even if there is one: going from one script to two is then no change of form.
func customActions(a config.Actions) *CustomActions {
	out := CustomActions{OnNodeStart: sequence(a.OnStart), OnNodeConfigured: sequence(a.OnConfigured)}
	if out == (CustomActions{}) {
		return nil
	}
	return &out
}

func sequence(scripts []config.Script) *CustomAction {
	if len(scripts) == 0 {
		return nil
	}
	var out CustomAction
	for _, s := range scripts {
		out.Sequence = append(out.Sequence, Script{Script: s.URL, Args: s.Args})
	}
	return &out
}
