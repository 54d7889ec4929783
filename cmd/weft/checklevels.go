package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// levelsFile is the name of the file that sets levels.
const levelsFile = ".weft.yaml"

// settings are what that file holds.
type settings struct {
	// Rules are judged at other levels than their own, each with its reason.
	Rules map[diag.ID]diag.Override `yaml:"rules"`
}

// readLevels finds the file from a folder upwards. No file is no levels; one that cannot be used is an error, because levels
// that are lost in silence would change the verdict.
func readLevels(folder string) (map[diag.ID]diag.Override, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("finding the working folder: %w", err)
	}
	for {
		name := filepath.Join(folder, levelsFile)
		data, err := os.ReadFile(name) //nolint:gosec // the user's own folder
		switch {
		case err == nil:
			return parseLevels(name, data)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reading levels: %w", err)
		}
		up := filepath.Dir(folder)
		if up == folder {
			return nil, nil
		}
		folder = up
	}
}

func parseLevels(name string, data []byte) (map[diag.ID]diag.Override, error) {
	file, found := config.Read[settings](name, data, "rules:")
	file.Positions.Resolve(found)
	var faults []string
	for _, f := range found {
		faults = append(faults, fmt.Sprintf("%s: got %s, want %s", f.Place, f.Got, f.Want))
	}
	for _, id := range slices.Sorted(maps.Keys(file.Value.Rules)) {
		place := file.Positions["rules."+string(id)]
		if _, ok := diag.Lookup(id); !ok {
			faults = append(faults, fmt.Sprintf("%s: got %s, want a rule of weft rules", place, id))
		} else if o := file.Value.Rules[id]; o.Level < id.Level() && strings.TrimSpace(o.Reason) == "" {
			faults = append(faults, fmt.Sprintf("%s: got a lower level without a reason, want reason: why", place))
		}
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("levels cannot be read:\n%s", strings.Join(faults, "\n"))
	}
	return file.Value.Rules, nil
}
