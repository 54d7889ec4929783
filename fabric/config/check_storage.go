package config

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

func (v *view) storageOne() {
	each("storage", v.cluster.Storage, func(at string, s *Storage) {
		if !v.sound(at) {
			return
		}
		given := v.chosen(at, choice{"ebs", s.EBS != nil}, choice{"efs", s.EFS != nil}, choice{"fsxLustre", s.FSxLustre != nil})
		if len(given) == 0 {
			v.report(diag.ConfigRequired, at, "no kind of file system", "one of ebs, efs or fsxLustre", "add efs: {} for a new EFS file system, or one of the others with its size")
		}
		v.exclusive(at, "one kind for a file system", given)
	})
}

// Directories that a mount would hide from the system or from ParallelCluster. Below the first a mount is harmless; below
// the second, what lies there belongs to the system.
var (
	reservedDirs  = []string{"/", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr", "/var"}
	reservedTrees = []string{
		"/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys",
		"/opt/amazon", "/opt/intel", "/opt/parallelcluster", "/opt/slurm", "/usr/bin", "/usr/lib", "/usr/local", "/usr/sbin",
	}
	mountForm = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)
)

// mountFault says what is wrong with a directory to mount on: got and the way out. got is empty when nothing is.
func mountFault(dir string) (got, hint string) {
	switch {
	case !strings.HasPrefix(dir, "/"):
		return "the relative path " + quote(dir), "start it with /"
	case path.Clean(dir) != dir:
		return quote(dir), "write it short: " + path.Clean(dir)
	case slices.Contains(reservedDirs, dir) || slices.ContainsFunc(reservedTrees, func(tree string) bool { return within(dir, tree) }):
		return quote(dir) + ", which the system uses", "choose a directory of its own, for example /data or /fsx"
	case !mountForm.MatchString(dir):
		return quote(dir), "use letters, digits, point, hyphen and underscore"
	default:
		return "", ""
	}
}

// within says whether a clean path is a directory or lies in it.
func within(dir, tree string) bool { return dir == tree || strings.HasPrefix(dir, tree+"/") }

const wantMount = "an absolute directory that neither the system nor ParallelCluster uses"

func (v *view) storageMounts() {
	c := v.cluster
	for i, s := range c.Storage {
		at := item("storage", i) + ".mount"
		if s.Mount == "" || !v.sound(at) {
			continue
		}
		if got, hint := mountFault(s.Mount); got != "" {
			v.report(diag.ConfigValue, at, got, wantMount, hint)
			continue
		}
		for j, other := range c.Storage[:i] {
			v.apart(at, s.Mount, item("storage", j)+".mount", other.Mount)
		}
	}
}

// apart reports two mounts of which one hides the other.
func (v *view) apart(at, dir, otherAt, other string) {
	if other == "" || !v.sound(otherAt) || !within(dir, other) && !within(other, dir) {
		return
	}
	v.report(diag.ConfigConflict, at, fmt.Sprintf("%s beside %s of %s", dir, other, otherAt), "mount directories that do not lie in each other", "choose another directory for one of them")
}

func (v *view) groupScratch() {
	each("groups", v.cluster.Groups, func(group string, g *Group) {
		at := group + ".scratchMount"
		if !v.sound(at) {
			return
		}
		if got, hint := mountFault(g.ScratchMount); got != "" {
			v.report(diag.ConfigValue, at, got, wantMount, hint)
			return
		}
		each("storage", v.cluster.Storage, func(storage string, s *Storage) {
			v.apart(at, g.ScratchMount, storage+".mount", s.Mount)
		})
	})
}

// storageExisting: ParallelCluster takes an id of an FSx file system alone; weft neither makes nor deletes an existing one.
func (v *view) storageExisting() {
	each("storage", v.cluster.Storage, func(at string, s *Storage) {
		if s.EFS != nil && s.EFS.Existing != "" {
			v.onlyExisting(at+".efs", "keep")
		}
		if s.FSxLustre != nil && s.FSxLustre.Existing != "" {
			v.onlyExisting(at+".fsxLustre", "capacityGiB", "throughputMBps", "keep", "s3")
		}
	})
}

