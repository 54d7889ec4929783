package config

import (
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-hpc/weft/fabric/diag"
)

// maxTags: AWS takes 50 tags on a resource, of which ParallelCluster keeps some for itself.
const maxTags = 40

func (v *view) tagForms() {
	tags := v.cluster.Tags
	if len(tags) > maxTags {
		v.report(diag.PCSize, "tags", fmt.Sprintf("%d tags", len(tags)), fmt.Sprintf("at most %d", maxTags), "keep those that somebody reads")
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		path := child("tags", key)
		if got, want, hint := tagFault(key, tags[key]); got != "" && v.sound(path) {
			v.report(diag.ConfigValue, path, got, want, hint)
		}
	}
}

func tagFault(key, value string) (got, want, hint string) {
	lower := strings.ToLower(key)
	switch {
	case strings.HasPrefix(lower, "aws:") || strings.HasPrefix(lower, "parallelcluster:"):
		return "the tag " + quote(key), "a key outside aws: and parallelcluster:, which are reserved", "choose another prefix"
	case strings.TrimSpace(key) == "":
		return "a tag without key", "a key of 1 to 128 characters", "name the tag"
	case utf8.RuneCountInString(key) > 128:
		return fmt.Sprintf("a key of %d characters", utf8.RuneCountInString(key)), "at most 128 characters", "shorten the key"
	case utf8.RuneCountInString(value) > 256:
		return fmt.Sprintf("a value of %d characters", utf8.RuneCountInString(value)), "at most 256 characters", "shorten the value"
	case strings.ContainsFunc(key+value, unicode.IsControl):
		return "line breaks or control characters", "one line of text", "remove them"
	default:
		return "", "", ""
	}
}

var (
	policyARN   = regexp.MustCompile(`^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/\S+$`)
	secretARN   = regexp.MustCompile(`^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:\S+$`)
	prefixForm  = regexp.MustCompile(`^/([\w+=,.@-]+/)*[\w+=,.@-]*$`)
	wantPolicy  = "the ARN of an IAM policy: arn:aws:iam::ACCOUNT:policy/NAME"
	wantSecret  = "the ARN of a secret: arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME"
	wantsPrefix = "/path/ or /path/name"
)

func (v *view) arnForms() {
	c := v.cluster
	policy := func(path string, arn *string) { v.arn(policyARN, wantPolicy, path, *arn) }
	each("headNode.policies", c.HeadNode.Policies, policy)
	each("iam.policies", c.IAM.Policies, policy)
	policy("iam.permissionsBoundary", &c.IAM.PermissionsBoundary)
	if db := c.Slurm.Database; db != nil {
		v.arn(secretARN, wantSecret, "slurm.database.passwordSecret", db.PasswordSecret)
	}
}

// arn shows no value: where an ARN is wanted, a password may stand.
func (v *view) arn(form *regexp.Regexp, want, path, arn string) {
	if arn == "" || !v.sound(path) || form.MatchString(arn) {
		return
	}
	got := "a text of another form"
	if strings.HasPrefix(arn, "arn:") {
		got = quote(arn)
	}
	v.report(diag.ConfigValue, path, got, want, "copy the ARN from the console, or from the answer of the AWS command line")
}

func (v *view) iamPrefix() {
	const path = "iam.resourcePrefix"
	if p := v.cluster.IAM.ResourcePrefix; p != "" && v.sound(path) && !prefixForm.MatchString(p) {
		v.report(diag.ConfigValue, path, quote(p), wantsPrefix, "start it with /, and use letters, digits and _+=,.@- only")
	}
}

func (v *view) slurmDatabase() {
	const path = "slurm.database.uri"
	db := v.cluster.Slurm.Database
	if db == nil || db.URI == "" || !v.sound(path) {
		return
	}
	host, port, err := net.SplitHostPort(db.URI)
	if err == nil && host != "" && isPort(port) && !strings.Contains(db.URI, "/") {
		return
	}
	got := quote(db.URI)
	if strings.Contains(db.URI, "@") {
		got = "an address with a user name" // a password may stand beside it
	}
	v.report(diag.ConfigValue, path, got, "host:port", "give host and port alone, for example db.example.com:3306; user and passwordSecret are keys of their own")
}

func isPort(s string) bool { return regexp.MustCompile(`^[1-9][0-9]{0,4}$`).MatchString(s) }
