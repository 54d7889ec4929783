package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// ruleIDs are all rules, or those that are judged in a step.
func ruleIDs(in diag.Where) []string {
	var out []string
	for _, r := range diag.Rules() {
		if r.Where&in != 0 {
			out = append(out, string(r.ID))
		}
	}
	return out
}

const anywhere = ^diag.Where(0)

func (v *view) ruleOverrides() {
	overrides := v.cluster.Rules
	for _, id := range slices.Sorted(maps.Keys(overrides)) {
		path := child("rules", string(id))
		rule, known := diag.Lookup(id)
		if !known {
			v.report(diag.ConfigKey, path, "the rule "+quote(string(id)), "the id of a rule, as weft rules lists them", suggestedRule(string(id), ruleIDs(anywhere)))
			continue
		}
		if v.sound(path, path+".level") {
			v.override(path, rule, overrides[id])
		}
		if Unreadable(id) {
			delete(overrides, id) // or the finding about it would be lowered by it
		}
	}
}

// Unreadable says whether a rule is about what could not be read. Such a part of the config keeps its default, which
// nobody may have meant: its finding can't be lowered.
func Unreadable(id diag.ID) bool {
	return strings.HasPrefix(string(id), "config/") || id == diag.FileUnreadable
}

func (v *view) override(path string, rule diag.Rule, o diag.Override) {
	switch {
	case o.Level == diag.Unset:
		v.report(diag.ConfigRequired, path+".level", "no level", "note, warn or error", "add level:")
	case o.Level < rule.Level && Unreadable(rule.ID):
		v.report(diag.ConfigValue, path+".level", fmt.Sprintf("%s lowered to %s", rule.ID, o.Level), "error: what weft can't read it can't make",
			"remove it, and mend what the rule finds")
	case o.Level < rule.Level && strings.TrimSpace(o.Reason) == "" && v.sound(path+".reason"):
		v.report(diag.ConfigRequired, path+".reason", fmt.Sprintf("%s lowered to %s without a reason", rule.Level, o.Level), "a reason, which every report shows",
			"add reason: with who decided it and why")
	}
}

func (v *view) preflightSkips() {
	checked := ruleIDs(diag.Account)
	for _, id := range slices.Sorted(maps.Keys(v.cluster.Preflight.Skip)) {
		path := child("preflight.skip", string(id))
		rule, known := diag.Lookup(id)
		switch {
		case !known:
			v.report(diag.ConfigKey, path, "the rule "+quote(string(id)), "the id of a rule that the preflight judges", suggestedRule(string(id), checked))
		case rule.Where&diag.Account == 0:
			v.report(diag.ConfigValue, path, quote(string(id))+", which is judged in "+rule.Where.String(), "the id of a rule that the preflight judges",
				"to be judged less strictly, lower its level under rules, with a reason")
		}
	}
}

func suggestedRule(got string, ids []string) string {
	if meant, ok := nearest(got, ids); ok {
		return "did you mean " + meant + "?"
	}
	return "look the id up with weft rules"
}
