package source

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/rule"
)

// Contents says what of a file is judged, for people: "; judged: 2 launch templates, 1 subnet".
func (d *Document) Contents() string {
	if d.Kind == Unreadable || d.Kind == Unrecognised {
		return "; nothing was judged"
	}
	if d.Kind == Config {
		return "; judged by its plan"
	}
	s := d.Set
	var parts []string
	for _, c := range []struct {
		n    int
		noun string
	}{
		{len(s.Clusters), "cluster configuration"},
		{len(s.Templates), "launch template"},
		{len(s.Instances), "instance"},
		{len(s.Groups), "node group"},
		{len(s.SecurityGroups), "security group"},
		{len(s.SecurityGroupRules), "security group rule"},
		{len(s.Subnets), "subnet"},
		{len(s.PlacementGroups), "placement group"},
		{len(s.Reservations), "reservation"},
		{len(s.Images), "image"},
		{steps(s.JobScripts), "start of a program"},
		{settings(s.JobScripts), "setting"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, nouns(c.n, c.noun)))
		}
	}
	out := "; judged: " + strings.Join(parts, ", ")
	if len(parts) == 0 {
		out = "; holds nothing that is judged"
	}
	if n := len(s.Unread); n > 0 {
		out += fmt.Sprintf("; not judged: %d %s that cannot be resolved", n, plural(n, "part"))
	}
	return out
}

func steps(scripts []rule.JobScript) int {
	n := 0
	for _, s := range scripts {
		n += len(s.Steps)
	}
	return n
}

func settings(scripts []rule.JobScript) int {
	n := 0
	for _, s := range scripts {
		n += len(s.Settings)
	}
	return n
}

// nouns puts the noun in front of what follows it into the plural.
func nouns(n int, noun string) string {
	first, rest, more := strings.Cut(noun, " of ")
	if !more {
		return plural(n, noun)
	}
	return plural(n, first) + " of " + rest
}
