package awsschema_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/awsschema"
)

const sdkModule = "github.com/pulumi/pulumi-aws/sdk/v6"

// sdk reads a few services of the SDK that the module requires, once.
var sdk = sync.OnceValues(func() (*awsschema.Schema, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", sdkModule).Output()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "go", "aws")
	return awsschema.Read(dir, "6.83.4", ".", "ec2", "vpc", "cloudformation", "s3", "iam")
})

func schema(t *testing.T) *awsschema.Schema {
	t.Helper()
	s, err := sdk()
	require.NoError(t, err)
	return s
}

func TestResourceProperties(t *testing.T) {
	tests := []struct {
		token, property string
		input           string // the property's short form; empty: no such input
		output          string
	}{
		{"aws:ec2/launchTemplate:LaunchTemplate", "instanceType", "string", "string"},
		{"aws:ec2/launchTemplate:LaunchTemplate", "networkInterfaces", "[]ec2.LaunchTemplateNetworkInterface", "[]ec2.LaunchTemplateNetworkInterface"},
		{"aws:ec2/launchTemplate:LaunchTemplate", "placement", "ec2.LaunchTemplatePlacement", "ec2.LaunchTemplatePlacement"},
		{"aws:ec2/launchTemplate:LaunchTemplate", "latestVersion", "", "int!"},
		{"aws:ec2/launchTemplate:LaunchTemplate", "tags", "{}string", "{}string"},
		{"aws:ec2/subnet:Subnet", "vpcId", "string!", "string!"},
		{"aws:ec2/subnet:Subnet", "mapPublicIpOnLaunch", "bool", "bool"},
		{"aws:ec2/placementGroup:PlacementGroup", "strategy", "string!", "string!"}, // an enumeration
		{"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "ipProtocol", "string!", "string!"},
		{"aws:cloudformation/stack:Stack", "templateBody", "string", "string!"},
		{"aws:cloudformation/stack:Stack", "outputs", "", "{}string"},
		{"aws:cloudformation/stack:Stack", "parameters", "{}string", "{}string"},
		{"aws:s3/bucketObjectv2:BucketObjectv2", "bucket", "any!", "string!"},
		{"aws:s3/bucketObjectv2:BucketObjectv2", "source", "asset", "asset"},
		{"aws:iam/role:Role", "assumeRolePolicy", "any!", "string!"},
	}
	s := schema(t)
	for _, tt := range tests {
		t.Run(tt.token+" "+tt.property, func(t *testing.T) {
			object, ok := s.Resources[tt.token]
			require.True(t, ok, "the resource is missing")
			require.Equal(t, tt.input, short(t, object.Inputs, tt.property))
			require.Equal(t, tt.output, short(t, object.Outputs, tt.property))
		})
	}
}

func TestNestedProperties(t *testing.T) {
	tests := []struct{ typ, property, want string }{
		{"ec2.SecurityGroupIngress", "fromPort", "int!"},
		{"ec2.SecurityGroupIngress", "toPort", "int!"},
		{"ec2.SecurityGroupIngress", "protocol", "string!"},
		{"ec2.SecurityGroupIngress", "self", "bool"},
		{"ec2.SecurityGroupIngress", "cidrBlocks", "[]string"},
		{"ec2.LaunchTemplateNetworkInterface", "networkCardIndex", "int"},
		{"ec2.LaunchTemplateCapacityReservationSpecification", "capacityReservationTarget", "ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTarget"},
	}
	s := schema(t)
	for _, tt := range tests {
		t.Run(tt.typ+" "+tt.property, func(t *testing.T) {
			require.Contains(t, s.Types, tt.typ)
			require.Equal(t, tt.want, short(t, s.Types[tt.typ], tt.property))
		})
	}
}

func TestFunctionProperties(t *testing.T) {
	f, ok := schema(t).Functions["aws:ec2/getAmi:getAmi"]
	require.True(t, ok)
	require.Equal(t, "[]string", short(t, f.Inputs, "owners"))
	require.Equal(t, "string!", short(t, f.Outputs, "architecture"))
	require.Equal(t, "[]ec2.GetAmiFilter", short(t, f.Inputs, "filters"))
}

func TestEveryNestedTypeIsKnown(t *testing.T) {
	s := schema(t)
	simple := map[awsschema.Type]bool{
		"string": true, "int": true, "number": true, "bool": true, "any": true, "asset": true, "archive": true,
	}
	check := func(at string, props awsschema.Properties) {
		for name, p := range props {
			leaf := p.Type.Leaf()
			if _, nested := s.Types[string(leaf)]; !nested && !simple[leaf] {
				t.Errorf("%s.%s has the type %s, which is not in the schema", at, name, p.Type)
			}
		}
	}
	for token, object := range s.Resources {
		check(token, object.Inputs)
		check(token, object.Outputs)
	}
	for name, props := range s.Types {
		check(name, props)
	}
}

func TestWriteAndLoadGiveTheSameSchema(t *testing.T) {
	want := schema(t)
	var out bytes.Buffer
	require.NoError(t, want.Write(&out))
	path := filepath.Join(t.TempDir(), "schema.json")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	got, err := awsschema.Load(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestUnreadableInput(t *testing.T) {
	empty := t.TempDir()
	_, err := awsschema.Read(empty, "1.0.0", ".")
	require.ErrorContains(t, err, "no Go source in "+empty)

	broken := filepath.Join(empty, "broken.go")
	require.NoError(t, os.WriteFile(broken, []byte("package x\nfunc {"), 0o600))
	_, err = awsschema.Read(empty, "1.0.0", ".")
	require.ErrorContains(t, err, broken)

	schema := filepath.Join(empty, "schema.json")
	require.NoError(t, os.WriteFile(schema, []byte(`{"types":{"a.B":{"c":"!"}}}`), 0o600))
	_, err = awsschema.Load(schema)
	require.ErrorContains(t, err, "a property without a type")

	_, err = awsschema.Load(filepath.Join(empty, "missing.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func short(t *testing.T, props awsschema.Properties, name string) string {
	t.Helper()
	p, ok := props[name]
	if !ok {
		return ""
	}
	text, err := p.MarshalText()
	require.NoError(t, err)
	return string(text)
}
