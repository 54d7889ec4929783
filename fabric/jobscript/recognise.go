package jobscript

import "strings"

// Recognise tells what a text is by its content. A shell script without a first line that says so is one when it parses, and sets or starts
// something; that is asked last, since nearly any text parses.
func Recognise(text string) Kind {
	text = strings.TrimPrefix(text, "\ufeff")
	switch {
	case hasDirective(text):
		return Batch
	case isScript(text):
		return Shell
	case isDockerfile(text):
		return Dockerfile
	case isEnvironment(text):
		return Environment
	default:
		return None
	}
}

// Plain reports that a text without any mark is a shell script.
func Plain(text string) bool {
	if len(text) > MaxBytes {
		return false
	}
	s := Read(text, Shell)
	return len(s.Problems) == 0 && (len(s.Settings) > 0 || len(s.Starts) > 0)
}

func hasDirective(text string) bool {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, directiveMark); ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n")) {
			return true
		}
	}
	return false
}

func isScript(text string) bool {
	program, given := shebang(text)
	return given && isShell(program) && program != ""
}

// isDockerfile goes by the first instruction, which is FROM, behind ARG at most.
func isDockerfile(text string) bool {
	for _, instruction := range instructions(text) {
		keyword, rest, _ := strings.Cut(instruction, " ")
		switch strings.ToUpper(keyword) {
		case "ARG":
		case "FROM":
			return rest != ""
		default:
			return false
		}
	}
	return false
}

// isCommand reports that something follows a setting in its line, or that it is one of several commands.
func isCommand(line string) bool {
	return strings.HasSuffix(line, ";") || strings.Contains(line, "; ") || strings.Contains(line, " && ") || strings.Contains(line, " || ")
}

// isEnvironment wants nothing but settings and comments.
func isEnvironment(text string) bool {
	found := false
	for line := range strings.Lines(text) {
		plain := strings.TrimSpace(line)
		if plain == "" || strings.HasPrefix(plain, "#") {
			continue
		}
		_, name, value, ok := setting(line)
		if !ok || strings.HasPrefix(value, "(") || strings.Contains(plain, "$(") || !strings.Contains(plain, name+"=") || isCommand(plain) {
			return false
		}
		found = true
	}
	return found
}
