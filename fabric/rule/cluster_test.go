package rule_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/rule"
)

func TestBoot(t *testing.T) {
	head := func(rest string) string { return `cluster pc: {HeadNode: {` + rest + `}}` }
	const script = "CustomActions: {OnNodeConfigured: {Script: 's3://bucket/boot/setup.sh'}}"
	const place = "boot/s3-access pc HeadNode.CustomActions.OnNodeConfigured.Script"
	runAll(t, []spec{
		{"https", head("CustomActions: {OnNodeStart: {Script: 'https://example.com/setup.sh'}}"), nil},
		{"http", head("CustomActions: {OnNodeStart: {Script: 'http://example.com/setup.sh'}}"), []string{"error boot/url pc HeadNode.CustomActions.OnNodeStart.Script"}},
		{"a file", head("CustomActions: {OnNodeStart: {Sequence: [{Script: 'file:///setup.sh'}]}}"), []string{"error boot/url pc HeadNode.CustomActions.OnNodeStart.Sequence[0].Script"}},
		{"S3 without a grant", head(script), []string{"error " + place}},
		{"S3 with the whole bucket", head(script + ", Iam: {S3Access: [{BucketName: bucket}]}"), nil},
		{"S3 with the object", head(script + ", Iam: {S3Access: [{BucketName: bucket, KeyName: boot/setup.sh}]}"), nil},
		{"S3 with its folder", head(script + ", Iam: {S3Access: [{BucketName: bucket, KeyName: boot/*}]}"), nil},
		{"S3 with another folder", head(script + ", Iam: {S3Access: [{BucketName: bucket, KeyName: other/*}]}"), []string{"error " + place}},
		{"S3 with another bucket", head(script + ", Iam: {S3Access: [{BucketName: other}]}"), []string{"error " + place}},
		{"a policy that reads every bucket", head(script + ", Iam: {AdditionalIamPolicies: [{Policy: 'arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess'}]}"), nil},
		{"a policy of AWS that reads none", head(script + ", Iam: {AdditionalIamPolicies: [{Policy: 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore'}]}"), []string{"error " + place}},
		{"a policy that cannot be seen", head(script + ", Iam: {AdditionalIamPolicies: [{Policy: 'arn:aws:iam::1:policy/own'}]}"), []string{"warn " + place}},
		{"a role of the user's own", head(script + ", Iam: {InstanceRole: 'arn:aws:iam::1:role/own'}"), nil},
		{"grants that nobody knows yet", head(script + ", Iam: {S3Access: '?'}"), []string{"warn value/unknown pc HeadNode.Iam.S3Access"}},
		{"a login pool takes no grants", `cluster pc: {LoginNodes: {Pools: [{Name: l, ` + script + `}]}}`, []string{"error boot/s3-access pc LoginNodes.Pools[0].CustomActions.OnNodeConfigured.Script"}},
		{"a queue", `cluster pc: {Scheduling: {SlurmQueues: [{Name: q, ` + script + `}]}}`, []string{"error boot/s3-access pc Scheduling.SlurmQueues[0].CustomActions.OnNodeConfigured.Script"}},
	})
}

func TestOverride(t *testing.T) {
	queue := func(nics string) string {
		return `
cluster pc: {Scheduling: {SlurmQueues: [{ComputeResources: [{Name: nodes, InstanceType: p5en.48xlarge, Efa: {Enabled: true}, LaunchTemplateOverrides: {LaunchTemplateId: lt-1, Version: 1}}]}]}}
template lt: {id: lt-1, ` + nics + `}`
	}
	runAll(t, []spec{
		{"the type's cards", queue("nics: p5en.48xlarge"), nil},
		{"another type's cards", queue("nics: p6-b200.48xlarge"), []string{"warn nic/efa-count lt networkInterfaces"}},
		{"no EFA", queue("networkInterfaces: [{deviceIndex: 0}]"), []string{"error nic/efa-count pc Scheduling.SlurmQueues[0].ComputeResources[0].LaunchTemplateOverrides.LaunchTemplateId"}},
	})
}

func TestReleaseCards(t *testing.T) {
	queue := func(release string) string {
		return `cluster pc: {Version: ` + release + `, Scheduling: {SlurmQueues: [{ComputeResources: [{InstanceType: p6-b300.48xlarge, Efa: {Enabled: true}}]}]}}`
	}
	runAll(t, []spec{
		{"before 3.15", queue("3.14.2"), []string{"error nic/efa-card pc Scheduling.SlurmQueues[0].ComputeResources[0].InstanceType"}},
		{"from 3.15", queue("3.15.1"), nil},
		{"no version", queue(`""`), nil},
	})
}

