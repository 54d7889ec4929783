package catalog

import (
	"fmt"
	"slices"
)

// Release is one release of AWS ParallelCluster.
type Release struct {
	Version    string               // 3.16.1
	Date       string               // 2026-09-08, 2025-12 where only the month is known, empty where not even that
	Judged     bool                 // its Python package was read and run; the others are known from release notes
	OSes       []OS                 // what Image/Os takes
	Ships      map[Component]string // versions in the official images; what no source says is absent
	Interfaces InterfaceLayout      // what it generates for a compute resource with EFA
	Note       string               // doubts about Ships
	Source     Source
}

// OS is an operating system that a release takes.
type OS struct {
	Name      string   // ubuntu2204, as in Image/Os
	Official  bool     // official images exist; without, a custom one is mandatory
	LoginUser string   // ubuntu
	AMIPart   string   // ubuntu-2204-lts-hvm, the part of an image's name
	Platform  string   // platform that a capacity reservation must have: Linux/UNIX or Red Hat Enterprise Linux
	NotFor    []string // instance families that the release refuses on it, or has no driver for in its images
}

// InterfaceLayout is how a release lays out the interfaces of a node with EFA.
type InterfaceLayout string

// The layouts. CombinedInterfaces gives every card one "efa" interface, so that each takes an IP address
// and p6-b300, whose card 0 takes no EFA, cannot start. SplitInterfaces puts a plain interface on card 0
// and an "efa-only" on every card that takes it.
const (
	CombinedInterfaces InterfaceLayout = "efa"                // up to 3.14
	SplitInterfaces    InterfaceLayout = "interface+efa-only" // from 3.15
)

// The platforms of capacity reservations that ParallelCluster's operating systems need.
const (
	PlatformLinux = "Linux/UNIX"
	PlatformRHEL  = "Red Hat Enterprise Linux"
)

// Limits are the sizes that ParallelCluster takes.
type Limits struct {
	ClusterName              int // characters of a cluster's name
	ClusterNameAccounting    int // the same with Slurm accounting
	QueueName                int // characters of the name of a queue or compute resource
	Queues                   int
	ComputeResourcesPerQueue int
	ComputeResources         int // in the whole cluster
	LoginPools               int
	Tags                     int // tags of the cluster, those of ParallelCluster itself not counted
	StorageName              int // characters of a shared storage's name
	EBSVolumes               int
	NewFileSystems           int // managed EFS, and as many managed FSx
	ExistingFileSystems      int // existing EFS, and as many existing FSx
	BuildComponents          int // components of a build-image configuration
	BootstrapTimeoutSeconds  int // default of HeadNodeBootstrapTimeout and ComputeNodeBootstrapTimeout
	Source                   Source
}

// Limits gives the sizes that the release takes; they are the same in all releases known here.
func (r Release) Limits() Limits {
	return Limits{
		ClusterName: 60, ClusterNameAccounting: 40, QueueName: 25,
		Queues: 50, ComputeResourcesPerQueue: 50, ComputeResources: 50,
		LoginPools: 10, Tags: 40, StorageName: 30,
		EBSVolumes: 5, NewFileSystems: 1, ExistingFileSystems: 20,
		BuildComponents: 15, BootstrapTimeoutSeconds: 2100,
		Source: Source{"aws/aws-parallelcluster, cli/src/pcluster/constants.py", factsRead},
	}
}

// Releases lists the releases that the catalogue knows, oldest first.
func Releases() []Release { return slices.Clone(releaseTable) }

// ReleaseOf finds a release by its exact version.
func ReleaseOf(version string) (Release, bool) {
	i := slices.IndexFunc(releaseTable, func(r Release) bool { return r.Version == version })
	if i < 0 {
		return Release{}, false
	}
	return releaseTable[i], true
}

// NewestRelease is the newest release that the catalogue knows.
func NewestRelease() Release { return releaseTable[len(releaseTable)-1] }

// NewestJudgedRelease is the newest release whose package was read and run: what it takes is known by key.
func NewestJudgedRelease() Release {
	for _, r := range slices.Backward(releaseTable) {
		if r.Judged {
			return r
		}
	}
	return NewestRelease()
}

// OS finds an operating system of the release by its Image/Os name.
func (r Release) OS(name string) (OS, bool) {
	i := slices.IndexFunc(r.OSes, func(o OS) bool { return o.Name == name })
	if i < 0 {
		return OS{}, false
	}
	return r.OSes[i], true
}

// Takes reports whether the release runs an instance type on the operating system, as far as it does without
// whole families.
func (o OS) Takes(instanceType string) bool { return !slices.Contains(o.NotFor, family(instanceType)) }

// AMIName is the name pattern of a release's official images for an operating system and an architecture
// (x86_64, arm64); the owner is "amazon". False when the release is unknown or has no official image.
func AMIName(version, os, arch string) (string, bool) {
	r, ok := ReleaseOf(version)
	if !ok {
		return "", false
	}
	o, ok := r.OS(os)
	if !ok || !o.Official {
		return "", false
	}
	return fmt.Sprintf("aws-parallelcluster-%s-%s-%s*", version, o.AMIPart, arch), true
}
