package config

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// judgeValue holds a value of the right type against the rules of its key.
func (w *walker) judgeValue(v reflect.Value, at diag.Place, rules tag.Rules) {
	switch v.Kind() {
	case reflect.String:
		w.judgeText(v.String(), at, rules)
	case reflect.Int:
		text := strconv.FormatInt(v.Int(), 10)
		if len(rules.OneOf) > 0 && !slices.Contains(rules.OneOf, text) {
			w.refuse(diag.ConfigValue, at, text, wanted(v.Type(), rules), "take the nearest of them: "+nearestNumber(v.Int(), rules.OneOf))
			return
		}
		w.judgeRange(float64(v.Int()), text, v.Type(), at, rules)
	case reflect.Float64:
		w.judgeRange(v.Float(), strconv.FormatFloat(v.Float(), 'g', -1, 64), v.Type(), at, rules)
	}
}

func (w *walker) judgeRange(f float64, text string, t reflect.Type, at diag.Place, rules tag.Rules) {
	switch {
	case rules.Min != nil && f < *rules.Min:
		w.refuse(diag.ConfigValue, at, text, wanted(t, rules), "raise it to "+bound(*rules.Min)+" or more")
	case rules.Max != nil && f > *rules.Max:
		w.refuse(diag.ConfigValue, at, text, wanted(t, rules), "lower it to "+bound(*rules.Max)+" or less")
	}
}

func (w *walker) judgeText(s string, at diag.Place, rules tag.Rules) {
	text := reflect.TypeFor[string]()
	switch {
	case rules.Free:
	case strings.TrimSpace(s) == "":
		w.refuse(diag.ConfigValue, at, "an empty text", wanted(text, rules), "give a value, or leave the key out")
	case strings.ContainsFunc(s, unicode.IsControl):
		w.refuse(diag.ConfigValue, at, quote(s), "one line of text", "remove line breaks, tabs and control characters")
	default:
		if hint := formFault(s, rules); hint != "" {
			w.refuse(diag.ConfigValue, at, quote(s), wanted(text, rules), hint)
		}
	}
}

// formFault is the way out where a text has not the form that its key asks for; empty where it has.
func formFault(s string, rules tag.Rules) string {
	switch {
	case len(rules.OneOf) > 0 && !slices.Contains(rules.OneOf, s):
		return suggestion(s, rules.OneOf)
	case rules.ID != "" && !tag.IsID(rules.ID, s):
		return idHint(rules.ID, s)
	case rules.Decimal && !decimal.MatchString(s):
		return "write digits and a point only, without currency or thousands separator"
	case rules.Time && !isTime(s):
		return "write date, T, time and zone, for example 2026-12-07T11:30:00Z"
	default:
		return ""
	}
}

var decimal = regexp.MustCompile(tag.DecimalPattern)

// amount is the exact value of a decimal text.
func amount(s string) (*big.Rat, bool) {
	if !decimal.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// idHint tells an id of another kind from a mistyped one.
func idHint(kind, s string) string {
	prefix, rest, ok := strings.Cut(s, "-")
	switch {
	case !ok || prefix != kind:
		return "give the id, as the EC2 console and API show it, not a name or an id of another kind"
	case len(rest) != 17 && len(rest) != 8:
		return fmt.Sprintf("copy the whole id: it has %d digits after the hyphen", len(rest))
	default:
		return "copy the id again: its digits are 0 to 9 and a to f"
	}
}

func bound(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// nearestNumber is the allowed number closest to the given one, the larger one of two.
func nearestNumber(i int64, allowed []string) string {
	best, gap := "", int64(-1)
	for _, word := range allowed {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			continue
		}
		if d := max(n-i, i-n); gap < 0 || d <= gap {
			best, gap = word, d
		}
	}
	return best
}
