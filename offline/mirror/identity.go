package mirror

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/offline/account"
)

// identity makes keys, policies, buckets and the scripts in them.
func (m *maker) identity() {
	if key := m.config.HeadNode.Key; key != "" { // every system takes an ed25519 key, newer ones no other
		m.world.KeyPairs = append(m.world.KeyPairs, account.KeyPair{Name: key, Type: "ed25519"})
	}
	for _, arn := range slices.Concat(m.config.HeadNode.Policies, m.config.IAM.Policies, []string{m.config.IAM.PermissionsBoundary}) {
		m.policy(arn)
	}
	for _, access := range m.config.S3 {
		m.bucket(access.Bucket)
	}
	b := m.config.Bootstrap
	for _, actions := range []config.Actions{b.Head, b.Login, b.Compute} {
		for _, script := range slices.Concat(actions.OnStart, actions.OnConfigured) {
			m.script(script.URL)
		}
	}
}

// policy makes a policy of the account; AWS's own are there already.
func (m *maker) policy(arn string) {
	own := strings.Contains(arn, ":iam::"+account.ID+":")
	known := slices.ContainsFunc(m.world.Policies, func(p account.Policy) bool { return p.ARN == arn })
	if own && !known {
		m.world.Policies = append(m.world.Policies, account.Policy{ARN: arn})
	}
}

// bucket gives the index of a bucket, made if it is not there.
func (m *maker) bucket(name string) int {
	at := slices.IndexFunc(m.world.Buckets, func(b account.Bucket) bool { return b.Name == name })
	if at < 0 {
		at = len(m.world.Buckets)
		m.world.Buckets = append(m.world.Buckets, account.Bucket{Name: name})
	}
	return at
}

// script makes a boot script that lies in S3.
func (m *maker) script(url string) {
	name, key, ok := splitS3(url)
	if !ok {
		return
	}
	at := m.bucket(name)
	if m.world.Buckets[at].Objects == nil {
		m.world.Buckets[at].Objects = map[string]string{}
	}
	m.world.Buckets[at].Objects[key] = "#!/bin/bash\n"
}

// splitS3 takes s3://bucket/key apart; false for another URL.
func splitS3(url string) (bucket, key string, ok bool) {
	rest, ok := strings.CutPrefix(url, "s3://")
	bucket, key, _ = strings.Cut(rest, "/")
	return bucket, key, ok
}
