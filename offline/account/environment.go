package account

import (
	"embed"

	"github.com/weft-hpc/weft/offline/python"
)

//go:embed requirements.txt
var requirements string

//go:embed emulator/*.py emulator/instance_types.json
var sources embed.FS

// Environment is the Python environment in which the account runs.
func Environment() python.Environment {
	return python.Environment{Name: "aws-account", Version: "moto 5.2.5", Requirements: requirements}
}
