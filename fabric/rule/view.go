package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// view is what a rule sees: the set, and where its findings go.
type view struct {
	Set
	options  Options
	rule     Rule
	findings diag.List

	launches  []*launch
	withRules []group // security groups, once somebody asks for them
	waiting   []*waiting
}

// waiting is a value that rules need and nobody knows now.
type waiting struct {
	place diag.Place
	later Later
	rules []diag.ID
}

func newView(s Set, o Options) *view {
	v := &view{Set: s, options: o}
	for i := range s.Templates {
		t := &s.Templates[i]
		v.launches = append(v.launches, &launch{Input: t.Input, Launch: t.Launch, noun: "launch template", maker: t.Maker, template: true})
	}
	for i := range s.Instances {
		n := &s.Instances[i]
		v.launches = append(v.launches, &launch{Input: n.Input, Launch: n.Launch, noun: "instance"})
	}
	v.linkUsers()
	return v
}

// is reports whether the rule is judged in a scope now.
func (v *view) is(scope Scope) bool { return v.options.Scope&scope != 0 }

// at is the place of a part of an input; an empty path is the input's own.
func at(in Input, path string) diag.Place {
	p := in.Place
	p.Path = cmp.Or(path, p.Path)
	return p
}

// add reports a finding of the current rule.
func (v *view) add(place diag.Place, got, want, hint, source string) {
	v.addAt(v.rule.Level(), place, got, want, hint, source)
}

func (v *view) addAt(level diag.Level, place diag.Place, got, want, hint, source string) {
	v.findings.Add(diag.Finding{Rule: v.rule.ID, Level: level, Place: place, Got: got, Want: want, Hint: hint, Source: source})
}

// wait notes that the current rule cannot be judged before a value is known.
func (v *view) wait(in Input, path string) {
	place := at(in, path)
	i := slices.IndexFunc(v.waiting, func(w *waiting) bool { return w.place == place })
	if i < 0 {
		v.waiting = append(v.waiting, &waiting{place: place, later: in.Later})
		i = len(v.waiting) - 1
	}
	if w := v.waiting[i]; !slices.Contains(w.rules, v.rule.ID) {
		w.rules = append(w.rules, v.rule.ID)
	}
}

// need gives a value that a rule cannot do without; an unknown one is waited for.
func need[T any](v *view, in Input, value Value[T]) (T, bool) {
	if value.IsUnknown() {
		v.wait(in, value.Path)
	}
	return value.Get()
}

// tellWaiting says once for each unknown value which rules wait for it. Rules that the user took off wait for nothing.
func (v *view) tellWaiting() {
	for _, u := range v.Unread {
		v.findings.Add(diag.Finding{
			Rule: diag.ValueUnknown, Level: diag.ValueUnknown.Level(), Place: u.Place,
			Got: u.What + ", cannot be read, so that nothing in it was judged", Want: "its text", Hint: u.Later.hint(),
		})
	}
	for _, w := range v.waiting {
		rules := slices.DeleteFunc(w.rules, func(id diag.ID) bool {
			o, lowered := v.options.Levels[id]
			return lowered && o.Level < diag.Warn
		})
		if len(rules) == 0 {
			continue
		}
		names := make([]string, len(rules))
		for i, id := range rules {
			names[i] = string(id)
		}
		slices.Sort(names)
		v.findings.Add(diag.Finding{
			Rule: diag.ValueUnknown, Level: diag.ValueUnknown.Level(), Place: w.place,
			Got:  fmt.Sprintf("%s is not known, so these were not judged: %s", cmp.Or(w.place.Path, "it"), strings.Join(names, ", ")),
			Want: "its value", Hint: w.later.hint(),
		})
	}
}

func (l Later) hint() string {
	if l == LaterAtApply {
		return "nothing to do now: the rules judge it again when it is known, before the resource is created"
	}
	return "write the value itself, or judge what comes out of the expression: a plan, a preview or the deployed resource"
}

// find gives the input that a reference names: by id or alias, or as the only one of its kind that it may come from.
func find[T any](items []T, input func(T) Input, ref Value[string]) (T, bool) {
	var found []T
	for _, item := range items {
		switch in := input(item); {
		case in.named(ref):
			return item, true
		case in.mayBe(ref):
			found = append(found, item)
		}
	}
	if len(found) != 1 {
		var none T
		return none, false
	}
	return found[0], true
}

// named reports that a reference names the input by what both are known to be called.
func (in Input) named(ref Value[string]) bool {
	name, ok := ref.Get()
	return ok && name != "" && (in.ID.Or("") == name || in.Alias.Or("") == name)
}

// mayBe reports that a reference comes from the input, as far as its source tells. An id that is known and differs
// rules it out.
func (in Input) mayBe(ref Value[string]) bool {
	if ref.IsKnown() && in.ID.IsKnown() {
		return false
	}
	return in.Key != "" && slices.Contains(ref.refers, in.Key)
}

