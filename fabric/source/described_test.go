package source_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
)

// Every answer of the API that is read, each with what a rule needs of it.
func TestAnswersOfTheAPI(t *testing.T) {
	text := `{
  "DescribeLaunchTemplateVersions": {"LaunchTemplateVersions": [{"LaunchTemplateId": "lt-0", "LaunchTemplateData": {"InstanceType": "p5.48xlarge"}}]},
  "DescribeSecurityGroups": {"SecurityGroups": [{"GroupId": "sg-0", "IpPermissions": [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-0"}]}], "IpPermissionsEgress": []}]},
  "DescribeSecurityGroupRules": {"SecurityGroupRules": [{"SecurityGroupRuleId": "sgr-0", "GroupId": "sg-0", "IsEgress": true, "IpProtocol": "-1", "ReferencedGroupInfo": {"GroupId": "sg-0"}}]},
  "DescribeSubnets": {"Subnets": [{"SubnetId": "subnet-0", "AvailabilityZone": "us-east-2a", "MapPublicIpOnLaunch": true, "AvailableIpAddressCount": 7}]},
  "DescribeCapacityReservations": {"CapacityReservations": [{"CapacityReservationId": "cr-0", "State": "scheduled", "TotalInstanceCount": 0,
    "Tags": [{"Key": "aws:ec2capacityreservation:capacityReservationType", "Value": "capacity-block"}, {"Key": "aws:ec2capacityreservation:incrementalRequestedQuantity", "Value": "4"}]}]},
  "DescribeImages": {"Images": [{"ImageId": "ami-0", "Name": "n", "Architecture": "arm64", "ImageOwnerAlias": "amazon"}]},
  "DescribePlacementGroups": {"PlacementGroups": [{"GroupName": "pg", "Strategy": "cluster"}]},
  "DescribeAutoScalingGroups": {"AutoScalingGroups": [{"AutoScalingGroupName": "asg", "VPCZoneIdentifier": "subnet-0,subnet-1", "MaxSize": 3, "LaunchTemplate": {"LaunchTemplateId": "lt-0"}}]},
  "DescribeInstances": {"Reservations": [{"Instances": [
    {"InstanceId": "i-0", "InstanceType": "p5.48xlarge", "CapacityReservationId": "cr-0", "InstanceLifecycle": "capacity-block", "State": {"Name": "running"},
     "NetworkInterfaces": [{"NetworkInterfaceId": "eni-0", "InterfaceType": "efa", "Groups": [{"GroupId": "sg-0"}], "Attachment": {"DeviceIndex": 1, "NetworkCardIndex": 2, "DeleteOnTermination": true}}]},
    {"InstanceId": "i-1", "State": {"Name": "terminated"}}]}]}
}`
	d := source.Read("account.json", []byte(text), source.Options{})
	require.Equal(t, source.Account, d.Kind)
	require.Empty(t, d.Findings)
	s := d.Set
	require.True(t, s.WholeAccount)
	require.Equal(t, "; judged: 1 launch template, 1 instance, 1 node group, 1 security group, 1 security group rule, 1 subnet, 1 placement group, 1 reservation, 1 image", d.Contents())
	require.Equal(t, "lt-0", s.Templates[0].ID.Or(""))
	require.True(t, s.SecurityGroups[0].Whole)
	require.Equal(t, "sg-0", s.SecurityGroups[0].Ingress.Items[0].Groups.Items[0].Or(""))
	require.True(t, rule.IsTrue(s.SecurityGroupRules[0].Egress))
	require.Equal(t, "sg-0", s.SecurityGroupRules[0].Groups.Items[0].Or(""))
	require.Equal(t, 7, s.Subnets[0].Free.Or(0))
	require.Equal(t, 4, s.Reservations[0].Count.Or(0), "a block that has not started counts what was bought")
	require.Equal(t, rule.KindBlock, s.Reservations[0].Kind.Or(""))
	require.True(t, s.Images[0].Public)
	require.Equal(t, "pg", s.PlacementGroups[0].ID.Or(""))
	require.Equal(t, 2, s.Groups[0].Subnets.Len())
	require.Equal(t, "lt-0", s.Groups[0].Template.Or(""))
	i := s.Instances[0]
	require.Equal(t, rule.MarketBlock, i.Market.Or(""))
	require.Equal(t, 2, i.Interfaces.Items[0].Card.Or(0))
	require.Equal(t, "DescribeInstances.Reservations[0].Instances[0].NetworkInterfaces[0].Attachment.DeviceIndex", i.Interfaces.Items[0].Device.Path)
}

// Of an account only what the files refer to is judged.
func TestReferred(t *testing.T) {
	named := func(id, name string) rule.LaunchTemplate {
		return rule.LaunchTemplate{Input: rule.Input{ID: rule.Known(id), Alias: rule.Known(name)}}
	}
	account := rule.Set{
		Templates:    []rule.LaunchTemplate{named("lt-0", "a"), named("lt-1", "b"), named("lt-2", "c"), named("lt-3", "d"), {}},
		Instances:    []rule.Instance{{}},
		Groups:       []rule.NodeGroup{{}},
		Reservations: []rule.Reservation{{}},
		WholeAccount: true,
	}
	files := rule.Set{
		Groups:    []rule.NodeGroup{{Template: rule.Known("lt-0")}, {}},
		Instances: []rule.Instance{{Template: rule.Known("b")}},
		Clusters: []rule.ParallelCluster{{Queues: rule.ListOf(rule.Queue{
			Resources: rule.ListOf(rule.ComputeResource{Override: rule.Known("lt-2")}, rule.ComputeResource{Override: rule.Unknown[string]()}),
		})}},
	}
	got := source.Referred(account, files)
	require.Equal(t, account.Templates[:3], got.Templates)
	require.Empty(t, got.Instances)
	require.Empty(t, got.Groups)
	require.Len(t, got.Reservations, 1)
	require.True(t, got.WholeAccount)
	require.Len(t, account.Templates, 5, "the account itself stays as it is")
}

func TestUnseen(t *testing.T) {
	t.Parallel()
	files := rule.Set{
		Templates: []rule.LaunchTemplate{{Launch: rule.Launch{Reservation: rule.Known("cr-2")}}, {Launch: rule.Launch{Reservation: rule.Unknown[string]()}}},
		Instances: []rule.Instance{{Launch: rule.Launch{Reservation: rule.Known("cr-2")}}, {}},
		Clusters: []rule.ParallelCluster{{Queues: rule.ListOf(rule.Queue{
			Target:    rule.ReservationTarget{ID: rule.Known("cr-1")},
			Resources: rule.ListOf(rule.ComputeResource{Target: rule.ReservationTarget{ID: rule.Known("cr-3")}}, rule.ComputeResource{}),
		})}},
		Reservations: []rule.Reservation{{Input: rule.Input{ID: rule.Known("cr-3")}}},
	}
	require.Equal(t, []string{"cr-1", "cr-2"}, source.Unseen(files))
	require.Empty(t, source.Unseen(rule.Set{}))
}
