package pcconfig

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// CheckKeys names every key of a configuration that a ParallelCluster version does not have, with the versions that do.
// ParallelCluster refuses unknown keys, but only when the cluster is made.
func CheckKeys(version string, c Config) (diag.List, error) {
	object, err := c.Object()
	if err != nil {
		return nil, err
	}
	k := keyChecker{version: version}
	k.section("", "", object)
	k.findings.Sort()
	return k.findings, nil
}

type keyChecker struct {
	version  string
	findings diag.List
}

// section checks the keys of a section. The schema path has [] for items of a list, the path names them.
func (k *keyChecker) section(schema, path string, section map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(section)) {
		k.key(joinPath(schema, "/", key), joinPath(path, ".", key), section[key])
	}
}

func (k *keyChecker) key(schema, path string, value any) {
	if has, _ := catalog.HasKey(k.version, schema); !has {
		k.add(schema, path)
		return
	}
	if !hasChildren(k.version, schema) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		k.section(schema, path, v)
	case []any:
		for i, item := range v {
			if section, ok := item.(map[string]any); ok {
				k.section(schema+"[]", fmt.Sprintf("%s[%s]", path, itemName(section, i)), section)
			}
		}
	}
}

func (k *keyChecker) add(schema, path string) {
	want := "a key of this version"
	if with := catalog.KeyReleases(schema); len(with) > 0 {
		want = "one of the versions that have it: " + strings.Join(with, ", ")
	}
	k.findings.Add(diag.Finding{
		Rule: diag.PCKey, Place: diag.Place{Path: path},
		Got: fmt.Sprintf("%s in ParallelCluster %s, which lacks the key", schema, k.version), Want: want,
		Hint: "set parallelcluster to such a version, or leave out what needs the key", Source: "schema of aws-parallelcluster " + k.version,
	})
}

// itemName names an item of a list as ParallelCluster does, by its number where it has no name.
func itemName(section map[string]any, i int) string {
	for _, key := range []string{"Name", "Key", "Policy", "BucketName"} {
		if name, ok := section[key]; ok {
			return fmt.Sprint(name)
		}
	}
	return fmt.Sprint(i)
}

func joinPath(path, separator, key string) string {
	if path == "" {
		return key
	}
	return path + separator + key
}

// templateLimit is the most bytes of a template in a CloudFormation call (AWS CloudFormation User Guide, quotas).
const templateLimit = 51200

// CheckSize compares the template that carries a configuration with CloudFormation's limit.
func CheckSize(name string, c Config) (diag.List, error) {
	template, err := c.Stack(name, true, true)
	if err != nil {
		return nil, err
	}
	if len(template) <= templateLimit {
		return nil, nil
	}
	var out diag.List
	out.Add(diag.Finding{
		Rule: diag.PCSize, Place: diag.Place{Path: "groups"},
		Got:  fmt.Sprintf("a CloudFormation template of %d bytes, %d of them for each of %d groups", len(template), len(template)/max(1, len(c.Scheduling.SlurmQueues)), len(c.Scheduling.SlurmQueues)),
		Want: fmt.Sprintf("at most %d bytes", templateLimit),
		Hint: "spread the groups over several clusters; scripts and S3 grants are repeated in each group, so fewer of them help too", Source: "AWS CloudFormation User Guide, quotas: template body",
	})
	return out, nil
}

// Check names what a plan asks for and no ParallelCluster configuration can say, or the deployment can't wait for.
func Check(p plan.Cluster) diag.List {
	var out diag.List
	if ips := p.Config.HeadNode.AllowedIPs; len(ips) > 1 && len(p.Network.SecurityGroups) == 0 {
		out.Add(diag.Finding{
			Rule: diag.ConfigValue, Place: diag.Place{Path: "headNode.allowedIPs"},
			Got: fmt.Sprintf("%d sources: %s", len(ips), strings.Join(ips, ", ")), Want: "one CIDR or prefix list",
			Hint: "put the CIDRs into a managed prefix list and give its id, pl-…", Source: "AWS ParallelCluster User Guide, Ssh/AllowedIps",
		})
	}
	if p.Config.HeadNode.ElasticIP && p.Network.Create && !p.Network.HeadPublic {
		out.Add(diag.Finding{
			Rule: diag.ConfigConflict, Place: diag.Place{Path: "headNode.elasticIP"},
			Got: "a public address for a head node in a private subnet", Want: "a head node in the public subnet, or no public address",
			Hint: "set network.create.headSubnet to public, or remove elasticIP: no route leads from outside into a private subnet, Session Manager needs none", Source: "Amazon VPC User Guide, internet gateways",
		})
	}
	out.Add(boughtElsewhere(p)...)
	out.Add(bootTime(p)...)
	out.Add(unwritable(p)...)
	if minutes := p.Config.Bootstrap.HeadTimeoutMinutes; minutes > headMinutes {
		out.Add(diag.Finding{
			Rule: diag.BootTimeout, Place: diag.Place{Path: "bootstrap.headTimeoutMinutes"},
			Got:  fmt.Sprintf("%d minutes", minutes),
			Want: fmt.Sprintf("at most %d: CloudFormation waits 60 minutes for a cluster, and its network, roles and launch come first", headMinutes),
			Hint: fmt.Sprintf("lower it to %d, and move work from the head node's scripts into its image", headMinutes), Source: "AWS CloudFormation User Guide, custom resources: ServiceTimeout is at most 3600 seconds",
		})
	}
	return out
}

