package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// mixed is a cluster with a block and a group on demand, from which every row of the table makes one change.
const mixed = `
name: mixed
region: us-east-2
parallelcluster: 3.16.1
network: {create: {}}
headNode: {instanceType: m6i.4xlarge}
groups:
  - name: train
    instanceType: p5en.48xlarge
    count: 4
    zone: us-east-2a
    capacity: {block: {reservation: cr-05e0000000000000a}}
  - name: prepare
    instanceType: c6i.4xlarge
    count: 8
    zone: us-east-2a
    efa: false
    capacity: {onDemand: true}
storage:
  - name: scratch
    mount: /fsx
    fsxLustre: {capacityGiB: 4800, throughputMBps: 250}
s3:
  - {bucket: checkpoints, write: true}
slurm: {scaledownIdleMinutes: 10, queueUpdateStrategy: COMPUTE_FLEET_STOP}
tags: {team: research}
`

// change is one change of the config: old texts and what stands in their place.
type change struct {
	name string
	edit []string // old and new, in pairs
	// running and stopped say whether the change is taken while the compute fleet runs, or is stopped.
	running, stopped bool
}

var changes = []change{
	{"nothing", nil, true, true},
	{"a group on demand grows", []string{"count: 8", "count: 12"}, true, true},
	{"a group on demand shrinks", []string{"count: 8", "count: 6"}, false, true},
	{"static nodes on demand", []string{"count: 8", "count: 8\n    minCount: 2"}, false, true},
	{"the next block", []string{"cr-05e0000000000000a", "cr-05e0000000000000b"}, false, true},
	{"the next block, drained", []string{"cr-05e0000000000000a", "cr-05e0000000000000b", "COMPUTE_FLEET_STOP", "DRAIN"}, true, true},
	{"the next block in another zone", append([]string{"{create: {}}", "{create: {zone: us-east-2a}}"}, elsewhere...), true, true},
	{"the block's group shrinks", []string{"count: 4", "count: 2"}, false, true},
	{"the block's group shrinks, terminated", []string{"count: 4", "count: 2", "COMPUTE_FLEET_STOP", "TERMINATE"}, true, true},
	{"the block's group grows", []string{"count: 4", "count: 6"}, true, true},
	{"another group", []string{"storage:", "  - {name: more, instanceType: c6i.8xlarge, count: 2, zone: us-east-2a, efa: false, capacity: {onDemand: true}}\nstorage:"}, true, true},
	{"a group less", []string{group("prepare"), ""}, false, true},
	{"a group less, terminated", []string{group("prepare"), "", "COMPUTE_FLEET_STOP", "TERMINATE"}, true, true},
	{"layout most-bandwidth", []string{"count: 4", "count: 4\n    layout: most-bandwidth"}, false, true},
	{"EFA off", []string{"count: 4", "count: 4\n    efa: false"}, false, true},
	{"another instance type", []string{"c6i.4xlarge", "c6i.8xlarge"}, false, true},
	{"idle time", []string{"scaledownIdleMinutes: 10", "scaledownIdleMinutes: 30"}, false, true},
	{"a new file system", []string{"s3:", "  - {name: homes, mount: /shared, efs: {}}\ns3:"}, true, true},
	{"a volume", []string{"s3:", "  - {name: tools, mount: /tools, ebs: {sizeGiB: 100}}\ns3:"}, false, true},
	{"a file system less", []string{"storage:", "storage: []\n", "  - name: scratch\n    mount: /fsx\n    fsxLustre: {capacityGiB: 4800, throughputMBps: 250}\n", ""}, true, true},
	{"the value of a tag", []string{"team: research", "team: inference"}, true, true},
	{"another tag", []string{"team: research", "team: research, owner: ml"}, true, true},
	{"another head node", []string{"m6i.4xlarge", "m6i.8xlarge"}, false, false},
	{"a boot script of the nodes", []string{"slurm:", "bootstrap: {compute: {onConfigured: [{url: s3://scripts/setup.sh, " + checksum + "}]}}\nslurm:"}, false, true},
	{"a boot script of the head node", []string{"slurm:", "bootstrap: {head: {onConfigured: [{url: s3://scripts/setup.sh, " + checksum + "}]}}\nslurm:"}, false, false},
	{"the queue strategy alone", []string{"COMPUTE_FLEET_STOP", "DRAIN"}, true, true},
	{"an image for all", []string{"storage:", "image: {ami: ami-0aaaaaaaaaaaaaaa1}\nstorage:"}, false, false},
	{"an image for one group", []string{"count: 4", "count: 4\n    image: {ami: ami-0aaaaaaaaaaaaaaa1}"}, false, true},
	{"another bucket", []string{"write: true}", "write: true}\n  - {bucket: tokens}"}, true, true},
	{"a bucket only to read", []string{", write: true", ""}, true, true},
	{"a policy of the nodes", []string{"slurm:", "iam: {policies: [\"arn:aws:iam::123456789012:policy/extra\"]}\nslurm:"}, true, true},
	{"a policy of the head node", []string{"m6i.4xlarge}", "m6i.4xlarge, policies: [\"arn:aws:iam::123456789012:policy/extra\"]}"}, true, true},
	{"login nodes", []string{"groups:", "loginNodes: [{name: users, instanceType: m6i.large, count: 1}]\ngroups:"}, true, true},
	// weft's boot actions are told how long they may take, so they are other scripts then.
	{"time for the nodes to boot", []string{"slurm:", "bootstrap: {timeoutMinutes: 60}\nslurm:"}, false, true},
	{"time for the head node to boot", []string{"slurm:", "bootstrap: {headTimeoutMinutes: 45}\nslurm:"}, false, false},
	{"Slurm settings", []string{"slurm: {", "slurm: {settings: {MaxJobCount: \"50000\"}, "}, true, true},
	{"detailed monitoring", []string{"slurm:", "monitoring: {detailed: true}\nslurm:"}, false, true},
	{"a larger root volume", []string{"count: 4", "count: 4\n    rootVolumeGiB: 200"}, false, true},
	{"SSH from somewhere", []string{"m6i.4xlarge}", "m6i.4xlarge, allowedIPs: [10.0.0.0/8]}"}, true, true},
}

