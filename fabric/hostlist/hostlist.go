// Package hostlist reads Slurm's short form of lists of nodes: queue-st-a-[1-3,07],head.
package hostlist

import (
	"fmt"
	"strconv"
	"strings"
)

// Most is how many names a list may stand for: Slurm itself has 64 Ki nodes at most.
const Most = 1 << 16

// longestEntry of a list, in bytes: host names are short.
const longestEntry = 4096

// Expand gives the names that a list stands for, in its order. It is an error if the list can't be read, or stands for more names
// than there is room for.
func Expand(list string, room int) ([]string, error) {
	var out []string
	for _, entry := range splitOutside(list) {
		names, err := expandEntry(entry, room-len(out))
		if err != nil {
			return nil, fmt.Errorf("reading the list %s: %w", strconv.Quote(list), err)
		}
		out = append(out, names...)
	}
	return out, nil
}

// Names is Expand for what Slurm itself prints: an entry that can't be read stands as it is written, so that nothing is lost, and
// the (null) of an empty list stands for none.
func Names(list string) []string {
	if list == "" || list == "(null)" {
		return nil
	}
	var out []string
	for _, entry := range splitOutside(list) {
		names, err := expandEntry(entry, Most)
		if err != nil {
			names = []string{entry}
		}
		out = append(out, names...)
	}
	return out
}

// splitOutside cuts at the commas that stand outside of brackets.
func splitOutside(list string) []string {
	var out []string
	start, inside := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '[':
			inside++
		case ']':
			inside--
		case ',':
			if inside == 0 {
				out = append(out, list[start:i])
				start = i + 1
			}
		}
	}
	return append(out, list[start:])
}

func expandEntry(entry string, room int) ([]string, error) {
	if len(entry) > longestEntry {
		return nil, fmt.Errorf("an entry of %d characters", len(entry))
	}
	before, rest, ok := strings.Cut(entry, "[")
	if !ok {
		switch {
		case room < 1:
			return nil, fmt.Errorf("more than %d names", Most)
		case entry == "" || strings.Contains(entry, "]"):
			return nil, fmt.Errorf("%s is no name", strconv.Quote(entry))
		}
		return []string{entry}, nil
	}
	ranges, after, ok := strings.Cut(rest, "]")
	if !ok {
		return nil, fmt.Errorf("%s has no closing bracket", strconv.Quote(entry))
	}
	tails := []string{""}
	if after != "" {
		var err error
		if tails, err = expandEntry(after, room); err != nil {
			return nil, err
		}
	}
	return combine(before, strings.Split(ranges, ","), tails, room)
}

// combine gives each number of the ranges with each tail.
func combine(before string, ranges, tails []string, room int) ([]string, error) {
	var out []string
	for _, r := range ranges {
		numbers, err := expandRange(r, room-len(out))
		if err != nil {
			return nil, err
		}
		if len(out)+len(numbers)*len(tails) > room {
			return nil, fmt.Errorf("more than %d names", Most)
		}
		for _, n := range numbers {
			for _, tail := range tails {
				out = append(out, before+n+tail)
			}
		}
	}
	return out, nil
}

// expandRange gives the numbers of 08-11 with their leading zeros.
func expandRange(text string, room int) ([]string, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	a, errA := strconv.ParseUint(low, 10, 32)
	b, errB := strconv.ParseUint(high, 10, 32)
	switch {
	case errA != nil || errB != nil || b < a:
		return nil, fmt.Errorf("%s is no range", strconv.Quote(text))
	case b-a >= uint64(max(room, 0)):
		return nil, fmt.Errorf("more than %d names", Most)
	}
	out := make([]string, 0, b-a+1)
	for n := a; n <= b; n++ {
		out = append(out, fmt.Sprintf("%0*d", len(low), n))
	}
	return out, nil
}