// unwritable judges the configuration as it would be written: keys that the version lacks, and its size. An unknown version is
// the plan's finding.
func unwritable(p plan.Cluster) diag.List {
	if _, known := catalog.ReleaseOf(p.ParallelCluster); !known {
		return nil
	}
	c := Preview(p)
	keys, err := CheckKeys(p.ParallelCluster, c)
	size, tooLarge := CheckSize(p.Name, c)
	out := append(keys, size...)
	if err := errors.Join(err, tooLarge); err != nil {
		out.Add(diag.Finding{
			Rule: diag.FileUnreadable, Place: diag.Place{Path: "name"}, Got: "a ParallelCluster configuration that can't be written: " + err.Error(),
			Want: "one that can", Hint: "look for unusual characters in the config",
		})
	}
	return out
}

// boughtElsewhere asks for the zone of groups whose block is bought for a subnet that exists. The purchase compares it with the
// offering's and the preflight with the subnet's; without it a block would be bought wherever its offering lies.
func boughtElsewhere(p plan.Cluster) diag.List {
	var out diag.List
	for i, g := range p.Groups {
		if p.Network.Create || g.Capacity.Offering == nil || g.Zone != "" {
			continue
		}
		out.Add(diag.Finding{
			Rule: diag.ConfigRequired, Place: diag.Place{Path: fmt.Sprintf("groups[%d].zone", i)},
			Got:  fmt.Sprintf("no zone beside offering %s, which is bought for %s", g.Capacity.Offering.ID, g.Subnet),
			Want: "the zone that the subnet lies in: the offering is compared with it before it is bought",
			Hint: "add zone: to the group: a block in another zone can't be used, moved or given back", Source: "EC2 User Guide, capacity-blocks-launch",
		})
	}
	return out
}

// bootTime adds weft's own actions to the user's scripts. What the user's alone exceed, the config's own check says.
func bootTime(p plan.Cluster) diag.List {
	var out diag.List
	b := p.Config.Bootstrap
	users := 0
	for _, s := range slices.Concat(b.Compute.OnStart, b.Compute.OnConfigured) {
		users += s.Minutes
	}
	own := bootMinutes(p)
	if users >= b.TimeoutMinutes || users+own < b.TimeoutMinutes {
		return nil
	}
	p.Config.Bootstrap.TimeoutMinutes = 360 // the most that a config may say: weft's actions take more of a longer timeout
	out.Add(diag.Finding{
		Rule: diag.BootTimeout, Place: diag.Place{Path: "bootstrap.compute"},
		Got:  fmt.Sprintf("scripts of %d minutes, and weft's own before them of up to %d", users, own),
		Want: fmt.Sprintf("less than timeoutMinutes, %d minutes, which hold the rest of the boot as well", b.TimeoutMinutes),
		Hint: fmt.Sprintf("raise bootstrap.timeoutMinutes above %d, or bake the work into the image", users+bootMinutes(p)),
	})
	return out
}

// bootMinutes is how long weft's own actions may take on any node, in whole minutes.
func bootMinutes(p plan.Cluster) int {
	seconds := 0
	for _, n := range BootActions(p) {
		seconds = max(seconds, n.Seconds())
	}
	return (seconds + 59) / 60
}

// headMinutes is what CloudFormation's 60 minutes for a custom resource leave for the head node to boot.
const headMinutes = 50
