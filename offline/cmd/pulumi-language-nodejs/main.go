// Command pulumi-language-nodejs is the language host that Pulumi's CLI starts for policy packs with `runtime: nodejs`, where
// Pulumi's own one is not installed. It must lie in the folder of the pulumi command.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/weft-hpc/weft/offline/languagehost"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := languagehost.Serve(ctx, languagehost.Node{}, version(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pulumi-language-nodejs:", err)
		os.Exit(2)
	}
}

// version is the version of Pulumi's SDK that the host was built with. It is the CLI's: go.mod holds both together.
func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/pulumi/pulumi/sdk/v3" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}
