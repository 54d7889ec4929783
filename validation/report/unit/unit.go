// Package unit writes figures of a report for people: as many digits as tell something, in the units of the field.
package unit

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// NotKnown stands where no log gave a figure.
const NotKnown = "–"

// Number gives three digits or all those before the point: 374, 93.8, 8.7, 0.46, 1,204.
func Number(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return infinite(v)
	case a >= 1e9:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 99.95:
		return grouped(math.Round(v))
	case a >= 9.995:
		return trimmed(v, 1)
	case a >= 0.0995 || a == 0:
		return trimmed(v, 2)
	default:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
}

func infinite(v float64) string {
	if v < 0 {
		return "−∞"
	}
	return "∞"
}

func trimmed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// Count writes a whole number with its thousands apart.
func Count(n int64) string { return grouped(float64(n)) }

func grouped(v float64) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	if v < 0 {
		return "-" + s
	}
	return s
}

// Percent writes a share: 0.935 is 94 %.
func Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return NotKnown
	}
	return Number(math.Round(share*100)) + " %"
}

var sizes = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Bytes writes a message's size in powers of 1024, exactly where it is a whole number of them: 64 MiB.
func Bytes(n int64) string {
	v, i := float64(n), 0
	for math.Abs(v) >= 1024 && i < len(sizes)-1 {
		v, i = v/1024, i+1
	}
	return Number(v) + " " + sizes[i]
}

// Duration writes how long something took: 45 s, 12 min 4 s, 3 h 5 min.
func Duration(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int64(d/time.Hour), int64(d/time.Minute)%60, int64(d/time.Second)%60
	switch {
	case d < 0:
		return NotKnown
	case h > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case m > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	default:
		return fmt.Sprintf("%d s", s)
	}
}

// Took is the time between two moments; NotKnown where one is.
func Took(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return NotKnown
	}
	return Duration(to.Sub(from))
}

// Moment writes a time in UTC; NotKnown for the zero time.
func Moment(t time.Time) string {
	if t.IsZero() {
		return NotKnown
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Plural writes a number with the right form of its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(int64(n)) + " " + many
}
