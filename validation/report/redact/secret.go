package redact

import (
	"regexp"
	"strings"
)

var (
	privateKeyBlock = regexp.MustCompile(`(?is)(-----BEGIN [A-Z ]*PRIVATE KEY-----)(.*?)(-----END|$)`)
	urlUser         = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/@"'<>]*)@`)
	bearerToken     = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{8,})`)
	signedQuery     = regexp.MustCompile(`(?i)(?:x-amz-(?:signature|security-token|credential)|[?&]signature)=([^\s&"']+)`)
	// A name ends in the word: HF_TOKEN and aws_secret_access_key do, num_tokens does not. The value ends at a quote where it began with one.
	namedSecret = regexp.MustCompile(`(?i)((?:password|passwd|passphrase|secret|secret[_-]?key|token|api[_-]?key|apikey|access[_-]?key|access[_-]?key[_-]?id|private[_-]?key|credentials?)` +
		`(?:\\?["'])?\s*(?:[=:]|=>|\bset to\b|\bset by environment to\b)\s*)(\\?"[^"]*"?|\\?'[^']*'?|[^\s,;&"']+)`)
	knownForms = regexp.MustCompile(`\b(?:A(?:KIA|SIA|ROA|IDA|GPA|NPA|NVA|IPA|BIA|CCA)[A-Z0-9]{12,}` +
		`|gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|nvapi-[A-Za-z0-9_-]{20,}` +
		`|sk-[A-Za-z0-9_-]{20,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|pul-[0-9a-f]{20,}|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{30,}` +
		`|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)`)
	// knownNear are the beginnings of knownForms in lower case.
	knownNear = []string{
		"akia", "asia", "aroa", "aida", "agpa", "anpa", "anva", "aipa", "abia", "acca", "gho_", "ghp_", "ghr_", "ghs_", "ghu_",
		"github_pat_", "glpat-", "hf_", "nvapi-", "sk-", "xox", "pul-", "aiza", "npm_", "eyj",
	}
	longToken = regexp.MustCompile(`[A-Za-z0-9+/=_-]{40,}`)
)

// secretLength is that of an AWS secret access key; sessionLength that from which a token of mixed characters is a session token
// or the like, and not a name.
const (
	secretLength  = 40
	sessionLength = 100
)

func privateKeys(s string) string { return replace(privateKeyBlock, s, 2, Secret, marked(2)) }

func urlCredentials(s string) string { return replace(urlUser, s, 1, Secret, marked(1)) }

func bearer(s string) string { return replace(bearerToken, s, 1, Secret, marked(1)) }

func signed(s string) string { return replace(signedQuery, s, 1, Secret, marked(1)) }

func known(s string) string { return knownForms.ReplaceAllString(s, Secret) }

// named takes the value of a name that says what it is. A benchmark's "token: 4096" is a count.
func named(s string) string {
	return replace(namedSecret, s, 2, Secret, func(match []string) bool {
		return match[2] == Secret || isCount(match[1], match[2])
	})
}

func isCount(name, value string) bool {
	if !strings.HasPrefix(strings.ToLower(name), "token") || len(value) > 9 {
		return false
	}
	return strings.Trim(value, "0123456789.") == ""
}

// random takes what has the form of an AWS secret access key, 40 characters of all kinds, or of a session token. Digests stay: they are of one case.
func random(s string) string {
	if !hasLongToken(s) {
		return s
	}
	return replace(longToken, s, 0, Secret, func(match []string) bool {
		token := strings.TrimRight(match[0], "=")
		if len(token) != secretLength && len(token) < sessionLength || strings.HasPrefix(token, "/") {
			return true
		}
		return !mixed(token)
	})
}

// hasLongToken tells cheaply whether longToken can match.
func hasLongToken(s string) bool {
	run := 0
	for i := 0; i < len(s) && run < secretLength; i++ {
		if c := s[i]; isAlnum(c) || strings.IndexByte("+/=_-", c) >= 0 {
			run++
		} else {
			run = 0
		}
	}
	return run >= secretLength
}

// mixed tells a random token from words and paths: upper case, lower case and digits, and changes between them often.
func mixed(token string) bool {
	var kinds [4]int
	changes, last := 0, -1
	for _, r := range token {
		k := kind(r)
		kinds[k]++
		if k != last {
			changes++
		}
		last = k
	}
	return kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0 && changes*3 > len(token)
}

func kind(r rune) int {
	switch {
	case r >= 'a' && r <= 'z':
		return 0
	case r >= 'A' && r <= 'Z':
		return 1
	case r >= '0' && r <= '9':
		return 2
	default:
		return 3
	}
}

// marked keeps a match that was redacted before.
func marked(group int) func([]string) bool {
	return func(match []string) bool { return match[group] == "" || match[group] == Secret }
}
