package pcconfig

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

func TestPoliciesThatAPlanNeeds(t *testing.T) {
	golden.NoneUnused(t, "testdata", "-policy.json")
	for _, row := range []struct {
		situation, name string
		policy          func(plan.Cluster, IDs) (string, error)
	}{
		{"custom-actions", "provider-policy", ProviderPolicy},
		{"boundary-and-prefix", "provider-policy", ProviderPolicy},
		{"custom-actions", "login-policy", LoginPolicy},
		{"login-nodes", "login-policy", LoginPolicy},
	} {
		t.Run(row.situation+"/"+row.name, func(t *testing.T) {
			text, err := row.policy(planned(t, row.situation), IDs{BootBucket: "actions-boot-0123abc"})
			require.NoError(t, err)
			var indented bytes.Buffer
			require.NoError(t, json.Indent(&indented, []byte(text), "", "  "))
			indented.WriteByte('\n')
			golden.Check(t, filepath.Join("testdata", row.situation, row.name+".json"), indented.Bytes())
		})
	}
}

func TestPlansThatReadNothingNeedNoPolicies(t *testing.T) {
	p := planned(t, "p5en-block")
	p.Groups, p.Config.Groups = nil, nil
	for _, policy := range []func(plan.Cluster, IDs) (string, error){ProviderPolicy, LoginPolicy} {
		text, err := policy(p, IDs{})
		require.NoError(t, err)
		require.Empty(t, text)
	}
}

// A prefix that is a name only leaves roles at ParallelCluster's own path.
func TestRolePath(t *testing.T) {
	for prefix, want := range map[string]string{"": "/parallelcluster/", "team-": "/parallelcluster/", "/weft/": "/weft/", "/weft/team-": "/weft/"} {
		p := planned(t, "p5en-block")
		p.Config.IAM.ResourcePrefix = prefix
		require.Equal(t, want, newTranslator(p, IDs{}).rolePath(), prefix)
	}
}

func TestStackIsTheSameEveryTimeAndHasAPublicAddressOnlyWhereThereIsOne(t *testing.T) {
	p := planned(t, "p5en-block")
	first, err := Preview(p).Stack(p.Name, true, false)
	require.NoError(t, err)
	second, err := Preview(p).Stack(p.Name, true, false)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))

	private, err := Preview(p).Stack(p.Name, false, true)
	require.NoError(t, err)
	require.NotContains(t, string(private), "publicIpAddress")
	require.Contains(t, string(private), `"DeletionPolicy":"Retain"`)
}

// IAM knows no Regions: a cluster of the same name in another one has policies of its own.
func TestPolicyNamesOfTwoRegions(t *testing.T) {
	here := planned(t, "login-nodes")
	there := here
	there.Region = "eu-north-1"
	for _, name := range []func(plan.Cluster) string{ProviderPolicyName, LoginPolicyName} {
		require.NotEqual(t, name(here), name(there))
		there.Name = strings.Repeat("x", 60)
		require.LessOrEqual(t, len(name(there)), 128, "IAM's limit")
		there.Name = here.Name
	}
}
