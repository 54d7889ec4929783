package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func variableFacts() []Fact {
	out := make([]Fact, 0, len(variableTable))
	for _, v := range variableTable {
		since := make([]string, 0, len(v.Since))
		for _, c := range slices.Sorted(maps.Keys(v.Since)) {
			since = append(since, fmt.Sprintf("%s %s", c, v.Since[c]))
		}
		out = append(out, Fact{
			Subject: "variable " + list(v.Name, prefixed("of value ", strings.Join(quotedAll(v.Values), " or "))),
			Value:   list(string(v.Effect)+": "+v.Does, prefixed("from ", strings.Join(since, " and ")), prefixed("on ", strings.Join(v.Types, " "))),
			Source:  v.Source,
		})
	}
	return out
}

func quotedAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = fmt.Sprintf("%q", text)
	}
	return out
}

func pluginSettingFacts() []Fact {
	out := make([]Fact, 0, len(pluginSettingTable))
	for _, p := range pluginSettingTable {
		out = append(out, Fact{
			Subject: "plugin sets " + p.Name,
			Value:   list(p.Value, prefixed("on ", strings.Join(p.Types, " "))),
			Source:  p.Source,
		})
	}
	return out
}
