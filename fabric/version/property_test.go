package version_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	goversion "github.com/hashicorp/go-version"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/version"
)

// Numbers and words are drawn from few values, so that versions often tie in one field and differ in the next.

func drawNumbers(t *rapid.T, label string, least, most int) string {
	number := rapid.SampledFrom([]string{"0", "1", "2", "9", "10", "01", "08", "124"})
	return strings.Join(rapid.SliceOfN(number, least, most).Draw(t, label), ".")
}

func drawOne(t *rapid.T, label string, choices ...string) string {
	return rapid.SampledFrom(choices).Draw(t, label)
}

// drawPrerelease draws what may stand between a release and a build.
func drawPrerelease(t *rapid.T) string {
	number := drawNumbers(t, "pre-release number", 1, 2)
	word := drawOne(t, "stage", "dev", "alpha", "beta", "rc", "a", "b", "c", "pre", "preview")
	if len(word) > 1 {
		number = drawOne(t, "dot", "", ".") + number
	}
	return drawOne(t, "stage separator", "", "-", ".", "~") + word + number
}

// drawUnordered draws what may close a version without moving it.
func drawUnordered(t *rapid.T) string {
	return drawOne(t, "mark", "", "g", "aws", "-aws") +
		drawOne(t, "revision", "", "", "-1", "-2", "-1ubuntu1", "-1.amzn2023.x86_64", "-0ubuntu0.22.04.1") +
		drawOne(t, "metadata", "", "", "+cuda12.9", "+cu130")
}

func drawBuilt(t *rapid.T) string {
	release := drawNumbers(t, "release", 1, 4)
	build := drawOne(t, "vendor separator", "", ".", "-") + "amzn" + drawNumbers(t, "vendor build", 1, 2)
	return drawOne(t, "v", "", "v") + release + drawOne(t, "body",
		"", "", build, "~"+build[strings.Index(build, "amzn"):], drawPrerelease(t), drawPrerelease(t)+build) + drawUnordered(t)
}

func drawCode(t *rapid.T) string {
	minor, patch := rapid.IntRange(0, 28).Draw(t, "minor"), rapid.IntRange(0, 9).Draw(t, "patch")
	if minor <= 8 {
		return fmt.Sprint(2000 + minor*100 + patch)
	}
	return fmt.Sprint(20000 + minor*100 + patch)
}

func drawKernel(t *rapid.T) string {
	return drawNumbers(t, "kernel", 3, 3) + "-" + drawOne(t, "kernel build",
		drawNumbers(t, "abi", 1, 1)+drawOne(t, "flavour", "-aws", "-generic"),
		drawNumbers(t, "package", 2, 3)+drawOne(t, "distribution", ".amzn2023.x86_64", ".el9_7.x86_64"))
}

// text generates version strings of every form. Each test makes its own: a generator writes its name down on first use, and tests run side
// by side.
func text() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]func(*rapid.T) string{drawBuilt, drawBuilt, drawBuilt, drawKernel, drawCode}).Draw(t, "form")(t)
	})
}

func drawVersion(t *rapid.T, label string) version.Version {
	s := text().Draw(t, label)
	v, err := version.Parse(s)
	require.NoError(t, err)
	require.Equal(t, s, v.String())
	return v
}

func TestCompareIsATotalPreorder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawVersion(t, "a"), drawVersion(t, "b"), drawVersion(t, "c")
		require.Zero(t, a.Compare(a), "reflexive")
		require.Equal(t, -b.Compare(a), a.Compare(b), "antisymmetric")
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 {
			require.LessOrEqual(t, a.Compare(c), 0, "transitive")
			require.Equal(t, a.Compare(b) == 0 && b.Compare(c) == 0, a.Compare(c) == 0, "equal only through equals")
		}
		require.Equal(t, a.Compare(b) >= 0, a.AtLeast(b), "floors follow the order")
		require.Equal(t, a.AtLeast(b) && b.AtLeast(a), a.Compare(b) == 0)
	})
}

// TestCompareHoldsOverAllTriples tries transitivity on every triple of the ladders, where random draws could miss a pair of forms.
func TestCompareHoldsOverAllTriples(t *testing.T) {
	t.Parallel()
	var all []version.Version
	for _, ladder := range ladders {
		for _, step := range ladder {
			all = append(all, version.MustParse(step[0]))
		}
	}
	for _, a := range all {
		for _, b := range all {
			if a.Compare(b) > 0 {
				continue
			}
			for _, c := range all {
				if b.Compare(c) <= 0 && a.Compare(c) > 0 {
					t.Fatalf("%v <= %v <= %v, but %v > %v", a, b, c, a, c)
				}
			}
		}
	}
}

// TestSortIsTheSameFromAnyStart is what a total preorder is for.
func TestSortIsTheSameFromAnyStart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(text(), 2, 12).Draw(t, "list")
		versions := make([]version.Version, len(list))
		for i, s := range list {
			versions[i] = version.MustParse(s)
		}
		shuffled := rapid.Permutation(versions).Draw(t, "shuffled")
		slices.SortFunc(versions, version.Version.Compare)
		slices.SortFunc(shuffled, version.Version.Compare)
		require.Zero(t, slices.CompareFunc(versions, shuffled, version.Version.Compare))
	})
}

func TestPlainReleasesAreOrderedAsByGoVersion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawNumbers(t, "a", 1, 6), drawNumbers(t, "b", 1, 6)
		got, err := version.Compare(a, b)
		require.NoError(t, err)
		require.Equal(t, goversion.Must(goversion.NewVersion(a)).Compare(goversion.Must(goversion.NewVersion(b))), got)
	})
}

func TestWhatDoesNotMoveAVersion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		release := drawNumbers(t, "release", 2, 4)
		build := drawOne(t, "build", "", drawPrerelease(t), "amzn"+drawNumbers(t, "vendor build", 1, 2))
		plain := version.MustParse(release + build)
		for _, same := range []string{
			"v" + release + build, "0" + release + build, release + ".0.0" + build, release + build + drawUnordered(t), " " + release + build + "\n",
		} {
			require.Zero(t, plain.Compare(version.MustParse(same)), "%s against %v", same, plain)
		}
	})
}

func TestBuildsSurroundTheirRelease(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		release := drawNumbers(t, "release", 2, 4)
		floor := version.MustParse(release)
		vendor := version.MustParse(release + "amzn" + drawNumbers(t, "vendor build", 1, 2) + drawUnordered(t))
		next := version.MustParse(release + ".1")
		require.True(t, vendor.AtLeast(floor))
		require.False(t, floor.AtLeast(vendor))
		require.False(t, vendor.AtLeast(next))

		before := version.MustParse(release + drawOne(t, "pre-release", drawPrerelease(t), "~amzn4.0") + drawUnordered(t))
		require.False(t, before.AtLeast(floor))
	})
}

func TestCodesAreTheirDottedVersions(t *testing.T) {
	t.Parallel()
	// The macro of nccl.h, over every version that both ranges hold.
	for minor := range 100 {
		for patch := range 100 {
			code := 2*1000 + minor*100 + patch
			if minor > 8 {
				code = 2*10000 + minor*100 + patch
			}
			got, err := version.Compare(fmt.Sprint(code), fmt.Sprintf("2.%d.%d", minor, patch))
			require.NoError(t, err)
			require.Zero(t, got, "%d", code)
		}
	}
}
