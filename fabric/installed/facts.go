package installed

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// factVersion is a field of weft's node facts that holds a component's version. The facts are JSON lines that the
// boot action nodecheck prints, {"fact":"efa","driver":"3.3.0g",…}, alone or within a boot log.
type factVersion struct {
	fact, field string
	component   catalog.Component
}

// factVersions hold no field "cuda" of the GPU: that is what the driver would take.
var factVersions = []factVersion{
	{"node", "kernel", catalog.Kernel},
	{"gpu", "driver", catalog.NVIDIADriver},
	{"gpu", "library", catalog.NVIDIADriver},
	{"gpu", "toolkit", catalog.CUDA},
	{"fabricManager", "version", catalog.FabricManager},
	{"efa", "driver", catalog.EFADriver},
	{"efa", "installer", catalog.EFAInstaller},
	{"efa", "libfabric", catalog.Libfabric},
	{"efa", "plugin", catalog.OFIPlugin},
	{"gdrcopy", "package", catalog.GDRCopy},
	{"gdrcopy", "module", catalog.GDRCopy},
	{"gdrcopy", "loaded", catalog.GDRCopy},
	{"containers", "enroot", catalog.Enroot},
	{"containers", "pyxis", catalog.Pyxis},
}

// nodeFacts reads one line of them. A line that was cut off is passed over, as one of another program.
func nodeFacts(s *sink, l line) bool {
	text := strings.TrimSpace(l.text)
	if !strings.HasPrefix(text, `{"fact":`) {
		return false
	}
	s.list.recognise(NodeFacts)
	var fields map[string]any
	if json.Unmarshal([]byte(text), &fields) != nil {
		return true
	}
	fact := stringOf(fields["fact"])
	if fact == "node" {
		s.forgetFacts()
	}
	for _, v := range factVersions {
		if version := stringOf(fields[v.field]); v.fact == fact && version != "" {
			s.found(v.component, version, fact+" "+v.field, NodeFacts, l.number)
		}
	}
	if flavour := stringOf(fields["flavour"]); fact == "gpu" && flavour != "" {
		s.flavour(catalog.Flavour(flavour), "gpu flavour "+flavour, l.number)
	}
	return true
}

func stringOf(v any) string {
	text, _ := v.(string)
	return strings.TrimSpace(text)
}

// forgetFacts drops what an earlier run of nodecheck told: a boot log holds several, and the last counts.
func (s *sink) forgetFacts() {
	s.list.Versions = slices.DeleteFunc(s.list.Versions, func(v Version) bool {
		if v.Format == NodeFacts {
			delete(s.seen, seen{v.Component, v.Text})
		}
		return v.Format == NodeFacts
	})
	s.list.Modules = slices.DeleteFunc(s.list.Modules, func(m Module) bool { return strings.HasPrefix(m.From, "gpu flavour") })
}
