package standin_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/standin"
)

// step is one operation of a test. Inputs are JSON; "{NAME}" in them is the id of what an earlier step made.
type step struct {
	op, typ, name, inputs string
}

func create(typ, name, inputs string) step { return step{"create", typ, name, inputs} }
func update(typ, name, inputs string) step { return step{"update", typ, name, inputs} }
func remove(typ, name string) step         { return step{"delete", typ, name, ""} }

const (
	vpc         = "aws:ec2/vpc:Vpc"
	subnet      = "aws:ec2/subnet:Subnet"
	gateway     = "aws:ec2/internetGateway:InternetGateway"
	nat         = "aws:ec2/natGateway:NatGateway"
	eip         = "aws:ec2/eip:Eip"
	table       = "aws:ec2/routeTable:RouteTable"
	route       = "aws:ec2/route:Route"
	association = "aws:ec2/routeTableAssociation:RouteTableAssociation"
	endpoint    = "aws:ec2/vpcEndpoint:VpcEndpoint"
	group       = "aws:ec2/securityGroup:SecurityGroup"
	ingress     = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	egress      = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
	template    = "aws:ec2/launchTemplate:LaunchTemplate"
	lustre      = "aws:fsx/lustreFileSystem:LustreFileSystem"
	efs         = "aws:efs/fileSystem:FileSystem"
	mountTarget = "aws:efs/mountTarget:MountTarget"
	bucket      = "aws:s3/bucketV2:BucketV2"
	object      = "aws:s3/bucketObjectv2:BucketObjectv2"
	role        = "aws:iam/role:Role"
	stack       = "aws:cloudformation/stack:Stack"

	document       = "aws:ssm/document:Document"
	docAssociation = "aws:ssm/association:Association"
	eventRule      = "aws:cloudwatch/eventRule:EventRule"
	eventTarget    = "aws:cloudwatch/eventTarget:EventTarget"
	rolePolicy     = "aws:iam/rolePolicy:RolePolicy"

	// content of a Systems Manager document, as JSON text.
	content = `"{\"schemaVersion\": \"2.2\", \"mainSteps\": [{\"action\": \"aws:runShellScript\"}], \"parameters\": {\"Action\": {\"type\": \"String\", \"allowedValues\": [\"run\", \"delivered\"]}, \"Revision\": {\"type\": \"String\", \"default\": \"\", \"allowedPattern\": \"^[0-9a-f]*$\"}}}"`
)

// Parts that many tests begin with.
var (
	aVPC     = create(vpc, "vpc", `{"cidrBlock": "10.0.0.0/16"}`)
	aSubnet  = create(subnet, "subnet", `{"vpcId": "{vpc}", "cidrBlock": "10.0.1.0/24"}`)
	aGateway = create(gateway, "igw", `{"vpcId": "{vpc}"}`)
	anEIP    = create(eip, "eip", `{"domain": "vpc"}`)
	aNAT     = create(nat, "nat", `{"subnetId": "{subnet}", "allocationId": "{eip}"}`)
	aGroup   = create(group, "group", `{"vpcId": "{vpc}", "name": "efa"}`)
	aTable   = create(table, "table", `{"vpcId": "{vpc}"}`)

	aDocument      = create(document, "d", `{"name": "guard", "documentType": "Command", "content": `+content+`}`)
	aRule          = create(eventRule, "r", `{"name": "r", "eventPattern": "{\"source\": [\"aws.ec2\"], \"detail\": {\"state\": [\"active\"]}}"}`)
	aRole          = create(role, "r", `{"name": "r", "assumeRolePolicy": "{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"sts:AssumeRole\", \"Principal\": {\"Service\": \"events.amazonaws.com\"}}}"}`)
	aRolePolicy    = create(rolePolicy, "p", `{"role": "{r}", "name": "p", "policy": "{\"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"ssm:SendCommand\", \"Resource\": \"*\"}]}"}`)
	aStackWithHead = create(stack, "s", `{"name": "c-weft", "templateBody": "{\"Resources\": {\"Cluster\": {\"Type\": \"Custom::PclusterCluster\", \"Properties\": {\"ClusterName\": \"c\"}}}, \"Outputs\": {\"HeadNodeInstanceId\": {\"Value\": \"x\"}}}"}`)
)

