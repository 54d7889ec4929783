package catalog

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/version"
)

// PluginTest is what the makers of aws-ofi-nccl tested a release with.
type PluginTest struct {
	Plugin string
	NCCL   []string // lowest first; versions beside them may work and are not tested
	Source Source
}

// TestedNCCL gives the NCCL versions that a release of aws-ofi-nccl was tested with; false when its notes
// were not read.
func TestedNCCL(plugin string) (PluginTest, bool) {
	want, err := version.Parse(plugin)
	if err != nil {
		return PluginTest{}, false
	}
	i := slices.IndexFunc(pluginTestTable, func(p PluginTest) bool { return version.MustParse(p.Plugin).Compare(want) == 0 })
	if i < 0 {
		return PluginTest{}, false
	}
	return pluginTestTable[i], true
}

// pluginTestTable is sorted by version.
var pluginTestTable = []PluginTest{
	{Plugin: "1.15.0", NCCL: []string{"2.26.6"}, Source: ofiNotes},
	{Plugin: "1.16.0", NCCL: []string{"2.27.5"}, Source: ofiNotes},
	{Plugin: "1.16.3", NCCL: []string{"2.27.7"}, Source: ofiNotes},
	{Plugin: "1.17.0", NCCL: []string{"2.28.3"}, Source: ofiNotes},
	{Plugin: "1.17.1", NCCL: []string{"2.28.3"}, Source: ofiNotes},
	{Plugin: "1.17.2", NCCL: []string{"2.28.7"}, Source: ofiNotes},
	{Plugin: "1.17.3", NCCL: []string{"2.28.7"}, Source: ofiNotes},
	{Plugin: "1.18.0", NCCL: []string{"2.29.2"}, Source: ofiNotes},
	{Plugin: "1.19.0", NCCL: []string{"2.27.3", "2.28.7", "2.29.7"}, Source: ofiNotes},
	{Plugin: "1.20.0", NCCL: []string{"2.28.9", "2.29.7", "2.30.4"}, Source: ofiNotes},
	{Plugin: "1.21.0", NCCL: []string{"2.31.2-1"}, Source: ofiNotes},
	{Plugin: "1.21.1", NCCL: []string{"2.31.2-1"}, Source: ofiNotes},
}
