// Command pulumi-resource-weft is the Pulumi plugin weft. Pulumi's engine starts it: ready, where a binary of this name
// lies in this folder or on PATH, and from its source elsewhere.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/weft-hpc/weft/components/provider"
	"github.com/weft-hpc/weft/components/provider/headnode"
)

func main() {
	err := provider.Main(context.Background(), provider.Options{Runner: &headnode.Runner{Version: provider.Version}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
