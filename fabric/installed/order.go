package installed

import (
	"regexp"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/version"
)

// counts reports whether a version is to be judged rather than another one of the same component. A version that
// cannot be read comes first: it must not get lost behind one that can.
func counts(v, than Version) bool {
	a, errA := parse(v)
	b, errB := parse(than)
	switch {
	case errB != nil:
		return false
	case errA != nil:
		return true
	case same(v, than):
		return v.Component == catalog.GDRCopy && len(v.Text) > len(than.Text) // the fuller one: gdrdrv calls itself 2.5 where its package is 2.5.1
	case v.Component == catalog.CUDA:
		return a.Compare(b) > 0
	default:
		return a.Compare(b) < 0
	}
}

// same reports whether two versions of a component agree. Where one cannot be read, only equal texts do.
func same(a, b Version) bool {
	va, errA := parse(a)
	vb, errB := parse(b)
	switch {
	case errA != nil || errB != nil:
		return a.Text == b.Text
	case a.Component == catalog.GDRCopy && (twoParts.MatchString(a.Text) || twoParts.MatchString(b.Text)):
		return firstTwo.FindString(a.Text) == firstTwo.FindString(b.Text)
	default:
		return va.Compare(vb) == 0
	}
}

var (
	firstTwo = regexp.MustCompile(`\d+\.\d+`)
	twoParts = regexp.MustCompile(`^v?\d+\.\d+$`) // how the kernel module gdrdrv gives its version
)

// parse reads a version. The packages of one CUDA toolkit share the first two numbers only: cuda-cudart-13-0 is
// 13.0.96 in toolkit 13.0.2.
func parse(v Version) (version.Version, error) {
	text := v.Text
	if release := cudaRelease.FindString(text); v.Component == catalog.CUDA && release != "" {
		text = release
	}
	return version.Parse(text)
}

var cudaRelease = regexp.MustCompile(`^\d+\.\d+`)