// same reports that a reference names this one of several inputs.
func same[T any](items []T, input func(T) Input, ref Value[string], want Input) bool {
	found, ok := find(items, input, ref)
	return ok && input(found).Key == want.Key && input(found).ID.Or("") == want.ID.Or("") && input(found).Place == want.Place
}

func (v *view) reservation(ref Value[string]) (Reservation, bool) {
	return find(v.Reservations, func(r Reservation) Input { return r.Input }, ref)
}

func (v *view) subnet(ref Value[string]) (Subnet, bool) {
	return find(v.Subnets, func(s Subnet) Input { return s.Input }, ref)
}

func (v *view) image(ref Value[string]) (Image, bool) {
	return find(v.Images, func(i Image) Input { return i.Input }, ref)
}

// launch is a template's or an instance's launch, and who else launches by it.
type launch struct {
	Input
	Launch
	noun     string // launch template or instance
	maker    Maker
	template bool
	users    []user
}

// user is a group or a compute resource that launches by a template.
type user struct {
	Input
	noun  string
	kind  GroupKind // empty: a compute resource of ParallelCluster
	types List[Value[string]]
	nodes Value[int] // at most
	efa   Value[bool]
	group *NodeGroup
}

// linkUsers finds out who launches by each template.
func (v *view) linkUsers() {
	link := func(ref Value[string], u user) {
		if l, ok := find(v.launches, launchInput, ref); ok && l.template {
			l.users = append(l.users, u)
		}
	}
	for i := range v.Groups {
		g := &v.Groups[i]
		link(g.Template, user{Input: g.Input, noun: string(g.Kind), kind: g.Kind, types: g.InstanceTypes, nodes: g.Max, group: g})
	}
	v.eachResource(func(c clusterResource) {
		r := c.resource
		link(r.Override, user{Input: c.part(r.Path), noun: "compute resource", types: r.types(), nodes: r.Max, efa: r.EFA})
	})
}

func launchInput(l *launch) Input { return l.Input }

// part is the input seen from one of its sections.
func (in Input) part(path string) Input {
	in.Place = at(in, path)
	return in
}

// types lists the types that a compute resource names in either form.
func (r ComputeResource) types() List[Value[string]] {
	if r.Instances.Len() > 0 || r.Instances.IsUnknown() {
		return r.Instances
	}
	if r.InstanceType.IsAbsent() {
		return List[Value[string]]{Path: r.InstanceType.Path}
	}
	return ListOf(r.InstanceType).At(r.InstanceType.Path)
}

// typed is a launch as a type of instance sees it.
type typed struct {
	*launch
	catalog.InstanceType
	by string // who names the type, empty for the launch itself
}

// typed lists every launch with each type that it may launch, as far as the scope sees: the launch's own type alone,
// those of its users together. Unknown types are waited for where interfaces hang on them.
func (v *view) typed() []typed {
	var out []typed
	for _, l := range v.launches {
		if !v.laidOut(l) || l.Interfaces.Len() == 0 {
			continue
		}
		for _, t := range v.typesOf(l) {
			if row, ok := catalog.Instance(t.name); ok {
				out = append(out, typed{launch: l, InstanceType: row, by: t.by})
			}
		}
	}
	return out
}

type typeName struct{ name, by string }

func (v *view) typesOf(l *launch) []typeName {
	if !l.InstanceType.IsAbsent() {
		if name, ok := need(v, l.Input, l.InstanceType); ok && v.is(Alone) {
			return []typeName{{name: name}}
		}
		return nil
	}
	var out []typeName
	if v.is(Together) {
		out = v.typesOfUsers(l)
	}
	if v.is(Alone) && len(l.users) == 0 {
		for _, name := range v.options.InstanceTypes {
			out = append(out, typeName{name: name, by: "the configuration of this check"})
		}
	}
	return out
}

func (v *view) typesOfUsers(l *launch) []typeName {
	var out []typeName
	for _, u := range l.users {
		for _, t := range u.types.Items {
			name, ok := need(v, u.Input, t)
			if ok && !slices.ContainsFunc(out, func(have typeName) bool { return have.name == name }) {
				out = append(out, typeName{name: name, by: u.noun + " " + u.name()})
			}
		}
	}
	return out
}

// name is the shortest name by which people know the input.
func (in Input) name() string {
	for _, v := range []Value[string]{in.Alias, in.ID} {
		if HasText(v) && !v.secret {
			return v.value
		}
	}
	if i := strings.LastIndex(in.Place.Resource, "::"); i >= 0 {
		return in.Place.Resource[i+2:]
	}
	return cmp.Or(in.Place.Path, in.Place.Resource, in.Place.File)
}

// of tells for which type something holds and who names it: "p5.48xlarge" or "p5.48xlarge, which EKS node group a names".
func (t typed) of() string {
	if t.by == "" {
		return t.Name
	}
	return t.Name + ", which " + t.by + " names"
}
