package catalog

import (
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/version"
)

// folders separates folders in which a program looks one after another.
const folders = ":"

// Effect says what a variable of the environment does to a job over EFA.
type Effect string

// The effects, the worst first.
const (
	Fatal       Effect = "fatal"       // the job does not start, hangs, or goes over TCP without a word
	Harmful     Effect = "harmful"     // the job loses bandwidth, or a fault stays hidden
	Remove      Effect = "remove"      // no reason for it is left on EFA: it does nothing, or replaces a value that is better
	Obsolete    Effect = "obsolete"    // a release that is old by now needed it
	Situational Effect = "situational" // right in some jobs only
	Useful      Effect = "useful"
)

// Origin says where a variable belongs.
type Origin string

// The origins.
const (
	OfEFA        Origin = "EFA" // NCCL, plugin, libfabric and what runs beside them on EFA
	OfInfiniBand Origin = "InfiniBand"
	OfOtherCloud Origin = "another cloud"
	OfFallback   Origin = "a fallback" // it takes EFA away, or hides that it is away
)

// Variable is what one variable of the environment does on EFA when it has one of some values.
type Variable struct {
	// Name is the variable's, or a pattern of names with * for any text: NCCL_IB_*.
	Name string
	// Values are those that the row is about, as patterns with * for any text, in any case; none: every value.
	Values []string
	// List is what separates the items of a value that is a list. Of folders the first item that a row is about decides, of names the first row
	// that is about one of them.
	List string

	Effect Effect
	Origin Origin
	// Probe says that a test of one part of a node may want it.
	Probe bool
	// Since are the versions from which on the row holds. It holds where a version is not known.
	Since map[Component]string
	// Types are the instance types or families that the row holds for; none: all. A type that is not known is none of them.
	Types []string

	Does    string // on EFA, in one clause
	Instead string // the way out
	Source  Source
}

// Surroundings are what decides between the rows of a variable.
type Surroundings struct {
	// Versions of the software, as far as they are known. An EFA installer stands for its contents.
	Versions map[Component]string
	// InstanceType that the job runs on; empty: not known.
	InstanceType string
}

// VariableOf gives the first row that is about a variable with a value. False when the catalogue says nothing about it.
func VariableOf(name, value string, at Surroundings) (Variable, bool) {
	rows := rowsOf(name, at)
	list := items(name, value)
	if Lists(name) != folders { // several names, of which any counts
		return firstOf(rows, list...)
	}
	for _, item := range list {
		if v, ok := firstOf(rows, item); ok {
			return v, true
		}
	}
	return Variable{}, false
}

// VariablesAt lists the rows that hold somewhere, in the order in which they are tried. A row that comes behind one about every value of the
// same name is left out.
func VariablesAt(at Surroundings) []Variable {
	have := Stack{Versions: at.Versions}.readings().read
	var out []Variable
	settled := map[string]bool{}
	for _, v := range variableTable {
		if settled[v.Name] || !within(v.Types, at.InstanceType) || !v.holds(have) {
			continue
		}
		settled[v.Name] = len(v.Values) == 0
		out = append(out, v)
	}
	return out
}

// rowsOf lists the rows that are about a variable, some values or all.
func rowsOf(name string, at Surroundings) []Variable {
	have := Stack{Versions: at.Versions}.readings().read
	var out []Variable
	for _, v := range variableTable {
		if matches(v.Name, name) && within(v.Types, at.InstanceType) && v.holds(have) {
			out = append(out, v)
		}
	}
	return out
}

// firstOf gives the first row that is about one of some values.
func firstOf(rows []Variable, values ...string) (Variable, bool) {
	i := slices.IndexFunc(rows, func(v Variable) bool { return slices.ContainsFunc(values, v.takes) })
	if i < 0 {
		return Variable{}, false
	}
	return rows[i], true
}

