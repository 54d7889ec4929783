package mark

import (
	"bytes"
	"fmt"
)

// Set are the marks of a reader's lines: each line that concerns it has at least one of them.
type Set struct {
	Front  []string // what a line begins with, behind blanks
	Back   []string // what a line ends with, before blanks
	Inside []string // what stands anywhere in a line, of [Window] bytes at least
}

// Sets are places of sets in what NewTable was given, as bits: 1 for the first.
type Sets uint

// Of are the sets of one place.
func Of(place int) Sets { return 1 << place }

// Table tells whom a line concerns. Make one with [NewTable]; it may be used by several goroutines at a time.
type Table struct {
	front, back [256][]ending // by their first and by their last byte
	inside      *Finder
	of          []Sets // of the finder's texts
}

// ending is a mark at an end of a line.
type ending struct {
	text string
	of   Sets
}

// maxSets is how many sets a table tells apart.
const maxSets = 32

// NewTable makes a table of sets.
func NewTable(sets ...Set) (*Table, error) {
	if len(sets) > maxSets {
		return nil, fmt.Errorf("%d sets are more than %d", len(sets), maxSets)
	}
	t := &Table{}
	var inside [][]string
	for i, s := range sets {
		for _, text := range s.Front {
			t.front[text[0]] = append(t.front[text[0]], ending{text, Of(i)})
		}
		for _, text := range s.Back {
			last := text[len(text)-1]
			t.back[last] = append(t.back[last], ending{text, Of(i)})
		}
		for _, text := range s.Inside {
			inside = append(inside, []string{text})
			t.of = append(t.of, Of(i))
		}
	}
	var err error
	t.inside, err = New(inside)
	return t, err
}

// Marked are the sets that may have a mark in a line. None that has is missing.
func (t *Table) Marked(line []byte) (out Sets) {
	text := bytes.TrimLeft(line, " ")
	if len(text) == 0 {
		return 0
	}
	for _, e := range t.front[text[0]] {
		if len(text) >= len(e.text) && string(text[:len(e.text)]) == e.text {
			out |= e.of
		}
	}
	text = bytes.TrimRight(text, " ")
	for _, e := range t.back[text[len(text)-1]] {
		if len(text) >= len(e.text) && string(text[len(text)-len(e.text):]) == e.text {
			out |= e.of
		}
	}
	var room [8]int
	for _, i := range t.inside.Find(line, room[:0]) {
		out |= t.of[i]
	}
	return out
}
