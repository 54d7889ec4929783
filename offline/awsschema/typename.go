package awsschema

import (
	"go/ast"
	"strings"
)

// basic maps the names that the SDK uses for simple types, bare and in the package pulumi.
var basic = map[string]Type{
	"string": "string", "int": "int", "bool": "bool", "float64": "number", "any": "any",
	"String": "string", "Int": "int", "Bool": "bool", "Float64": "number", "Any": "any",
	"ID": "string", "URN": "string",
	"Asset": "asset", "Archive": "archive", "AssetOrArchive": "asset",
}

// wrappers are the endings with which the SDK names its output types, and the mark of what they wrap.
var wrappers = []struct{ ending, mark string }{{"Ptr", ""}, {"Array", "[]"}, {"Map", "{}"}}

// property reads a field's Go type. A pointer, a list and a map may be missing; anything else must be there.
func (p *source) property(expr ast.Expr) Property {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return Property{Type: p.property(e.X).Type}
	case *ast.ArrayType:
		return Property{Type: "[]" + p.property(e.Elt).Type}
	case *ast.MapType:
		return Property{Type: "{}" + p.property(e.Value).Type}
	case *ast.Ident:
		return p.plain(p.name, e.Name)
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			return p.plain(pkg.Name, e.Sel.Name)
		}
	}
	return Property{Type: "any"} // interface{}: a JSON document, or a reference to a resource
}

// plain reads a type name. Output types say by their ending what they wrap.
func (p *source) plain(pkg, name string) Property {
	if wrapped, ok := strings.CutSuffix(name, "Output"); ok {
		return p.output(pkg, wrapped)
	}
	return p.scalar(pkg, name)
}

func (p *source) output(pkg, name string) Property {
	for _, w := range wrappers {
		if wrapped, ok := strings.CutSuffix(name, w.ending); ok && wrapped != "" {
			return Property{Type: Type(w.mark) + p.output(pkg, wrapped).Type}
		}
	}
	return p.scalar(pkg, name)
}

func (p *source) scalar(pkg, name string) Property {
	typ := p.leaf(pkg, name)
	// An asset is an interface in Go, nil says that there is none.
	return Property{Type: typ, Required: typ != "asset" && typ != "archive"}
}

// leaf names a type that wraps no other: a simple one, an enumeration (which is a string), or a nested object.
func (p *source) leaf(pkg, name string) Type {
	if typ, ok := basic[name]; ok {
		return typ
	}
	if of, ok := p.named[name]; ok && pkg == p.name {
		if typ, ok := basic[of]; ok {
			return typ
		}
	}
	return Type(pkg + "." + name)
}
