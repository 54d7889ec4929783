package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// judgeOnly decodes a sound cluster of which some sections are replaced, and runs one check over it.
func judgeOnly(t *testing.T, name string, sections map[string]string) []string {
	t.Helper()
	all := map[string]string{
		"name": "pretrain", "region": "us-east-2", "network": "{create: {}}",
		"groups": "[{name: a, instanceType: p5.48xlarge, count: 4, zone: us-east-2a, capacity: {onDemand: true}}]",
	}
	maps.Copy(all, sections)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s: %s\n", key, all[key])
	}
	root, found := parse("cluster.yaml", []byte(b.String()), firstKeys)
	require.Empty(t, found)
	w := newWalker[Cluster]("cluster.yaml", root)
	c := decodeInto[Cluster](w, root, w.at(start(root), ""))
	require.Empty(t, w.found, "the sections are sound each by itself")
	i := slices.IndexFunc(checks, func(c check) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "no check %s", name)
	checks[i].judge(&view{cluster: &c, walker: w})
	out := []string{}
	for _, f := range w.found {
		out = append(out, string(f.Rule)+" "+f.Place.Path)
	}
	return out
}

func group(more string) string {
	return "[{name: a, instanceType: p5.48xlarge, count: 4, zone: us-east-2a, " + more + "}]"
}

func zoned(zone string) string {
	return strings.Replace(group("capacity: {onDemand: true}"), "us-east-2a", zone, 1)
}

func offering(more string) string {
	return group("capacity: {block: {offering: {" + more + "}}}")
}

func pinned(id, hours, start, fee, most string) string {
	return offering(fmt.Sprintf("id: %s, count: 4, durationHours: %s, start: %q, fee: %q, maxFee: %q, confirmedUntil: %q", id, hours, start, fee, most, start))
}

func purchased(fee, more string) string {
	return strings.Replace(pinned("cb-01234567", "24", monday, fee, fee), "}}}", "}, purchase: {"+more+"}}}", 1)
}

func volumes(n int, kind string) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("{name: v%d, mount: /v%d, %s}", i, i, kind))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

