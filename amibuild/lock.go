package amibuild

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// LockFile is the name of the lock beside a recipe.
const LockFile = "amibuild.lock.yaml"

// Lock pins what a recipe resolves to. It is made once, checked in, and changed only by decision.
type Lock struct {
	// Recipe that was locked, by its name.
	Recipe string `yaml:"recipe" weft:"required"`
	// ParallelCluster version that it was locked for.
	ParallelCluster string `yaml:"parallelcluster" weft:"required"`
	// OS of the image.
	OS string `yaml:"os" weft:"required"`
	// Architecture of the image.
	Architecture string `yaml:"architecture" weft:"required,oneof=x86_64|arm64"`
	// Parent is the id of the image that is built from, in the Region of the build.
	Parent string `yaml:"parent" weft:"id=ami"`
	// Artifacts that the build downloads, in the order in which it needs them.
	Artifacts []Artifact `yaml:"artifacts"`
}

const lockHead = "# Made by `weft ami lock`. Check it in. Addresses may be changed to those of a mirror; a checksum is changed only together with\n" +
	"# its version.\n"

// DecodeLock reads a lock file as strictly as a recipe.
func DecodeLock(name string, data []byte) (config.File[Lock], diag.List) {
	f, found := config.Read[Lock](name, data, "recipe, parallelcluster and artifacts")
	for i, a := range f.Value.Artifacts {
		path := fmt.Sprintf("artifacts[%d]", i)
		if a.SHA256 != "" && f.Sound(path+".sha256") && !isSHA256(a.SHA256) {
			found.Add(diag.Finding{
				Rule: diag.AMIChecksum, Place: f.Positions[path+".sha256"],
				Got: fmt.Sprintf("%q, %d characters", a.SHA256, len(a.SHA256)), Want: "64 hex digits", Hint: "run sha256sum over the file and copy its first word",
			})
		}
		if f.Sound(path+".url") && !hasScheme(a.URL) {
			found.Add(diag.Finding{
				Rule: diag.ConfigValue, Place: f.Positions[path+".url"],
				Got: fmt.Sprintf("%q", a.URL), Want: "an address that starts with https:// or s3://", Hint: "take an address that proves who answers",
			})
		}
	}
	found.Sort()
	return f, found
}

func hasScheme(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "s3://")
}

func isSHA256(s string) bool {
	return len(s) == 64 && !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// Write writes the lock file.
func (l Lock) Write() ([]byte, error) {
	text, err := config.Write(l)
	if err != nil {
		return nil, fmt.Errorf("writing the lock: %w", err)
	}
	return append([]byte(lockHead), text...), nil
}

// Resolve is the lock of a plan: what an earlier lock pinned stays, what is new gets the address and checksum that are known. A
// checksum that is not known stays empty, which New refuses. The parent stays only for the same version, system and
// architecture: an image of one ParallelCluster version is no parent for another.
func Resolve(i Image, earlier Lock) Lock {
	l := Lock{Recipe: i.Name, ParallelCluster: i.ParallelCluster, OS: i.OS, Architecture: i.Architecture}
	if earlier.suits(i) {
		l.Parent = earlier.Parent
	}
	for _, s := range i.Steps {
		for _, a := range s.Artifacts {
			l.Artifacts = append(l.Artifacts, earlier.resolve(a))
		}
	}
	return l
}

// suits reports whether a lock was made for the image.
func (l Lock) suits(i Image) bool {
	return l.ParallelCluster == i.ParallelCluster && l.OS == i.OS && l.Architecture == i.Architecture
}

func (l Lock) resolve(a Artifact) Artifact {
	if k := l.find(a.Name); k >= 0 && l.Artifacts[k].Version == a.Version && l.sameFile(k, a) {
		return l.Artifacts[k]
	}
	a.SHA256 = published(a.Name, a.Version)
	return a
}

// sameFile reports whether a pinned artifact is the one that is wanted. The address may be a mirror's; a script has no version,
// so that its address tells.
func (l Lock) sameFile(k int, want Artifact) bool {
	return want.Version != "" || l.Artifacts[k].URL == want.URL
}

func (l Lock) find(name string) int {
	return slices.IndexFunc(l.Artifacts, func(a Artifact) bool { return a.Name == name })
}

// Pin gives a lock the checksum of an artifact. It fails for one that the lock does not have, and for what is no SHA-256.
func (l *Lock) Pin(name, sha256 string) error {
	k := l.find(name)
	if k < 0 {
		return fmt.Errorf("the lock has no artifact %q, only %s", name, strings.Join(l.names(), ", "))
	}
	if !isSHA256(sha256) {
		return fmt.Errorf("%q is no SHA-256: 64 hex digits", sha256)
	}
	l.Artifacts[k].SHA256 = sha256
	return nil
}

func (l Lock) names() []string {
	var out []string
	for _, a := range l.Artifacts {
		out = append(out, a.Name)
	}
	return out
}

// pin puts what the lock pins into the plan, and reports where it does not fit the recipe. Without a lock the plan keeps the
// addresses that are known, and no checksums.
func (p *planner) pin() {
	lock := p.Lock.Value
	if lock.suits(p.image) && p.image.Parent.AMI == "" {
		p.image.Parent.AMI = lock.Parent
	}
	for i := range p.image.Steps {
		for k, a := range p.image.Steps[i].Artifacts {
			p.image.Steps[i].Artifacts[k] = lock.resolve(a)
		}
	}
}
