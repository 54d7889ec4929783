package inprocess_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/weft-hpc/weft/offline/awsschema"
	"github.com/weft-hpc/weft/offline/engine/inprocess"
	"github.com/weft-hpc/weft/offline/standin"
)

var sdk = sync.OnceValues(func() (*awsschema.Schema, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi-aws/sdk/v6").Output()
	if err != nil {
		return nil, err
	}
	return awsschema.Read(filepath.Join(strings.TrimSpace(string(out)), "go", "aws"), "6.83.4", ".", "ec2")
})

// program is a small network and a launch template. Its configuration changes it.
func program(ctx *pulumi.Context) error {
	cfg := config.New(ctx, "")
	vpc, err := ec2.NewVpc(ctx, "vpc", &ec2.VpcArgs{
		CidrBlock: pulumi.String(or(cfg.Get("block"), "10.0.0.0/16")),
	}, pulumi.Protect(cfg.GetBool("protect")))
	if err != nil {
		return err
	}
	subnet, err := ec2.NewSubnet(ctx, "nodes", &ec2.SubnetArgs{
		VpcId: vpc.ID(), CidrBlock: pulumi.String(or(cfg.Get("subnet"), "10.0.1.0/24")),
	})
	if err != nil {
		return err
	}
	template, err := ec2.NewLaunchTemplate(ctx, "nodes", &ec2.LaunchTemplateArgs{
		InstanceType: pulumi.String("p5en.48xlarge"),
		UserData:     cfg.GetSecret("userData"),
		NetworkInterfaces: ec2.LaunchTemplateNetworkInterfaceArray{
			ec2.LaunchTemplateNetworkInterfaceArgs{DeviceIndex: pulumi.Int(0), SubnetId: subnet.ID()},
		},
		Tags: pulumi.StringMap{"size": pulumi.String(cfg.Get("size"))},
	})
	if err != nil {
		return err
	}
	ctx.Export("template", template.ID())
	ctx.Export("version", template.LatestVersion)
	ctx.Export("zone", subnet.AvailabilityZoneId)
	return nil
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

func stack(t *testing.T, run pulumi.RunFunc, settings map[string]string) *inprocess.Stack {
	t.Helper()
	schema, err := sdk()
	require.NoError(t, err)
	return inprocess.New(t, run, inprocess.Options{
		Config:  settings,
		Secrets: map[string]string{"weft:userData": "c2VjcmV0"},
		StandIn: standin.Options{Schema: schema},
	})
}

// world is what exists.
func world(t *testing.T, s *inprocess.Stack) *standin.World {
	t.Helper()
	w, err := s.Account().Store().View()
	require.NoError(t, err)
	return w
}

func TestLifeOfAStack(t *testing.T) {
	s := stack(t, program, map[string]string{"aws:region": "us-east-1"})

	preview := s.Preview()
	require.NoError(t, preview.Err)
	require.Equal(t, 3, preview.Count("create"))
	require.Zero(t, world(t, s).Len(), "a preview must not make anything")

	up := s.Up()
	require.NoError(t, up.Err)
	require.Equal(t, 3, up.Count("create"))
	require.Equal(t, 3, world(t, s).Len())
	require.Regexp(t, `^lt-0[0-9a-f]{16}$`, up.Outputs()["template"])
	require.InDelta(t, 1, up.Outputs()["version"], 0)
	require.Equal(t, "use1-az1", up.Outputs()["zone"])

	again := s.Up()
	require.NoError(t, again.Err)
	require.True(t, again.Unchanged(), "the second up has steps: %v", again.Steps)
	require.Equal(t, up.Outputs(), again.Outputs())

	s.Configure("weft:size", "2")
	update := s.Up()
	require.NoError(t, update.Err)
	require.Equal(t, 1, update.Count("update"))
	require.InDelta(t, 2, update.Outputs()["version"], 0)

	destroy := s.Destroy()
	require.NoError(t, destroy.Err)
	require.Zero(t, world(t, s).Len())
}

func TestReplacementGetsNewIDs(t *testing.T) {
	s := stack(t, program, nil)
	require.NoError(t, s.Up().Err)
	before := world(t, s).IDs("aws:ec2/subnet:Subnet")

	s.Configure("weft:subnet", "10.0.2.0/24")
	replaced := s.Up()
	require.NoError(t, replaced.Err)
	require.Equal(t, 1, replaced.Count("replace"))
	after := world(t, s).IDs("aws:ec2/subnet:Subnet")
	require.Len(t, after, 1)
	require.NotEqual(t, before, after)
}

func TestIDsAreTheSameInEveryRun(t *testing.T) {
	first, second := stack(t, program, nil), stack(t, program, nil)
	require.NoError(t, first.Up().Err)
	require.NoError(t, second.Up().Err)
	require.Equal(t, world(t, first).IDs("aws:ec2/vpc:Vpc"), world(t, second).IDs("aws:ec2/vpc:Vpc"))
}

func TestRefreshSeesDriftAndUpRepairsIt(t *testing.T) {
	s := stack(t, program, nil)
	require.NoError(t, s.Up().Err)
	id := world(t, s).IDs("aws:ec2/launchTemplate:LaunchTemplate")[0]
	require.NoError(t, s.Account().Store().Change(func(w *standin.World) error {
		return w.Drift("aws:ec2/launchTemplate:LaunchTemplate", id, "instanceType", "p4d.24xlarge")
	}))
	refresh := s.Refresh()
	require.NoError(t, refresh.Err)
	require.Equal(t, 1, refresh.Count("update"), "steps: %v", refresh.Steps)

	repair := s.Up()
	require.NoError(t, repair.Err)
	require.Equal(t, 1, repair.Count("update"))
	template, ok := world(t, s).Get("aws:ec2/launchTemplate:LaunchTemplate", id)
	require.True(t, ok)
	require.Equal(t, "p5en.48xlarge", template.Inputs.Text("instanceType"))
}

func TestRefreshDropsWhatIsGone(t *testing.T) {
	s := stack(t, program, nil)
	require.NoError(t, s.Up().Err)
	id := world(t, s).IDs("aws:ec2/launchTemplate:LaunchTemplate")[0]
	require.NoError(t, s.Account().Store().Change(func(w *standin.World) error {
		w.Remove("aws:ec2/launchTemplate:LaunchTemplate", id)
		return nil
	}))
	refresh := s.Refresh()
	require.NoError(t, refresh.Err)
	require.Equal(t, 1, refresh.Count("delete"), "steps: %v", refresh.Steps)
	require.Equal(t, 1, s.Up().Count("create"))
}

func TestProtectedResourceStays(t *testing.T) {
	s := stack(t, program, map[string]string{"weft:protect": "true"})
	require.NoError(t, s.Up().Err)
	destroy := s.Destroy()
	require.Error(t, destroy.Err)
	require.True(t, destroy.Message("cannot be deleted"), "messages: %q", destroy.Messages)
	require.Len(t, world(t, s).IDs("aws:ec2/vpc:Vpc"), 1)
}

func TestFindingsNameTheProperty(t *testing.T) {
	s := stack(t, func(ctx *pulumi.Context) error {
		_, err := ec2.NewSecurityGroup(ctx, "efa", &ec2.SecurityGroupArgs{
			Ingress: ec2.SecurityGroupIngressArray{ec2.SecurityGroupIngressArgs{Self: pulumi.Bool(true)}},
		})
		return err
	}, nil)
	preview := s.Preview()
	require.Error(t, preview.Err)
	for _, property := range []string{"ingress[0].fromPort", "ingress[0].toPort", "ingress[0].protocol"} {
		require.True(t, preview.Message(property), "messages: %q", preview.Messages)
	}
	require.True(t, preview.Message("is required and missing"), "messages: %q", preview.Messages)
}

func TestRefusalFailsTheUpAndNotThePreview(t *testing.T) {
	s := stack(t, program, map[string]string{"weft:subnet": "10.9.0.0/24"})
	require.NoError(t, s.Preview().Err)
	up := s.Up()
	require.Error(t, up.Err)
	require.True(t, up.Message("creating EC2 Subnet: operation error EC2: CreateSubnet, api error InvalidSubnet.Range"),
		"messages: %q", up.Messages)
	require.Len(t, world(t, s).IDs("aws:ec2/vpc:Vpc"), 1)
}

func TestSecretsStaySecret(t *testing.T) {
	s := stack(t, program, nil)
	up := s.Up()
	require.NoError(t, up.Err)
	for _, state := range up.Snapshot.Resources {
		if state.Type == "aws:ec2/launchTemplate:LaunchTemplate" {
			require.True(t, state.Inputs["userData"].ContainsSecrets())
			require.True(t, state.Outputs["userData"].ContainsSecrets())
			return
		}
	}
	t.Fatal("the launch template is not in the state")
}

func TestProgramLogsReachTheResult(t *testing.T) {
	s := stack(t, func(ctx *pulumi.Context) error { return ctx.Log.Warn("two blocks", nil) }, nil)
	require.True(t, s.Up().Message("warning: two blocks"))
}
