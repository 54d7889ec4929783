package mirror

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/standin"
)

// aboutTemplate are the inputs of a launch template that are not LaunchTemplateData.
var aboutTemplate = []string{"name", "namePrefix", "description", "updateDefaultVersion", "defaultVersion", "tags", "tagsAll"}

// launchTemplate adds a template, or its newest version. The stand-in keeps the data of the newest version only; older
// ones that were not added in their time are given the same, for nothing refers to them.
func (a *adder) launchTemplate(id string, r standin.Resource) error {
	number, ok := r.Outputs.Number("latestVersion")
	if !ok || number < 1 {
		return fmt.Errorf("its latest version is %v, want a number", r.Outputs["latestVersion"])
	}
	template := account.LaunchTemplate{ID: id, Name: r.Outputs.Text("name")}
	if i := slices.IndexFunc(a.world.LaunchTemplates, func(t account.LaunchTemplate) bool { return t.ID == id }); i >= 0 {
		template.Versions = slices.Clone(a.world.LaunchTemplates[i].Versions)
	}
	data := templateData(r.Inputs)
	for len(template.Versions) < number {
		template.Versions = append(template.Versions, data)
	}
	template.Versions[number-1] = data
	put(&a.world.LaunchTemplates, template, func(t account.LaunchTemplate) bool { return t.ID == id })
	return nil
}

// templateData translates the provider's inputs into LaunchTemplateData of EC2's API.
func templateData(inputs standin.Document) map[string]any {
	own := maps.Clone(inputs)
	for _, name := range aboutTemplate {
		delete(own, name)
	}
	object, _ := toAPI(map[string]any(own)).(map[string]any)
	return object
}

// apiNames are the names of EC2's API that differ from the provider's in more than their first letter.
var apiNames = map[string]string{"securityGroups": "Groups", "vpcSecurityGroupIds": "SecurityGroupIds"}

// toAPI translates names, and words for booleans: the provider has a few of them as text.
func toAPI(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			out[apiName(name)] = toAPI(field)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = toAPI(item)
		}
		return out
	case string:
		if v == "true" || v == "false" {
			return v == "true"
		}
		return v
	default:
		return v
	}
}

func apiName(name string) string {
	if other, ok := apiNames[name]; ok {
		return other
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
