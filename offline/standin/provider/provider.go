// Package provider gives a stand-in to Pulumi's engine, as the provider aws: inside the process of a test, or served by
// a plugin process.
package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/standin"
)

// New returns a provider over a stand-in. Every provider resource of a program has one of its own: the configuration is
// kept in it.
func New(s *standin.StandIn) plugin.Provider {
	p := &provider{standIn: s}
	p.stop, p.cancel = context.WithCancel(context.Background())
	return p
}

// provider translates between the engine's terms and the stand-in's. It decides nothing.
type provider struct {
	plugin.UnimplementedProvider

	mu      sync.Mutex
	standIn *standin.StandIn

	stop   context.Context
	cancel context.CancelFunc
}

func (p *provider) account() *standin.StandIn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standIn
}

// Handshake says that secrets may come as such. The provider marks its outputs accordingly.
func (p *provider) Handshake(context.Context, plugin.ProviderHandshakeRequest) (*plugin.ProviderHandshakeResponse, error) {
	return &plugin.ProviderHandshakeResponse{AcceptSecrets: true}, nil
}

// Attach takes the engine's address, with PULUMI_DEBUG_PROVIDERS. The stand-in has nothing to tell the engine.
func (p *provider) Attach(string) error { return nil }

// Close has nothing to let go of.
func (p *provider) Close() error { return nil }

// SignalCancellation ends the delays of operations that are held up.
func (p *provider) SignalCancellation(context.Context) error {
	p.cancel()
	return nil
}

// whileWanted ends a call's context when the engine cancels.
func (p *provider) whileWanted(call context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(call)
	release := context.AfterFunc(p.stop, cancel)
	return ctx, func() { release(); cancel() }
}

// GetPluginInfo says the version that the SDK asks the engine for.
func (p *provider) GetPluginInfo(context.Context) (plugin.PluginInfo, error) {
	version, err := semver.Parse(standin.Version)
	if err != nil {
		return plugin.PluginInfo{}, fmt.Errorf("the version of the stand-in: %w", err)
	}
	return plugin.PluginInfo{Version: &version}, nil
}

// CheckConfig takes every configuration.
func (p *provider) CheckConfig(_ context.Context, r plugin.CheckConfigRequest) (plugin.CheckConfigResponse, error) {
	return plugin.CheckConfigResponse{Properties: r.News}, nil
}

// DiffConfig never replaces a provider: its resources live on under the new configuration.
func (p *provider) DiffConfig(context.Context, plugin.DiffConfigRequest) (plugin.DiffConfigResponse, error) {
	return plugin.DiffConfigResponse{Changes: plugin.DiffNone}, nil
}

// Configure keeps the region and the default tags.
func (p *provider) Configure(_ context.Context, r plugin.ConfigureRequest) (plugin.ConfigureResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	configured, err := p.standIn.Configured(r.Inputs)
	if err != nil {
		return plugin.ConfigureResponse{}, err
	}
	p.standIn = configured
	return plugin.ConfigureResponse{}, nil
}

func (p *provider) Check(ctx context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	ctx, done := p.whileWanted(ctx)
	defer done()
	inputs, findings, err := p.account().Check(ctx, standin.Proposal{
		URN: r.URN, NewInputs: r.NewInputs, OldInputs: r.OldInputs, Seed: r.RandomSeed,
	})
	return plugin.CheckResponse{Properties: inputs, Failures: failures(findings)}, err
}