func TestSystemOfAType(t *testing.T) {
	queue := func(release, system, instanceType string) string {
		return `cluster pc: {Version: ` + release + `, Image: {Os: ` + system + `}, Scheduling: {SlurmQueues: [{ComputeResources: [{InstanceType: ` + instanceType + `, Efa: {Enabled: true}}]}]}}`
	}
	refused := []string{"error pc/os pc Scheduling.SlurmQueues[0].ComputeResources[0].InstanceType"}
	runAll(t, []spec{
		{"B300 on Amazon Linux 2", queue("3.15.1", "alinux2", "p6-b300.48xlarge"), refused},
		{"B300 on Amazon Linux 2023", queue("3.15.1", "alinux2023", "p6-b300.48xlarge"), nil},
		{"H200 on Amazon Linux 2", queue("3.15.1", "alinux2", "p5en.48xlarge"), nil},
		{"GB200 on Red Hat 9", queue("3.16.1", "rhel9", "p6e-gb200.36xlarge"), refused},
		{"GB200 on Red Hat 9, of no known version", queue(`""`, "rhel9", "p6e-gb200.36xlarge"), refused},
		{"a system that the release lacks", queue("3.16.1", "alinux2", "p6-b300.48xlarge"), nil},
	})
}

func TestImages(t *testing.T) {
	const cluster = "cluster pc: {Version: 3.16.1, Image: {Os: ubuntu2204, CustomAmi: ami-1}, HeadNode: {InstanceType: m6i.large}, Scheduling: {SlurmQueues: [{ComputeResources: [{InstanceType: p5.48xlarge, MaxCount: 1}]}]}}\n"
	ami := func(tag, value string) string {
		tags := map[string]string{"version": "3.16.1", "build_status": "available", "os": "ubuntu2204", "nvidia_version": "595.71.05"}
		if tag != "" {
			tags[tag] = value
		}
		text := cluster + "ami image: {id: ami-1, architecture: x86_64, tags: {"
		for _, key := range slices.Sorted(maps.Keys(tags)) {
			text += fmt.Sprintf("'parallelcluster:%s': '%s', ", key, tags[key])
		}
		return text + "}}"
	}
	both := func(level, id string) []string {
		return []string{level + " " + id + " pc Image.CustomAmi", level + " " + id + " pc Image.CustomAmi"}
	}
	runAll(t, []spec{
		{"an image of the cluster's version", ami("", ""), nil},
		{"an image that is not known here", cluster, nil},
		{"an image of another version", ami("version", "3.1"), both("error", "ami/pcluster-version")},
		{"a build that failed", ami("build_status", "failed"), both("error", "ami/build-status")},
		{"another operating system", ami("os", "rhel9"), both("error", "ami/os")},
		{"no NVIDIA software", ami("nvidia_version", ""), []string{"error ami/nvidia-missing pc Image.CustomAmi"}},
		{"an image without tags", cluster + "ami image: {id: ami-1, architecture: x86_64}", both("warn", "ami/pcluster-version")},
		{"another architecture", "template lt: {imageId: ami-1, instanceType: p5.48xlarge}\nami image: {id: ami-1, architecture: arm64}", []string{"error ami/architecture lt imageId"}},
		{"a head node of another architecture", strings.Replace(cluster, "m6i.large", "c7g.large", 1), []string{"error ami/architecture pc Scheduling.SlurmQueues[0].ComputeResources[0].InstanceType"}},
		{"a head node that is not known yet", strings.Replace(cluster, "m6i.large", `"?"`, 1), nil},
		{"an image that is being made", "template lt: {imageId: ami-1}\nami image: {id: ami-1, state: pending}", []string{"error ami/build-status lt imageId"}},
	})
}

func TestVersions(t *testing.T) {
	component := func(script string) string { return "component efa: {name: efa, data: '" + script + "'}" }
	for _, s := range []spec{
		{"above the floors", component("curl -O https://efa-installer.amazonaws.com/aws-efa-installer-1.51.0.tar.gz"), nil},
		{"below a floor", component("curl -O https://efa-installer.amazonaws.com/aws-efa-installer-1.30.0.tar.gz"), []string{"error ver/floor efa data"}},
		{"known to be bad", component("curl -O https://efa-installer.amazonaws.com/aws-efa-installer-1.35.0.tar.gz"), []string{"error ver/denied efa data", "error ver/floor efa data"}},
		{"no version", component("curl -O https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz"), []string{"error ver/unreadable efa data"}},
		{"installs nothing of ours", component("apt-get install -y jq"), nil},
		{"a document that nobody knows yet", "component efa: {data: '?'}", []string{"warn value/unknown efa data"}},
	} {
		s.run(t, rule.Options{InstanceTypes: []string{"p6-b200.48xlarge"}, Workload: catalog.Workload{Kind: "dense"}})
	}
}
