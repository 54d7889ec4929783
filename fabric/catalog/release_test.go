package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/version"
)

func TestReleaseTable(t *testing.T) {
	all := Releases()
	require.Equal(t, "3.16.3", NewestRelease().Version)
	require.Equal(t, "3.16.1", NewestJudgedRelease().Version)
	var judged []string
	for n, r := range all {
		require.NotEmpty(t, r.Source.Ref, r.Version)
		requireDay(t, r.Source.Date)
		require.NotEmpty(t, r.OSes, r.Version)
		for c, v := range r.Ships {
			_, err := version.Parse(v)
			require.NoError(t, err, "%s ships %s", r.Version, c)
		}
		if efa := r.Ships[EFAInstaller]; efa != "" {
			_, ok := Installer(efa)
			require.True(t, ok, "%s ships EFA installer %s, which the installer table lacks", r.Version, efa)
		}
		if r.Judged {
			judged = append(judged, r.Version)
		}
		if n > 0 {
			checkReleaseFollows(t, all[n-1], r)
		}
	}
	require.Equal(t, []string{"3.13.2", "3.14.2", "3.15.1", "3.16.1"}, judged)
}

func checkReleaseFollows(t *testing.T, a, b Release) {
	t.Helper()
	require.Positive(t, compare(t, b.Version, a.Version))
	if a.Date != "" {
		require.Less(t, a.Date, b.Date, b.Version)
	}
	require.False(t, a.Interfaces == SplitInterfaces && b.Interfaces == CombinedInterfaces, b.Version)
	for c, v := range a.Ships {
		if now, ok := b.Ships[c]; ok {
			require.GreaterOrEqual(t, compare(t, now, v), 0, "%s of %s after %s", c, b.Version, a.Version)
		}
	}
}

func TestReleaseFacts(t *testing.T) {
	tests := []struct {
		version    string
		interfaces InterfaceLayout
		oses       string
	}{
		{"3.13.2", CombinedInterfaces, "alinux2 alinux2023 ubuntu2004 ubuntu2204 ubuntu2404 rhel8 rocky8 rhel9 rocky9"},
		{"3.14.2", CombinedInterfaces, "alinux2 alinux2023 ubuntu2204 ubuntu2404 rhel8 rocky8 rhel9 rocky9"},
		{"3.15.1", SplitInterfaces, "alinux2 alinux2023 ubuntu2204 ubuntu2404 rhel8 rocky8 rhel9 rocky9"},
		{"3.16.1", SplitInterfaces, "alinux2023 ubuntu2204 ubuntu2404 rhel8 rocky8 rhel9 rocky9"},
	}
	for _, tt := range tests {
		r, ok := ReleaseOf(tt.version)
		require.True(t, ok)
		require.Equal(t, tt.interfaces, r.Interfaces, tt.version)
		var names []string
		for _, o := range r.OSes {
			names = append(names, o.Name)
			require.Equal(t, !strings.HasPrefix(o.Name, "rocky"), o.Official, o.Name)
		}
		require.Equal(t, tt.oses, strings.Join(names, " "), tt.version)
	}
	_, ok := ReleaseOf("3.16")
	require.False(t, ok, "a release is exact")
}

func TestReleaseOS(t *testing.T) {
	r, ok := ReleaseOf("3.16.1")
	require.True(t, ok)
	rhel, ok := r.OS("rhel9")
	require.True(t, ok)
	require.Equal(t, PlatformRHEL, rhel.Platform)
	require.Equal(t, "ec2-user", rhel.LoginUser)
	require.False(t, rhel.Takes("p6e-gb200.36xlarge"))
	require.True(t, rhel.Takes("p6-b200.48xlarge"))
	rocky, ok := r.OS("rocky9")
	require.True(t, ok)
	require.Equal(t, PlatformLinux, rocky.Platform)
	require.Equal(t, "rocky", rocky.LoginUser)
	_, ok = r.OS("alinux2")
	require.False(t, ok)
}

// No Blackwell on Amazon Linux 2: ParallelCluster's validators refuse p6e-gb200 (3.14.2, 3.15.1) and p6-b300 (3.15.1), and its images
// have no driver for p6-b200.
func TestReleaseOSWithoutDriver(t *testing.T) {
	for _, version := range []string{"3.13.2", "3.14.2", "3.15.1"} {
		r, ok := ReleaseOf(version)
		require.True(t, ok)
		al2, ok := r.OS("alinux2")
		require.True(t, ok)
		for instanceType, takes := range map[string]bool{
			"p4d.24xlarge": true, "p5en.48xlarge": true, "p6-b200.48xlarge": false, "p6-b300.48xlarge": false, "p6e-gb200.36xlarge": false,
		} {
			require.Equal(t, takes, al2.Takes(instanceType), "%s on %s", instanceType, version)
		}
	}
}

func TestAMIName(t *testing.T) {
	for _, tt := range []struct{ version, os, arch, want string }{
		{"3.16.1", "alinux2023", "x86_64", "aws-parallelcluster-3.16.1-amzn2023-hvm-x86_64*"},
		{"3.16.1", "ubuntu2404", "arm64", "aws-parallelcluster-3.16.1-ubuntu-2404-lts-hvm-arm64*"},
		{"3.15.1", "alinux2", "x86_64", "aws-parallelcluster-3.15.1-amzn2-hvm-x86_64*"},
		{"3.16.1", "alinux2", "x86_64", ""}, // the release dropped it
		{"3.16.1", "rocky9", "x86_64", ""},  // no official image
		{"9.9.9", "alinux2023", "x86_64", ""},
	} {
		got, ok := AMIName(tt.version, tt.os, tt.arch)
		require.Equal(t, tt.want, got)
		require.Equal(t, tt.want != "", ok)
	}
}

