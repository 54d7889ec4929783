package provider_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/standin/provider"
)

const (
	subnet   = tokens.Type("aws:ec2/subnet:Subnet")
	template = tokens.Type("aws:ec2/launchTemplate:LaunchTemplate")
	role     = tokens.Type("aws:iam/role:Role")
)

func newProvider(t *testing.T, data string) plugin.Provider {
	t.Helper()
	parsed, err := standin.ParseData([]byte(data))
	require.NoError(t, err)
	s, err := standin.New(standin.Options{Data: parsed})
	require.NoError(t, err)
	return provider.New(s)
}

func urnOf(typ tokens.Type) urn.URN { return urn.New("test", "weft", "", typ, "x") }

func props(t *testing.T, text string) property.Map {
	t.Helper()
	values := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(text), &values))
	return resource.FromResourcePropertyMap(resource.NewPropertyMapFromMap(values))
}

func TestDiff(t *testing.T) {
	tests := map[string]struct {
		typ      tokens.Type
		old, new string
		changes  plugin.DiffChanges
		detail   map[string]plugin.DiffKind
		replaces []resource.PropertyKey
		first    bool // the old one goes before the new one comes
	}{
		"nothing": {subnet, `{"vpcId": "vpc-1"}`, `{"vpcId": "vpc-1"}`, plugin.DiffNone, nil, nil, false},
		"in place": {
			template, `{"networkInterfaces": [{"deviceIndex": 0}]}`, `{"networkInterfaces": [{"deviceIndex": 1}]}`, plugin.DiffSome,
			map[string]plugin.DiffKind{"networkInterfaces[0].deviceIndex": plugin.DiffUpdate},
			nil, false,
		},
		"added and taken back": {
			template, `{"keyName": "me"}`, `{"imageId": "ami-1"}`, plugin.DiffSome,
			map[string]plugin.DiffKind{"keyName": plugin.DiffDelete, "imageId": plugin.DiffAdd},
			nil, false,
		},
		"replaced": {
			subnet, `{"vpcId": "vpc-1", "tags": {"a": "b"}}`, `{"vpcId": "vpc-2", "tags": {"a": "c"}}`, plugin.DiffSome,
			map[string]plugin.DiffKind{"vpcId": plugin.DiffUpdateReplace, "tags.a": plugin.DiffUpdate},
			[]resource.PropertyKey{"vpcId"},
			false,
		},
		"replaced under the name that the program gives": {
			role, `{"name": "node", "path": "/a/"}`, `{"name": "node", "path": "/b/"}`, plugin.DiffSome,
			map[string]plugin.DiffKind{"path": plugin.DiffUpdateReplace},
			[]resource.PropertyKey{"path"},
			true,
		},
		"replaced under a new name": {
			role, `{"name": "node", "path": "/a/"}`, `{"name": "other", "path": "/b/"}`, plugin.DiffSome,
			map[string]plugin.DiffKind{"path": plugin.DiffUpdateReplace, "name": plugin.DiffUpdateReplace},
			[]resource.PropertyKey{"name", "path"},
			false,
		},
	}
	p := newProvider(t, "")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			diff, err := p.Diff(t.Context(), plugin.DiffRequest{
				URN: urnOf(tt.typ), Type: tt.typ, OldInputs: props(t, tt.old), NewInputs: props(t, tt.new),
			})
			require.NoError(t, err)
			require.Equal(t, tt.changes, diff.Changes)
			kinds := map[string]plugin.DiffKind{}
			for path, change := range diff.DetailedDiff {
				require.True(t, change.InputDiff)
				kinds[path] = change.Kind
			}
			require.Len(t, kinds, len(tt.detail))
			for path, kind := range tt.detail {
				require.Equal(t, kind, kinds[path], path)
			}
			require.ElementsMatch(t, tt.replaces, diff.ReplaceKeys)
			require.Equal(t, tt.first, diff.DeleteBeforeReplace)
		})
	}
}

func TestUnknownInputIsAChange(t *testing.T) {
	diff, err := newProvider(t, "").Diff(t.Context(), plugin.DiffRequest{
		URN: urnOf(subnet), Type: subnet, OldInputs: props(t, `{"vpcId": "vpc-1"}`),
		NewInputs: property.NewMap(map[string]property.Value{"vpcId": property.New(property.Computed)}),
	})
	require.NoError(t, err)
	require.Equal(t, plugin.DiffSome, diff.Changes)
	require.Equal(t, []resource.PropertyKey{"vpcId"}, diff.ReplaceKeys)
}

func TestSecretThatStaysTheSameIsNoChange(t *testing.T) {
	diff, err := newProvider(t, "").Diff(t.Context(), plugin.DiffRequest{
		URN: urnOf(template), Type: template, OldInputs: props(t, `{"userData": "x"}`),
		NewInputs: property.NewMap(map[string]property.Value{"userData": property.New("x").WithSecret(true)}),
	})
	require.NoError(t, err)
	require.Equal(t, plugin.DiffNone, diff.Changes)
}

func TestSecretsComeOutAsSecrets(t *testing.T) {
	p := newProvider(t, "")
	inputs := property.NewMap(map[string]property.Value{
		"name": property.New("nodes"), "userData": property.New("x").WithSecret(true),
	})
	created, err := p.Create(t.Context(), plugin.CreateRequest{URN: urnOf(template), Type: template, Properties: inputs})
	require.NoError(t, err)
	require.True(t, created.Properties.Get("userData").Secret())
	require.False(t, created.Properties.Get("name").Secret())
	read, err := p.Read(t.Context(), plugin.ReadRequest{URN: urnOf(template), Type: template, ID: created.ID, Inputs: inputs})
	require.NoError(t, err)
	require.True(t, read.Inputs.Get("userData").Secret())
	require.True(t, read.Outputs.Get("userData").Secret())
}

func TestWhatIsGoneReadsAsNothing(t *testing.T) {
	read, err := newProvider(t, "").Read(t.Context(), plugin.ReadRequest{URN: urnOf(subnet), Type: subnet, ID: "subnet-1"})
	require.NoError(t, err)
	require.Nil(t, read.Outputs)
}

func TestCancellationEndsDelays(t *testing.T) {
	p := newProvider(t, `faults: [{on: create, type: "aws:ec2/subnet:Subnet", delay: 1h}]`)
	require.NoError(t, p.SignalCancellation(t.Context()))
	_, err := p.Create(t.Context(), plugin.CreateRequest{URN: urnOf(subnet), Type: subnet})
	require.ErrorContains(t, err, "held up")
}

func TestConfigurationIsTheProvidersOwn(t *testing.T) {
	s, err := standin.New(standin.Options{})
	require.NoError(t, err)
	regions := map[plugin.Provider]string{provider.New(s): "us-east-1", provider.New(s): "eu-north-1"}
	for p, region := range regions {
		_, err := p.Configure(t.Context(), plugin.ConfigureRequest{Inputs: props(t, `{"region": "`+region+`"}`)})
		require.NoError(t, err)
	}
	for p, region := range regions {
		created, err := p.Create(t.Context(), plugin.CreateRequest{URN: urnOf(subnet), Type: subnet})
		require.NoError(t, err)
		require.Contains(t, created.Properties.Get("arn").AsString(), region)
	}
}

func TestVersionIsTheSDKs(t *testing.T) {
	info, err := newProvider(t, "").GetPluginInfo(t.Context())
	require.NoError(t, err)
	require.Equal(t, standin.Version, info.Version.String())
}
