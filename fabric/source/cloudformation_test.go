package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/source"
)

func TestConditionsOfCloudFormation(t *testing.T) {
	text := `
Parameters:
  Cards: {Type: String, Default: "4"}
  Block: {Type: String, Default: ""}
  Open: {Type: String}
Conditions:
  Four: !Equals [!Ref Cards, "4"]
  OnDemand: !Equals [!Ref Block, ""]
  OnBlock: !Not [!Condition OnDemand]
  Both: !And [!Condition Four, !Condition OnDemand]
  Either: !Or [!Condition OnBlock, !Condition Unsettled]
  Unsettled: !Equals [!Ref Open, "x"]
  Round: !Not [!Condition Round]
Resources:
  Never:
    Type: AWS::EC2::LaunchTemplate
    Condition: OnBlock
    Properties: {LaunchTemplateData: {InstanceMarketOptions: {MarketType: capacity-block}}}
  Gpu:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: %s
        NetworkInterfaces:
          - {DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa}
          - !If [Both, {DeviceIndex: 7, NetworkCardIndex: 1, InterfaceType: efa}, !Ref AWS::NoValue]
          - !If [OnBlock, {DeviceIndex: 7, NetworkCardIndex: 2, InterfaceType: efa}, !Ref AWS::NoValue]`
	_, got := judge(t, strings.TrimLeft(fmt.Sprintf(text, "p4d.24xlarge"), "\n"), source.Options{})
	require.Equal(t, []string{
		"warn nic/efa-count 23:9 LaunchTemplateData.NetworkInterfaces Gpu",
		"error nic/device-index 25:13 LaunchTemplateData.NetworkInterfaces[1].DeviceIndex Gpu",
	}, got)
	for _, open := range []string{"!If [Unsettled, a, b]", "!If [Round, a, b]", "!If [Either, a, b]", "!If [None, a, b]", "'{{resolve:ssm:type}}'"} {
		_, got = judge(t, strings.TrimLeft(fmt.Sprintf(text, open), "\n"), source.Options{})
		require.Contains(t, strings.Join(got, "\n"), "warn value/unknown 22:9 LaunchTemplateData.InstanceType Gpu", open)
	}
}

func TestFunctionsOfCloudFormation(t *testing.T) {
	for text, want := range map[string]string{
		`!Sub "${Type}.48xlarge"`:                   "p5.48xlarge",
		`!Sub ["${A}.${B}", {A: p5, B: !Ref Size}]`: "p5.48xlarge",
		`!Sub "${!Type}"`:                           "${Type}",
		`!Sub "${Open}.48xlarge"`:                   "",
		`!Join [".", [!Ref Type, !Ref Size]]`:       "p5.48xlarge",
		`!Join [".", [!Ref Type, !Ref Open]]`:       "",
		`!Join [".", !Ref Open]`:                    "",
		`!If [None, p5.48xlarge, p5.48xlarge]`:      "p5.48xlarge",
		`!FindInMap [Map, a, b]`:                    "",
		`{"Fn::Select": [0, [a]]}`:                  "",
		`!Select [2, [!Ref "AWS::NoValue", a]]`:     "",
	} {
		d := source.Read("f", []byte(`
Parameters: {Type: {Default: p5}, Size: {Default: 48xlarge}, Open: {Type: String}}
Resources:
  A:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: `+text+`}}`), source.Options{})
		require.Empty(t, d.Findings, text)
		got := d.Set.Templates[0].InstanceType
		require.Equal(t, want, got.Or(""), text)
		require.Equal(t, want == "", got.IsUnknown(), text)
	}
}

func TestFoldJoinsWhatIsUnknownOnly(t *testing.T) {
	at := func(path string) diag.Place { return diag.Place{File: "f", Path: path} }
	got := source.Fold(diag.List{
		{Rule: diag.ValueUnknown, Place: at("nics[0].type"), Got: "nics[0].type is not known"},
		{Rule: diag.NICEFACard, Place: at("nics[0].type"), Got: "efa"},
		{Rule: diag.ValueUnknown, Place: at("nics[1].type"), Got: "nics[1].type is not known"},
		{Rule: diag.ValueUnknown, Place: at("nics[12].type"), Got: "nics[12].type is not known"},
		{Rule: diag.NICEFACard, Place: at("nics[1].type"), Got: "efa"},
		{Rule: diag.ValueUnknown, Place: at("type"), Got: "type is not known"},
	})
	require.Len(t, got, 4)
	require.Equal(t, "nics[0].type is not known; the same goes for 2 more items of the list", got[0].Got)
	require.Equal(t, "type is not known", got[3].Got)
}