func TestLimits(t *testing.T) {
	l := NewestRelease().Limits()
	require.Equal(t, 25, l.QueueName)
	require.Equal(t, 60, l.ClusterName)
	require.Equal(t, 40, l.ClusterNameAccounting)
	require.Equal(t, 50, l.Queues)
	requireDay(t, l.Source.Date)
}

const overrides = "Scheduling/SlurmQueues[]/ComputeResources[]/LaunchTemplateOverrides"

func TestHasKey(t *testing.T) {
	for _, tt := range []struct {
		version, path string
		has, known    bool
	}{
		{"3.13.2", overrides, false, true},
		{"3.14.2", overrides, false, true},
		{"3.14.1", overrides, false, true}, // by the release notes
		{"3.15.0", overrides, true, true},
		{"3.15.1", overrides, true, true},
		{"3.16.3", overrides + "/Version", true, true},
		{"3.16.3", overrides + "/Nonsense", false, false},
		{"3.16.1", "Scheduling/AwsBatchQueues", false, true},
		{"3.15.1", "Scheduling/AwsBatchQueues", true, true},
		{"3.16.0", "Scheduling/AwsBatchQueues[]/Name", false, true},
		{"3.16.1", "Image/Os", true, true},
		{"3.16.1", "Scheduling/SlurmQueues[]/Networking/SubnetIds", true, true},
		{"3.16.1", "Scheduling/SlurmQueues[]/Networking/SubnetIds[]", true, true},
		{"3.16.1", "Image/OS", false, true},
		{"3.16.3", "Image/Os", true, false}, // as in 3.16.1, which was read
		{"3.17.0", "Image/Os", false, false},
		{"", "Image/Os", false, false},
		{"3.14.2", "LoginNodes/Pools[]/Ssh/KeyName", true, true},
		{"3.15.0", "LoginNodes/Pools[]/Ssh/KeyName", false, true},
	} {
		has, known := HasKey(tt.version, tt.path)
		require.Equal(t, [2]bool{tt.has, tt.known}, [2]bool{has, known}, "%s %s", tt.version, tt.path)
	}
	has, known := HasImageKey("3.16.1", "Build/ParentImage")
	require.True(t, has && known)
	has, known = HasImageKey("3.16.1", "HeadNode")
	require.Equal(t, [2]bool{false, true}, [2]bool{has, known})
}

func TestUpdatePolicy(t *testing.T) {
	for _, tt := range []struct{ version, path, want string }{
		{"3.16.1", "HeadNode/InstanceType", "UNSUPPORTED"},
		{"3.16.1", overrides, "QUEUE_UPDATE_STRATEGY"},
		{"3.14.2", "Tags", "UNSUPPORTED"},
		{"3.16.1", "Tags[]", "SUPPORTED_UNLESS_ADC"},
		{"3.14.2", overrides, ""},
		{"3.16.3", "Tags", ""}, // not read
	} {
		got, ok := UpdatePolicy(tt.version, tt.path)
		require.Equal(t, tt.want, got, "%s %s", tt.version, tt.path)
		require.Equal(t, tt.want != "", ok)
	}
}

func TestKeys(t *testing.T) {
	for release, n := range map[string]int{"3.13.2": 360, "3.14.2": 362, "3.15.1": 366, "3.16.1": 350, "3.16.3": 0} {
		keys := Keys(release)
		require.Len(t, keys, n, release)
		require.True(t, slices.IsSorted(keys))
	}
	require.Equal(t, []string{"3.15.1", "3.16.1"}, KeyReleases(overrides))
	require.Empty(t, KeyReleases("Nonsense"))
}

// The parser takes lines as they stand, so the file's form is held here.
func TestKeyFileForm(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(keyFile), "\n")
	head := strings.Split(lines[0], "\t")
	var judged []string
	for _, r := range Releases() {
		if r.Judged {
			judged = append(judged, r.Version)
		}
	}
	require.Equal(t, append([]string{"# part", "key"}, judged...), head)
	last := ""
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		require.Len(t, cells, len(head), line)
		require.Contains(t, []string{"cluster", "image"}, cells[0])
		require.Less(t, last, cells[0]+"\t"+cells[1], "sorted, no key twice")
		last = cells[0] + "\t" + cells[1]
		require.NotEqual(t, "=", cells[2], line)
		for _, c := range cells[2:] {
			require.Regexp(t, `^([A-Z][A-Z_]+|=|-|none)$`, c, line)
		}
	}
}

// What release notes say of a key's first and last release must agree with the schemas that were read.
func TestKeyBoundariesAgreeWithSchemas(t *testing.T) {
	for _, b := range keyBoundaries {
		requireDay(t, b.source.Date)
		for _, r := range Releases() {
			if !r.Judged {
				continue
			}
			want, known := boundary(b.part, r.Version, b.prefix)
			require.True(t, known, b.prefix)
			got, _ := HasKey(r.Version, b.prefix)
			require.Equal(t, got, want, "%s in %s", b.prefix, r.Version)
		}
	}
}