func nics(list string) string {
	return `{"instanceType": "p5en.48xlarge", "networkInterfaces": [` + list + `]}`
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		steps []step // all but the last must pass
		code  string // of the last; empty: it must pass as well
		says  string
	}{
		"block of a VPC that is too big":     {[]step{create(vpc, "vpc", `{"cidrBlock": "10.0.0.0/8"}`)}, "InvalidVpc.Range", "'10.0.0.0/8'"},
		"block that is no block":             {[]step{create(vpc, "vpc", `{"cidrBlock": "10.0.0.0"}`)}, "InvalidVpc.Range", "'10.0.0.0'"},
		"subnet inside the VPC":              {[]step{aVPC, aSubnet}, "", ""},
		"subnet outside the VPC":             {[]step{aVPC, create(subnet, "s", `{"vpcId": "{vpc}", "cidrBlock": "10.1.0.0/24"}`)}, "InvalidSubnet.Range", "'10.1.0.0/24'"},
		"subnet wider than the VPC":          {[]step{create(vpc, "vpc", `{"cidrBlock": "10.0.0.0/24"}`), create(subnet, "s", `{"vpcId": "{vpc}", "cidrBlock": "10.0.0.0/16"}`)}, "InvalidSubnet.Range", "'10.0.0.0/16'"},
		"subnet of a VPC of somebody else":   {[]step{create(subnet, "s", `{"vpcId": "vpc-1", "cidrBlock": "172.31.0.0/20"}`)}, "", ""},
		"subnets that overlap":               {[]step{aVPC, aSubnet, create(subnet, "s", `{"vpcId": "{vpc}", "cidrBlock": "10.0.0.0/20"}`)}, "InvalidSubnet.Conflict", "'10.0.0.0/20' conflicts"},
		"same block in two VPCs":             {[]step{aVPC, aSubnet, create(vpc, "w", `{"cidrBlock": "10.0.0.0/16"}`), create(subnet, "s", `{"vpcId": "{w}", "cidrBlock": "10.0.1.0/24"}`)}, "", ""},
		"second internet gateway":            {[]step{aVPC, aGateway, create(gateway, "i", `{"vpcId": "{vpc}"}`)}, "Resource.AlreadyAssociated", "already has an internet gateway"},
		"NAT gateway without a way out":      {[]step{aVPC, aSubnet, anEIP, aNAT}, "Gateway.NotAttached", "no Internet gateway attached"},
		"NAT gateway with a way out":         {[]step{aVPC, aGateway, aSubnet, anEIP, aNAT}, "", ""},
		"private NAT gateway":                {[]step{aVPC, aSubnet, create(nat, "nat", `{"subnetId": "{subnet}", "connectivityType": "private"}`)}, "", ""},
		"address of two NAT gateways":        {[]step{aVPC, aGateway, aSubnet, anEIP, aNAT, create(nat, "n", `{"subnetId": "{subnet}", "allocationId": "{eip}"}`)}, "Resource.AlreadyAssociated", "{eip}"},
		"same route twice":                   {[]step{create(route, "a", `{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0", "gatewayId": "igw-1"}`), create(route, "b", `{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0", "natGatewayId": "nat-1"}`)}, "RouteAlreadyExists", "0.0.0.0/0"},
		"same route in two tables":           {[]step{create(route, "a", `{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0"}`), create(route, "b", `{"routeTableId": "rtb-2", "destinationCidrBlock": "0.0.0.0/0"}`)}, "", ""},
		"second table of a subnet":           {[]step{create(association, "a", `{"routeTableId": "rtb-1", "subnetId": "subnet-1"}`), create(association, "b", `{"routeTableId": "rtb-2", "subnetId": "subnet-1"}`)}, "Resource.AlreadyAssociated", "rtb-2"},
		"second gateway endpoint in a table": {[]step{create(endpoint, "a", `{"vpcId": "vpc-1", "serviceName": "s3", "routeTableIds": ["rtb-1"]}`), create(endpoint, "b", `{"vpcId": "vpc-1", "serviceName": "s3", "routeTableIds": ["rtb-2", "rtb-1"]}`)}, "RouteAlreadyExists", "rtb-1"},

		"rule without a peer":        {[]step{create(ingress, "r", `{"securityGroupId": "sg-1", "ipProtocol": "-1"}`)}, "InvalidParameterCombination", "got 0"},
		"rule with two peers":        {[]step{create(egress, "r", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0", "referencedSecurityGroupId": "sg-1"}`)}, "InvalidParameterCombination", "got 2"},
		"same rule twice":            {[]step{create(ingress, "a", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "referencedSecurityGroupId": "sg-1"}`), create(ingress, "b", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "referencedSecurityGroupId": "sg-1"}`)}, "InvalidPermission.Duplicate", `peer: sg-1, ALL, ALLOW`},
		"rules of different ports":   {[]step{create(ingress, "a", `{"securityGroupId": "sg-1", "ipProtocol": "tcp", "fromPort": 22, "toPort": 22, "cidrIpv4": "10.0.0.0/8"}`), create(ingress, "b", `{"securityGroupId": "sg-1", "ipProtocol": "tcp", "fromPort": 988, "toPort": 988, "cidrIpv4": "10.0.0.0/8"}`)}, "", ""},
		"rule that becomes another":  {[]step{create(ingress, "a", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "cidrIpv4": "10.0.0.0/8"}`), create(ingress, "b", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "cidrIpv4": "10.0.0.0/16"}`), update(ingress, "b", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "cidrIpv4": "10.0.0.0/8"}`)}, "InvalidPermission.Duplicate", "10.0.0.0/8"},
		"ports with all protocols":   {[]step{create(egress, "r", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "fromPort": 0, "toPort": 0, "cidrIpv4": "0.0.0.0/0"}`)}, "InvalidParameterCombination", "ipProtocol is -1"},
		"ingress and egress to self": {[]step{create(ingress, "a", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "referencedSecurityGroupId": "sg-1"}`), create(egress, "b", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "referencedSecurityGroupId": "sg-1"}`)}, "", ""},

		"template of one interface and an EFA": {[]step{create(template, "t", nics(`{"deviceIndex": 0}, {"deviceIndex": 1, "interfaceType": "efa-only"}, {"networkCardIndex": 1, "deviceIndex": 0, "interfaceType": "efa-only"}`))}, "", ""},
		"groups in two places":                 {[]step{create(template, "t", `{"vpcSecurityGroupIds": ["sg-1"], "networkInterfaces": [{"deviceIndex": 0}]}`)}, "InvalidParameterCombination", "may not be specified on the same request"},
		"no primary interface":                 {[]step{create(template, "t", nics(`{"networkCardIndex": 1, "deviceIndex": 0}`))}, "InvalidParameterCombination", "the primary one is missing"},
		"primary interface without addresses":  {[]step{create(template, "t", nics(`{"deviceIndex": 0, "interfaceType": "efa-only"}`))}, "InvalidParameterCombination", "efa-only"},
		"device index twice on a card":         {[]step{create(template, "t", nics(`{"deviceIndex": 0}, {"networkCardIndex": 1, "deviceIndex": 1}, {"networkCardIndex": 1, "deviceIndex": 1}`))}, "InvalidParameterValue", "networkInterfaces[1] and [2]"},
		"device index on two cards":            {[]step{create(template, "t", nics(`{"deviceIndex": 0}, {"networkCardIndex": 1, "deviceIndex": 0}`))}, "", ""},
		"two EFA on a card":                    {[]step{create(template, "t", nics(`{"deviceIndex": 0, "interfaceType": "efa"}, {"deviceIndex": 1, "interfaceType": "efa-only"}`))}, "InvalidParameterCombination", "networkInterfaces[0] and [1] are both EFA on network card 0"},
		"public address of many interfaces":    {[]step{create(template, "t", nics(`{"deviceIndex": 0, "associatePublicIpAddress": "true"}, {"networkCardIndex": 1, "deviceIndex": 0}`))}, "InvalidParameterCombination", "associatePublicIPAddress"},
		"public address of one interface":      {[]step{create(template, "t", nics(`{"deviceIndex": 0, "associatePublicIpAddress": "true"}`))}, "", ""},
		"EFA on a card that takes none":        {[]step{create(template, "t", `{"instanceType": "p6-b300.48xlarge", "networkInterfaces": [{"deviceIndex": 0, "interfaceType": "efa"}]}`)}, "Unsupported", "network card 0 of p6-b300.48xlarge takes no EFA"},
		"EFA beside that card":                 {[]step{create(template, "t", `{"instanceType": "p6-b300.48xlarge", "networkInterfaces": [{"deviceIndex": 0}, {"networkCardIndex": 1, "deviceIndex": 0, "interfaceType": "efa-only"}]}`)}, "", ""},
		"device index beyond the card":         {[]step{create(template, "t", nics(`{"deviceIndex": 0}, {"networkCardIndex": 2, "deviceIndex": 4}`))}, "AttachmentLimitExceeded", "takes device indexes 0 to 3, networkInterfaces[1] has 4"},
		"card that is not there":               {[]step{create(template, "t", nics(`{"deviceIndex": 0}, {"networkCardIndex": 16, "deviceIndex": 0}`))}, "InvalidParameterValue", "no network card 16"},
		"cards of an unknown type":             {[]step{create(template, "t", `{"instanceType": "p9.48xlarge", "networkInterfaces": [{"deviceIndex": 0}, {"networkCardIndex": 40, "deviceIndex": 9}]}`)}, "", ""},
		"card whose limit nobody knows":        {[]step{create(template, "t", `{"instanceType": "p6e-gb200.36xlarge", "networkInterfaces": [{"deviceIndex": 0}, {"networkCardIndex": 1, "deviceIndex": 7}]}`)}, "", ""},
		"block in a placement group":           {[]step{create(template, "t", `{"instanceMarketOptions": {"marketType": "capacity-block"}, "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}, "placement": {"groupName": "near"}}`)}, "InvalidParameterCombination", "near"},
		"block with an empty placement":        {[]step{create(template, "t", `{"instanceMarketOptions": {"marketType": "capacity-block"}, "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}, "placement": {}}`)}, "", ""},
		"block without a target":               {[]step{create(template, "t", `{"instanceMarketOptions": {"marketType": "capacity-block"}}`)}, "InvalidParameterCombination", "capacity reservation target"},
		"new version of a template":            {[]step{create(template, "t", nics(`{"deviceIndex": 0}`)), update(template, "t", nics(`{"deviceIndex": 1}`))}, "InvalidParameterCombination", "updating EC2 Launch Template: operation error EC2: CreateLaunchTemplateVersion"},

		"VPC with a subnet":                 {[]step{aVPC, aSubnet, remove(vpc, "vpc")}, "DependencyViolation", "The vpc '{vpc}' has dependencies"},
		"VPC after its subnet":              {[]step{aVPC, aSubnet, remove(subnet, "subnet"), remove(vpc, "vpc")}, "", ""},
		"subnet with a NAT gateway":         {[]step{aVPC, aGateway, aSubnet, anEIP, aNAT, remove(subnet, "subnet")}, "DependencyViolation", "{subnet}"},
		"subnet with a file system":         {[]step{aVPC, aSubnet, create(lustre, "fs", `{"subnetIds": "{subnet}"}`), remove(subnet, "subnet")}, "DependencyViolation", "{subnet}"},
		"subnet with a cluster":             {[]step{aVPC, aSubnet, create(stack, "cluster", `{"name": "c", "templateBody": "{\"Resources\": {\"C\": {\"Subnet\": \"{subnet}\"}}}"}`), remove(subnet, "subnet")}, "DependencyViolation", "instances of the stack c"},
		"group with a file system":          {[]step{aVPC, aGroup, create(lustre, "fs", `{"subnetIds": "subnet-1", "securityGroupIds": ["{group}"]}`), remove(group, "group")}, "DependencyViolation", "resource {group} has a dependent object"},
		"group in a rule of another":        {[]step{aVPC, aGroup, create(ingress, "r", `{"securityGroupId": "sg-1", "ipProtocol": "-1", "referencedSecurityGroupId": "{group}"}`), remove(group, "group")}, "DependencyViolation", "{group}"},
		"group in its own rule":             {[]step{aVPC, aGroup, create(ingress, "r", `{"securityGroupId": "{group}", "ipProtocol": "-1", "referencedSecurityGroupId": "{group}"}`), remove(group, "group")}, "", ""},
		"group in a launch template":        {[]step{aVPC, aGroup, create(template, "t", nics(`{"deviceIndex": 0, "securityGroups": ["{group}"]}`)), remove(group, "group")}, "", ""},
		"table of a subnet":                 {[]step{aVPC, aTable, create(association, "a", `{"routeTableId": "{table}", "subnetId": "subnet-1"}`), remove(table, "table")}, "DependencyViolation", "{table}"},
		"address of a NAT gateway":          {[]step{aVPC, aGateway, aSubnet, anEIP, aNAT, remove(eip, "eip")}, "InvalidIPAddress.InUse", "{eip}"},
		"gateway with addresses behind it":  {[]step{aVPC, aGateway, aSubnet, anEIP, aNAT, remove(gateway, "igw")}, "DependencyViolation", "mapped public address"},
		"file system with mount targets":    {[]step{create(efs, "fs", `{}`), create(mountTarget, "m", `{"fileSystemId": "{fs}", "subnetId": "subnet-1"}`), remove(efs, "fs")}, "FileSystemInUse", "{fs}"},
		"bucket with objects":               {[]step{create(bucket, "b", `{"bucket": "data"}`), create(object, "o", `{"bucket": "data", "key": "k"}`), remove(bucket, "b")}, "BucketNotEmpty", "not empty"},
		"bucket that is emptied by force":   {[]step{create(bucket, "b", `{"bucket": "data", "forceDestroy": true}`), create(object, "o", `{"bucket": "data", "key": "k"}`), remove(bucket, "b")}, "", ""},
		"something that is gone":            {[]step{aVPC, remove(vpc, "vpc"), remove(vpc, "vpc")}, "InvalidVpcID.NotFound", "deleting EC2 VPC: operation error EC2: DeleteVpc"},
		"change of something that is gone":  {[]step{aGroup, remove(group, "group"), update(group, "group", `{}`)}, "InvalidGroup.NotFound", "{group}"},
		"name that is taken":                {[]step{create(role, "a", `{"name": "node"}`), create(role, "b", `{"name": "node"}`)}, "EntityAlreadyExists", "'node'"},
		"name of a group in another VPC":    {[]step{create(group, "a", `{"name": "efa", "vpcId": "vpc-1"}`), create(group, "b", `{"name": "efa", "vpcId": "vpc-2"}`)}, "", ""},
		"stack without a template":          {[]step{create(stack, "s", `{"name": "c"}`)}, "ValidationError", "must be specified"},
		"stack with an unreadable template": {[]step{create(stack, "s", `{"name": "c", "templateBody": "Resources: ["}`)}, "ValidationError", "Template format error"},
		"stack with an empty template":      {[]step{create(stack, "s", `{"name": "c", "templateBody": "Outputs: {}"}`)}, "ValidationError", "At least one Resources member"},
		"stack with a template at a URL":    {[]step{create(stack, "s", `{"name": "c", "templateUrl": "https://bucket/template.yaml"}`)}, "", ""},

		"document that begins like AWS's":        {[]step{create(document, "d", `{"name": "aws-guard", "content": `+content+`}`)}, "ValidationException", "can't begin with aws"},
		"document with a short name":             {[]step{create(document, "d", `{"name": "d", "content": `+content+`}`)}, "ValidationException", "'d' at 'name'"},
		"document that is too large":             {[]step{create(document, "d", `{"name": "guard", "content": "`+strings.Repeat("x", 64<<10+1)+`"}`)}, "MaxDocumentSizeExceeded", "64 KB"},
		"document that is not well-formed":       {[]step{create(document, "d", `{"name": "guard", "content": "{"}`)}, "InvalidDocumentContent", "creating SSM Document: operation error SSM: CreateDocument"},
		"document without steps":                 {[]step{create(document, "d", `{"name": "guard", "content": `+content+`}`), update(document, "d", `{"content": "{\"schemaVersion\": \"2.2\"}"}`)}, "InvalidDocumentContent", "no mainSteps"},
		"document with an association":           {[]step{aDocument, create(docAssociation, "a", `{"name": "{d}", "parameters": {"Action": "run"}}`), remove(document, "d")}, "AssociatedInstances", "{d}"},
		"document after its association":         {[]step{aDocument, create(docAssociation, "a", `{"name": "{d}", "parameters": {"Action": "run"}}`), remove(docAssociation, "a"), remove(document, "d")}, "", ""},
		"association of somebody's document":     {[]step{create(docAssociation, "a", `{"name": "AWS-RunShellScript", "parameters": {"commands": "true"}}`)}, "", ""},
		"parameter that no document has":         {[]step{aDocument, create(docAssociation, "a", `{"name": "{d}", "parameters": {"Action": "run", "Revison": "1"}}`)}, "InvalidParameters", "no parameter Revison"},
		"parameter that is not allowed":          {[]step{aDocument, create(docAssociation, "a", `{"name": "{d}", "parameters": {"Action": "stop"}}`)}, "InvalidParameters", "want one of run, delivered"},
		"parameter of another form":              {[]step{aDocument, create(docAssociation, "a", `{"name": "{d}", "parameters": {"Action": "run", "Revision": "x"}}`)}, "InvalidParameters", "Revision is 'x'"},
		"parameter that is not given":            {[]step{aDocument, create(docAssociation, "a", `{"name": "{d}"}`)}, "InvalidParameters", "Action has no default"},
		"association every minute":               {[]step{create(docAssociation, "a", `{"name": "AWS-RunShellScript", "scheduleExpression": "rate(1 minute)"}`)}, "InvalidSchedule", "rate(1 minute)"},
		"association every half hour":            {[]step{create(docAssociation, "a", `{"name": "AWS-RunShellScript", "scheduleExpression": "rate(30 minutes)"}`)}, "", ""},
		"association that waits for nobody":      {[]step{create(docAssociation, "a", `{"name": "AWS-RunShellScript", "waitForSuccessTimeoutSeconds": 60, "targets": [{"key": "InstanceIds", "values": ["i-00000001"]}]}`)}, "InvalidTarget", "waiting for success on i-00000001"},
		"association that does not wait":         {[]step{create(docAssociation, "a", `{"name": "AWS-RunShellScript", "targets": [{"key": "InstanceIds", "values": ["i-00000001"]}]}`)}, "", ""},
		"association that waits for an instance": {[]step{create("aws:ec2/instance:Instance", "i", `{}`), create(docAssociation, "a", `{"name": "AWS-RunShellScript", "waitForSuccessTimeoutSeconds": 60, "targets": [{"key": "tag:Name", "values": ["x"]}, {"key": "InstanceIds", "values": ["{i}"]}]}`)}, "", ""},
		"association that waits for a head node": {[]step{aStackWithHead, create(docAssociation, "a", `{"name": "AWS-RunShellScript", "waitForSuccessTimeoutSeconds": 60, "targets": [{"key": "InstanceIds", "values": ["`+account.HeadNodeID("c")+`"]}]}`)}, "", ""},

		"rule with a long name":          {[]step{create(eventRule, "r", `{"name": "`+strings.Repeat("r", 65)+`", "scheduleExpression": "rate(1 hour)"}`)}, "ValidationException", "at 'name'"},
		"rule for nothing":               {[]step{create(eventRule, "r", `{"name": "r"}`)}, "ValidationException", "EventPattern or ScheduleExpression"},
		"rule whose pattern is no JSON":  {[]step{create(eventRule, "r", `{"name": "r", "eventPattern": "source"}`)}, "InvalidEventPatternException", "Reason"},
		"rule with a text for a list":    {[]step{create(eventRule, "r", `{"name": "r", "eventPattern": "{\"detail\": {\"state\": \"active\"}}"}`)}, "InvalidEventPatternException", "detail.state must be"},
		"rule with an empty list":        {[]step{create(eventRule, "r", `{"name": "r", "eventPattern": "{\"source\": []}"}`)}, "InvalidEventPatternException", "source must be"},
		"rule with a target":             {[]step{aRule, create(eventTarget, "t", `{"rule": "{r}", "arn": "arn:aws:sns:us-west-2:123456789012:t"}`), remove(eventRule, "r")}, "ValidationException", "since it has targets"},
		"command without a role":         {[]step{create(eventTarget, "t", `{"rule": "r", "arn": "arn:aws:ssm:us-west-2:123456789012:document/d", "runCommandTargets": [{"key": "InstanceIds", "values": ["i-1"]}]}`)}, "ValidationException", "RoleArn is required"},
		"input in two forms":             {[]step{create(eventTarget, "t", `{"rule": "r", "arn": "a", "input": "{}", "inputTransformer": {"inputTemplate": "{}"}}`)}, "ValidationException", "Only one of"},
		"input with an unknown name":     {[]step{create(eventTarget, "t", `{"rule": "r", "arn": "a", "inputTransformer": {"inputPaths": {"end": "$.detail.end"}, "inputTemplate": "{\"End\": [<ende>]}"}}`)}, "ValidationException", "no path of the name ende"},
		"input that is no JSON":          {[]step{create(eventTarget, "t", `{"rule": "r", "arn": "a", "inputTransformer": {"inputPaths": {"end": "$.detail.end"}, "inputTemplate": "{\"End\": [<end>}"}}`)}, "ValidationException", "no JSON"},
		"input of an event's own fields": {[]step{create(eventTarget, "t", `{"rule": "r", "arn": "a", "inputTransformer": {"inputTemplate": "rule <aws.events.rule-name> fired"}}`)}, "", ""},

		"role with a long name":          {[]step{create(role, "r", `{"name": "`+strings.Repeat("r", 65)+`"}`)}, "ValidationError", "{1,64}"},
		"role that trusts nobody":        {[]step{create(role, "r", `{"name": "r", "assumeRolePolicy": "{\"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:AssumeRole\"}]}"}`)}, "MalformedPolicyDocument", "must contain a principal"},
		"role with a policy":             {[]step{aRole, aRolePolicy, remove(role, "r")}, "DeleteConflict", "must delete policies first"},
		"role after its policy":          {[]step{aRole, aRolePolicy, remove(rolePolicy, "p"), remove(role, "r")}, "", ""},
		"policy that is no JSON":         {[]step{create(rolePolicy, "p", `{"role": "r", "name": "p", "policy": "{"}`)}, "MalformedPolicyDocument", "invalid Json"},
		"policy without statements":      {[]step{create(rolePolicy, "p", `{"role": "r", "name": "p", "policy": "{\"Statement\": []}"}`)}, "MalformedPolicyDocument", "at least one statement"},
		"policy whose statement is text": {[]step{create(rolePolicy, "p", `{"role": "r", "name": "p", "policy": "{\"Statement\": \"x\"}"}`)}, "MalformedPolicyDocument", "Syntax errors"},
		"policy without effect":          {[]step{create(rolePolicy, "p", `{"role": "r", "name": "p", "policy": "{\"Statement\": {\"Action\": \"*\", \"Resource\": \"*\"}}"}`)}, "MalformedPolicyDocument", "neither Allow nor Deny"},
		"policy without actions":         {[]step{create(rolePolicy, "p", `{"role": "r", "name": "p", "policy": "{\"Statement\": {\"Effect\": \"Deny\", \"Resource\": \"*\"}}"}`)}, "MalformedPolicyDocument", "must contain actions"},
		"policy without resources":       {[]step{create(rolePolicy, "p", `{"role": "r", "name": "p", "policy": "{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"*\"}}"}`)}, "MalformedPolicyDocument", "must contain resources"},
		"policy with a principal":        {[]step{create(rolePolicy, "p", `{"role": "r", "name": "p", "policy": "{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"*\", \"Resource\": \"*\", \"Principal\": \"*\"}}"}`)}, "MalformedPolicyDocument", "should not specify a principal"},
	}
	told := map[string]bool{}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := standin.New(standin.Options{})
			require.NoError(t, err)
			ids := run(t, s, tt.steps[:len(tt.steps)-1])
			err = do(t, s, ids, tt.steps[len(tt.steps)-1])
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			var refusal *standin.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, tt.code, refusal.Code)
			require.Contains(t, err.Error(), fill(tt.says, ids))
			require.Contains(t, err.Error(), "api error "+tt.code+": ")
			told[refusal.ID] = true
		})
	}
	require.ElementsMatch(t, standin.RefusalIDs(), slices.Collect(maps.Keys(told)), "every refusal is told by one test at least")
}

