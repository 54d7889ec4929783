// Replay stands in for the programs that run on the nodes of a GPU cluster: see package replay.
package main

import (
	"os"
	"path/filepath"

	"github.com/weft-hpc/weft/offline/slurm/replay"
)

func main() {
	os.Exit(replay.Call{Name: filepath.Base(os.Args[0]), Args: os.Args[1:], Env: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr}.Main())
}
