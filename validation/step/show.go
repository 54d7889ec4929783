package step

import (
	"fmt"
	"io"
	"strings"
)

// Show prints everything that would run: the jobs in their order with their reasons, what is left out, and every script.
func (o Order) Show(w io.Writer) error {
	var b strings.Builder
	for i, j := range o.Jobs {
		fmt.Fprintf(&b, "%d. %s: %s\n   %s", i+1, j.Name, j.Why, amount(j.Nodes, "node"))
		if len(j.Hosts) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(j.Hosts, ", "))
		}
		fmt.Fprintf(&b, ", %s at most", j.Limit)
		if len(j.DependsOn) > 0 {
			fmt.Fprintf(&b, ", after %s", strings.Join(j.DependsOn, ", "))
		}
		b.WriteString("\n")
	}
	for _, s := range o.Skipped {
		fmt.Fprintf(&b, "-  %s on %s is left out: %s\n", s.Step, s.Group, s.Why)
	}
	for _, j := range o.Jobs {
		fmt.Fprintf(&b, "\n==> %s.sh <==\n%s", j.Name, j.Script)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("showing the order: %w", err)
	}
	return nil
}

func amount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
