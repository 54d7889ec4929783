package catalog

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/version"
)

func TestInstallerTable(t *testing.T) {
	all := Installers()
	require.NotEmpty(t, all)
	for n, i := range all {
		require.Regexp(t, `^\d{4}-\d{2}(-\d{2})?$`, i.Date, i.Version)
		require.NotEmpty(t, i.Source.Ref, i.Version)
		requireDay(t, i.Source.Date)
		require.Equal(t, "https://efa-installer.amazonaws.com/aws-efa-installer-"+i.Version+".tar.gz", i.Tarball())
		if i.SHA256 != "" {
			sum, err := hex.DecodeString(i.SHA256)
			require.NoError(t, err, i.Version)
			require.Len(t, sum, 32, i.Version)
		}
		for _, v := range i.OpenMPI {
			_, err := version.Parse(v)
			require.NoError(t, err, i.Version)
		}
		if n > 0 {
			checkFollows(t, all[n-1], i)
		}
	}
}

// checkFollows holds that nothing goes backwards from one release to the next.
func checkFollows(t *testing.T, a, b InstallerRelease) {
	t.Helper()
	require.Positive(t, compare(t, b.Version, a.Version), "%s after %s", b.Version, a.Version)
	shorter := min(len(a.Date), len(b.Date))
	require.LessOrEqual(t, a.Date[:shorter], b.Date[:shorter], "%s after %s", b.Version, a.Version)
	before, after := a.Contents(), b.Contents()
	for c, v := range before {
		require.Contains(t, after, c, "%s lost %s", b.Version, c)
		if c == OpenMPI && len(a.OpenMPI) != len(b.OpenMPI) {
			continue // the oldest series is not verified in some rows
		}
		require.GreaterOrEqual(t, compare(t, after[c], v), 0, "%s of %s after %s", c, b.Version, a.Version)
	}
}

func compare(t *testing.T, a, b string) int {
	t.Helper()
	n, err := version.Compare(a, b)
	require.NoError(t, err)
	return n
}

func TestInstallerLookup(t *testing.T) {
	i, ok := Installer("1.50.0")
	require.True(t, ok)
	require.Equal(t, map[Component]string{
		EFADriver: "3.3.0", RDMACore: "64.0", Libfabric: "2.6.0amzn1.0", OFIPlugin: "1.21.1", OpenMPI: "5.0.9amzn1",
	}, i.Contents())

	i, ok = Installer("v1.47")
	require.True(t, ok, "another form of 1.47.0")
	require.Equal(t, "1.18.0", i.Plugin)

	old, ok := Installer("1.37.0")
	require.True(t, ok)
	require.NotContains(t, old.Contents(), OFIPlugin, "not bundled before 1.38.0")

	for _, text := range []string{"1.50.1", "", "latest"} {
		_, ok = Installer(text)
		require.False(t, ok, text)
	}
}

func TestFirstInstaller(t *testing.T) {
	for _, tt := range []struct {
		component Component
		atLeast   string
		want      string
	}{
		{OFIPlugin, "1.15.0", "1.42.0"},
		{EFADriver, "2.17.3", "1.43.3"},
		{EFADriver, "3.3.0", "1.50.0"},
		{Libfabric, "2.6.0", "1.50.0"},
		{EFAInstaller, "1.43.3", "1.43.3"},
		{Libfabric, "99", ""},
		{NCCL, "2.0", ""},
		{OFIPlugin, "newest", ""},
	} {
		got, _ := FirstInstaller(tt.component, tt.atLeast)
		require.Equal(t, tt.want, got.Version, "%s %s", tt.component, tt.atLeast)
	}
}

func TestReportedRowsAreMarked(t *testing.T) {
	var reported []string
	for _, i := range Installers() {
		if i.Reported {
			reported = append(reported, i.Version)
		}
	}
	require.Equal(t, []string{"1.48.0", "1.49.0"}, reported)
}

func TestTestedNCCL(t *testing.T) {
	got, ok := TestedNCCL("v1.20.0-aws")
	require.True(t, ok)
	require.Equal(t, []string{"2.28.9", "2.29.7", "2.30.4"}, got.NCCL)
	_, ok = TestedNCCL("1.2.0")
	require.False(t, ok)
	_, ok = TestedNCCL("?")
	require.False(t, ok)
	require.True(t, slices.IsSortedFunc(pluginTestTable, func(a, b PluginTest) int { return compare(t, a.Plugin, b.Plugin) }))
	for _, p := range pluginTestTable {
		require.True(t, slices.IsSortedFunc(p.NCCL, func(a, b string) int { return compare(t, a, b) }), p.Plugin)
		requireDay(t, p.Source.Date)
	}
}
