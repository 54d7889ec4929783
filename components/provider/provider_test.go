package provider_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/components/provider"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/components/validation"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// inputs are what a program in Go sends to the plugin.
type inputs struct {
	token string
	mu    sync.Mutex
	sent  resource.PropertyMap
}

func (m *inputs) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if args.TypeToken == m.token {
		m.sent = args.Inputs
	}
	return args.Name, args.Inputs, nil
}

func (m *inputs) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, nil
}

// check registers a validation as a program in Go does and lets the plugin judge what it sends.
func check(t *testing.T, args *validation.Args) (resource.PropertyMap, []plugin.CheckFailure) {
	t.Helper()
	m := &inputs{token: validation.Token}
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := validation.New(ctx, "llama", args)
		return err
	}, pulumi.WithMocks("train", "dev", m)))
	out, err := validator.New(nil, nil).Check(t.Context(), plugin.CheckRequest{NewInputs: resource.FromResourcePropertyMap(m.sent)})
	require.NoError(t, err)
	return m.sent, out.Failures
}

// The Go type sends every input that the resource has, by its name, and nothing else.
func TestGoProgramsSendWhatThePluginReads(t *testing.T) {
	t.Parallel()
	sent, failures := check(t, &validation.Args{
		Cluster: pulumi.String(cluster("llama")), Head: validation.Head{InstanceID: pulumi.String("i-0123456789abcdef0"), Region: "us-east-2", Profile: "hpc"},
		Steps: []string{"host"}, Thresholds: config.Thresholds{AllReduce: 0.9, AllToAll: 0.8, BetweenBlocks: 0.7}, WarnOnFailure: true,
		Timeout: 90 * time.Minute, ReportDirectory: "reports", Triggers: pulumi.Map{"ami": pulumi.String("ami-1")}, KeepGoing: true,
	})
	require.Empty(t, failures)
	var names []string
	for _, typ := range provider.Types() {
		if typ.Token == validation.Token {
			for i := range typ.Inputs.NumField() {
				name, _, _ := strings.Cut(typ.Inputs.Field(i).Tag.Get("json"), ",")
				names = append(names, name)
			}
		}
	}
	require.Len(t, sent, len(names))
	for _, name := range names {
		require.Contains(t, sent, resource.PropertyKey(name))
	}

	sent, failures = check(t, &validation.Args{Cluster: pulumi.String(cluster("llama")), Head: validation.Head{SSH: pulumi.String("head")}})
	require.Empty(t, failures)
	require.Len(t, sent, 2)
	_, failures = check(t, &validation.Args{Cluster: pulumi.String(cluster("llama")), Head: validation.Head{Local: true}})
	require.Empty(t, failures)
	_, failures = check(t, &validation.Args{})
	require.Len(t, failures, 2, "neither cluster nor head")
}

// bought registers a purchase as a program in Go does, and gives what the plugin gets.
func bought(t *testing.T, args *capacityblock.PurchaseArgs) resource.PropertyMap {
	t.Helper()
	m := &inputs{token: capacityblock.PurchaseToken}
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := capacityblock.Buy(ctx, "block", args)
		return err
	}, pulumi.WithMocks("train", "dev", m)))
	return m.sent
}

// The same of purchases, down to the offering: what the type sends is what the plugin takes.
func TestGoProgramsBuyWhatThePluginReads(t *testing.T) {
	t.Parallel()
	var group plan.NodeGroup
	w := sale()
	require.NoError(t, json.Unmarshal([]byte(pinning(w, &config.Purchase{Budget: "40000", Resume: "0a1b2c3d", Beside: []string{"cr-0123456789abcdef0"}})), &group))
	wait := time.Hour
	sent := bought(t, &capacityblock.PurchaseArgs{
		Region: "us-east-2", Profile: "hpc", Group: group, Platform: "Linux/UNIX", PaymentTimeout: &wait, Tags: map[string]string{"team": "llm"},
	})
	out, err := purchaser.New(purchaser.Options{}, nil).Check(t.Context(), plugin.CheckRequest{NewInputs: resource.FromResourcePropertyMap(sent)})
	require.NoError(t, err)
	require.Empty(t, out.Failures)
	for _, pair := range []struct {
		read reflect.Type
		sent resource.PropertyMap
	}{
		{reflect.TypeFor[purchaser.Inputs](), sent},
		{reflect.TypeFor[purchaser.Offering](), sent["offering"].ObjectValue()},
		{reflect.TypeFor[purchaser.Purchase](), sent["purchase"].ObjectValue()},
	} {
		require.Len(t, pair.sent, pair.read.NumField())
		for i := range pair.read.NumField() {
			name, _, _ := strings.Cut(pair.read.Field(i).Tag.Get("json"), ",")
			require.Contains(t, pair.sent, resource.PropertyKey(name))
		}
	}
	require.Len(t, bought(t, &capacityblock.PurchaseArgs{Region: "us-east-2", Group: plan.NodeGroup{
		InstanceType: "p5en.48xlarge", Capacity: plan.Capacity{Offering: group.Capacity.Offering},
	}}), 3, "what is left out is not sent")
	require.ErrorContains(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := capacityblock.Buy(ctx, "block", &capacityblock.PurchaseArgs{Region: "us-east-2", Group: plan.NodeGroup{Name: "train"}})
		return err
	}, pulumi.WithMocks("train", "dev", &inputs{})), "block: the group train pins no offering")
}
