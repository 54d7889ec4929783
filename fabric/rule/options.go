package rule

import (
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Scope says which rules are judged: a policy pack sees a resource alone first, and all of them together later.
type Scope uint8

// The scopes.
const (
	All      Scope = iota // every rule
	Alone                 // rules that one input decides by itself
	Together              // rules that need several inputs
)

// Options say how a Set is judged.
type Options struct {
	Scope Scope
	// Levels are the user's, by rule.
	Levels map[diag.ID]diag.Override
	// Exceptions take findings of a rule off single resources.
	Exceptions []Exception
	// Workload asks for versions.
	Workload catalog.Workload
	// InstanceTypes are those that images and templates without a type of their own are for.
	InstanceTypes []string
}

// Exception takes findings of a rule off the resources that a pattern matches. They stay in the list, at level note and
// with the reason.
type Exception struct {
	Rule diag.ID
	// Pattern of URN, resource or file, with * for any text.
	Pattern string
	Reason  string
}
