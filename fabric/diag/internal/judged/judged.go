// Package judged holds the registry of rules equal to what code judges, by reading the code.
//
// The registry says in which steps a rule is judged. A package belongs to a step by where it lies, and judges
// a rule by naming its constant, or in a shell script by writing its id. Both must say the same, in both
// directions.
package judged

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// steps says which step the packages of a folder belong to; the longest folder counts.
var steps = map[string]diag.Where{
	"fabric/config":              diag.Plan,
	"fabric/plan":                diag.Plan,
	"fabric/catalog":             diag.Plan,
	"fabric/installed":           diag.Plan,
	"fabric/market":              diag.Plan,
	"fabric/topology":            diag.Account,
	"components/parallelcluster": diag.Plan,
	"account":                    diag.Account,
	"fabric/rule":                diag.Policy,
	"fabric/source":              diag.Policy, // what files themselves show: weft check
	"policies":                   diag.Policy,
	"amibuild":                   diag.Image,
	"bootstrap":                  diag.Boot,
	"validation":                 diag.Validation,
}

// Exception says that a package judges a rule in other steps than its folder tells: a judging function of the
// catalogue that several steps call, say.
type Exception struct {
	Package string     // folder from the root of the repository
	Rule    diag.ID    // the rule
	Where   diag.Where // all steps that the package judges it in; none for a package that only mentions it
	Reason  string     // why; an exception without a reason is a fault
}

// Fault is one place where registry and code disagree.
type Fault struct {
	File string // from the root of the repository; empty for an exception
	Line int    // from 1
	Text string
}

// String gives file:line: text.
func (f Fault) String() string {
	if f.File == "" {
		return f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Check compares the rules with the Go code and the shell scripts of a repository, tests aside, and gives every
// fault, sorted by place. A file that Go cannot parse is a fault as well: nobody knows what it judges.
func Check(repository fs.FS, rules []diag.Rule, exceptions []Exception) ([]Fault, error) {
	c := &checker{
		rules:      make(map[diag.ID]diag.Rule, len(rules)),
		exceptions: exceptions,
		used:       make([]bool, len(exceptions)),
		judged:     map[diag.ID]diag.Where{},
	}
	for _, r := range rules {
		c.rules[r.ID] = r
	}
	declared, err := readDeclarations(repository)
	if err != nil {
		return nil, fmt.Errorf("reading the registry: %w", err)
	}
	c.declared = declared
	if err := c.walk(repository); err != nil {
		return nil, fmt.Errorf("reading the code: %w", err)
	}
	c.checkRegistry()
	c.checkExceptions()
	slices.SortFunc(c.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return c.faults, nil
}

type checker struct {
	rules      map[diag.ID]diag.Rule
	declared   map[string]declaration // by the name of the constant
	exceptions []Exception
	used       []bool // by the index of the exception
	judged     map[diag.ID]diag.Where
	faults     []Fault
}

func (c *checker) fault(at position, format string, args ...any) {
	c.faults = append(c.faults, Fault{File: at.file, Line: at.line, Text: fmt.Sprintf(format, args...)})
}

// mention takes note that a package names a rule's constant.
func (c *checker) mention(pkg, constant string, at position) {
	id := c.declared[constant].id
	where, known := c.stepsOf(pkg, id)
	if !known {
		c.fault(at, "diag.%s is named in %s, which belongs to no step: judge %s elsewhere, or say in an exception what happens here",
			constant, pkg, id)
		return
	}
	c.judged[id] |= where
	rule, registered := c.rules[id]
	if beyond := where &^ rule.Where; registered && beyond != 0 {
		c.fault(at, "diag.%s is judged in step %s, and the registry lists %s for %s", constant, beyond, id, rule.Where)
	}
}

func (c *checker) stepsOf(pkg string, id diag.ID) (where diag.Where, known bool) {
	for i, e := range c.exceptions {
		if e.Package == pkg && e.Rule == id {
			c.used[i] = true
			return e.Where, true
		}
	}
	longest := ""
	for folder := range steps {
		if within(pkg, folder) && len(folder) > len(longest) {
			longest = folder
		}
	}
	return steps[longest], longest != ""
}

func within(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

// checkRegistry finds constants without an entry, and steps that an entry lists and no code judges.
func (c *checker) checkRegistry() {
	for constant, d := range c.declared {
		rule, ok := c.rules[d.id]
		if !ok {
			c.fault(d.at, "diag.%s is declared, and the registry has no entry for %s", constant, d.id)
			continue
		}
		for _, step := range (rule.Where &^ c.judged[d.id]).Names() {
			c.fault(d.at, "the registry lists %s for step %s, and nothing in %s names diag.%s",
				d.id, step, strings.Join(foldersOf(step), ", "), constant)
		}
	}
}

func foldersOf(step string) []string {
	var out []string
	for folder, where := range steps {
		if where.String() == step {
			out = append(out, folder)
		}
	}
	slices.Sort(out)
	return out
}

func (c *checker) checkExceptions() {
	for i, e := range c.exceptions {
		if strings.TrimSpace(e.Reason) == "" {
			c.fault(position{}, "the exception for %s in %s gives no reason", e.Rule, e.Package)
		}
		if !c.used[i] {
			c.fault(position{}, "the exception for %s in %s excepts nothing", e.Rule, e.Package)
		}
	}
}