// checksum of the boot script, which nobody fetches here.
var checksum = "sha256: " + strings.Repeat("0a", 32)

// group is the text of one of the groups.
func group(name string) string {
	start := strings.Index(mixed, "  - name: "+name)
	end := strings.Index(mixed, "storage:")
	return mixed[start:end]
}

// The real update-cluster and pcconfig.Update refuse the same keys of every change, whether the fleet runs or not.
func TestUpdateAgreesWithParallelCluster(t *testing.T) {
	t.Parallel()
	const version, halves = "3.16.1", 2
	for half := range halves {
		t.Run(fmt.Sprintf("half %d", half), func(t *testing.T) {
			t.Parallel()
			emulated := judgetest.Account(t)
			j := judgetest.Judge(t, version, emulated)
			for i, c := range changes {
				if i%halves == half {
					t.Run(c.name, func(t *testing.T) { c.judge(t, j, emulated) })
				}
			}
		})
	}
}

func (c change) judge(t *testing.T, j *judge.Judge, emulated *account.Account) {
	t.Helper()
	d := deploy(t, mixed, nil)
	before := d.render()
	d.configure(c.after(t))
	after := d.render()
	require.NoError(t, emulated.Load(t.Context(), d.world))
	found, err := pcconfig.Update(j.Version(), []byte(before), []byte(after))
	require.NoError(t, err)

	ask := func(fleet account.Fleet, taken bool) {
		theirs, err := j.Update(t.Context(), "mixed", before, after, fleet)
		require.NoError(t, err)
		ours := pcconfig.Refused(found, fleet == account.Running)
		require.Equal(t, refusedKeys(theirs), paths(ours), "%s", fleet)
		require.Equal(t, taken, len(theirs.Refused) == 0, "%s: refused %v", fleet, theirs.Refused)
		require.NotContains(t, levels(theirs.Findings), "ERROR", "%v", theirs.Findings)
	}
	ask(account.Running, c.running)
	if !c.running { // what a running fleet takes, a stopped one takes too
		ask(account.Stopped, c.stopped)
	}
}

// after is the config after the change.
func (c change) after(t *testing.T) string {
	t.Helper()
	for i := 0; i < len(c.edit); i += 2 {
		require.Contains(t, mixed, c.edit[i])
	}
	return strings.NewReplacer(c.edit...).Replace(mixed)
}

func levels(findings []judge.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Level)
	}
	return out
}

func refusedKeys(v judge.UpdateVerdict) []string {
	var out []string
	for _, r := range v.Refused {
		out = append(out, r.Parameter)
	}
	slices.Sort(out)
	return out
}

func paths(findings diag.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Place.Path)
	}
	slices.Sort(out)
	return out
}
