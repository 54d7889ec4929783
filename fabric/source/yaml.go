package source

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// maxYAMLValues counts every alias as what it stands for.
const maxYAMLValues = 250_000

type yamlReader struct {
	*Document
	anchors map[string]ast.Node
	open    map[string]bool // anchors that are being followed
	values  int
}

func (d *Document) parseYAML(text []byte) {
	text, expressions := maskExpressions(text)
	d.tellExpressions(expressions)
	node, findings := config.Syntax(d.Name, text, "the keys of its kind")
	for i := range findings {
		findings[i].Hint += d.whereHCL(text)
	}
	d.Findings.Add(findings...)
	if node == nil {
		return
	}
	r := &yamlReader{Document: d, anchors: map[string]ast.Node{}, open: map[string]bool{}}
	ast.Walk(r, node)
	r.mark("", r.offsetOf(node.GetToken()))
	d.root = r.value(node, "")
	if _, scalar := d.root.(string); scalar || d.root == nil {
		d.unreadable(0, describe(d.root), "a mapping", "give one of the kinds that weft check reads"+d.whereHCL(text))
		d.root = nil
	}
}

// whereHCL adds the way out for a file that Terraform wants to read itself.
func (d *Document) whereHCL(text []byte) string {
	if hcl.Match(text) {
		return "; " + hclHint
	}
	return ""
}

// Visit collects anchors.
func (r *yamlReader) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok && a.Name != nil {
		name := a.Name.GetToken().Value
		if _, ok := r.anchors[name]; !ok {
			r.anchors[name] = a.Value
		}
	}
	return r
}

func (r *yamlReader) offsetOf(tk *token.Token) int {
	if tk == nil || tk.Position == nil {
		return 0
	}
	return r.lines.offset(tk.Position.Line, tk.Position.Column)
}

// value gives a node as the plain value that JSON would give.
func (r *yamlReader) value(n ast.Node, path string) any {
	if r.values++; r.values > maxYAMLValues {
		if r.values == maxYAMLValues+1 {
			r.unreadable(0, fmt.Sprintf("more than %d values", maxYAMLValues), "fewer", "use fewer aliases; what follows was not judged")
		}
		return tree.Hidden(path)
	}
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.AnchorNode:
		return r.value(n.Value, path)
	case *ast.AliasNode:
		return r.alias(n, path)
	case *ast.TagNode:
		return r.tagged(n, path)
	case *ast.MappingNode:
		return r.object(n.Values, path)
	case *ast.MappingValueNode:
		return r.object([]*ast.MappingValueNode{n}, path)
	case *ast.SequenceNode:
		out := make([]any, len(n.Values))
		for i, item := range n.Values {
			at := tree.Index(path, i)
			r.mark(at, r.offsetOf(startOf(item)))
			out[i] = r.value(item, at)
		}
		return out
	default:
		return r.scalar(n, path)
	}
}

func (r *yamlReader) scalar(n ast.Node, path string) any {
	text := n.GetToken().Value
	switch n := n.(type) {
	case *ast.LiteralNode:
		text = n.Value.Value
	case *ast.StringNode:
		text = n.Value
	case *ast.IntegerNode:
		return fmt.Sprint(n.Value)
	case *ast.FloatNode:
		if n.Value == math.Trunc(n.Value) && math.Abs(n.Value) < 1<<53 {
			return strconv.FormatFloat(n.Value, 'f', -1, 64)
		}
	}
	if isMasked(text) {
		return tree.Hidden(path)
	}
	return text
}

func (r *yamlReader) alias(n *ast.AliasNode, path string) any {
	name := ""
	if n.Value != nil {
		name = n.Value.GetToken().Value
	}
	target, ok := r.anchors[name]
	if !ok || r.open[name] {
		r.unreadable(r.offsetOf(n.GetToken()), fmt.Sprintf("alias %q", "*"+name), "an anchor of this document, not around itself", "write the value itself; it was taken for unknown")
		return tree.Hidden(path)
	}
	r.open[name] = true
	defer delete(r.open, name)
	return r.value(target, path)
}

// tagged reads CloudFormation's short forms as the long ones: !Ref x is {Ref: x}, !GetAtt a.b is {Fn::GetAtt: a.b}.
func (r *yamlReader) tagged(n *ast.TagNode, path string) any {
	name := n.GetToken().Value
	if strings.HasPrefix(name, "!!") || !strings.HasPrefix(name, "!") || name == "!" {
		return r.value(n.Value, path)
	}
	key := strings.TrimPrefix(name, "!")
	if key != "Ref" && key != "Condition" {
		key = "Fn::" + key
	}
	return map[string]any{key: r.value(n.Value, path)}
}

func (r *yamlReader) object(values []*ast.MappingValueNode, path string) any {
	out := map[string]any{}
	for _, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			r.merge(out, v.Value, path)
			continue
		}
		key := keyText(v.Key)
		at, offset := tree.Join(path, key), r.offsetOf(v.Key.GetToken())
		r.mark(at, offset)
		if _, twice := out[key]; twice {
			r.tellTwice(key, offset)
			continue
		}
		out[key] = r.value(v.Value, at)
	}
	return out
}

// merge adds the keys of other mappings that this one does not have.
func (r *yamlReader) merge(out map[string]any, n ast.Node, path string) {
	parts := []any{r.value(n, path)}
	if list, ok := parts[0].([]any); ok {
		parts = list
	}
	for _, part := range parts {
		m, ok := part.(map[string]any)
		if !ok {
			continue
		}
		for key, value := range m {
			if _, own := out[key]; !own {
				out[key] = value
			}
		}
	}
}

func keyText(n ast.MapKeyNode) string {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	return n.GetToken().Value
}

// startOf is the token at which an item begins: of a mapping its first key.
func startOf(n ast.Node) *token.Token {
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && n.Start != nil && n.Start.Type != token.MappingStartType {
			return n.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	case nil:
		return nil
	}
	return n.GetToken()
}
