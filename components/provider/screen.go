package provider

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
)

// screen shows through the engine what goes on. What cannot be shown is no reason to stop; an engine that attached
// itself to the plugin has no screen.
type screen struct{ host *pulumiprovider.HostClient }

func (s screen) Status(ctx context.Context, u resource.URN, text string) {
	if s.host != nil {
		_ = s.host.LogStatus(ctx, diag.Info, u, text)
	}
}

func (s screen) Info(ctx context.Context, u resource.URN, text string) {
	s.log(ctx, diag.Info, u, text)
}

func (s screen) Warn(ctx context.Context, u resource.URN, text string) {
	s.log(ctx, diag.Warning, u, text)
}

func (s screen) log(ctx context.Context, level diag.Severity, u resource.URN, text string) {
	if s.host != nil {
		_ = s.host.Log(ctx, level, u, text)
	}
}
