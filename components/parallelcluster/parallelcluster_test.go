package parallelcluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/components/parallelcluster"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

// planned plans a situation of the configuration's own tests.
func planned(t testing.TB, situation string) plan.Cluster {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("pcconfig", "testdata", situation, "cluster.yaml"))
	require.NoError(t, err)
	doc, findings := config.Decode("cluster.yaml", text)
	require.Empty(t, findings.AtLeast(diag.Error))
	p, findings := plan.New(doc.Cluster)
	require.Empty(t, findings.AtLeast(diag.Error))
	return p
}

// other is a resource of another component, whose id the cluster needs.
type other struct {
	pulumi.CustomResourceState
	Version     pulumi.IntOutput    `pulumi:"latestVersion"`
	Reservation pulumi.StringOutput `pulumi:"reservationId"`
}

// around registers resources of other components, whose ids a cluster needs.
type around struct {
	ctx    *pulumi.Context
	failed error
}

func (a *around) register(kind, name string) *other {
	o := &other{}
	a.failed = errors.Join(a.failed, a.ctx.RegisterResource("test:index:"+kind, name, nil, o))
	return o
}

func (a *around) id(kind, name string) pulumi.StringInput {
	return a.register(kind, name).ID().ToStringOutput()
}

// inputs gives the arguments for a plan, with the id of a registered resource in each place that needs one.
func inputs(ctx *pulumi.Context, p plan.Cluster) (parallelcluster.Args, error) {
	a := &around{ctx: ctx}
	args := parallelcluster.Args{
		Plan: p, BootBucket: a.id("Bucket", "boot"), ComputeSubnetIDs: map[string]pulumi.StringInput{}, Templates: map[string]parallelcluster.Template{},
		ReservationIDs: map[string]pulumi.StringInput{}, FileSystemIDs: map[string]pulumi.StringInput{}, ImageIDs: map[string]pulumi.StringInput{},
	}
	if p.Network.Create {
		args.HeadSubnetID, args.LoginSubnetID = a.id("Subnet", "head"), a.id("Subnet", "login")
	}
	if len(p.Network.SecurityGroups) == 0 {
		args.ClusterSecurityGroupID = a.id("Group", "cluster")
	}
	for i := range p.Groups {
		a.group(&args, p, i)
	}
	for _, s := range p.Config.Storage {
		if s.EBS == nil {
			args.FileSystemIDs[s.Name] = a.id("FileSystem", s.Name)
		}
	}
	return args, a.failed
}

func (a *around) group(args *parallelcluster.Args, p plan.Cluster, i int) {
	g, image := p.Groups[i], p.Config.Groups[i].Image
	if p.Network.Create {
		args.ComputeSubnetIDs[g.Name] = a.id("Subnet", g.Name)
	}
	if g.Rendering.Override {
		template := a.register("Template", g.Name)
		args.Templates[g.Name] = parallelcluster.Template{ID: template.ID().ToStringOutput(), Version: template.Version}
	}
	if g.Capacity.Market == plan.CapacityBlock && g.Capacity.Reservation == "" {
		args.ReservationIDs[g.Name] = a.register("Block", g.Name).Reservation
	}
	if image != nil && image.Recipe != "" {
		args.ImageIDs[g.Name] = a.id("Image", g.Name)
	}
}

// account answers for AWS: the outputs of the stacks and of the resources that stand beside.
func account() []componenttest.Option {
	return []componenttest.Option{
		componenttest.Outputs("aws:cloudformation/stack:Stack", func(componenttest.Registration) map[string]any {
			return map[string]any{"outputs": map[string]any{
				"ServiceToken":       "arn:aws:lambda:us-east-2:123456789012:function:pcluster-cfn-1",
				"HeadNodeInstanceId": "i-0123456789abcdef0", "HeadNodePrivateIp": "10.0.0.7", "HeadNodePublicIp": "198.51.100.7",
				"ClusterStatus": "CREATE_COMPLETE", "ValidationMessages": "[]",
			}}
		}),
		componenttest.Outputs("aws:iam/policy:Policy", func(r componenttest.Registration) map[string]any {
			return map[string]any{"arn": "arn:aws:iam::123456789012:policy/parallelcluster/" + r.Inputs["name"].(string)}
		}),
		componenttest.Outputs("test:index:Block", func(componenttest.Registration) map[string]any {
			return map[string]any{"reservationId": "cr-0b30000000000000a"}
		}),
		componenttest.Outputs("test:index:Template", func(componenttest.Registration) map[string]any { return map[string]any{"latestVersion": 3} }),
	}
}

func program(p plan.Cluster, use func(*pulumi.Context, *parallelcluster.ParallelCluster)) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		args, err := inputs(ctx, p)
		if err != nil {
			return err
		}
		c, err := parallelcluster.New(ctx, "cluster", args)
		if err == nil && use != nil {
			use(ctx, c)
		}
		return err
	}
}

func TestRegistrations(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for _, situation := range []string{
		"p5en-block", "p6-b300-most-bandwidth", "p6-b300-bought-block", "existing-network", "storage", "custom-actions", "boundary-and-prefix", "own-images",
	} {
		for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
			t.Run(situation+"/"+mode.String(), func(t *testing.T) {
				p := planned(t, situation)
				regs := componenttest.Record(t, program(p, nil), mode, account()...)
				componenttest.Golden(t, situation+"/"+mode.String(), regs)
				require.Equal(t, regs, componenttest.Record(t, program(p, nil), mode, account()...), "a second run is no change")
			})
		}
	}
}

