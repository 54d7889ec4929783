package judged

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// The package that declares the rules: its folder and its import path.
const (
	diagFolder = "fabric/diag"
	diagImport = "github.com/weft-hpc/weft/" + diagFolder
)

type position struct {
	file string
	line int
}

// declaration is a rule's constant: its id, and where the registry lists it, or else where it is declared.
type declaration struct {
	id diag.ID
	at position
}

// readDeclarations reads the constants of type ID, by their names, from the package that declares the rules.
func readDeclarations(repository fs.FS) (map[string]declaration, error) {
	names, err := fs.Glob(repository, path.Join(diagFolder, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", diagFolder, err)
	}
	declared := map[string]declaration{}
	entries := map[string]position{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parse(repository, name)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				file.constants(n, declared)
			case *ast.CompositeLit:
				file.entry(n, entries)
			}
			return true
		})
	}
	for constant, at := range entries {
		if d, ok := declared[constant]; ok {
			declared[constant] = declaration{id: d.id, at: at}
		}
	}
	if len(declared) == 0 {
		return nil, fmt.Errorf("%s declares no rule", diagFolder)
	}
	return declared, nil
}

// constants takes what a line such as `BlockSize ID = "block/size"` declares.
func (f *source) constants(spec *ast.ValueSpec, declared map[string]declaration) {
	if t, ok := spec.Type.(*ast.Ident); !ok || t.Name != "ID" {
		return
	}
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			return
		}
		if text, ok := literal(spec.Values[i]); ok {
			declared[name.Name] = declaration{id: diag.ID(text), at: f.position(name)}
		}
	}
}

// entry takes the place of a line of the registry: a literal whose first element is a constant's name.
func (f *source) entry(lit *ast.CompositeLit, entries map[string]position) {
	if len(lit.Elts) == 0 || lit.Type != nil {
		return
	}
	first := lit.Elts[0]
	if pair, ok := first.(*ast.KeyValueExpr); ok {
		first = pair.Value
	}
	if name, ok := first.(*ast.Ident); ok {
		entries[name.Name] = f.position(lit)
	}
}

// source is a parsed Go file.
type source struct {
	name string
	set  *token.FileSet
	tree *ast.File
}

func parse(repository fs.FS, name string) (*source, error) {
	content, err := fs.ReadFile(repository, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", name, err)
	}
	return &source{name: name, set: set, tree: tree}, nil
}

func (f *source) position(n ast.Node) position {
	return position{file: f.name, line: f.set.Position(n.Pos()).Line}
}

// literal is the text of a string literal.
func literal(n ast.Expr) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
