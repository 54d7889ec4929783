package amibuild

import (
	"bufio"
	"bytes"
	"regexp"
)

// Cause is the first thing in a build's log that went wrong, as far as it is one that people have met.
type Cause struct {
	Line int    // from 1
	Text string // what stands there
	Says string // what it means
	Do   string // the way out
}

// symptom is a line of a log, and what is known of it.
type symptom struct {
	line     *regexp.Regexp
	says, do string
}

// symptoms are looked for in the order of the log, not of this list: the first broken thing breaks what follows.
var symptoms = []symptom{
	{
		regexp.MustCompile(`(?i)(unable to find a match|no package|unable to locate package).*(kernel[0-9.]*-devel|linux-headers)-`),
		"the headers of the running kernel are gone from the mirror", "take a parent whose kernel is still published, or pin another kernel first (aws/aws-parallelcluster issues 6567 and 7406)",
	},
	{
		regexp.MustCompile(`modprobe: FATAL: Module \S+ not found in directory /lib/modules/`),
		"the module was not built for the kernel that runs: the kernel moved, or its headers or the driver's sources were missing", "pin the kernel as the first component and leave updatePackages out; the build's own output stands above (compiler-explorer/infra issue 1413)",
	},
	{
		regexp.MustCompile(`disagrees about version of symbol nvidia_`),
		"the module was built against another NVIDIA driver", "install gdrcopy after nvidia, in the same recipe (NVIDIA/gdrcopy issue 13)",
	},
	{
		regexp.MustCompile(`(?i)Version '\S+' for '\S+' was not found|Unable to locate package (lib)?nvidia`),
		"a package of exactly that version is not in the repository: the pin was taken from another machine", "pin by the lock's address and SHA-256, and do not derive versions from the machine that builds",
	},
	{regexp.MustCompile(`weft: \S+: FAIL `), "a step's own proof failed", "look at the step in the recipe"},
	{regexp.MustCompile(`(?i)unable to fetch some archives|could not resolve host|Could not connect to`), "a download failed", "look at the route of the build's machine; a repeated build may pass"},
	{
		regexp.MustCompile(`This AMI was created with ParallelCluster \S+, but is trying to be used with`),
		"the image is of another ParallelCluster version", "build it anew on a parent of the cluster's version: weft ami render",
	},
}

// traced is a line that a shell's trace printed: what will be run, or the body of a function, and not what happened.
var traced = regexp.MustCompile(`^\s*(Stdout|Stderr)?:?\s*\++\s*\S`)

// Explain finds the first line of a build's log that names a cause. Lines of a shell's trace are passed over: an error message in
// them is only text that would have been printed.
func Explain(log []byte) (Cause, bool) {
	lines := bufio.NewScanner(bytes.NewReader(log))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if traced.MatchString(text) {
			continue
		}
		for _, s := range symptoms {
			if s.line.MatchString(text) {
				return Cause{Line: n, Text: text, Says: s.says, Do: s.do}, true
			}
		}
	}
	return Cause{}, false
}
