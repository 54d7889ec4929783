// Package read makes the rules' inputs of trees: registered resources of Pulumi's AWS providers, launch template data
// of the EC2 API, ParallelCluster configurations.
//
// Sources write the same names in different ways: networkInterfaces in Pulumi, NetworkInterfaces in the EC2 API and
// CloudFormation, network_interfaces in Terraform. A Spelling tells which.
package read

import (
	"strings"
	"unicode"
)

// Spelling writes a name that is given as networkInterfaces in the way of a source.
type Spelling func(string) string

// Camel is Pulumi's spelling.
func Camel(name string) string { return name }

// Pascal is the spelling of the EC2 API and CloudFormation.
func Pascal(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// Snake is Terraform's spelling.
func Snake(name string) string {
	var out strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}