// Diff compares inputs with inputs: what the account made up is not the program's to change. An unknown input is a
// change, it may turn out as one. The engine has already put the old values back where the program wants changes ignored.
func (p *provider) Diff(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	account := p.account()
	diff := asResource(r.OldInputs).Diff(asResource(r.NewInputs))
	if diff == nil {
		return plugin.DiffResponse{Changes: plugin.DiffNone}, nil
	}
	replaces := account.Replaces(string(r.Type))
	out := plugin.DiffResponse{Changes: plugin.DiffSome, DetailedDiff: plugin.NewDetailedDiffFromObjectDiff(diff, true)}
	for path, change := range out.DetailedDiff {
		if slices.Contains(replaces, topOf(path)) {
			out.DetailedDiff[path] = change.ToReplace()
		}
	}
	for _, key := range diff.ChangedKeys() {
		out.ChangedKeys = append(out.ChangedKeys, key)
		if slices.Contains(replaces, string(key)) {
			out.ReplaceKeys = append(out.ReplaceKeys, key)
		}
	}
	out.DeleteBeforeReplace = len(out.ReplaceKeys) > 0 && account.Pinned(r.URN, r.OldInputs, r.NewInputs)
	return out, nil
}

func (p *provider) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	ctx, done := p.whileWanted(ctx)
	defer done()
	if r.Preview {
		outputs := p.account().PreviewCreate(r.URN, r.Properties)
		return plugin.CreateResponse{Properties: marked(outputs, r.Properties), Status: resource.StatusOK}, nil
	}
	id, outputs, err := p.account().Create(ctx, r.URN, r.Properties)
	if err != nil {
		return plugin.CreateResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.CreateResponse{
		ID: resource.ID(id), Properties: marked(outputs, r.Properties), Status: resource.StatusOK,
	}, nil
}

// Read gives the inputs as well, so that an import and a refresh bring them up to date.
func (p *provider) Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	ctx, done := p.whileWanted(ctx)
	defer done()
	inputs, outputs, found, err := p.account().Read(ctx, r.URN, string(r.ID))
	if err != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, err
	}
	if !found {
		return plugin.ReadResponse{Status: resource.StatusOK}, nil
	}
	inputs, outputs = marked(inputs, r.Inputs), marked(outputs, r.Inputs)
	return plugin.ReadResponse{
		ReadResult: plugin.ReadResult{ID: r.ID, Inputs: &inputs, Outputs: &outputs}, Status: resource.StatusOK,
	}, nil
}

func (p *provider) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	ctx, done := p.whileWanted(ctx)
	defer done()
	outputs, err := p.account().Update(ctx, standin.Change{
		URN: r.URN, ID: string(r.ID), OldInputs: r.OldInputs, NewInputs: r.NewInputs, OldOutputs: r.OldOutputs, Preview: r.Preview,
	})
	if err != nil {
		return plugin.UpdateResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.UpdateResponse{Properties: marked(outputs, r.NewInputs), Status: resource.StatusOK}, nil
}

func (p *provider) Delete(ctx context.Context, r plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	ctx, done := p.whileWanted(ctx)
	defer done()
	if err := p.account().Delete(ctx, r.URN, string(r.ID)); err != nil {
		return plugin.DeleteResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.DeleteResponse{Status: resource.StatusOK}, nil
}

func (p *provider) Invoke(ctx context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	ctx, done := p.whileWanted(ctx)
	defer done()
	result, findings, err := p.account().Invoke(ctx, string(r.Tok), r.Args)
	return plugin.InvokeResponse{Properties: result, Failures: failures(findings)}, err
}

func failures(findings []standin.Finding) []plugin.CheckFailure {
	var list []plugin.CheckFailure
	for _, f := range findings {
		list = append(list, plugin.CheckFailure{Property: resource.PropertyKey(f.Property), Reason: f.Reason})
	}
	return list
}

// marked gives outputs the marks of the inputs of the same name: what went in as a secret comes out as one.
func marked(outputs, inputs property.Map) property.Map {
	for name, v := range inputs.All {
		out, ok := outputs.GetOk(name)
		if ok && v.HasSecrets() {
			outputs = outputs.Set(name, out.WithSecret(true))
		}
	}
	return outputs
}

// asResource gives properties in the form that has diffs, without marks: a secret that stays the same is no change.
func asResource(props property.Map) resource.PropertyMap {
	return resource.ToResourcePropertyMap(standin.Plain(props))
}

// topOf gives the property that a path such as networkInterfaces[0].deviceIndex begins with.
func topOf(path string) string {
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}
