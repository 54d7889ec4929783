package verdict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// number writes a figure as a reader wants it: three figures that count, no tail of zeros.
func number(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', -1, 64)
	case math.Abs(v) >= 100:
		return trim(strconv.FormatFloat(v, 'f', 1, 64))
	default:
		return trim(strconv.FormatFloat(v, 'f', 2, 64))
	}
}

func trim(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + " %" }

// size writes bytes in the unit of message sizes: 16 GiB.
func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(bytes), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	return number(v) + " " + units[i]
}

// count writes "1 node", "4 nodes".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// median of values, not empty; the values stay in their order.
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile of values, not empty, between the nearest two.
func quantile(values []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(values))
	at := q * float64(len(s)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(s)-1)
	return s[low] + (at-float64(low))*(s[high]-s[low])
}

// list writes at most a few of many: "a, b, c and 5 more".
func list(items []string) string {
	const most = 6
	if len(items) <= most {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
}
