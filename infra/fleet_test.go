package main

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
	"github.com/weft-hpc/weft/offline/mirror"
	"github.com/weft-hpc/weft/offline/standin"
)

// stacks answers CloudFormation's reads with the stacks that the engine has made: the emulated account runs none.
type stacks struct{ standin.Store }

const stackType = "aws:cloudformation/stack:Stack"

func (s stacks) find(name *string) (standin.Resource, error) {
	world, err := s.View()
	if err != nil {
		return standin.Resource{}, err
	}
	for _, id := range world.IDs(stackType) {
		if r, _ := world.Get(stackType, id); r.Inputs.Text("name") == aws.ToString(name) {
			return r, nil
		}
	}
	return standin.Resource{}, &smithy.GenericAPIError{Code: "ValidationError", Message: "Stack with id " + aws.ToString(name) + " does not exist"}
}

func (s stacks) DescribeStacks(_ context.Context, in *cloudformation.DescribeStacksInput, _ ...func(*cloudformation.Options)) (*cloudformation.DescribeStacksOutput, error) {
	if _, err := s.find(in.StackName); err != nil {
		return nil, err
	}
	return &cloudformation.DescribeStacksOutput{Stacks: []types.Stack{{StackName: in.StackName, StackStatus: types.StackStatusUpdateComplete}}}, nil
}

func (s stacks) GetTemplate(_ context.Context, in *cloudformation.GetTemplateInput, _ ...func(*cloudformation.Options)) (*cloudformation.GetTemplateOutput, error) {
	r, err := s.find(in.StackName)
	if err != nil {
		return nil, err
	}
	return &cloudformation.GetTemplateOutput{TemplateBody: aws.String(r.Inputs.Text("templateBody"))}, nil
}

// A change that needs a stopped fleet is refused at preview while the fleet runs, by the table in which ParallelCluster keeps
// it, and deployed once it is stopped.
func TestStoppedFleet(t *testing.T) {
	t.Parallel()
	d := deploy(t, mixed, judgetest.Account(t))
	running := d.render()
	head := regexp.MustCompile(`subnet-[0-9a-f]+`).FindString(running)

	changed := strings.Replace(mixed, "scaledownIdleMinutes: 10", "scaledownIdleMinutes: 30", 1)
	for _, fleet := range []account.Fleet{account.Running, account.Stopped} {
		d.configure(changed)
		require.NoError(t, mirror.Add(&d.world, d.made()))
		d.load()
		require.NoError(t, d.emulated.Put(t.Context(), account.Cluster{
			Name: "mixed", Version: "3.16.1", Configuration: running, Fleet: fleet, Subnet: head, InstanceType: "m6i.4xlarge",
		}))
		preview := d.Preview()
		if fleet == account.Running {
			require.Error(t, preview.Err)
			require.True(t, preview.Message("pc/update"), "%v", preview.Messages)
			require.True(t, preview.Message("Scheduling.SlurmSettings.ScaledownIdletime"), "%v", preview.Messages)
			continue
		}
		require.NoError(t, preview.Err, steps(preview))
		require.NoError(t, d.Up().Err)
	}
}
