package judged

import (
	"errors"
	"go/ast"
	"go/scanner"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// walk reads all Go files of the repository but tests and the package that declares the rules, and the shell
// scripts of folders that belong to a step.
func (c *checker) walk(repository fs.FS) error {
	return fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(name):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".sh") && judgesInShell(name):
			return c.script(repository, name)
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return c.file(repository, name)
	})
}

// skipped says which folders hold no code of the repository, as Go itself does, or the rules' own package.
func skipped(folder string) bool {
	base := path.Base(folder)
	if folder == diagFolder || base == "testdata" || base == "vendor" {
		return true
	}
	return folder != "." && strings.ContainsAny(base[:1], "._")
}

func (c *checker) file(repository fs.FS, name string) error {
	f, err := parse(repository, name)
	var syntax scanner.ErrorList
	if errors.As(err, &syntax) {
		c.fault(position{file: name, line: syntax[0].Pos.Line}, "cannot be parsed: %s", syntax[0].Msg)
		return nil
	}
	if err != nil {
		return err
	}
	if f.importName("testing") != "" {
		return nil // a helper for tests
	}
	s := &scan{checker: c, source: f, diag: f.importName(diagImport), seen: map[ast.Expr]bool{}}
	if s.diag == "." {
		c.fault(position{file: name, line: f.position(f.tree.Name).line}, "imports diag with a dot: its rules cannot be seen")
		return nil
	}
	ast.Inspect(f.tree, s.node)
	return nil
}

// importName is the name under which a file imports a package, "" where it does not.
func (f *source) importName(importPath string) string {
	for _, spec := range f.tree.Imports {
		if p, _ := literal(spec.Path); p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// scan reads one file.
type scan struct {
	*checker
	*source
	diag string            // the name of package diag in this file
	seen map[ast.Expr]bool // literals that were found already
}

func (s *scan) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.Field:
		if n.Tag != nil {
			s.seen[n.Tag] = true // a tag is not text of the program
		}
	case *ast.SelectorExpr:
		if constant, ok := s.selected(n); ok {
			s.mention(path.Dir(s.name), constant, s.position(n))
		}
	case *ast.BasicLit:
		s.known(n)
	default:
		s.emission(n)
	}
	return true
}

// selected is the rule's constant that an expression such as diag.BlockSize names.
func (s *scan) selected(n *ast.SelectorExpr) (constant string, ok bool) {
	if !s.isDiag(n) {
		return "", false
	}
	_, ok = s.declared[n.Sel.Name]
	return n.Sel.Name, ok
}

func (s *scan) isDiag(n *ast.SelectorExpr) bool {
	x, ok := n.X.(*ast.Ident)
	return ok && s.diag != "" && x.Name == s.diag
}

// known finds a registered id that is written as text, wherever it stands.
func (s *scan) known(lit *ast.BasicLit) {
	text, ok := literal(lit)
	if !ok || s.seen[lit] {
		return
	}
	if _, registered := s.rules[diag.ID(text)]; registered {
		s.seen[lit] = true
		s.fault(s.position(lit), "%q is written as text: name the constant of package diag", text)
	}
}

// emission finds an id that is written as text where a rule is expected, registered or not.
func (s *scan) emission(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if s.isID(n.Fun) {
			s.raw(n.Args...)
		}
	case *ast.ValueSpec:
		if s.isID(n.Type) {
			s.raw(n.Values...)
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Rule" {
			s.raw(n.Value)
		}
	case *ast.AssignStmt:
		if slices.ContainsFunc(n.Lhs, isRuleField) {
			s.raw(n.Rhs...)
		}
	case *ast.CompositeLit:
		s.elements(n)
	}
}

func isRuleField(n ast.Expr) bool {
	selector, ok := n.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Rule"
}

// elements looks into lists of ids and maps that are keyed by one.
func (s *scan) elements(lit *ast.CompositeLit) {
	switch t := lit.Type.(type) {
	case *ast.ArrayType:
		if s.isID(t.Elt) {
			s.raw(lit.Elts...)
		}
	case *ast.MapType:
		for _, e := range lit.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if ok && s.isID(t.Key) {
				s.raw(pair.Key)
			}
			if ok && s.isID(t.Value) {
				s.raw(pair.Value)
			}
		}
	}
}

func (s *scan) isID(n ast.Expr) bool {
	selector, ok := n.(*ast.SelectorExpr)
	return ok && s.isDiag(selector) && selector.Sel.Name == "ID"
}

var idForm = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9-]+$`)

func (s *scan) raw(values ...ast.Expr) {
	for _, v := range values {
		text, ok := literal(v)
		if !ok || s.seen[v] || s.diag == "" || !idForm.MatchString(text) {
			continue
		}
		s.seen[v] = true
		s.fault(s.position(v), "%q is written as text: name the constant of package diag", text)
	}
}
