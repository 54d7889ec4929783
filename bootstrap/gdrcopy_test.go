package bootstrap_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/internal/golden"
)

// gdr02 reads what package and module say in the public case.
func gdr02(t *testing.T) (pkg, file string) {
	t.Helper()
	_, after, _ := strings.Cut(caseText(t, "GDR-02.txt"), "dpkg: gdrdrv-dkms ")
	_, err := fmt.Sscanf(after, "%s\nmodinfo gdrdrv version: %s", &pkg, &file)
	require.NoError(t, err)
	return pkg, file
}

// caseText is the input of a public case.
func caseText(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(path.Join("testdata/cases", file))
	require.NoError(t, err)
	return string(content)
}

// Every situation, and after a good run a second one, which finds nothing to do.
func TestGDRCopy(t *testing.T) {
	golden.NoneUnused(t, "testdata/gdrcopy", ".txt")
	for name, c := range gdrcopyCases {
		t.Run(name, func(t *testing.T) {
			inShells(t, func(t *testing.T, shell string) {
				t.Helper()
				s := newSandbox(t)
				e := c.node(s)
				script := bootstrap.Render(bootstrap.GDRCopy, e)
				got := s.run(shell, script)
				require.Equal(t, c.code, got.code, got.String())
				requireRules(t, got, c.rules)
				requireInOrder(t, got.calls, c.does)
				requireNone(t, got.calls, c.not)
				golden.Check(t, path.Join("testdata/gdrcopy", name+".txt"), []byte(got.String()))
				if c.code == 0 && len(c.rules) == 0 && shell == shells[0] {
					again := s.run(shell, script)
					require.Zero(t, again.code, again.String())
					requireNone(t, again.calls, append([]string{"systemctl", "sleep"}, changes...))
				}
			})
		})
	}
}

// requireRules holds the findings of a run to be of these rules, each told completely.
func requireRules(t *testing.T, got result, want []diag.ID) {
	t.Helper()
	findings, err := bootstrap.ReadFindings("boot.log", strings.NewReader(got.stdout))
	require.NoError(t, err)
	diagtest.Complete(t, findings)
	var rules []diag.ID
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	require.Equal(t, want, rules, got.String())
}
