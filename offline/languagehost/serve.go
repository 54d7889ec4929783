package languagehost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// plaintext is how host and engine talk, on one machine.
var plaintext = grpc.WithTransportCredentials(insecure.NewCredentials())

// heartbeat is how often a host looks whether its engine lives, as Pulumi's own do.
const heartbeat = 5 * time.Minute

// Serve serves a language until the context ends or the engine is gone. Its first line of output is the port, as the
// engine expects. args are the command line: the engine's address is the one that is no flag.
func Serve(ctx context.Context, language Language, version string, args []string, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	engine := address(args)
	if engine != "" {
		if err := rpcutil.Healthcheck(ctx, engine, heartbeat, cancel); err != nil {
			return fmt.Errorf("watching the engine: %w", err)
		}
	}
	stop := make(chan bool)
	context.AfterFunc(ctx, func() { close(stop) })
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: stop,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, New(language, version, engine))
			return nil
		},
	})
	if err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	if _, err := fmt.Fprintln(out, handle.Port); err != nil {
		cancel()
		return errors.Join(fmt.Errorf("telling the port: %w", err), <-handle.Done)
	}
	if err := <-handle.Done; err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

func address(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}
