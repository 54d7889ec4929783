package config

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

var (
	s3URL       = regexp.MustCompile(`^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s]*)?$`)
	s3Object    = regexp.MustCompile(`^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^\s]*[^\s/]$`)
	bucketName  = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	versionForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+){1,3}$`)
	sha256Form  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// scripts hands out all boot scripts.
func (v *view) scripts(use func(path string, s *Script)) {
	b := &v.cluster.Bootstrap
	for _, node := range []struct {
		name    string
		actions *Actions
	}{{"head", &b.Head}, {"login", &b.Login}, {"compute", &b.Compute}} {
		each("bootstrap."+node.name+".onStart", node.actions.OnStart, use)
		each("bootstrap."+node.name+".onConfigured", node.actions.OnConfigured, use)
	}
}

// pin is a file of the user's that nodes fetch, as a config names it.
type pin struct {
	path, what  string
	url, sha256 string
}

// pins hands out all boot scripts, and the archive of GDRCopy.
func (v *view) pins(use func(pin)) {
	v.scripts(func(path string, s *Script) { use(pin{path, "script", s.URL, s.SHA256}) })
	if a := v.cluster.Bootstrap.GDRCopy; a != nil {
		use(pin{"bootstrap.gdrcopy", "archive", a.URL, a.SHA256})
	}
}

// bootURLs: ParallelCluster's node software reads s3 and https, and refuses all else only when the node boots.
func (v *view) bootURLs() {
	v.pins(func(p pin) {
		at := p.path + ".url"
		if p.url == "" || !v.sound(at) || isScriptURL(p.url) {
			return
		}
		hint := "put the " + p.what + " into S3 and give s3://bucket/key"
		switch {
		case strings.HasPrefix(p.url, "http://"):
			hint = "use https://"
		case strings.HasPrefix(p.url, "s3://"), strings.HasPrefix(p.url, "https://"):
			hint = "give the whole URL, as far as the " + p.what + "'s own name"
		}
		v.report(diag.BootURL, at, quote(p.url), "s3://bucket/key or https://host/path", hint)
	})
}

func isScriptURL(s string) bool {
	if strings.HasPrefix(s, "s3://") {
		return s3Object.MatchString(s)
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && strings.Trim(u.Path, "/") != "" && u.User == nil
}

func (v *view) bootChecksums() {
	v.pins(func(p pin) {
		at := p.path + ".sha256"
		want := "the SHA-256 of the " + p.what + ", 64 hex digits in lower case"
		bare := strings.ToLower(strings.TrimPrefix(p.sha256, "sha256:"))
		switch {
		case !v.sound(at) || sha256Form.MatchString(p.sha256):
		case p.sha256 == "":
			v.report(diag.BootChecksum, at, "no sha256", want, "add what sha256sum prints for the "+p.what+", so that a changed "+p.what+" never runs unseen")
		case sha256Form.MatchString(bare):
			v.report(diag.BootChecksum, at, quote(p.sha256), want, "write "+bare)
		default:
			v.report(diag.BootChecksum, at, quote(p.sha256), want, "copy what sha256sum prints for the "+p.what)
		}
	})
}

// gdrcopyVersion: the node compares the version with its floor before it fetches anything.
func (v *view) gdrcopyVersion() {
	const at = "bootstrap.gdrcopy.version"
	a := v.cluster.Bootstrap.GDRCopy
	if a == nil || a.Version == "" || !v.sound(at) || versionForm.MatchString(a.Version) {
		return
	}
	v.report(diag.ConfigValue, at, quote(a.Version), "a version of GDRCopy, such as 2.5.1", "write the version that the archive's name has, in digits and points")
}

// bootTimeouts: ParallelCluster ends a node that is not ready within its timeout, and starts another, which fails alike.
// Login nodes have no timeout of their own.
func (v *view) bootTimeouts() {
	b := &v.cluster.Bootstrap
	v.bootTimeout("compute", "timeoutMinutes", b.Compute, b.TimeoutMinutes)
	v.bootTimeout("head", "headTimeoutMinutes", b.Head, b.HeadTimeoutMinutes)
}

func (v *view) bootTimeout(node, key string, a Actions, most int) {
	section := "bootstrap." + node
	if !v.sound(section, "bootstrap."+key) {
		return
	}
	sum := 0
	for _, list := range [][]Script{a.OnStart, a.OnConfigured} {
		for _, s := range list {
			sum += s.Minutes
		}
	}
	if sum >= most {
		v.report(diag.BootTimeout, section, fmt.Sprintf("scripts of %d minutes together", sum), fmt.Sprintf("less than %s, %d minutes, which hold the rest of the boot as well", key, most),
			fmt.Sprintf("raise bootstrap.%s above %d, or bake the work into the image", key, sum))
	}
}

func (v *view) s3Buckets() {
	each("s3", v.cluster.S3, func(path string, s *S3Access) {
		if at := path + ".bucket"; v.sound(at) && !bucketName.MatchString(s.Bucket) {
			v.report(diag.ConfigValue, at, quote(s.Bucket), "a bucket name: 3 to 63 lower case letters, digits, points and hyphens", bucketHint(s.Bucket))
		}
		if at := path + ".prefix"; s.Prefix != "" && v.sound(at) && (!strings.HasSuffix(s.Prefix, "*") || strings.HasPrefix(s.Prefix, "/")) {
			v.report(diag.ConfigValue, at, quote(s.Prefix), "a prefix of keys with * at its end, for example data/*", "write "+strings.Trim(strings.TrimSuffix(s.Prefix, "*"), "/")+"/*")
		}
	})
}

func bucketHint(bucket string) string {
	if rest, ok := strings.CutPrefix(bucket, "s3://"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return "give the name alone: " + name + "; keys go under prefix"
	}
	return "give the bucket's name, not its ARN or URL"
}

func (v *view) s3Nodes() {
	each("s3", v.cluster.S3, func(path string, s *S3Access) {
		if at := path + ".nodes"; v.sound(at) && len(s.Nodes) == 0 {
			v.report(diag.ConfigValue, at, "no nodes", "at least one of head, login or compute", "name the nodes, or leave nodes out for all of them")
		}
	})
}
