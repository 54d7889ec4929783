package chart

import (
	"strings"
	"unicode/utf8"
)

// shortNames gives each name without what all of them begin with, up to a dash, a dot or the like: node 7 of compute-st-p5en-7. The common part
// comes as well, for a note; it is "" where nothing was cut off.
func shortNames(names []string) (short map[string]string, common string) {
	common = commonPart(names)
	short = make(map[string]string, len(names))
	for _, n := range names {
		short[n] = strings.TrimPrefix(n, common)
	}
	return short, common
}

func commonPart(names []string) string {
	if len(names) < 2 {
		return ""
	}
	common := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, common) {
			common = common[:len(common)-1]
		}
	}
	at := strings.LastIndexAny(common, "-._/")
	return common[:at+1]
}

// fit cuts a text to a number of characters. What tells names apart stands at their end, so that stays.
func fit(s string, most int) string {
	n := utf8.RuneCountInString(s)
	if n <= most {
		return s
	}
	runes := []rune(s)
	return "…" + string(runes[n-most+1:])
}

func commonNote(common string) []string {
	if common == "" {
		return nil
	}
	return []string{"All names begin with " + common}
}
