package render

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// narrowest is the least room that text gets beside its label, however narrow the terminal says it is.
const narrowest = 20

// wrap breaks a line at spaces so that its pieces take at most width cells; width 0 or less leaves it whole.
// A word that is longer stays whole as well, so that an id, a path or a link can be copied. Spaces inside a
// piece are kept as they are.
func wrap(line string, width int) []string {
	if width <= 0 || lipgloss.Width(line) <= width {
		return []string{line}
	}
	words := strings.Split(line, " ")
	pieces := make([]string, 0, 4)
	start, used := 0, lipgloss.Width(words[0])
	for i, word := range words[1:] {
		w := lipgloss.Width(word)
		if used+1+w <= width {
			used += 1 + w
			continue
		}
		pieces = append(pieces, strings.Join(words[start:i+1], " "))
		start, used = i+1, w
	}
	return append(pieces, strings.Join(words[start:], " "))
}
