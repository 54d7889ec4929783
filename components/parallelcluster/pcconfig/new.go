package pcconfig

import (
	"maps"
	"slices"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// New translates a plan into a configuration, with the ids of the resources that it refers to.
func New(p plan.Cluster, ids IDs) Config {
	t := newTranslator(p, ids)
	return Config{
		Region:        p.Region,
		Image:         Image{Os: p.Config.OS, CustomAmi: t.sharedImage()},
		HeadNode:      t.headNode(),
		LoginNodes:    t.loginNodes(),
		Scheduling:    t.scheduling(),
		SharedStorage: t.storage(),
		Monitoring:    t.monitoring(),
		Iam:           t.bounds(),
		Imds:          Imds{ImdsSupport: "v2.0"},
		Tags:          t.tags(),
		DevSettings:   t.timeouts(),
	}
}

// Preview translates a plan before any resource exists: every id that is not known stands as a placeholder.
func Preview(p plan.Cluster) Config { return New(p, IDs{}) }

type translator struct {
	plan    plan.Cluster
	config  config.Cluster
	ids     IDs
	actions []bootstrap.NodeActions
}

func newTranslator(p plan.Cluster, ids IDs) translator {
	return translator{plan: p, config: p.Config, ids: ids, actions: BootActions(p)}
}

func (t translator) headNode() HeadNode {
	h := t.config.HeadNode
	node := HeadNode{
		InstanceType:  h.InstanceType,
		Image:         t.nodeImage(nil, ""),
		Networking:    HeadNetworking{SubnetId: known("subnet", "head", t.ids.HeadSubnet, t.plan.Network.Head), ElasticIp: h.ElasticIP},
		Ssh:           t.ssh(h.Key),
		CustomActions: t.customActions(bootstrap.Head, ""),
		Iam:           nodeIam(t.headPolicies(), t.grants(bootstrap.Head, "")),
	}
	node.Networking.SecurityGroups, node.Networking.AdditionalSecurityGroups = t.headGroups()
	if h.RootVolumeGiB > 0 {
		node.LocalStorage = &LocalStorage{RootVolume: &RootVolume{Size: h.RootVolumeGiB}}
	}
	return node
}

// closed is a source that no connection comes from. ParallelCluster opens port 22 to the whole internet when AllowedIps is
// left out.
const closed = "127.0.0.1/32"

// ssh says who may connect to head and login nodes. With groups of the user's own ParallelCluster makes no rule, and
// AllowedIps would say what isn't so.
func (t translator) ssh(key string) *Ssh {
	s := Ssh{KeyName: key}
	if replaced, _ := t.headGroups(); len(replaced) == 0 {
		s.AllowedIps = closed
		if ips := t.config.HeadNode.AllowedIPs; len(ips) > 0 {
			s.AllowedIps = ips[0]
		}
	}
	if s == (Ssh{}) {
		return nil
	}
	return &s
}

func (t translator) loginNodes() *LoginNodes {
	if len(t.config.LoginNodes) == 0 {
		return nil
	}
	var out LoginNodes
	for _, l := range t.config.LoginNodes {
		pool := LoginPool{
			Name: l.Name, InstanceType: l.InstanceType, Count: l.Count,
			Image:         t.nodeImage(nil, ""),
			Networking:    NodeNetworking{SubnetIds: []string{known("subnet", "login", t.ids.LoginSubnet, t.plan.Network.Login)}},
			Ssh:           t.ssh(""),
			CustomActions: t.customActions(bootstrap.Login, l.Name),
			Iam:           nodeIam(t.loginPolicies(), nil),
		}
		pool.Networking.SecurityGroups, pool.Networking.AdditionalSecurityGroups = t.headGroups()
		out.Pools = append(out.Pools, pool)
	}
	return &out
}

// headGroups gives the groups of head and login nodes: those that replace ParallelCluster's own, or those beside them. If
// compute nodes have groups of the user's, so have head and login nodes: ParallelCluster's groups know each other only, and a
// mixture would part the nodes (MixedSecurityGroupOverwriteValidator).
func (t translator) headGroups() (replacing, beside []string) {
	replacing, beside = t.computeGroups()
	for _, groups := range [][]string{t.ids.HeadSecurityGroups, t.plan.Network.HeadSecurityGroups} {
		if len(groups) > 0 {
			return groups, nil
		}
	}
	return replacing, beside
}

func (t translator) computeGroups() (replacing, beside []string) {
	for _, groups := range [][]string{t.ids.SecurityGroups, t.plan.Network.SecurityGroups} {
		if len(groups) > 0 {
			return groups, nil
		}
	}
	return nil, []string{known("sg", "cluster", t.ids.ClusterSecurityGroup)}
}

func (t translator) monitoring() Monitoring {
	m := t.config.Monitoring
	out := Monitoring{DetailedMonitoring: m.Detailed, Dashboards: Dashboards{CloudWatch: Enabled{m.Dashboard}}}
	if m.LogRetentionDays > 0 {
		out.Logs = &Logs{CloudWatch: CloudWatchLogs{RetentionInDays: m.LogRetentionDays}}
	}
	return out
}

func (t translator) bounds() *Iam {
	i := Iam{PermissionsBoundary: t.config.IAM.PermissionsBoundary, ResourcePrefix: t.config.IAM.ResourcePrefix}
	if i == (Iam{}) {
		return nil
	}
	return &i
}

func (t translator) tags() []Tag {
	var out []Tag
	for _, key := range slices.Sorted(maps.Keys(t.config.Tags)) {
		out = append(out, Tag{Key: key, Value: t.config.Tags[key]})
	}
	return out
}

func (t translator) timeouts() *DevSettings {
	b := t.config.Bootstrap
	limits := Timeouts{HeadNodeBootstrapTimeout: b.HeadTimeoutMinutes * 60, ComputeNodeBootstrapTimeout: b.TimeoutMinutes * 60}
	if limits == (Timeouts{}) {
		return nil
	}
	return &DevSettings{Timeouts: limits}
}

// storage translates file systems. EFS and FSx exist when ParallelCluster reads their ids; volumes are its own.
func (t translator) storage() []SharedStorage {
	var out []SharedStorage
	for _, c := range t.config.Storage {
		s := SharedStorage{Name: c.Name, MountDir: c.Mount}
		switch {
		case c.EBS != nil:
			s.StorageType, s.EbsSettings = "Ebs", &EbsSettings{VolumeType: c.EBS.VolumeType, Size: c.EBS.SizeGiB, DeletionPolicy: deletionPolicy(c.EBS.Keep)}
		case c.EFS != nil:
			s.StorageType, s.EfsSettings = "Efs", &FileSystem{known("fs", c.Name, t.ids.FileSystems[c.Name], c.EFS.Existing)}
		case c.FSxLustre != nil:
			s.StorageType, s.FsxLustreSettings = "FsxLustre", &FileSystem{known("fs", c.Name, t.ids.FileSystems[c.Name], c.FSxLustre.Existing)}
		}
		out = append(out, s)
	}
	return out
}

func deletionPolicy(keep bool) string {
	if keep {
		return "Retain"
	}
	return "Delete"
}
