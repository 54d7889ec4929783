package topology

import (
	"fmt"
	"strings"
)

// few names the first of a list, and says how many more there are.
func few(names []string) string {
	const most = 4
	switch {
	case len(names) == 0:
		return "none"
	case len(names) <= most:
		return strings.Join(names, ", ")
	default:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), len(names)-most+1)
	}
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