func TestOutputs(t *testing.T) {
	for mode, want := range map[componenttest.Mode][]any{
		componenttest.Update: {
			"i-0123456789abcdef0", "198.51.100.7", "CREATE_COMPLETE", "[]", "ssh -i ops.pem ubuntu@198.51.100.7",
		},
		componenttest.Preview: {componenttest.Unknown, componenttest.Unknown, componenttest.Unknown, componenttest.Unknown, componenttest.Unknown},
	} {
		componenttest.Record(t, program(planned(t, "p5en-block"), func(ctx *pulumi.Context, c *parallelcluster.ParallelCluster) {
			var got []any
			for _, o := range []pulumi.Output{c.HeadNodeID, c.HeadNodeAddress, c.Status, c.ValidationMessages, c.ConnectCommand} {
				got = append(got, componenttest.Await(t, ctx, o))
			}
			require.Equal(t, want, got)
		}), mode, account()...)
	}
}

func TestConfigYAMLHasTheIDs(t *testing.T) {
	componenttest.Record(t, program(planned(t, "p6-b300-most-bandwidth"), func(ctx *pulumi.Context, c *parallelcluster.ParallelCluster) {
		text, ok := componenttest.Await(t, ctx, c.ConfigYAML).(string)
		require.True(t, ok)
		require.Contains(t, text, "LaunchTemplateId: train-id\n            Version: 3\n")
		require.NotContains(t, text, "unknown")
	}), componenttest.Update, account()...)
}

func TestEveryFaultOfTheArgumentsIsNamedBeforeAnythingIsRegistered(t *testing.T) {
	refused := func(p plan.Cluster, want ...string) {
		t.Helper()
		regs, err := componenttest.Try(func(ctx *pulumi.Context) error {
			_, err := parallelcluster.New(ctx, "cluster", parallelcluster.Args{Plan: p})
			return err
		}, componenttest.Preview)
		require.Empty(t, regs)
		for _, text := range want {
			require.ErrorContains(t, err, text)
		}
	}
	refused(planned(t, "storage"), "headSubnetId", "clusterSecurityGroupId", "computeSubnetIds.train", "fileSystemIds.users", "fileSystemIds.fsx")
	refused(planned(t, "p6-b300-most-bandwidth"), "templates.train")
	refused(planned(t, "p6-b300-bought-block"), "reservationIds.train")
	refused(planned(t, "login-nodes"), "loginSubnetId", "bootBucket")
	refused(planned(t, "own-images"), "imageIds.built")

	several := planned(t, "login-nodes")
	several.Config.HeadNode.AllowedIPs = []string{"203.0.113.0/24", "198.51.100.0/24"}
	several.Config.Image = config.Image{Recipe: "images/training.yaml"}
	refused(several, "headNode.allowedIPs", "imageId is missing")

	old := planned(t, "p6-b300-most-bandwidth")
	old.ParallelCluster = "3.14.2"
	refused(old, "pc/key", "LaunchTemplateOverrides")
}

// An entry without an id says no more than one that is left out.
func TestEntriesWithoutAnID(t *testing.T) {
	p := planned(t, "existing-network")
	none := map[string]pulumi.StringInput{p.Groups[0].Name: nil}
	componenttest.Record(t, func(ctx *pulumi.Context) error {
		c, err := parallelcluster.New(ctx, "cluster", parallelcluster.Args{
			Plan: p, BootBucket: pulumi.String("existing-boot-0123abc"), ComputeSubnetIDs: none, ReservationIDs: none, ImageIDs: none,
			Templates: map[string]parallelcluster.Template{p.Groups[0].Name: {}},
		})
		require.NoError(t, err)
		text := componenttest.Await(t, ctx, c.ConfigYAML)
		require.NotContains(t, text, "nil")
		require.Contains(t, text, p.Groups[0].Subnet)
		require.Contains(t, text, p.Groups[0].Capacity.Reservation)
		return nil
	}, componenttest.Update, account()...)
}

// The config of a plan does not travel through JSON: such a plan is half of one.
func TestPlanWithoutItsConfig(t *testing.T) {
	p := planned(t, "existing-network")
	p.Config = config.Cluster{}
	regs, err := componenttest.Try(func(ctx *pulumi.Context) error {
		_, err := parallelcluster.New(ctx, "cluster", parallelcluster.Args{Plan: p})
		return err
	}, componenttest.Preview)
	require.ErrorContains(t, err, "plan has 1 groups and its config 0: take it as plan.New gives it")
	require.Empty(t, regs)
}

func TestExistingNetworkNeedsNoIDs(t *testing.T) {
	componenttest.Record(t, func(ctx *pulumi.Context) error {
		_, err := parallelcluster.New(ctx, "cluster", parallelcluster.Args{Plan: planned(t, "existing-network"), BootBucket: pulumi.String("existing-boot-0123abc"), Keep: true})
		return err
	}, componenttest.Update, account()...)
}
