// Command awsschema writes what the Pulumi SDK for AWS says about its resources as JSON, for the stand-in provider.
//
//	go run ./offline/cmd/awsschema -sdk "$(go list -m -f '{{.Dir}}' github.com/pulumi/pulumi-aws/sdk/v6)/go/aws" [service...]
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/weft-hpc/weft/offline/awsschema"
)

func main() {
	sdk := flag.String("sdk", "", "folder of the SDK that holds one folder for each service")
	version := flag.String("version", "6.83.4", "version to write into the schema")
	flag.Parse()
	if err := run(*sdk, *version, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "awsschema:", err)
		os.Exit(2)
	}
}

func run(sdk, version string, services []string) error {
	schema, err := awsschema.Read(sdk, version, services...)
	if err != nil {
		return err
	}
	return schema.Write(os.Stdout)
}
