package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/version"
)

// boot is what the nodes of one section of a cluster boot.
type boot struct {
	Input
	Boot
	noun    string
	image   Value[string]
	types   []Value[string]
	compute bool
	login   bool
}

func (v *view) eachBoot(do func(boot)) {
	for i := range v.Clusters {
		for _, b := range v.Clusters[i].boots() {
			do(b)
		}
	}
}

// boots lists the sections with nodes. A section without an image of its own boots the cluster's.
func (c *ParallelCluster) boots() []boot {
	or := func(own Value[string]) Value[string] {
		if own.IsAbsent() {
			return c.Image
		}
		return own
	}
	out := []boot{{Input: c.Input, Boot: c.Head.Boot, noun: "the head node", image: or(c.Head.Image), types: []Value[string]{c.Head.InstanceType}}}
	for _, p := range c.Logins {
		out = append(out, boot{
			Input: c.Input, Boot: p.Boot, noun: "login nodes " + p.Name.Or(""), image: or(p.Image), types: []Value[string]{p.InstanceType}, login: true,
		})
	}
	for _, q := range c.Queues.Items {
		var types []Value[string]
		for _, r := range q.Resources.Items {
			types = append(types, r.types().Items...)
		}
		out = append(out, boot{Input: c.Input, Boot: q.Boot, noun: "queue " + q.Name.Or(""), image: or(q.Image), types: types, compute: true})
	}
	return out
}

// readers are managed policies of AWS that let a node read every bucket of its account.
var readers = []string{"AmazonS3ReadOnlyAccess", "AmazonS3FullAccess", "AdministratorAccess", "PowerUserAccess", "ReadOnlyAccess"}

func judgeS3Access(v *view) {
	v.eachBoot(func(b boot) {
		if b.Access.IsUnknown() {
			v.wait(b.Input, b.Access.Path)
			return
		}
		for _, s := range b.Scripts.Items {
			url, _ := s.URL.Get()
			bucket, key, ok := strings.Cut(strings.TrimPrefix(url, "s3://"), "/")
			if ok && strings.HasPrefix(url, "s3://") && !b.reads(bucket, key) {
				v.missingGrant(b, s, bucket, key)
			}
		}
	})
}

// reads reports that a grant covers an object, or could.
func (b boot) reads(bucket, key string) bool {
	for _, a := range b.Access.Items {
		if a.Bucket.IsUnknown() || a.KeyName.IsUnknown() {
			return true
		}
		granted, whole := strings.CutSuffix(a.KeyName.Or("*"), "*")
		if a.Bucket.Or("") == bucket && (whole && strings.HasPrefix(key, granted) || key == a.KeyName.Or("")) {
			return true
		}
	}
	return slices.ContainsFunc(b.Policies.Items, func(p Value[string]) bool {
		arn := p.Or("")
		return slices.ContainsFunc(readers, func(name string) bool { return strings.HasSuffix(arn, ":aws:policy/"+name) })
	})
}

// missingGrant is an error where nothing else can allow the read. A role or policy of the user's own may.
func (v *view) missingGrant(b boot, s Script, bucket, key string) {
	own := slices.ContainsFunc(b.Policies.Items, func(p Value[string]) bool {
		return !strings.Contains(p.Or(""), ":iam::aws:policy/")
	})
	hint := fmt.Sprintf("add {BucketName: %s, KeyName: %s} to S3Access", bucket, key)
	level := v.rule.Level()
	switch {
	case b.login && own, !b.Role.IsAbsent():
		return // there is no S3Access to take: only the user's own role or policy can allow it
	case b.login:
		hint = "add a policy that allows s3:GetObject on it to AdditionalIamPolicies: login pools take no S3Access"
	case own || b.Policies.IsUnknown():
		level = diag.Warn
		hint += ", unless one of the additional policies allows it"
	}
	v.addAt(level, at(b.Input, s.URL.Path), fmt.Sprintf("%s, which no S3Access of %s covers", Show(s.URL), strings.TrimSpace(b.noun)), "a grant to read it", hint,
		"aws/aws-parallelcluster#6115; aws-samples/pcluster-manager#269")
}

// release is the cluster's ParallelCluster version, where it can be read.
func (c *ParallelCluster) release() (version.Version, bool) {
	text, ok := c.Version.Get()
	if !ok {
		return version.Version{}, false
	}
	release, err := version.Parse(text)
	return release, err == nil
}

// interfacesOf is how many interfaces ParallelCluster gives a type, 0 where the catalogue has no row for it.
func interfacesOf(c *ParallelCluster, name string, efa bool) int {
	t, ok := catalog.Instance(name)
	if !ok {
		return 0
	}
	release, known := c.release()
	if !known {
		release = version.MustParse(catalog.NewestJudgedRelease().Version)
	}
	return len(plan.Generated(release, t, efa))
}

// judgeReleaseCards: what ParallelCluster generates must fit the type's cards.
func judgeReleaseCards(v *view) {
	v.eachResource(func(c clusterResource) {
		if !IsTrue(c.resource.EFA) || !c.resource.Override.IsAbsent() {
			return
		}
		release, known := c.cluster.release()
		if !known {
			return
		}
		for _, value := range c.resource.types().Items {
			t, ok := catalog.Instance(value.Or(""))
			if !ok {
				continue
			}
			for _, i := range plan.Generated(release, t, true) {
				card, ok := t.Card(i.Card)
				if !ok || !i.TakesEFA() || card.TakesEFA() {
					continue
				}
				v.add(at(c.Input, value.Path), fmt.Sprintf("ParallelCluster %s puts %s on card %d of %s", release, i.Type, i.Card, t.Name),
					fmt.Sprintf("card %d takes %s", i.Card, list(card.Types)), "use ParallelCluster 3.15.1 or later, which leaves that card without EFA",
					"aws/aws-parallelcluster#7143; "+sourceCards)
			}
		}
	})
}