func TestRefusalThatIsSwitchedOff(t *testing.T) {
	s, err := standin.New(standin.Options{Data: standin.Data{Accept: []string{"missing"}}})
	require.NoError(t, err)
	require.NoError(t, s.Delete(t.Context(), urnOf(vpc, "vpc"), "vpc-1"))
}

func TestRefusedOperationChangesNothing(t *testing.T) {
	s, err := standin.New(standin.Options{})
	require.NoError(t, err)
	ids := run(t, s, []step{aVPC, aSubnet})
	before, err := s.Store().View()
	require.NoError(t, err)
	for _, refused := range []step{create(subnet, "s", `{"vpcId": "{vpc}", "cidrBlock": "10.0.1.0/24"}`), remove(vpc, "vpc")} {
		var refusal *standin.Refusal
		require.True(t, errors.As(do(t, s, ids, refused), &refusal))
	}
	after, err := s.Store().View()
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// run does steps that must pass, and gives the ids by name.
func run(t *testing.T, s *standin.StandIn, steps []step) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, one := range steps {
		require.NoError(t, do(t, s, ids, one))
	}
	return ids
}

func do(t *testing.T, s *standin.StandIn, ids map[string]string, one step) error {
	t.Helper()
	u := urnOf(one.typ, one.name)
	switch one.op {
	case "create":
		id, _, err := s.Create(t.Context(), u, props(t, fill(one.inputs, ids)))
		ids[one.name] = id
		return err
	case "update":
		_, err := s.Update(t.Context(), standin.Change{
			URN: u, ID: ids[one.name], NewInputs: props(t, fill(one.inputs, ids)), OldOutputs: property.Map{},
		})
		return err
	default:
		return s.Delete(t.Context(), u, ids[one.name])
	}
}