const (
	monday  = "2026-12-07T11:30:00Z"
	sound64 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

type checkCase struct {
	section, value string
	want           []string
}

// two groups, the second one's text behind the first one.
func twoGroups(second string) string {
	return "[{name: a, instanceType: p5.48xlarge, count: 4, capacity: {onDemand: true}}, {name: b, instanceType: p5.48xlarge, count: 4, capacity: {onDemand: true}, " + second + "}]"
}

const existing = "vpc: vpc-01234567, headSubnet: subnet-01234567"

var checkCases = map[string][]checkCase{
	"region/name": {
		{"region", "us-east-2", nil},
		{"region", "us-gov-west-1", nil},
		{"region", "us-isob-east-1", nil},
		{"region", "US East (Ohio)", []string{"config/value region"}},
		{"region", "us-east-2a", []string{"config/value region"}},
		{"region", "ohio", []string{"config/value region"}},
	},
	"zone/region": {
		{"network", "{create: {zone: us-east-2c}}", nil},
		{"network", "{create: {zone: us-east-1c}}", []string{"config/conflict network.create.zone"}},
		{"groups", group("capacity: {onDemand: true}"), nil},
		{"region", "us-east-1", []string{"config/conflict groups[0].zone"}},
		{"region", "us-east-22", []string{"config/conflict groups[0].zone"}},
		{"region", "Ohio", nil}, // that is the fault
		{"groups", zoned("use2-az1"), nil},
		{"groups", zoned("us-east-2-bos-1a"), nil},
		{"groups", zoned("use2-bos1-az1"), nil},
		{"groups", zoned("us-east-2-wl1-bos-wlz-1"), nil},
		{"groups", zoned("us-east-22a"), []string{"config/conflict groups[0].zone"}},
		{"groups", zoned("us-east-2"), []string{"config/conflict groups[0].zone"}},
		{"groups", zoned("a"), []string{"config/conflict groups[0].zone"}},
		{"groups", zoned("'us-east-2a; x'"), []string{"config/conflict groups[0].zone"}},
	},
	"instance/form": {
		{"headNode", "{instanceType: m6i}", []string{"config/value headNode.instanceType"}},
		{"headNode", "{instanceType: u-6tb1.metal}", nil},
		{"loginNodes", "[{name: a, instanceType: M7i.large}]", []string{"config/value loginNodes[0].instanceType"}},
		{"groups", strings.Replace(group("capacity: {onDemand: true}"), "p5.48xlarge", "'p5 48xlarge'", 1), []string{"config/value groups[0].instanceType"}},
		{"groups", strings.Replace(group("capacity: {onDemand: true}"), "p5.48xlarge", "p6e-gb200.36xlarge", 1), nil},
	},
	"network/one": {
		{"network", "{}", []string{"config/required network"}},
		{"network", "{create: {}, existing: {" + existing + "}}", []string{"config/conflict network.existing"}},
		{"network", "{existing: {" + existing + "}}", nil},
	},
	"network/cidr": {
		{"network", "{create: {cidr: 10.0.0.0/16}}", nil},
		{"network", "{create: {cidr: 100.64.0.0/20}}", nil},
		{"network", "{create: {cidr: 10.0.0.0/15}}", []string{"config/value network.create.cidr"}},
		{"network", "{create: {cidr: 10.0.0.0/21}}", []string{"config/value network.create.cidr"}},
		{"network", "{create: {cidr: 10.0.1.0/16}}", []string{"config/value network.create.cidr"}},
		{"network", "{create: {cidr: 11.0.0.0/16}}", []string{"config/value network.create.cidr"}},
		{"network", "{create: {cidr: 'fd00::/16'}}", []string{"config/value network.create.cidr"}},
		{"network", "{create: {cidr: 10.0.0.0}}", []string{"config/value network.create.cidr"}},
	},
	"network/head-groups": {
		{"network", "{existing: {" + existing + ", headSecurityGroups: [sg-01234567]}}", []string{"config/conflict network.existing.headSecurityGroups"}},
		{"network", "{existing: {" + existing + ", headSecurityGroups: [sg-01234567], securityGroups: [sg-01234567]}}", nil},
	},
	"head/allowed-ips": {
		{"headNode", "{allowedIPs: [203.0.113.7/32, pl-01234567, '2001:db8::/32']}", nil},
		{"headNode", "{allowedIPs: [203.0.113.7, 203.0.113.7/24, office]}", []string{"config/value headNode.allowedIPs[0]", "config/value headNode.allowedIPs[1]", "config/value headNode.allowedIPs[2]"}},
	},
	"name/unique": {
		{"groups", twoGroups("zone: us-east-2a"), nil},
		{"storage", "[{name: a, mount: /a, efs: {}}, {name: a, mount: /b, efs: {}}]", []string{"config/conflict storage[1].name"}},
		{"loginNodes", "[{name: a, instanceType: m7i.large}, {name: b, instanceType: m7i.large}, {name: a, instanceType: m7i.large}]", []string{"config/conflict loginNodes[2].name"}},
	},
	"group/place": {
		{"groups", twoGroups("subnet: subnet-01234567"), []string{"config/required groups[0].zone", "config/required groups[1].zone", "config/conflict groups[1].subnet"}},
		{"network", "{existing: {" + existing + "}}", []string{"config/required groups[0].subnet"}},
		{"network", "{existing: {" + existing + ", computeSubnet: subnet-01234567}}", nil},
	},
	"group/count": {
		{"groups", group("minCount: 4, capacity: {onDemand: true}"), nil},
		{"groups", group("minCount: 5, capacity: {onDemand: true}"), []string{"config/conflict groups[0].minCount"}},
		{"groups", group("minCount: 4, capacity: {block: {}}"), []string{"block/count groups[0].minCount"}},
	},
	"guard/requeue": {
		{"endGuard", "{requeue: a}", nil},
		{"endGuard", "{requeue: b}", []string{"config/value endGuard.requeue"}},
		{"groups", group("capacity: {block: {reservation: cr-01234567}}") + "\nendGuard: {requeue: a}", []string{"config/conflict endGuard.requeue"}},
	},
	"guard/length": {
		{"groups", pinned("cb-01234567", "24", monday, "1", "1") + "\nendGuard: {checkpointMinutes: 1439}", nil},
		{"groups", pinned("cb-01234567", "24", monday, "1", "1") + "\nendGuard: {checkpointMinutes: 40, stopMinutes: 1400}", []string{"config/conflict endGuard.checkpointMinutes"}},
		{"groups", pinned("cb-01234567", "24", monday, "1", "1") + "\nendGuard: {enabled: false, checkpointMinutes: 1440}", nil},
		{"groups", group("capacity: {block: {reservation: cr-01234567}}") + "\nendGuard: {checkpointMinutes: 1440}", nil},
	},
	"group/scratch": {
		{"groups", group("scratchMount: /opt/dlami/nvme, capacity: {onDemand: true}"), nil},
		{"groups", group("scratchMount: scratch, capacity: {onDemand: true}"), []string{"config/value groups[0].scratchMount"}},
		{"storage", "[{name: a, mount: /scratch/a, efs: {}}]", []string{"config/conflict groups[0].scratchMount"}},
		{"storage", "[{name: a, mount: /scratch2, efs: {}}]", nil},
	},
	"capacity/one": {
		{"groups", group("capacity: {onDemand: false}"), []string{"config/required groups[0].capacity"}},
		{"groups", group("capacity: {}"), []string{"config/required groups[0].capacity"}},
		{"groups", group("capacity: {block: {}, reservation: cr-01234567}"), []string{"config/conflict groups[0].capacity.reservation"}},
		{"groups", group("capacity: {block: {}, onDemand: false}"), nil},
	},
	"capacity/block": {
		{"groups", group("capacity: {block: {}}"), nil}, // the planner names the missing reservation
		{"groups", group("capacity: {block: {reservation: cr-01234567}}"), nil},
		{"groups", group("capacity: {block: {reservation: cr-01234567, offering: {id: cb-01234567, count: 1, durationHours: 24, start: '" + monday + "', fee: 1, maxFee: 1, confirmedUntil: '" + monday + "'}}}"), []string{"config/conflict groups[0].capacity.block.offering"}},
	},
	"capacity/id": {
		{"groups", group("capacity: {reservation: cr-0123456789abcdef0}"), nil},
		{"groups", group("capacity: {reservation: cr-0123456789ABCDEF0}"), []string{"block/id-form groups[0].capacity.reservation"}},
		{"groups", group("capacity: {reservation: cr-012345678}"), []string{"block/id-form groups[0].capacity.reservation"}},
		{"groups", group("capacity: {block: {reservation: cb-0123456789abcdef0}}"), []string{"block/id-form groups[0].capacity.block.reservation"}},
		{"groups", pinned("cr-01234567", "24", monday, "1", "1"), []string{"block/id-form groups[0].capacity.block.offering.id"}},
		{"groups", pinned("cbo-0123456789abcdefg", "24", monday, "1", "1"), nil},
	},
	"offering/price": {
		{"groups", pinned("cb-01234567", "24", monday, "0.30", "0.3"), nil},
		{"groups", pinned("cb-01234567", "24", monday, "99999999999.999999999", "99999999999.999999998"), []string{"block/price groups[0].capacity.block.offering.fee"}},
		{"groups", pinned("cb-01234567", "24", monday, "1000", "999.99"), []string{"block/price groups[0].capacity.block.offering.fee"}},
	},
	"purchase/offering": {
		{"groups", group("capacity: {block: {reservation: cr-01234567, purchase: {budget: 1}}}"), []string{"config/conflict groups[0].capacity.block.purchase"}},
		{"groups", purchased("1", "resume: 0a1b2c3d, beside: [cr-01234567]"), nil},
	},
	"purchase/budget": {
		{"groups", purchased("1000", "budget: '1000.00'"), nil},
		{"groups", purchased("1000", "budget: '999.99'"), []string{"block/price groups[0].capacity.block.offering.fee"}},
	},
	"offering/duration": {
		{"groups", pinned("cb-01234567", "24", monday, "1", "1"), nil},
		{"groups", pinned("cb-01234567", "336", "2026-12-07T12:30:00+01:00", "1", "1"), nil},
		{"groups", pinned("cb-01234567", "6", "2026-12-07T04:55:00Z", "1", "1"), nil},
		{"groups", pinned("cb-01234567", "4368", monday, "1", "1"), nil},
		{"groups", pinned("cb-01234567", "360", monday, "1", "1"), []string{"block/duration groups[0].capacity.block.offering.durationHours"}},
		{"groups", pinned("cb-01234567", "480", monday, "1", "1"), []string{"block/duration groups[0].capacity.block.offering.durationHours"}},
		{"groups", pinned("cb-01234567", "24", "2026-12-07T11:31:00Z", "1", "1"), []string{"block/duration groups[0].capacity.block.offering.start"}},
		{"groups", pinned("cb-01234567", "24", "2026-12-07T10:30:00Z", "1", "1"), []string{"block/duration groups[0].capacity.block.offering.start"}},
	},
	"offering/currency": {
		{"groups", offering("id: cb-01234567, count: 1, durationHours: 24, start: '" + monday + "', fee: 1, maxFee: 1, confirmedUntil: '" + monday + "', currency: dollars"), []string{"config/value groups[0].capacity.block.offering.currency"}},
		{"groups", pinned("cb-01234567", "24", monday, "1", "1"), nil},
	},
	"image/one": {
		{"image", "{official: true, recipe: gpu.yaml}", []string{"config/conflict image.recipe"}},
		{"image", "{official: false, recipe: gpu.yaml}", nil},
		{"groups", group("image: {ami: ami-01234567, recipe: a.yaml}, capacity: {onDemand: true}"), []string{"config/conflict groups[0].image.recipe"}},
	},
	"storage/one": {
		{"storage", "[{name: a, mount: /a}]", []string{"config/required storage[0]"}},
		{"storage", "[{name: a, mount: /a, efs: {}, fsxLustre: {}}]", []string{"config/conflict storage[0].fsxLustre"}},
		{"storage", "[{name: a, mount: /a, efs: {}}]", nil},
	},
	"storage/mount": {
		{"storage", "[{name: a, mount: /home, efs: {}}, {name: b, mount: /opt/slurm/etc, efs: {}}, {name: c, mount: /a b, efs: {}}, {name: d, mount: /d/../e, efs: {}}, {name: e, mount: /, efs: {}}]", []string{"config/value storage[0].mount", "config/value storage[1].mount", "config/value storage[2].mount", "config/value storage[3].mount", "config/value storage[4].mount"}},
		{"storage", "[{name: a, mount: /a/b, efs: {}}, {name: b, mount: /a, efs: {}}, {name: c, mount: /a/bc, efs: {}}]", []string{"config/conflict storage[1].mount", "config/conflict storage[2].mount"}},
		{"storage", "[{name: a, mount: /mnt/a, efs: {}}, {name: b, mount: /mnt/ab, efs: {}}]", nil},
	},
	"storage/existing": {
		{"storage", "[{name: a, mount: /a, efs: {existing: fs-01234567, keep: true}}]", []string{"config/conflict storage[0].efs.keep"}},
		{"storage", "[{name: a, mount: /a, fsxLustre: {existing: fs-01234567, throughputMBps: 125}}]", []string{"config/conflict storage[0].fsxLustre.throughputMBps"}},
		{"storage", "[{name: a, mount: /a, fsxLustre: {existing: fs-01234567}}]", nil},
	},
	"storage/capacity": {
		{"storage", "[{name: a, mount: /a, fsxLustre: {}}]", []string{"config/required storage[0].fsxLustre.capacityGiB"}},
		{"storage", "[{name: a, mount: /a, fsxLustre: {capacityGiB: 0}}]", []string{"config/value storage[0].fsxLustre.capacityGiB"}},
		{"storage", "[{name: a, mount: /a, fsxLustre: {capacityGiB: 3600}}]", []string{"config/value storage[0].fsxLustre.capacityGiB"}},
		{"storage", "[{name: a, mount: /a, fsxLustre: {capacityGiB: 1200}}, {name: b, mount: /b, fsxLustre: {capacityGiB: 9600}}]", nil},
	},
	"storage/link": {
		{"storage", "[{name: a, mount: /a, fsxLustre: {capacityGiB: 1200, s3: [{path: a, bucket: data}]}}]", []string{"config/value storage[0].fsxLustre.s3[0].path", "config/value storage[0].fsxLustre.s3[0].bucket"}},
		{"storage", "[{name: a, mount: /a, fsxLustre: {capacityGiB: 1200, s3: [{path: /a, bucket: 's3://data/x/'}]}}]", nil},
	},
	"storage/limit": {
		{"storage", volumes(5, "ebs: {sizeGiB: 1}"), nil},
		{"storage", volumes(6, "ebs: {sizeGiB: 1}"), []string{"pc/size storage[5]"}},
		{"storage", volumes(2, "efs: {}"), []string{"pc/size storage[1]"}},
		{"storage", volumes(3, "fsxLustre: {capacityGiB: 1200}"), []string{"pc/size storage[1]"}},
		{"storage", volumes(20, "efs: {existing: fs-01234567}"), nil},
		{"storage", volumes(21, "fsxLustre: {existing: fs-01234567}"), []string{"pc/size storage[20]"}},
		{"storage", volumes(1, "fsxLustre: {capacityGiB: 1200, s3: ["+strings.Repeat("{path: /a, bucket: 's3://data'}, ", 9)+"]}"), []string{"pc/size storage[0].fsxLustre.s3"}},
	},
	"s3/bucket": {
		{"s3", "[{bucket: data-of-ours, prefix: a/*}]", nil},
		{"s3", "[{bucket: Data}, {bucket: 's3://data'}, {bucket: data, prefix: a}, {bucket: data, prefix: /a*}]", []string{"config/value s3[0].bucket", "config/value s3[1].bucket", "config/value s3[2].prefix", "config/value s3[3].prefix"}},
	},
	"s3/nodes": {
		{"s3", "[{bucket: data, nodes: []}, {bucket: data}]", []string{"config/value s3[0].nodes"}},
	},
	"boot/url": {
		{"bootstrap", "{head: {onStart: [{url: 's3://data/a.sh'}, {url: 'https://example.com/a.sh'}]}}", nil},
		{"bootstrap", "{login: {onConfigured: [{url: 'file:///a.sh'}, {url: 'http://example.com/a'}, {url: 'https://u:p@example.com/a'}, {url: 's3://data/'}, {url: 'https:///a'}]}}", []string{
			"boot/url bootstrap.login.onConfigured[0].url", "boot/url bootstrap.login.onConfigured[1].url", "boot/url bootstrap.login.onConfigured[2].url", "boot/url bootstrap.login.onConfigured[3].url", "boot/url bootstrap.login.onConfigured[4].url",
		}},
	},
	"boot/checksum": {
		{"bootstrap", "{gdrcopy: {url: 'https://example.com/g.tar.gz', version: 2.5.1}}", []string{"boot/checksum bootstrap.gdrcopy.sha256"}},
		{"bootstrap", "{compute: {onStart: [{url: a}, {url: a, sha256: abc}, {url: a, sha256: " + strings.ToUpper(sound64) + "}, {url: a, sha256: " + sound64 + "}]}}", []string{
			"boot/checksum bootstrap.compute.onStart[0].sha256", "boot/checksum bootstrap.compute.onStart[1].sha256", "boot/checksum bootstrap.compute.onStart[2].sha256",
		}},
	},
	"gdrcopy/version": {
		{"bootstrap", "{gdrcopy: {url: 'https://example.com/g.tar.gz', sha256: " + sound64 + ", version: 2.5.1}}", nil},
		{"bootstrap", "{gdrcopy: {url: 'https://example.com/g.tar.gz', sha256: " + sound64 + ", version: 2}}", []string{"config/value bootstrap.gdrcopy.version"}},
		{"bootstrap", "{gdrcopy: {url: g, version: v2.5.1}}", []string{"config/value bootstrap.gdrcopy.version"}},
	},
	"boot/timeout": {
		{"bootstrap", "{compute: {onStart: [{url: a, minutes: 20}], onConfigured: [{url: a, minutes: 15}]}, head: {onStart: [{url: a, minutes: 34}]}}", []string{"boot/timeout bootstrap.compute"}},
		{"bootstrap", "{headTimeoutMinutes: 10, head: {onStart: [{url: a, minutes: 11}]}}", []string{"boot/timeout bootstrap.head"}},
	},
	"tag/form": {
		{"tags", "{owner: me, empty: ''}", nil},
		{"tags", "{'aws:x': a, 'Parallelcluster:x': a, '': a, " + strings.Repeat("k", 129) + ": a, v: " + strings.Repeat("é", 257) + "}", []string{
			`config/value tags[""]`, `config/value tags["Parallelcluster:x"]`, `config/value tags["aws:x"]`, "config/value tags." + strings.Repeat("k", 129), "config/value tags.v",
		}},
		{"tags", `{k: "a\nb"}`, []string{"config/value tags.k"}},
		{"tags", "{" + strings.Join(numbered("k%d: v", 41), ", ") + "}", []string{"pc/size tags"}},
	},
	"arn/form": {
		{"iam", "{policies: ['arn:aws-us-gov:iam::aws:policy/x', hunter2], permissionsBoundary: 'arn:aws:iam::123456789012:role/x'}", []string{"config/value iam.policies[1]", "config/value iam.permissionsBoundary"}},
		{"slurm", "{database: {uri: 'db:3306', user: u, passwordSecret: hunter2}}", []string{"config/value slurm.database.passwordSecret"}},
	},
	"iam/prefix": {
		{"iam", "{resourcePrefix: /a/b-}", nil},
		{"iam", "{resourcePrefix: a}", []string{"config/value iam.resourcePrefix"}},
	},
	"slurm/database": {
		{"slurm", "{database: {uri: 'db.example.com:3306', user: u, passwordSecret: s}}", nil},
		{"slurm", "{database: {uri: db, user: u, passwordSecret: s}}", []string{"config/value slurm.database.uri"}},
		{"slurm", "{database: {uri: 'u:p@db:3306/x', user: u, passwordSecret: s}}", []string{"config/value slurm.database.uri"}},
	},
	"rule/override": {
		{"rules", "{ver/floor: {level: warn, reason: known}, block/several: {level: error}}", nil},
		{"rules", "{ver/floor: {level: warn}, ver/flour: {level: note, reason: x}, ver/pair: {reason: x}}", []string{"config/required rules.ver/floor.reason", "config/key rules.ver/flour", "config/required rules.ver/pair.level"}},
		{"rules", "{config/value: {level: warn, reason: known}, config/key: {level: error}, file/unreadable: {level: note, reason: x}}", []string{"config/value rules.config/value.level", "config/value rules.file/unreadable.level"}},
	},
	"rule/skip": {
		{"preflight", "{skip: {block/zone: known, block/count: x, block/zonk: x}}", []string{"config/value preflight.skip.block/count", "config/key preflight.skip.block/zonk"}},
	},
}

func numbered(format string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return out
}

func TestChecks(t *testing.T) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.says)
			reported := false
			require.NotEmpty(t, checkCases[c.name], "a check without a case")
			for _, tc := range checkCases[c.name] {
				got := judgeOnly(t, c.name, map[string]string{tc.section: tc.value})
				require.ElementsMatch(t, tc.want, got, "%s: %s", tc.section, tc.value)
				reported = reported || len(got) > 0
			}
			require.True(t, reported, "no case in which the check reports")
		})
	}
	require.Len(t, checkCases, len(checks), "a case without its check")
}

// A group's repeated name, which the table above can't say in one section.
func TestGroupNames(t *testing.T) {
	second := strings.Replace(twoGroups("zone: us-east-2a"), "name: b", "name: a", 1)
	require.Equal(t, []string{"config/conflict groups[1].name"}, judgeOnly(t, "name/unique", map[string]string{"groups": second}))
}

// Each finding of a password's place keeps the text to itself.
func TestNoSecretInFindings(t *testing.T) {
	_, list := Decode("c.yaml", []byte("slurm: {database: {uri: 'u:hunter2@db', user: u, passwordSecret: hunter2, password: hunter2}}\n"))
	require.NotEmpty(t, list)
	require.NotContains(t, render(list), "hunter2")
}

func TestIsZoneID(t *testing.T) {
	for zone, want := range map[string]bool{
		"use2-az1": true, "use1-dfw2-az1": true, "use1-wl1-bos-wlz1": true,
		"us-east-2a": false, "us-east-1-dfw-2a": false, "us-east-1-wl1-bos-wlz-1": false, "": false, "use2-az": false,
	} {
		require.Equal(t, want, IsZoneID(zone), zone)
	}
}
