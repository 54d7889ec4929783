// Command own is a Pulumi program of weft's components, for the tests of the policy pack: the cluster of a config file.
package main

import (
	"errors"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumiconfig "github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/weft-hpc/weft/components/cluster"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	file := pulumiconfig.New(ctx, "").Require("cluster")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	doc, found := config.Decode(file, text)
	planned, findings := plan.New(doc.Cluster)
	if found.Failed() || findings.Failed() {
		return errors.New("the config has faults")
	}
	_, err = cluster.New(ctx, planned.Name, &cluster.Args{Plan: planned})
	return err
}
