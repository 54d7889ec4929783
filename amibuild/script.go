package amibuild

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

//go:embed scripts/*.sh
var scripts embed.FS

// part reads a part of a script. The parts are embedded, and a test reads each of them.
func part(name string) string {
	text, err := scripts.ReadFile("scripts/" + name + ".sh")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// sealStep is what every build ends with.
const sealStep = "seal"

// all are the steps of the recipe and the seal.
func (i Image) all() []Step {
	return append(slices.Clone(i.Steps), Step{Kind: sealStep, Name: sealStep, Minutes: 10})
}

// heredocEnd ends a script that stands in another one.
const heredocEnd = "WEFT_END_OF_SCRIPT"

// script is the whole of one step: what is expected, what all steps share, the step itself. It needs nothing beside it.
func (i Image) script(s Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# Step %s of image %s for ParallelCluster %s, made by weft.\n", s.Name, i.Name, i.ParallelCluster)
	for _, v := range i.expectations(s) {
		fmt.Fprintf(&b, "expect_%s=%s\n", v[0], quoteShell(v[1]))
	}
	if s.Kind == kindScript && s.Content != nil {
		content := strings.TrimSuffix(string(s.Content), "\n")
		fmt.Fprintf(&b, "user_script() {\n    cat <<'%s'\n%s\n%s\n}\n", heredocEnd, content, heredocEnd)
	}
	b.WriteString(body(part("prelude")))
	b.WriteString(body(part(strings.ToLower(s.Kind))))
	b.WriteString(body(part("main")))
	return b.String()
}

// expectations are what the lock and the plan say of a step, by name.
func (i Image) expectations(s Step) [][2]string {
	out := [][2]string{{"step", s.Name}}
	if s.Version != "" {
		out = append(out, [2]string{"version", s.Version})
	}
	switch s.Kind {
	case kindScript:
		return append(out, scriptExpectations(s)...)
	case kindEFA:
		installer, _ := catalog.Installer(s.Version)
		out = append(out, [2]string{"driver", installer.EFADriver})
	case kindNVIDIA:
		out = append(out, [2]string{"modules", string(s.Modules)})
	case sealStep:
		out = append(out, [2]string{"module_versions", i.modules()})
	}
	for _, a := range s.Artifacts {
		name := strings.ReplaceAll(a.Name, "-", "_")
		out = append(out, [2]string{name + "_url", a.URL}, [2]string{name + "_sha256", a.SHA256})
	}
	return out
}

func scriptExpectations(s Step) [][2]string {
	var a Artifact
	if len(s.Artifacts) > 0 {
		a = s.Artifacts[0]
	}
	return [][2]string{{"url", a.URL}, {"sha256", a.SHA256}}
}

// modules lists the kernel modules that the finished image must have for its kernel, with their versions as far as they are known.
func (i Image) modules() string {
	installer, _ := catalog.Installer(i.Contents[catalog.EFAInstaller])
	var out []string
	for _, m := range []struct {
		name    string
		has     bool
		version string
	}{
		{"nvidia", i.Contents[catalog.NVIDIADriver] != "", i.Contents[catalog.NVIDIADriver]},
		{"efa", i.Contents[catalog.EFAInstaller] != "", installer.EFADriver},
		{"gdrdrv", i.Contents[catalog.GDRCopy] != "", stepVersion(i.Steps, kindGDRCopy)},
	} {
		if m.has {
			out = append(out, m.name+"="+m.version)
		}
	}
	return strings.Join(out, " ")
}

// stepVersion is the version that the image itself installs. That of a parent is told in other words: 2.5.1 or later.
func stepVersion(steps []Step, kind string) string {
	for _, s := range steps {
		if s.Kind == kind {
			return s.Version
		}
	}
	return ""
}

// body is a part without the comment that speaks to shellcheck and to who reads the part alone.
func body(text string) string {
	lines := strings.SplitAfter(text, "\n")
	k := 0
	for k < len(lines) && (strings.HasPrefix(lines[k], "#") || strings.TrimSpace(lines[k]) == "") {
		k++
	}
	return strings.Join(lines[k:], "")
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// sum is the SHA-256 of a text, hexadecimal.
func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// StepName is the name of a step, the seal after the last: components of the documents and scripts of the bundle stand in this order.
func (i Image) StepName(k int) string { return i.all()[k].Name }
