package version

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnreadable is what every error of this package wraps: a string that is no version of a known form.
var ErrUnreadable = errors.New("unreadable version")

// maxLength bounds the text of a version, in bytes. The longest known forms, kernels and distribution packages, stay below 50.
const maxLength = 128

// Version is a version that was read. The zero value means that none was: it is below every version and satisfies no floor.
//
// Two versions of equal rank can differ in text, so Versions are compared by [Version.Compare], not by ==.
type Version struct {
	text string
	// release, pre and build hold no trailing zeros, so that slices.Compare makes 1.9 equal to 1.9.0.
	release []int64
	stage   stage
	pre     []int64
	// built tells 64.0amzn0 from 64.0: both have no build numbers left once the zeros are gone.
	built bool
	build []int64
}

// stage is how far a release had come, in order; the zero value is the finished release.
type stage int

const (
	// stageTilde is a bare ~, which dpkg and rpm sort before everything, without saying how far from the release.
	stageTilde stage = iota - 5
	stageDev
	stageAlpha
	stageBeta
	stageCandidate
	stageRelease
)

// Parse reads a version in any form that the package comment lists, surrounding white space aside. The error wraps [ErrUnreadable] and
// says what could not be read.
func Parse(s string) (Version, error) {
	v, err := parse(strings.TrimSpace(s))
	if err != nil {
		return Version{}, fmt.Errorf("%w %.*q: %w", ErrUnreadable, maxLength, s, err)
	}
	return v, nil
}

// MustParse is [Parse] for tables in code, where an unreadable version is a programming error: it panics on one.
func MustParse(s string) Version {
	v, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return v
}

// Compare reads two versions and orders them as [Version.Compare] does. If either or both are unreadable, the error says so of each, and
// the result has no meaning.
func Compare(a, b string) (int, error) {
	va, errA := Parse(a)
	vb, errB := Parse(b)
	if err := errors.Join(errA, errB); err != nil {
		return 0, err
	}
	return va.Compare(vb), nil
}

// Compare returns -1 if v is below w, +1 if v is above w, and 0 if they are of equal rank, in the order of the package comment.
func (v Version) Compare(w Version) int {
	return cmp.Or(
		compareBool(!v.IsZero(), !w.IsZero()),
		slices.Compare(v.release, w.release),
		cmp.Compare(v.stage, w.stage),
		slices.Compare(v.pre, w.pre),
		compareBool(v.built, w.built),
		slices.Compare(v.build, w.build),
	)
}

// AtLeast says whether v satisfies a floor: v is of the floor's rank or above. A vendor build satisfies the floor of its release
// (1.22.0amzn2.0 satisfies 1.22.0, not the other way round), a pre-release does not, and package revisions play no part. Every version
// that was read satisfies the zero floor; the zero version satisfies none.
func (v Version) AtLeast(floor Version) bool {
	return !v.IsZero() && v.Compare(floor) >= 0
}

// IsZero says whether v is the zero value, that is, holds no version.
func (v Version) IsZero() bool { return v.text == "" }

// String returns the version as it was given, without surrounding white space; "" for the zero value.
func (v Version) String() string { return v.text }

// MarshalText returns what [Version.String] returns. Leave the zero value out of encodings (omitzero): its text cannot be read back.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.text), nil }

// UnmarshalText is [Parse]; v is unchanged on error.
func (v *Version) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*v = read
	return nil
}

// UnmarshalYAML is [Parse] of the scalar as it stands in the file, quoted or not. goccy/go-yaml prefers it to UnmarshalText, to which it
// would hand the number that it takes a plain 3.10 for: 3.1.
func (v *Version) UnmarshalYAML(source []byte) error {
	scalar, _, _ := strings.Cut(string(source), "#")
	return v.UnmarshalText([]byte(unquote(strings.TrimSpace(scalar))))
}

// unquote takes one pair of quotes off a YAML scalar. Escapes stay, and are unreadable: no version needs one.
func unquote(scalar string) string {
	for _, quote := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(scalar, quote); ok && strings.HasSuffix(inner, quote) {
			return strings.TrimSuffix(inner, quote)
		}
	}
	return scalar
}

// compareBool orders false below true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
