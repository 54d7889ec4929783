package sweep

import "bytes"

// Recognises reports whether a part of a text, best its beginning, has lines that only nccl-tests prints.
func Recognises(text []byte) bool {
	for _, mark := range [...]string{"# nccl-tests version ", "# Collective test starting: ", "# Collective test concluded: ", "# Avg bus bandwidth "} {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return together(text, "# nThread ", " minBytes ") || together(text, " algbw ", " busbw ")
}

// together reports whether a line holds one text and behind it another.
func together(text []byte, first, second string) bool {
	for {
		_, rest, ok := bytes.Cut(text, []byte(first))
		if !ok {
			return false
		}
		line, below, _ := bytes.Cut(rest, []byte("\n"))
		if bytes.Contains(line, []byte(second)) {
			return true
		}
		text = below
	}
}

// RecognisesJSON reports whether the beginning of a file is what nccl-tests writes with -J.
func RecognisesJSON(beginning []byte) bool {
	beginning = bytes.TrimLeft(beginning, "\ufeff \t\r\n")
	if len(beginning) == 0 || beginning[0] != '{' {
		return false
	}
	keys := 0
	for _, key := range [...]string{
		`"start_time"`, `"args"`, `"env"`, `"nccl_version"`, `"config"`, `"results"`, `"out_of_bounds"`, `"average_bus_band`,
	} {
		if bytes.Contains(beginning, []byte(key)) {
			keys++
		}
	}
	return keys >= 3
}
