package judged

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

var (
	shellWord = regexp.MustCompile(`[A-Za-z0-9_./$-]+`)
	// reported is a call of the function by which scripts report, with the rule's id.
	reported = regexp.MustCompile(`(?:^|[\s;&|{(])finding +(\S+)`)
)

// script reads a shell script of a folder that belongs to a step. A script has no constants: it judges a rule by
// writing its id, comments aside. What it reports must be such an id, so that a slip of the pen is found.
func (c *checker) script(repository fs.FS, name string) error {
	content, err := fs.ReadFile(repository, name)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	constants := map[string]string{}
	for constant, d := range c.declared {
		constants[string(d.id)] = constant
	}
	for i, line := range strings.Split(string(content), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		at := position{file: name, line: i + 1}
		for _, word := range shellWord.FindAllString(line, -1) {
			if constant, ok := constants[word]; ok {
				c.mention(path.Dir(name), constant, at)
			}
		}
		c.reports(line, at)
	}
	return nil
}

func (c *checker) reports(line string, at position) {
	for _, m := range reported.FindAllStringSubmatch(line, -1) {
		if _, registered := c.rules[diag.ID(m[1])]; !registered && !strings.HasPrefix(m[1], `"$`) {
			c.fault(at, "reports %s, which is not registered", m[1])
		}
	}
}

// judgesInShell says whether scripts of a folder belong to a step: elsewhere a script is a tool of the repository.
func judgesInShell(name string) bool {
	for folder := range steps {
		if within(path.Dir(name), folder) {
			return true
		}
	}
	return false
}
