package pcconfig

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// YAML writes the configuration file, always in the same order.
func (c Config) YAML() ([]byte, error) {
	node, err := yaml.ValueToNode(c, yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("writing the ParallelCluster configuration: %w", err)
	}
	ast.Walk(quoter{}, node)
	return []byte(node.String() + "\n"), nil
}

// Object gives the configuration as plain values, for a CloudFormation property or JSON.
func (c Config) Object() (map[string]any, error) {
	text, err := c.YAML()
	if err != nil {
		return nil, err
	}
	return readObject(text)
}

// readObject reads a configuration from YAML or JSON.
func readObject(text []byte) (map[string]any, error) {
	var out map[string]any
	if err := yaml.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("reading a ParallelCluster configuration: %w", err)
	}
	return out, nil
}

// quoter puts quotes around text that a reader of YAML 1.1, as ParallelCluster is one, could take for something else: 12:30:45
// is a number there, and = and ? are signs. Words such as yes are quoted by the encoder.
type quoter struct{}

var plainText = regexp.MustCompile(`^[A-Za-z/]([A-Za-z0-9_./:@*=+-]*[A-Za-z0-9_/*])?$`)

// Visit implements ast.Visitor.
func (q quoter) Visit(n ast.Node) ast.Visitor {
	text, ok := n.(*ast.StringNode)
	if !ok || text.Token.Type != token.StringType || plainText.MatchString(text.Value) || strings.HasPrefix(text.Value, `"`) {
		return q // a leading quote is the encoder's own: text that begins with one is quoted too
	}
	text.Token.Type = token.DoubleQuoteType
	return q
}
