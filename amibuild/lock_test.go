package amibuild_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
)

const efaRecipe = official + "components:\n  - efa: {version: 1.41.0}\n"

func resolved(t *testing.T, text string, earlier amibuild.Lock) amibuild.Lock {
	t.Helper()
	i, _ := amibuild.New(amibuild.Request{Recipe: recipe(t, text)})
	return amibuild.Resolve(i, earlier)
}

// What the catalogue knows needs no hand: the installer of 1.41.0 has a published checksum.
func TestResolveKnownChecksum(t *testing.T) {
	require.Equal(t, []amibuild.Artifact{{
		Name: "efa-installer", Version: "1.41.0", URL: "https://efa-installer.amazonaws.com/aws-efa-installer-1.41.0.tar.gz",
		SHA256: "3506354cdfbe31ff552fe75f5d0d9bb7efd29cf79bd99457347d29c751c38f9f",
	}}, resolved(t, efaRecipe, amibuild.Lock{}).Artifacts)
}

// A mirror's address and a pinned checksum stay; another version starts anew.
func TestResolveKeepsWhatIsPinned(t *testing.T) {
	l := resolved(t, official+"components:\n"+newEFA, amibuild.Lock{})
	require.NoError(t, l.Pin("efa-installer", strings.Repeat("ab", 32)))
	l.Artifacts[0].URL, l.Parent = "s3://mirror/efa.tar.gz", "ami-01234567"
	again := resolved(t, official+"components:\n"+newEFA, l)
	require.Equal(t, l, again)

	newer := resolved(t, official+"components:\n  - efa: {version: 1.51.0}\n", l)
	require.Equal(t, "https://efa-installer.amazonaws.com/aws-efa-installer-1.51.0.tar.gz", newer.Artifacts[0].URL)
	require.Empty(t, newer.Artifacts[0].SHA256)
	require.Equal(t, "ami-01234567", newer.Parent)
}

// The parent of one ParallelCluster version is none for the next.
func TestResolveDropsTheParentOfAnotherVersion(t *testing.T) {
	l := resolved(t, official+"components:\n"+newEFA, amibuild.Lock{})
	l.Parent = "ami-01234567"
	require.Empty(t, resolved(t, strings.Replace(official, "3.16.1", "3.16.3", 1)+"components:\n"+newEFA, l).Parent)
}

func TestPinRefuses(t *testing.T) {
	l := resolved(t, official+"components:\n"+newEFA, amibuild.Lock{})
	require.ErrorContains(t, l.Pin("nccl", strings.Repeat("ab", 32)), `the lock has no artifact "nccl", only efa-installer`)
	require.ErrorContains(t, l.Pin("efa-installer", "abc"), "is no SHA-256")
}

func TestStaleLock(t *testing.T) {
	const text = official + "components:\n" + newEFA
	good := resolved(t, text, amibuild.Lock{})
	require.NoError(t, good.Pin("efa-installer", strings.Repeat("ab", 32)))
	for name, c := range map[string]struct {
		change func(*amibuild.Lock)
		recipe string
		want   []string
	}{
		"good":              {recipe: text},
		"another recipe":    {recipe: strings.Replace(text, "name: a", "name: b", 1), want: []string{"error ami/lock recipe"}},
		"another version":   {recipe: strings.Replace(text, "3.16.1", "3.15.1", 1), want: []string{"error ami/lock parallelcluster"}},
		"another system":    {recipe: strings.Replace(text, "ubuntu2204", "alinux2023", 1), want: []string{"error ami/lock parallelcluster"}},
		"another installer": {recipe: strings.Replace(text, "1.50.0", "1.51.0", 1), want: []string{"error ami/lock artifacts[0]"}},
		"no checksum":       {recipe: text, change: func(l *amibuild.Lock) { l.Artifacts[0].SHA256 = "" }, want: []string{"error ami/checksum artifacts[0].sha256"}},
		"one artifact less": {recipe: text, change: func(l *amibuild.Lock) { l.Artifacts = nil }, want: []string{"error ami/lock artifacts"}},
		"one artifact more": {recipe: text, change: func(l *amibuild.Lock) {
			l.Artifacts = append(l.Artifacts, amibuild.Artifact{Name: "x", URL: "https://x/y"})
		}, want: []string{"error ami/lock artifacts[1]"}},
		"not what AWS publishes": {
			recipe: strings.Replace(text, "1.50.0", "1.41.0", 1),
			change: func(l *amibuild.Lock) { l.Artifacts[0].Version = "1.41.0" },
			want:   []string{"error ami/checksum artifacts[0].sha256", "error ver/pair parent"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := good
			l.Artifacts = append([]amibuild.Artifact(nil), good.Artifacts...)
			if c.change != nil {
				c.change(&l)
			}
			written, err := l.Write()
			require.NoError(t, err)
			r := amibuild.Request{Recipe: recipe(t, c.recipe)}
			r.Lock, _ = amibuild.DecodeLock(amibuild.LockFile, written)
			_, found := amibuild.New(r)
			for _, f := range found {
				if strings.HasPrefix(string(f.Rule), "ami/") {
					require.Equal(t, amibuild.LockFile, f.Place.File)
				}
			}
			require.Equal(t, c.want, rules(found))
		})
	}
}

func TestDecodeLockRefuses(t *testing.T) {
	head := "recipe: a\nparallelcluster: 3.16.1\nos: ubuntu2204\narchitecture: x86_64\nartifacts:\n"
	for text, want := range map[string]string{
		head + "  - {name: a, url: \"https://a/b\", sha256: abc}\n": "error ami/checksum artifacts[0].sha256",
		head + "  - {name: a, url: \"http://a/b\"}\n":               "error config/value artifacts[0].url",
		head + "  - {url: \"https://a/b\"}\n":                       "error config/required artifacts[0].name",
		strings.Replace(head, "recipe: a\n", "", 1):                 "error config/required recipe",
	} {
		_, found := amibuild.DecodeLock(amibuild.LockFile, []byte(text))
		require.Equal(t, want, rules(found)[0], text)
	}
}

// A lock that cannot be used is no lock, and never a pass.
func TestNoLock(t *testing.T) {
	_, found := amibuild.New(amibuild.Request{Recipe: recipe(t, official+"components:\n"+newEFA)})
	require.Equal(t, []string{"error ami/lock "}, rules(found))
}
