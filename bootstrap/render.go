package bootstrap

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

//go:embed scripts/*.sh
var sources embed.FS

// Name of an action.
type Name string

// The actions.
const (
	GDRCopy   Name = "gdrcopy"   // has GDRCopy there and its module loaded
	NodeCheck Name = "nodecheck" // tells what the node is and compares it with the plan
	NCCLEnv   Name = "nccl-env"  // writes the environment that jobs source
)

// parts of each script, in their order, behind the expectations.
var parts = map[Name][]string{
	GDRCopy:   {"prelude", "version", "gdrcopy"},
	NodeCheck: {"prelude", "version", "facts", "nodecheck"},
	NCCLEnv:   {"prelude", "nccl-env"},
}

// Script is a rendered script.
type Script struct {
	Name    Name
	Content []byte
	SHA256  string // of the content, 64 hex digits in lower case
}

// Key is the script's key in a bucket. It changes with the content, so that no node can run another content than
// the configuration names, and an update that changes nothing changes no node.
func (s Script) Key() string { return "weft/" + string(s.Name) + "-" + s.SHA256 + ".sh" }

// Render writes a script with its expectations. Equal expectations give equal scripts.
func Render(name Name, e Expectation) Script {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# weft %s, rendered from a plan: its name in the bucket is its SHA-256.\n", name)
	for _, v := range e.variables(name) {
		fmt.Fprintf(&b, "%s=%s\n", v.name, quote(v.value))
	}
	for _, part := range parts[name] {
		source, err := sources.ReadFile("scripts/" + part + ".sh")
		if err != nil { // an embedded file
			panic(err)
		}
		b.WriteString("\n")
		b.Write(source)
	}
	content := []byte(b.String())
	sum := sha256.Sum256(content)
	return Script{Name: name, Content: content, SHA256: hex.EncodeToString(sum[:])}
}

// variable of a script.
type variable struct{ name, value string }

// quote writes a value as one word of a POSIX shell that holds exactly it. What a script could not hold becomes a
// question mark: control characters but the newline (a shell loses NUL, ParallelCluster's dos2unix the carriage
// return) and bytes that are no UTF-8.
func quote(value string) string {
	value = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || r != '\n' && unicode.IsControl(r) {
			return '?'
		}
		return r
	}, value)
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// record writes fields as one line of a list that a script splits at bars.
func record(fields ...string) string {
	clean := strings.NewReplacer("|", "/", "\n", " ")
	for i, f := range fields {
		fields[i] = clean.Replace(f)
	}
	return strings.Join(fields, "|")
}
