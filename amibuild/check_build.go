package amibuild

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// checkLock: what is not pinned is not built.
func (p *planner) checkLock() {
	lock := p.Lock.Value
	if len(p.image.Steps) == 0 && p.image.Parent.Kind != DLAMI {
		return
	}
	switch {
	case lock.Recipe == "":
		p.add(diag.AMILock, "", "no lock", LockFile+" beside the recipe", "run weft ami lock", "")
		return
	case lock.Recipe != p.image.Name:
		p.addLock("recipe", "a lock of "+lock.Recipe, "the lock of "+p.image.Name, "keep each recipe in a folder of its own, and run weft ami lock")
		return
	case !lock.suits(p.image):
		p.addLock("parallelcluster", fmt.Sprintf("a lock for ParallelCluster %s, %s, %s", lock.ParallelCluster, lock.OS, lock.Architecture),
			fmt.Sprintf("%s, %s, %s", p.image.ParallelCluster, p.image.OS, p.image.Architecture),
			"run weft ami lock again, and pin the parent of the new version (--parent): the image is rebuilt on it")
	}
	p.checkPinned(lock)
	if p.image.Parent.Kind == DLAMI && p.image.Parent.AMI == "" {
		p.addLock("parent", "no image that "+p.image.Parent.Parameter+" stood for", "its id: the parameter moves with every release",
			"run aws ssm get-parameter --name "+p.image.Parent.Parameter+" and weft ami lock --parent ami-…")
	}
}

// addLock reports at a place of the lock file.
func (p *planner) addLock(path, got, want, hint string) {
	rule := diag.AMILock
	if strings.HasSuffix(path, "sha256") {
		rule = diag.AMIChecksum
	}
	at := diag.List{{Rule: rule, Place: diag.Place{Path: path}, Got: got, Want: want, Hint: hint}}
	p.Lock.Positions.Resolve(at)
	p.findings.Add(at...)
}

func (p *planner) checkPinned(lock Lock) {
	wanted := map[string]bool{}
	for _, s := range p.image.Steps {
		for _, a := range s.Artifacts {
			if !wanted[a.Name] { // a component for the second time is judged elsewhere
				p.checkArtifact(lock, a)
			}
			wanted[a.Name] = true
		}
	}
	for k, a := range lock.Artifacts {
		if !wanted[a.Name] {
			p.addLock(fmt.Sprintf("artifacts[%d]", k), a.Name+", which the recipe does not install", "what the recipe installs", "run weft ami lock again")
		}
	}
}

func (p *planner) checkArtifact(lock Lock, a Artifact) {
	k := lock.find(a.Name)
	path := fmt.Sprintf("artifacts[%d]", k)
	switch {
	case k < 0:
		p.addLock("artifacts", "no "+a.Name+" "+a.Version, "an artifact for each component of the recipe", "run weft ami lock again")
	case lock.Artifacts[k].Version != a.Version || !lock.sameFile(k, a):
		p.addLock(path, fmt.Sprintf("%s %s at %s", a.Name, lock.Artifacts[k].Version, lock.Artifacts[k].URL), or(a.Version, a.URL)+", as the recipe says", "run weft ami lock again")
	case a.SHA256 == "":
		p.addLock(path+".sha256", a.Name+" "+a.Version+" without a SHA-256", "the SHA-256 of "+a.URL,
			fmt.Sprintf("download it from where you trust it, and run weft ami lock --sha256 %s=$(sha256sum FILE | cut -d ' ' -f 1)", a.Name))
	case !isSHA256(a.SHA256): // reported by DecodeLock
	default:
		p.checkPublished(path, a)
	}
}

// checkPublished compares a pinned checksum with the one that AWS published.
func (p *planner) checkPublished(path string, a Artifact) {
	if known := published(a.Name, a.Version); known != "" && known != a.SHA256 {
		p.addLock(path+".sha256", a.SHA256, known+", the published SHA-256 of "+a.Name+" "+a.Version, "remove the line and run weft ami lock again; find out where the other file came from")
	}
}

var (
	gpuFamily = regexp.MustCompile(`^[pg][0-9]`)
	profile   = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:instance-profile/.+$`)
	role      = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$`)
	key       = regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/.+$`)
	s3Prefix  = regexp.MustCompile(`^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^/]+)*$`)
)

// checkBuild judges what would stop the build's machine, or its configuration.
func (p *planner) checkBuild() {
	b := p.image.Build
	if b.Subnet != "" && len(b.SecurityGroups) == 0 && p.Recipe.Sound("build.subnet", "build.securityGroups") {
		p.add(diag.ConfigRequired, "build.securityGroups", "a subnet without security groups", "the groups of the machine in that subnet",
			"add build.securityGroups: one that lets the machine out to the sources", "ParallelCluster, SecurityGroupsAndSubnetValidator")
	}
	for path, v := range map[string]struct {
		value string
		form  *regexp.Regexp
		says  string
	}{
		"build.instanceProfile": {b.InstanceProfile, profile, "the ARN of an instance profile"},
		"build.cleanupRole":     {b.CleanupRole, role, "the ARN of a role"},
		"build.kmsKey":          {b.KMSKey, key, "the ARN of a KMS key"},
		"build.scripts":         {b.Scripts, s3Prefix, "s3://bucket/prefix"},
	} {
		if v.value != "" && p.Recipe.Sound(path) && !v.form.MatchString(v.value) {
			p.add(diag.ConfigValue, path, fmt.Sprintf("%q", v.value), v.says, "write "+v.says, "")
		}
	}
	p.checkBuilder()
}

func (p *planner) checkBuilder() {
	name := p.image.Build.InstanceType
	if a, known := catalog.Architecture(name); known && a != p.image.Architecture {
		p.add(diag.AMIArchitecture, "build.instanceType", name+" is "+a, p.image.Architecture+", the architecture of the image", "take a type of that architecture, or leave instanceType out",
			"ParallelCluster, InstanceTypeBaseAMICompatibleValidator")
	}
	if p.image.NVIDIA && !gpuFamily.MatchString(name) {
		p.add(diag.ConfigConflict, "build.instanceType", name+", with ParallelCluster's NVIDIA software", "a type with an NVIDIA GPU", "take g4dn.4xlarge, or leave instanceType out",
			"ParallelCluster, InstanceTypeSoftwareValidator")
	}
}
