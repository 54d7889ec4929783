package rule

import "slices"

// state is what is known of a value. The zero state is absent.
type state uint8

const (
	absent state = iota
	known
	unknown
)

// Value is a value of an input. The zero Value is absent. No method panics.
type Value[T any] struct {
	// Path is where the value stands, or would stand, in the words of its source: networkInterfaces[3].deviceIndex.
	// Empty: the path of the input that it belongs to.
	Path string

	value  T
	state  state
	secret bool
	refers []string
}

// Known is a value that somebody wrote or that AWS gave.
func Known[T any](value T) Value[T] { return Value[T]{value: value, state: known} }

// Unknown is a value that exists and cannot be read now: an output of a resource that is not created yet, an
// expression that needs an account.
func Unknown[T any]() Value[T] { return Value[T]{state: unknown} }

// Absent is a value that nobody gave.
func Absent[T any]() Value[T] { return Value[T]{} }

// At gives the value with the path at which it stands.
func (v Value[T]) At(path string) Value[T] {
	v.Path = path
	return v
}

// AsSecret gives the value marked as one that no finding may print.
func (v Value[T]) AsSecret() Value[T] {
	v.secret = true
	return v
}

// Referring gives the value with the keys of inputs that it may come from. Where only one of them is of the kind that
// the value names, it names that one, even while its id is unknown.
func (v Value[T]) Referring(keys ...string) Value[T] {
	v.refers = slices.Clone(keys)
	return v
}

// Get gives the value; false when it is unknown or absent.
func (v Value[T]) Get() (T, bool) { return v.value, v.state == known }

// Or gives the value, or another one when it is unknown or absent.
func (v Value[T]) Or(other T) T {
	if v.state == known {
		return v.value
	}
	return other
}

// IsKnown reports that the value can be read.
func (v Value[T]) IsKnown() bool { return v.state == known }

// IsUnknown reports that there is a value which cannot be read now.
func (v Value[T]) IsUnknown() bool { return v.state == unknown }

// IsAbsent reports that nobody gave a value.
func (v Value[T]) IsAbsent() bool { return v.state == absent }

// IsSecret reports that no finding may print the value.
func (v Value[T]) IsSecret() bool { return v.secret }

// Refers lists the keys of the inputs that the value may come from.
func (v Value[T]) Refers() []string { return v.refers }

// IsTrue reports that a switch is known to be on.
func IsTrue(v Value[bool]) bool { return v.Or(false) }

// IsFalse reports that a switch is known to be off: an absent switch is not.
func IsFalse(v Value[bool]) bool { return !v.Or(true) }

// HasText reports that a text is known and not empty.
func HasText(v Value[string]) bool { return v.Or("") != "" }

// Show is a text for a finding: the value, or what stands for it where it is secret, unknown or absent.
func Show(v Value[string]) string {
	switch {
	case v.secret:
		return "a secret value"
	case v.state == unknown:
		return "an unknown value"
	case v.state == absent:
		return "nothing"
	default:
		return v.value
	}
}

// List is a list of an input's parts. The zero List is absent. A list can be unknown as a whole; a part that is
// unknown is an unknown item.
type List[T any] struct {
	// Path is where the list stands, or would stand, in the words of its source.
	Path string
	// Items are what is known of it.
	Items []T

	state state
}

// ListOf is a known list.
func ListOf[T any](items ...T) List[T] { return List[T]{Items: items, state: known} }

// UnknownList is a list of which nothing is known.
func UnknownList[T any]() List[T] { return List[T]{state: unknown} }

// At gives the list with the path at which it stands.
func (l List[T]) At(path string) List[T] {
	l.Path = path
	return l
}

// IsUnknown reports that there is a list which cannot be read now.
func (l List[T]) IsUnknown() bool { return l.state == unknown }

// IsAbsent reports that nobody gave a list. An empty list is not absent.
func (l List[T]) IsAbsent() bool { return l.state == absent && len(l.Items) == 0 }

// Len is the number of known items.
func (l List[T]) Len() int { return len(l.Items) }

// Texts is a list of texts that are all known.
func Texts(texts ...string) List[Value[string]] {
	items := make([]Value[string], len(texts))
	for i, text := range texts {
		items[i] = Known(text)
	}
	return ListOf(items...)
}
