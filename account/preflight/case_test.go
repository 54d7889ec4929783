package preflight_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	cfntypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

func run(t *testing.T, f *fake, r preflight.Request) diag.List {
	t.Helper()
	found, err := preflight.Run(t.Context(), f.clients(), r, clock)
	require.NoError(t, err)
	return found
}

// TestCaseSelfEgress: SG-01 and SG-02, as the EC2 API gives the group.
func TestCaseSelfEgress(t *testing.T) {
	for _, name := range []string{"SG-01.json", "SG-02.json"} {
		t.Run(name, func(t *testing.T) {
			var sample struct{ SecurityGroup types.SecurityGroup }
			require.NoError(t, json.Unmarshal(read(t, "testdata/cases", name), &sample))
			require.Equal(t, group, aws.ToString(sample.SecurityGroup.GroupId))
			sample.SecurityGroup.VpcId = aws.String(vpc)
			f := account(healthy())
			f.SecurityGroups = []types.SecurityGroup{sample.SecurityGroup}
			require.Equal(t, []string{
				"error sg/self-egress network.existing.securityGroups[0] " + group + ": " + group + " lets out to: all traffic 0.0.0.0/0" +
					" | all traffic (-1) out to " + group + " itself, by its id",
			}, lines(run(t, f, request(t))))
		})
	}
}

// slurm is the part of a ParallelCluster configuration that names capacity.
type slurm struct {
	Scheduling struct {
		SlurmQueues []struct {
			ComputeResources []struct {
				Name         string `yaml:"Name"`
				InstanceType string `yaml:"InstanceType"`
				MaxCount     int    `yaml:"MaxCount"`
				Target       struct {
					ID string `yaml:"CapacityReservationId"`
				} `yaml:"CapacityReservationTarget"`
			} `yaml:"ComputeResources"`
		} `yaml:"SlurmQueues"`
	} `yaml:"Scheduling"`
}

func slurmOf(t *testing.T, name string) (sample slurm, text []byte) {
	t.Helper()
	text = read(t, "testdata/cases", name)
	require.NoError(t, yaml.Unmarshal(text, &sample))
	return sample, text
}

// TestCaseSizeOfABlock: CB-13, two groups of four on a block of six.
func TestCaseSizeOfABlock(t *testing.T) {
	sample, _ := slurmOf(t, "CB-13.yaml")
	observed := healthy()
	observed.Reservations[0].Type, observed.Reservations[0].Total, observed.Reservations[0].Requested = "p5.48xlarge", 6, "6"
	observed.Offerings[0].Type = "p5.48xlarge"
	r := request(t, func(c *config.Cluster) {
		c.Groups = nil
		for _, cr := range sample.Scheduling.SlurmQueues[0].ComputeResources {
			second(cr.Name, cr.InstanceType, cr.MaxCount, blockOf(cr.Target.ID))(c)
		}
	})
	require.Equal(t, []string{
		"error block/size groups[0].count " + block + ": " + block + " holds 6 instances | 8 instances, as a, b ask for together",
	}, lines(run(t, account(observed), r)))
}

// TestCaseEndedBlock: CB-04, the running cluster's configuration names a reservation that EC2 knows no more.
func TestCaseEndedBlock(t *testing.T) {
	_, text := slurmOf(t, "CB-04.yaml")
	running, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	observed := healthy()
	observed.Reservations = nil
	f := account(observed)
	f.Stack = &cfntypes.Stack{StackName: aws.String("weft"), StackStatus: cfntypes.StackStatusCreateComplete}
	f.Template = `{"Resources":{"Cluster":{"Type":"Custom::PclusterCluster","Properties":{"ClusterConfiguration":` + string(running) + `}}}}`
	r := request(t)
	r.Stack = "weft"
	require.Equal(t, []string{
		"error account/missing " + atBlock + "no capacity reservation " + block + " in us-east-2: it ended, and EC2 has forgotten it: the running cluster was made with this id" +
			" | a reservation of this account, or shared with it",
	}, lines(run(t, f, r)))
}

// TestCasePublicAddress: IP-01; the type has several interfaces, and here the subnet asks for the public address.
func TestCasePublicAddress(t *testing.T) {
	var sample struct {
		LaunchTemplateData struct{ InstanceType string }
	}
	require.NoError(t, json.Unmarshal(read(t, "testdata/cases", "IP-01.json"), &sample))
	observed := healthy()
	observed.Reservations[0].Type = sample.LaunchTemplateData.InstanceType
	observed.Subnets[0].MapPublicIP = true
	r := request(t, func(c *config.Cluster) { c.Groups[0].InstanceType = sample.LaunchTemplateData.InstanceType })
	require.Equal(t, []diag.ID{diag.NICPublicIP}, rules(run(t, account(observed), r)))
}

// TestCaseImageVersion: AMI-01, both versions as the report names them.
func TestCaseImageVersion(t *testing.T) {
	m := regexp.MustCompile(`created with ParallelCluster (\S+), but is trying to be used with ParallelCluster (\S+)\.`).
		FindStringSubmatch(string(read(t, "testdata/cases", "AMI-01.log")))
	require.Len(t, m, 3)
	observed := healthy()
	observed.Images[0].Tags["parallelcluster:version"] = m[1]
	r := request(t, func(c *config.Cluster) { c.ParallelCluster = m[2] })
	require.Equal(t, []string{
		"error ami/pcluster-version " + atImage + ami + " is of ParallelCluster 3.5.0 (tag parallelcluster:version) | 3.6.0, as parallelcluster says",
	}, lines(run(t, account(observed), r)))
}
