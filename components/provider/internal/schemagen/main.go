// Command schemagen writes the schema of the plugin's package.
//
// It runs in the folder of package provider: go generate ./components/provider
package main

import (
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	out, err := generate()
	if err == nil {
		err = os.WriteFile("schema.json", out, 0o600)
	}
	if err != nil {
		log.Fatalf("making the schema: %v", err)
	}
}