// VariableOfUnknown gives what holds of a variable whatever its value is. False where the value decides, or the catalogue says nothing; decides
// reports that one of the values is fatal, and another is not.
func VariableOfUnknown(name string, at Surroundings) (v Variable, decides, ok bool) {
	rows := rowsOf(name, at)
	if i := slices.IndexFunc(rows, func(v Variable) bool { return len(v.Values) == 0 }); i >= 0 {
		rows = rows[:i+1]
	}
	for _, row := range rows {
		if row.Effect != rows[0].Effect || row.Origin != rows[0].Origin {
			return Variable{}, slices.ContainsFunc(rows, func(v Variable) bool { return v.Effect == Fatal }), false
		}
	}
	if len(rows) == 0 || len(rows[len(rows)-1].Values) > 0 {
		return Variable{}, false, false
	}
	return rows[len(rows)-1], false, true
}

// Variables lists all rows, in the order in which they are tried.
func Variables() []Variable { return slices.Clone(variableTable) }

// Lists reports what separates the items of a variable's value; empty where it is no list.
func Lists(name string) string {
	for _, v := range variableTable {
		if v.List != "" && matches(v.Name, name) {
			return v.List
		}
	}
	return ""
}

// items cuts a value that is a list. A ^ in front of a list excludes each item.
func items(name, value string) []string {
	separator := Lists(name)
	if separator == "" {
		return []string{value}
	}
	mark := ""
	if rest, excludes := strings.CutPrefix(value, "^"); excludes {
		mark, value = "^", rest
	}
	var out []string
	for item := range strings.SplitSeq(value, separator) {
		out = append(out, mark+strings.TrimPrefix(strings.TrimSpace(item), "="))
	}
	return out
}

func (v Variable) takes(value string) bool {
	return len(v.Values) == 0 || slices.ContainsFunc(v.Values, func(pattern string) bool { return matches(pattern, value) })
}

func (v Variable) holds(have versions) bool {
	for c, since := range v.Since {
		if known, ok := have[c]; ok && !known.AtLeast(version.MustParse(since)) {
			return false
		}
	}
	return true
}

// within reports that a type is one of some types and families.
func within(types []string, instanceType string) bool {
	return len(types) == 0 || slices.Contains(types, instanceType) || slices.Contains(types, family(instanceType))
}

// matches compares a text with a pattern in which * stands for any text. Case does not count: NCCL and libfabric compare so.
func matches(pattern, text string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.EqualFold(pattern, text)
	}
	parts := strings.Split(strings.ToLower(pattern), "*")
	text, ok := strings.CutPrefix(strings.ToLower(text), parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		if !ok {
			return false
		}
		_, text, ok = strings.Cut(text, part)
	}
	return ok && strings.HasSuffix(text, parts[len(parts)-1])
}

// PluginSetting is a value that aws-ofi-nccl gives a variable itself, where the environment has none.
type PluginSetting struct {
	Name, Value string
	Types       []string // instance types or families; none: all
	Source      Source
}

// PluginSets reports that a value is the one that the plugin sets itself on an instance type. A type that is not known is one of
// those that it sets it on.
func PluginSets(name, value, instanceType string) bool {
	return slices.ContainsFunc(pluginSettingTable, func(p PluginSetting) bool {
		return p.Name == name && strings.EqualFold(p.Value, value) && (instanceType == "" || within(p.Types, instanceType))
	})
}

// PluginSettings lists the values that the plugin sets itself.
func PluginSettings() []PluginSetting { return slices.Clone(pluginSettingTable) }

// JobEnvironment is the least that a job on an instance type needs to go over EFA by a provider of libfabric, or to stop if it cannot, and
// to tell in its log which of both.
//
// Neither NCCL_NET nor FI_PROVIDER is a guard alone: with the first the plugin takes libfabric's tcp provider, with the second NCCL falls
// back to its own sockets. Together NCCL ends with an error (measured with plugins 1.17.3 and 1.21.1). The plugin sets the rest itself for
// each platform, and a value of the user's would take its place (aws/aws-ofi-nccl, src/platform-aws.cpp).
func JobEnvironment(instanceType, provider string) map[string]string {
	env := map[string]string{
		"NCCL_DEBUG":        "INFO",
		"NCCL_DEBUG_SUBSYS": "INIT,ENV,NET", // without ENV and INIT the log has no line that proves the network
		"NCCL_NET":          "Libfabric",
		"FI_PROVIDER":       provider,
	}
	if slices.Contains(withoutGPUDirect, instanceType) {
		env["FI_HMEM_DISABLE_P2P"] = "1"
	}
	return env
}
