package verdict

import (
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/validation/evidence"
)

// environment judges the variables that NCCL and its plugin echoed in their logs: what is left over from another fabric, what forces
// sockets, what takes the place of the plugin's own values. A setting that stands in several logs is judged once.
func (j *judging) environment() {
	var settings []rule.Setting
	seen := map[[2]string]bool{}
	for _, o := range j.outputs() {
		for i := range o.Documents {
			for _, s := range settingsOf(&o.Documents[i]) {
				if key := [2]string{s.Name, s.Value}; !seen[key] {
					seen[key] = true
					settings = append(settings, asSetting(s))
				}
			}
		}
	}
	for _, f := range rule.Environment(settings, catalog.Surroundings{Versions: j.installed(), InstanceType: j.Group.InstanceType}) {
		if !j.told(f) {
			j.add(f)
		}
	}
}

func settingsOf(d *evidence.Document) []evidence.Setting {
	var out []evidence.Setting
	if d.Path != nil {
		out = append(out, d.Path.Settings...)
	}
	if d.Dispatch != nil {
		out = append(out, d.Dispatch.Settings...)
	}
	return out
}

func asSetting(s evidence.Setting) rule.Setting {
	out := rule.Setting{Name: s.Name, Value: rule.Known(s.Value), Place: diag.Place{File: s.File, Line: s.Line}}
	if s.Value == "" { // "Skipping adding X to environment, already set" does not say to what
		out.Value = rule.Unknown[string]()
	}
	if s.File == "" {
		out.Place = diag.Place{Resource: orElse(list(s.Hosts), s.Name)}
	}
	switch s.By {
	case "plugin":
		out.By = rule.SetByPlugin
	case "plugin, overridden":
		out.By = rule.SetOverPlugin
	}
	return out
}
