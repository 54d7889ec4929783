// Command pulumi-language-nodejs is the language host that Pulumi's CLI starts for policy packs with `runtime: nodejs`, where
// Pulumi's own one is not installed. It must lie in the folder of the pulumi command.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/weft-hpc/weft/offline/languagehost"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := languagehost.Serve(ctx, languagehost.Node{}, languagehost.Version(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pulumi-language-nodejs:", err)
		os.Exit(2)
	}
}
