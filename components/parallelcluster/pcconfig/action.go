package pcconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// BootActions lists what the nodes of a plan run at boot before scripts of the user's.
func BootActions(p plan.Cluster) []bootstrap.NodeActions {
	return bootstrap.For(p, bootstrap.OptionsOf(p.Config.Bootstrap))
}

// bootSuffix is how many characters Pulumi adds to the name of a bucket: a hyphen and seven hex digits.
const bootSuffix = 8

// unknownBucket stands for those seven digits until they are known. It has letters that no hex digit is.
const unknownBucket = "unknown"

var unknownBucketForm = regexp.MustCompile(`^((?:s3://)?[a-z0-9-]+-boot-)` + unknownBucket + `(/.*)?$`)

// BootBucketName is the name of the bucket of a cluster's boot actions, without the suffix that Pulumi gives it: S3
// has one space of names for everybody, so that a cluster's name alone may be taken. A bucket's name has lower case
// letters and at most 63 characters (Amazon S3 User Guide, bucket naming rules).
func BootBucketName(cluster string) string {
	const kind, most = "-boot", 63 - bootSuffix
	name := strings.ToLower(cluster)
	if len(name+kind) > most {
		sum := sha256.Sum256([]byte(cluster))
		digits := hex.EncodeToString(sum[:3])
		name = name[:most-len(kind)-len(digits)-1] + "-" + digits
	}
	return name + kind
}

// bootBucket is the bucket of the boot actions, or what stands for it.
func (t translator) bootBucket() string {
	if t.ids.BootBucket != "" {
		return t.ids.BootBucket
	}
	return BootBucketName(t.plan.Name) + "-" + unknownBucket
}

// sameButBucket reports whether two names, URLs for instance, differ in nothing but a bucket's suffix that one of them
// does not know.
func sameButBucket(a, b string) bool {
	known := func(unknown, other string) bool {
		m := unknownBucketForm.FindStringSubmatch(unknown)
		if m == nil || !strings.HasPrefix(other, m[1]) || !strings.HasSuffix(other, m[2]) {
			return false
		}
		return len(other) == len(unknown) && !strings.Contains(other[len(m[1]):len(other)-len(m[2])], "/")
	}
	return known(a, b) || known(b, a)
}

// own gives the actions of the nodes of a kind, of the pool or group of a name.
func (t translator) own(kind bootstrap.Kind, name string) bootstrap.NodeActions {
	i := slices.IndexFunc(t.actions, func(n bootstrap.NodeActions) bool { return n.Kind == kind && n.Name == name })
	if i < 0 {
		return bootstrap.NodeActions{}
	}
	return t.actions[i]
}

// customActions writes weft's own actions before scripts of the user's: those may build on a node that was checked.
// Scripts are a Sequence even if there is one: going from one to two is then no change of form.
func (t translator) customActions(kind bootstrap.Kind, name string) *CustomActions {
	own, users := t.own(kind, name), t.users(kind)
	out := CustomActions{
		OnNodeStart:      t.sequence(own.OnStart, users.OnStart),
		OnNodeConfigured: t.sequence(own.OnConfigured, users.OnConfigured),
	}
	if out == (CustomActions{}) {
		return nil
	}
	return &out
}

func (t translator) sequence(own []bootstrap.Action, users []config.Script) *CustomAction {
	var out CustomAction
	for _, a := range own {
		out.Sequence = append(out.Sequence, Script{Script: "s3://" + t.bootBucket() + "/" + a.Script.Key(), Args: a.Args})
	}
	for _, s := range users {
		out.Sequence = append(out.Sequence, Script{Script: s.URL, Args: s.Args})
	}
	if len(out.Sequence) == 0 {
		return nil
	}
	return &out
}

// users gives the scripts of the user's that nodes of a kind run.
func (t translator) users(kind bootstrap.Kind) config.Actions {
	return map[bootstrap.Kind]config.Actions{
		bootstrap.Head: t.config.Bootstrap.Head, bootstrap.Login: t.config.Bootstrap.Login, bootstrap.Compute: t.config.Bootstrap.Compute,
	}[kind]
}

// bootKeys are the objects of the bucket that nodes read. A prefix, not a key for each: a changed script is then no
// change of a role.
const bootKeys = "weft/*"

// bootGrants is what the actions of some nodes read in S3: themselves, and the archive of GDRCopy.
func (t translator) bootGrants(own bootstrap.NodeActions) []S3Access {
	actions := slices.Concat(own.OnStart, own.OnConfigured)
	if len(actions) == 0 {
		return nil
	}
	out := []S3Access{{BucketName: t.bootBucket(), KeyName: bootKeys}}
	installs := slices.ContainsFunc(actions, func(a bootstrap.Action) bool { return a.Script.Name == bootstrap.GDRCopy })
	if archive := t.config.Bootstrap.GDRCopy; archive != nil && installs {
		if bucket, key, ok := splitS3(archive.URL); ok {
			out = append(out, S3Access{BucketName: bucket, KeyName: key})
		}
	}
	return out
}
