package catalog

import (
	"regexp"
	"strings"
)

// An instance type's name: family letters, generation, attributes, and a size. In the attributes g stands for
// Graviton, AWS's arm64 processors (EC2 instance type naming conventions).
var typeName = regexp.MustCompile(`^([a-z]+)(\d+)([a-z0-9-]*)\.[a-z0-9-]+$`)

// Architecture gives the architecture of any instance type: from its row where the catalogue has one, else by
// the naming convention. False for a text that is no instance type's name.
func Architecture(instanceType string) (arch string, known bool) {
	if t, ok := Instance(instanceType); ok {
		return t.Architecture, true
	}
	m := typeName.FindStringSubmatch(instanceType)
	if m == nil || m[1] == "mac" {
		return "", false
	}
	attributes, _, _ := strings.Cut(m[3], "-")
	if m[1] == "a" || strings.Contains(attributes, "g") {
		return "arm64", true
	}
	return "x86_64", true
}
