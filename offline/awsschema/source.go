package awsschema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Read reads the schema of an SDK. dir is the folder that holds one folder for each service ("go/aws" in the module
// github.com/pulumi/pulumi-aws/sdk/v6); version is recorded as it is. services narrows the reading to those folders
// ("." is the SDK's root); none means all.
func Read(dir, version string, services ...string) (*Schema, error) {
	if len(services) == 0 {
		var err error
		if services, err = folders(dir); err != nil {
			return nil, err
		}
	}
	s := &Schema{
		Version: version, Resources: map[string]Object{}, Functions: map[string]Object{}, Types: map[string]Properties{},
	}
	for _, service := range services {
		p, err := parse(filepath.Join(dir, service))
		if err != nil {
			return nil, err
		}
		p.addTo(s)
	}
	s.prune()
	return s, nil
}

// folders lists the service folders of an SDK, and its root.
func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("listing the SDK: %w", err)
	}
	names := []string{"."}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "internal" {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// source is what is read of one Go package.
type source struct {
	name    string
	structs map[string]*ast.StructType
	named   map[string]string // named types that are no structs: type InstanceType string
	funcs   []*ast.FuncDecl
}

func parse(dir string) (*source, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no Go source in %s", dir)
	}
	p := &source{structs: map[string]*ast.StructType{}, named: map[string]string{}}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parsing the SDK: %w", err)
		}
		p.name = file.Name.Name
		for _, decl := range file.Decls {
			p.declare(decl)
		}
	}
	return p, nil
}

func (p *source) declare(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Body != nil {
			p.funcs = append(p.funcs, d)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			switch of := t.Type.(type) {
			case *ast.StructType:
				p.structs[t.Name.Name] = of
			case *ast.Ident:
				p.named[t.Name.Name] = of.Name
			}
		}
	}
}

// addTo adds the package's resources, functions and nested types to the schema.
func (p *source) addTo(s *Schema) {
	for name, st := range p.structs {
		// An object without any property is one too: it is given to switch something on.
		if props := p.properties(st); ast.IsExported(name) && (len(props) > 0 || len(st.Fields.List) == 0) {
			s.Types[p.name+"."+name] = props
		}
	}
	for _, f := range p.funcs {
		method, tok := engineCall(f.Body)
		switch method {
		case "RegisterResource":
			p.addResource(s, f, tok)
		case "Invoke":
			s.Functions[tok] = Object{
				Inputs:  p.properties(p.structs[f.Name.Name+"Args"]),
				Outputs: p.properties(p.structs[f.Name.Name+"Result"]),
			}
		}
	}
}

// addResource adds the resource that the constructor f registers. Other functions register resources too (the one that
// brings resources back by URN); they are not called New and the type's name.
func (p *source) addResource(s *Schema, f *ast.FuncDecl, tok string) {
	name := tok[strings.LastIndex(tok, ":")+1:]
	if f.Name.Name != "New"+name {
		return
	}
	args := p.structs[strings.ToLower(name[:1])+name[1:]+"Args"]
	inputs := p.properties(args)
	required := checkedArgs(f.Body)
	for _, field := range fieldsOf(args) {
		tag := propertyName(field)
		if in, ok := inputs[tag]; ok {
			in.Required = slices.Contains(required, field.Names[0].Name)
			inputs[tag] = in
		}
	}
	s.Resources[tok] = Object{Inputs: inputs, Outputs: p.properties(p.structs[name])}
}

// engineCall finds the method of the Pulumi context that a function calls, and the token that it passes.
func engineCall(body *ast.BlockStmt) (method, tok string) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || tok != "" || len(call.Args) == 0 {
			return tok == ""
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || (sel.Sel.Name != "RegisterResource" && sel.Sel.Name != "Invoke") {
			return true
		}
		if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			method, tok = sel.Sel.Name, unquote(lit.Value)
		}
		return true
	})
	return method, tok
}

// checkedArgs reads which arguments a constructor refuses to miss: `if args.X == nil { return nil, errors.New(...) }`.
func checkedArgs(body *ast.BlockStmt) []string {
	var names []string
	for _, stmt := range body.List {
		check, ok := stmt.(*ast.IfStmt)
		if !ok || !returns(check.Body) {
			continue
		}
		if cond, ok := check.Cond.(*ast.BinaryExpr); ok && cond.Op == token.EQL {
			if sel, ok := cond.X.(*ast.SelectorExpr); ok {
				names = append(names, sel.Sel.Name)
			}
		}
	}
	return names
}

func returns(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	_, ok := body.List[0].(*ast.ReturnStmt)
	return ok
}

// properties reads the fields of a struct that carry a pulumi tag.
func (p *source) properties(st *ast.StructType) Properties {
	props := Properties{}
	for _, field := range fieldsOf(st) {
		if name := propertyName(field); name != "" {
			props[name] = p.property(field.Type)
		}
	}
	return props
}

func fieldsOf(st *ast.StructType) []*ast.Field {
	if st == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(st.Fields.List), func(f *ast.Field) bool { return len(f.Names) != 1 })
}

func propertyName(field *ast.Field) string {
	if field.Tag == nil {
		return ""
	}
	name, _, _ := strings.Cut(reflect.StructTag(unquote(field.Tag.Value)).Get("pulumi"), ",")
	return name
}

func unquote(literal string) string {
	text, err := strconv.Unquote(literal)
	if err != nil {
		return ""
	}
	return text
}

// prune drops the nested types that no resource and no function reaches.
func (s *Schema) prune() {
	reached := map[Type]bool{}
	var reach func(Properties)
	reach = func(props Properties) {
		for _, p := range props {
			leaf := p.Type.Leaf()
			if nested, ok := s.Types[string(leaf)]; ok && !reached[leaf] {
				reached[leaf] = true
				reach(nested)
			}
		}
	}
	for _, objects := range []map[string]Object{s.Resources, s.Functions} {
		for _, o := range objects {
			reach(o.Inputs)
			reach(o.Outputs)
		}
	}
	for name := range s.Types {
		if !reached[Type(name)] {
			delete(s.Types, name)
		}
	}
}
