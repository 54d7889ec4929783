package pcconfig

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/plan"
)

// document is an IAM policy document.
type document struct {
	Version   string      `json:"Version"`
	Statement []statement `json:"Statement"`
}

type statement struct {
	Sid       string                         `json:"Sid"`
	Effect    string                         `json:"Effect"`
	Action    []string                       `json:"Action"`
	Resource  []string                       `json:"Resource"`
	Condition map[string]map[string][]string `json:"Condition,omitempty"`
}

func (d document) text() (string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("writing an IAM policy: %w", err)
	}
	return string(text), nil
}

// ProviderPolicy gives the IAM policy that the provider of Custom::PclusterCluster needs for a plan beside its own; empty when it
// needs none. Its own lets it make roles below /parallelcluster/ and attach a few policies (cluster.yaml and policies.yaml of the
// release): reading boot scripts, attaching other policies, changing a permissions boundary and roles at another path are
// not among it, and fail only while the cluster is made.
func ProviderPolicy(p plan.Cluster, ids IDs) (string, error) {
	t := newTranslator(p, ids)
	var d document
	for _, s := range []statement{t.readScripts(), t.attachPolicies(), t.changeBoundary(), t.makeRoles(), t.manageRoles()} {
		if len(s.Resource) > 0 {
			s.Effect = "Allow"
			d.Statement = append(d.Statement, s)
		}
	}
	if len(d.Statement) == 0 {
		return "", nil
	}
	d.Version = "2012-10-17"
	return d.text()
}

// readScripts: ParallelCluster looks at each script when it validates a configuration.
func (t translator) readScripts() statement {
	s := statement{Sid: "ReadBootScripts", Action: []string{"s3:GetObject"}}
	if len(bootstrap.Scripts(t.actions)) > 0 {
		s.Resource = append(s.Resource, t.arn("s3", "", t.bootBucket()+"/"+bootKeys))
	}
	for _, kind := range []bootstrap.Kind{bootstrap.Head, bootstrap.Login, bootstrap.Compute} {
		for _, script := range t.scripts(kind) {
			if bucket, key, ok := splitS3(script.URL); ok {
				s.Resource = appendNew(s.Resource, t.arn("s3", "", bucket+"/"+key))
			}
		}
	}
	return s
}

// attachPolicies: the provider's own policy lets it attach ParallelCluster's few to roles below its own path.
func (t translator) attachPolicies() statement {
	policies := slices.Concat(t.config.HeadNode.Policies, t.config.IAM.Policies)
	if t.rolePath() != PolicyPath {
		policies = append(policies, t.arn("iam", "*", "policy"+PolicyPath+"*"))
		for _, name := range []string{"CloudWatchAgentServerPolicy", sessionManager, "service-role/AWSLambdaBasicExecutionRole"} {
			policies = append(policies, managedPolicy(t.plan.Region, name))
		}
	}
	if len(policies) == 0 {
		return statement{}
	}
	return statement{
		Sid: "AttachNodePolicies", Action: []string{"iam:AttachRolePolicy", "iam:DetachRolePolicy"}, Resource: []string{t.roles()},
		Condition: map[string]map[string][]string{"ArnLike": {"iam:PolicyARN": appendNew(nil, policies...)}},
	}
}

func (t translator) changeBoundary() statement {
	if t.config.IAM.PermissionsBoundary == "" {
		return statement{}
	}
	return statement{
		Sid:      "ChangePermissionsBoundary",
		Action:   []string{"iam:PutRolePermissionsBoundary", "iam:DeleteRolePermissionsBoundary"},
		Resource: []string{t.roles()},
	}
}

// makeRoles: a resource prefix with a path moves roles out of the path that the provider's own policy knows. With a permissions
// boundary no role is made or filled without it.
func (t translator) makeRoles() statement {
	if t.rolePath() == PolicyPath {
		return statement{}
	}
	s := statement{
		Sid: "MakeRolesAtPrefix", Action: []string{"iam:CreateRole", "iam:PutRolePolicy", "iam:DeleteRolePolicy"}, Resource: []string{t.roles()},
	}
	if boundary := t.config.IAM.PermissionsBoundary; boundary != "" {
		s.Condition = map[string]map[string][]string{"StringEquals": {"iam:PermissionsBoundary": {boundary}}}
	}
	return s
}

func (t translator) manageRoles() statement {
	if t.rolePath() == PolicyPath {
		return statement{}
	}
	return statement{
		Sid: "ManageRolesAtPrefix",
		Action: []string{
			"iam:DeleteRole", "iam:TagRole", "iam:UntagRole", "iam:PassRole",
			"iam:CreateInstanceProfile", "iam:DeleteInstanceProfile", "iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile",
		},
		Resource: []string{t.roles(), t.arn("iam", "*", "instance-profile"+t.rolePath()+"*")},
	}
}

func (t translator) roles() string { return t.arn("iam", "*", "role"+t.rolePath()+"*") }

// rolePath is the IAM path of the roles that ParallelCluster makes: what stands before the last slash of the resource prefix.
func (t translator) rolePath() string {
	if path, _, ok := cutLast(t.config.IAM.ResourcePrefix, "/"); ok {
		return path + "/"
	}
	return PolicyPath
}

func (t translator) arn(service, account, resource string) string {
	partition, _ := Partition(t.plan.Region)
	return fmt.Sprintf("arn:%s:%s::%s:%s", partition, service, account, resource)
}

// LoginPolicy gives the IAM policy document of what login nodes may do in S3; empty when that is nothing.
func LoginPolicy(p plan.Cluster, ids IDs) (string, error) {
	t := newTranslator(p, ids)
	d := document{Version: "2012-10-17"}
	for i, a := range t.loginGrants() {
		d.Statement = append(d.Statement, t.access(i, a)...)
	}
	if len(d.Statement) == 0 {
		return "", nil
	}
	return d.text()
}

// access grants what S3Access grants on other nodes: reading or writing the keys, and listing them.
func (t translator) access(i int, a S3Access) []statement {
	keys := a.KeyName
	if keys == "" {
		keys = "*"
	}
	objects := statement{Sid: fmt.Sprintf("Read%d", i), Effect: "Allow", Action: []string{"s3:GetObject"}, Resource: []string{t.arn("s3", "", a.BucketName+"/"+keys)}}
	if a.EnableWriteAccess {
		objects.Sid = fmt.Sprintf("Write%d", i)
		objects.Action = []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}
	}
	list := statement{Sid: fmt.Sprintf("List%d", i), Effect: "Allow", Action: []string{"s3:ListBucket"}, Resource: []string{t.arn("s3", "", a.BucketName)}}
	if a.KeyName != "" {
		list.Condition = map[string]map[string][]string{"StringLike": {"s3:prefix": {a.KeyName}}}
	}
	return []statement{objects, list}
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// HasPublicHead reports whether the head node of a plan is known to have a public address.
func HasPublicHead(p plan.Cluster) bool { return p.Network.HeadPublic || p.Config.HeadNode.ElasticIP }

// ConnectCommand is the command that opens a session on the head node: by SSH where there is a key and a public address, else by
// Session Manager.
func ConnectCommand(p plan.Cluster, instance, address string) string {
	if key := p.Config.HeadNode.Key; key != "" && HasPublicHead(p) {
		return fmt.Sprintf("ssh -i %s.pem %s@%s", strings.TrimSuffix(key, ".pem"), p.OS.LoginUser, address)
	}
	return fmt.Sprintf("aws ssm start-session --region %s --target %s", p.Region, instance)
}
