package languagehost

import (
	"runtime/debug"
	"strings"
)

// Version is the version of Pulumi's SDK that the host was built with. It is the CLI's: go.mod holds both together.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/pulumi/pulumi/sdk/v3" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}
