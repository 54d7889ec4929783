package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Limits of a file. They lie far above any cluster and keep a hostile file from costing memory or time: the parser
// recurses for each level and for each key of a block mapping, and looks at all earlier keys for each.
const (
	maxBytes  = 2 << 20 // of the file
	maxDepth  = 64      // of lists and mappings in each other; the config itself has 8
	maxKeys   = 2000    // of one mapping
	maxValues = 250_000 // of the whole, an alias counting as all that it stands for
)

// parse reads the first document of a file. What can't be read is a finding; root is then nil, or the first of
// several documents. first are the keys that a file of the kind starts with, for who has an empty one.
func parse(name string, data []byte, first string) (ast.Node, diag.List) {
	var found diag.List
	unreadable := func(line, column int, got, want, hint string) {
		found.Add(diag.Finding{Rule: diag.FileUnreadable, Place: diag.Place{File: name, Line: line, Column: column}, Got: got, Want: want, Hint: hint})
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // a byte order mark would become part of the first key
	if len(data) > maxBytes {
		unreadable(1, 1, fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("at most %d bytes", maxBytes), "keep what belongs elsewhere in files of its own; nothing was judged")
		return nil, found
	}
	if line, column, ok := firstInvalid(data); !ok {
		unreadable(line, column, "bytes that are not UTF-8", "UTF-8 text", "save the file as UTF-8; nothing was judged")
		return nil, found
	}
	tokens := lexer.Tokenize(string(data))
	if tk, got, want := excess(tokens); tk != nil {
		unreadable(tk.Position.Line, tk.Position.Column, got, want, "write it flat; nothing was judged")
		return nil, found
	}
	tokens, second := firstDocument(tokens)
	if second != nil {
		unreadable(second.Position.Line, second.Position.Column, "a second YAML document", "one document in a file",
			"keep each in a file of its own; only the first document was judged")
	}
	for _, tk := range misread(tokens) {
		unreadable(tk.Position.Line, tk.Position.Column, "text that a YAML reader would change: "+quote(strings.TrimSpace(tk.Origin)), "text that stays as it is written",
			`put it in double quotes, with \t for a tab`)
	}
	root, err := parseTokens(tokens)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at := syntax.GetToken().Position
		unreadable(at.Line, at.Column, syntaxMessage(syntax), "YAML or JSON", syntaxHint(syntax))
	case err != nil:
		unreadable(1, 1, err.Error(), "YAML or JSON", "nothing was judged")
	case root == nil:
		unreadable(1, 1, "an empty document", "a mapping", "start with "+first)
	}
	return root, found
}

func parseTokens(tokens token.Tokens) (ast.Node, error) {
	// Duplicate keys are ours to judge: the parser would stop at the first.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		if _, directive := doc.Body.(*ast.DirectiveNode); doc.Body != nil && !directive {
			return doc.Body, nil
		}
	}
	return nil, nil
}

func syntaxMessage(err *yaml.SyntaxError) string {
	message, _, _ := strings.Cut(err.GetMessage(), "\n")
	return "not readable: " + strings.ReplaceAll(message, "\t", `\t`)
}

func syntaxHint(err *yaml.SyntaxError) string {
	if strings.Contains(err.GetMessage(), "\t") {
		return "indent with spaces, YAML takes no tabs there; nothing was judged"
	}
	return "look at this line and the one before it, first at indentation, quotes and brackets; nothing was judged"
}

// firstInvalid finds the first byte that is not UTF-8. ok says that there is none.
func firstInvalid(data []byte) (line, column int, ok bool) {
	if utf8.Valid(data) {
		return 0, 0, true
	}
	line, column = 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		data = data[size:]
	}
	return line, column, false
}

// firstDocument cuts the tokens before the second document. second is the first token of what was cut off.
func firstDocument(tokens token.Tokens) (first token.Tokens, second *token.Token) {
	content, end, directive := false, len(tokens), 0
	for i, tk := range tokens {
		switch {
		case tk.Type == token.DocumentHeaderType || tk.Type == token.DocumentEndType:
			if content && end == len(tokens) {
				end = i
			}
		case tk.Type == token.DirectiveType:
			directive = tk.Position.Line
		case tk.Type == token.CommentType || tk.Position.Line == directive:
		case end < len(tokens):
			return tokens[:end], tokens[end]
		default:
			content = true
		}
	}
	return tokens[:end], nil
}

// misread finds unquoted text of which the lexer would lose a part: it drops tabs, and takes a word that ends with << for a
// merge key. Text in quotes and in blocks is not concerned.
func misread(tokens token.Tokens) []*token.Token {
	var out []*token.Token
	for _, tk := range tokens {
		switch tk.Type {
		case token.StringType, token.MergeKeyType:
			if !inBlock(tk) && squeeze(tk.Origin) != squeeze(tk.Value) {
				out = append(out, tk)
			}
		}
	}
	return out
}

// inBlock says whether a token is the text of a literal or folded block, behind its header and a comment perhaps.
func inBlock(tk *token.Token) bool {
	head := tk.Prev
	if head != nil && head.Type == token.CommentType {
		head = head.Prev
	}
	return head != nil && (head.Type == token.LiteralType || head.Type == token.FoldedType)
}

// squeeze makes each run of white space one space: folding changes it by right.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// nesting follows how deep lists and mappings stand in each other, without recursion.
type nesting struct {
	blocks []block
	flow   int
	marks  int // anchors, tags and explicit keys in a row: the parser recurses for each
}

type block struct{ column, keys int }

// excess finds the first token that lies too deep, or in a mapping with too many keys.
func excess(tokens token.Tokens) (tk *token.Token, got, want string) {
	var n nesting
	for _, tk := range tokens {
		n.take(tk)
		if n.flow+len(n.blocks)+n.marks > maxDepth {
			return tk, fmt.Sprintf("more than %d lists and mappings in each other", maxDepth), fmt.Sprintf("at most %d", maxDepth)
		}
		if k := len(n.blocks); k > 0 && n.blocks[k-1].keys > maxKeys {
			return tk, fmt.Sprintf("a mapping of more than %d keys", maxKeys), fmt.Sprintf("at most %d", maxKeys)
		}
	}
	return nil, "", ""
}

func (n *nesting) take(tk *token.Token) {
	switch tk.Type {
	case token.AnchorType, token.TagType, token.MappingKeyType:
		n.marks++
		return
	case token.SequenceStartType, token.MappingStartType:
		n.flow++
	case token.SequenceEndType, token.MappingEndType:
		n.flow = max(n.flow-1, 0)
	case token.SequenceEntryType:
		n.enter(tk.Position.Column)
	case token.MappingValueType:
		n.key(tk)
	case token.DocumentHeaderType, token.DocumentEndType:
		*n = nesting{}
	}
	// The name of an anchor is a token of its own, and another anchor may follow it.
	if tk.Prev == nil || tk.Prev.Type != token.AnchorType {
		n.marks = 0
	}
}

func (n *nesting) key(colon *token.Token) {
	if n.flow > 0 || colon.Prev == nil {
		return
	}
	n.enter(colon.Prev.Position.Column)
	if k := len(n.blocks); k > 0 {
		n.blocks[k-1].keys++
	}
}

// enter leaves the blocks that lie further right, and enters the one at a column.
func (n *nesting) enter(column int) {
	if n.flow > 0 {
		return
	}
	k := len(n.blocks)
	for k > 0 && n.blocks[k-1].column > column {
		k--
	}
	n.blocks = n.blocks[:k]
	if k == 0 || n.blocks[k-1].column < column {
		n.blocks = append(n.blocks, block{column: column})
	}
}
