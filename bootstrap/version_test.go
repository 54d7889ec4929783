package bootstrap_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/version"
)

// loop reads pairs and prints what the scripts' comparison says of each, or "unreadable".
const loop = `. scripts/version.sh
while read -r a b; do version_compare "$a" "$b" || echo unreadable; done`

// compareInShell compares pairs with the scripts' own function.
func compareInShell(t testing.TB, shell string, pairs [][2]string) []string {
	t.Helper()
	var in bytes.Buffer
	for _, p := range pairs {
		fmt.Fprintf(&in, "%s %s\n", p[0], p[1])
	}
	cmd := exec.CommandContext(context.Background(), shell, "-c", loop)
	cmd.Stdin = &in
	out, err := cmd.Output()
	require.NoError(t, err)
	answers := strings.Fields(string(out))
	require.Len(t, answers, len(pairs))
	return answers
}

func compareInGo(a, b string) string {
	c, err := version.Compare(a, b)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprint(c)
}

// requireSame holds the scripts' comparison equal to fabric/version's, both ways round.
func requireSame(t testing.TB, shell string, pairs [][2]string) {
	t.Helper()
	for _, p := range pairs {
		pairs = append(pairs, [2]string{p[1], p[0]})
	}
	for i, got := range compareInShell(t, shell, pairs) {
		require.Equal(t, compareInGo(pairs[i][0], pairs[i][1]), got, "%s against %s", pairs[i][0], pairs[i][1])
	}
}

func TestVER01InShell(t *testing.T) {
	f, err := os.Open("testdata/VER-01.tsv")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var pairs [][2]string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Split(lines.Text(), "\t"); !strings.HasPrefix(fields[0], "#") {
			pairs = append(pairs, [2]string{fields[0], fields[1]})
			require.NotEqual(t, "unreadable", compareInGo(fields[0], fields[1]))
		}
	}
	require.Len(t, pairs, 28)
	inShells(t, func(t *testing.T, shell string) {
		t.Helper()
		requireSame(t, shell, pairs)
	})
}

// anchors are what every form is compared with, beside its neighbours.
var anchors = []string{"2.5", "1.16.0", "6.8.0-1014-aws", "3.12.0"}

// forms of versions, good and bad.
var forms = []string{
	"570", "570.86.15", "570.124.06", "0595.91.7", "13.0", "2.5", "2.5-1", "2.5-1~bpo12+1", "2.4.4", "3.3.0g", "3.3.0G", "3.3.0a", "3.3.0x", "2.1.1g-1",
	"1.16.0~amzn4.0", "1.16.0~1", "1.16.0~rc1", "1.16.0rc1amzn1.0", "1.16.0amzn0", "1.16.0-amzn3.0", "1.22.0amzn2.0", "57.amzn1", "64.0amzn0",
	"64.0", "v1.7.1-aws", "1.4.0aws", "1.4.0aws2", "5.0.0rc12", "5.0.8amzn1", "24.05.0-0rc1", "24.05.0-1", "3.12-dev", "3.12.0b1", "3.12.0-beta", "3.12.0b",
	"2.10.0.dev20260101+cu130", "2.10.0a0+git1234", "1.0-1beta", "1.0-preview", "6.8.0", "6.8.0-1014-aws", "6.8.0-1021-aws-64k", "6.8.0-91-generic",
	"6.8.0-91-awsx", "6.1.134-150.224.amzn2023.x86_64", "6.1.134-1.amzn2023", "5.14.0-611.5.1.el9_7.x86_64", "6.12.41+deb13-cloud-amd64", "1.2-3-aws",
	"2000", "2803", "2899", "2900", "20899", "20900", "029999", "30000", "999", "1000", "1.", "-1", "x", "1.x", "1.*", "1..2", "latest", "1.2-", "~1", "1~",
	"1.0.0.0.0.0", "1.0.1", "9007199254740991", "1.2-3~", "2.5.dev", "2.5-x", "v", "1+2", "1_2",
}

func TestVersionFormsInShell(t *testing.T) {
	var pairs [][2]string
	for i, a := range forms {
		for _, b := range append([]string{forms[(i+1)%len(forms)]}, anchors...) {
			pairs = append(pairs, [2]string{a, b})
		}
	}
	requireSame(t, needTool(t, "dash"), pairs)
}

// Versions made at random from the parts that real ones have.
func TestVersionsInShell(t *testing.T) {
	shell := needTool(t, "dash")
	release := rapid.StringMatching(`v?[0-9]{1,3}(\.[0-9]{1,3}){0,3}`)
	tail := rapid.SampledFrom([]string{
		"", "", "", "g", "-aws", "aws", "amzn1.0", "~amzn4.0", "-1", "-2", "-1+cuda12.9", "~rc1", "rc2", "b1", "-beta.1", ".dev3", "-0rc1", "-1021-aws",
		"-91-generic", "-150.224.amzn2023.x86_64", "-1ubuntu1", "+cu130", "amzn2.0-1.amzn2023", "x", "-", "a",
	})
	rapid.Check(t, func(r *rapid.T) {
		var pairs [][2]string
		for range 8 {
			pairs = append(pairs, [2]string{release.Draw(r, "a") + tail.Draw(r, "a"), release.Draw(r, "b") + tail.Draw(r, "b")})
		}
		for i, got := range compareInShell(t, shell, pairs) {
			if want := compareInGo(pairs[i][0], pairs[i][1]); got != want {
				r.Fatalf("%s against %s: %s, want %s", pairs[i][0], pairs[i][1], got, want)
			}
		}
	})
}