func (v *view) onlyExisting(at string, keys ...string) {
	for _, key := range keys {
		if v.given(child(at, key)) {
			v.report(diag.ConfigConflict, child(at, key), key+" beside existing", "existing alone: the file system is as it is", "remove "+key+", or remove existing to make a new file system")
		}
	}
}

func (v *view) storageCapacity() {
	each("storage", v.cluster.Storage, func(at string, s *Storage) {
		path := at + ".fsxLustre.capacityGiB"
		if s.FSxLustre == nil || v.given(at+".fsxLustre.existing") || !v.sound(path) {
			return
		}
		switch size := s.FSxLustre.CapacityGiB; {
		case !v.given(path):
			v.report(diag.ConfigRequired, path, "no capacityGiB", "the size of the new file system", "add capacityGiB: 1200 or a multiple of 2400, or existing: fs-… of one that you have")
		case size != 1200 && (size <= 0 || size%2400 != 0):
			v.reportFrom("FSx for Lustre User Guide: storage capacity of persistent and scratch 2 file systems", diag.ConfigValue, path,
				fmt.Sprintf("%d GiB", size), "1200 or a multiple of 2400", fmt.Sprintf("take %d", soldCapacity(size)))
		}
	})
}

// soldCapacity is the next size that holds as much.
func soldCapacity(size int) int {
	if size <= 1200 {
		return 1200
	}
	return (size + 2399) / 2400 * 2400
}

func (v *view) storageLinks() {
	each("storage", v.cluster.Storage, func(at string, s *Storage) {
		if s.FSxLustre == nil {
			return
		}
		each(at+".fsxLustre.s3", s.FSxLustre.S3, func(at string, link *DataRepository) {
			if p := at + ".path"; v.sound(p) && (!strings.HasPrefix(link.Path, "/") || path.Clean(link.Path) != link.Path) {
				v.report(diag.ConfigValue, p, quote(link.Path), "an absolute directory of the file system, for example /datasets", "write "+path.Join("/", link.Path))
			}
			if p := at + ".bucket"; v.sound(p) && !s3URL.MatchString(link.Bucket) {
				v.report(diag.ConfigValue, p, quote(link.Bucket), "the URL of a bucket: s3://bucket/prefix/", "write s3:// and the bucket's name")
			}
		})
	})
}

const storageNumbers = "AWS ParallelCluster User Guide, SharedStorage"

// storageLimits: 5 EBS volumes, 1 new and 20 existing of EFS and of FSx, 8 data repositories of a file system.
func (v *view) storageLimits() {
	counts := map[string]int{}
	count := func(at, kind string, most int) {
		counts[kind]++
		if counts[kind] == most+1 {
			v.reportFrom(storageNumbers, diag.PCSize, at, fmt.Sprintf("%d %s", counts[kind], kind), fmt.Sprintf("at most %d", most), "use one file system for several directories")
		}
	}
	each("storage", v.cluster.Storage, func(at string, s *Storage) {
		if s.EBS != nil {
			count(at, "EBS volumes", 5)
		}
		if s.EFS != nil && v.given(at+".efs.existing") {
			count(at, "existing EFS file systems", 20)
		} else if s.EFS != nil {
			count(at, "new EFS file systems", 1)
		}
		if s.FSxLustre != nil && v.given(at+".fsxLustre.existing") {
			count(at, "existing FSx file systems", 20)
		} else if s.FSxLustre != nil {
			count(at, "new FSx file systems", 1)
			v.linkLimit(at+".fsxLustre.s3", len(s.FSxLustre.S3))
		}
	})
}

func (v *view) linkLimit(at string, n int) {
	if n > 8 {
		v.reportFrom(storageNumbers, diag.PCSize, at, fmt.Sprintf("%d links to buckets", n), "at most 8", "link a common prefix of several directories")
	}
}
