package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type source struct{ ref, date string }

// row is one line of the generated table.
type row struct {
	name       string
	record     record
	note       note
	kind       string // gpu or neuron
	device     device
	efaGbps    float64
	unverified []string
	source     source
}

// merge joins answer and notes, sorted by type name. What neither says is listed as unverified.
func merge(described map[string]record, notes notesFile, from source) ([]row, error) {
	all := maps.Clone(described)
	for name, n := range notes.Types {
		_, known := described[name]
		switch {
		case known && n.Describe != nil:
			return nil, fmt.Errorf("%s: EC2 describes it by now: take \"describe\" out of the notes", name)
		case !known && n.Describe == nil:
			return nil, fmt.Errorf("%s: notes about a type that the answer lacks", name)
		case !known:
			all[name] = *n.Describe
		}
	}
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r, err := join(name, all[name], notes, from)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func join(name string, rec record, notes notesFile, from source) (row, error) {
	if len(rec.Architectures) != 1 {
		return row{}, fmt.Errorf("architectures %q: one was expected", rec.Architectures)
	}
	if len(rec.Network.Cards) != rec.Network.MaximumNetworkCards {
		return row{}, fmt.Errorf("%d cards listed of %d", len(rec.Network.Cards), rec.Network.MaximumNetworkCards)
	}
	n := notes.Types[name]
	r := row{name: name, record: rec, note: n, unverified: slices.Clone(n.Unverified), source: from}
	switch {
	case len(rec.Gpus) > 0:
		r.kind, r.device = "gpu", rec.Gpus[0]
	case len(rec.NeuronDevices) > 0:
		r.kind, r.device = "neuron", rec.NeuronDevices[0]
		r.device.Manufacturer = "AWS" // Neuron devices have no manufacturer in EC2's answer
	}
	r.efaGbps = efaGbps(rec.Network, n)
	r.addUnsettled()
	r.addSources(notes)
	return r, nil
}

// addUnsettled names the EFA facts that no note gives. A type without EFA has none to give.
func (r *row) addUnsettled() {
	if r.record.Network.MaximumEfaInterfaces == 0 {
		return
	}
	for _, f := range []struct {
		field   string
		settled bool
	}{
		{"EFA.Generation", r.note.EFAGeneration != 0},
		{"EFA.Nitro", r.note.Nitro != ""},
		{"EFA.Gbps", r.efaGbps != 0},
		{"EFA.RDMAWrite", r.note.RDMAWrite != nil},
	} {
		if !f.settled && !slices.Contains(r.unverified, f.field) {
			r.unverified = append(r.unverified, f.field)
		}
	}
	slices.Sort(r.unverified)
}

func (r *row) addSources(notes notesFile) {
	if r.note.Describe != nil {
		r.source = source{notes.refs(r.note), notes.Date}
	} else if len(r.note.Sources) > 0 {
		r.source.ref += "; " + notes.refs(r.note)
	}
}

// efaGbps is the node's EFA bandwidth: as noted, else the cards' sum where EC2's own figure for the whole
// node agrees with it. Where they differ (p6-b200 answers ENA figures, g6e shares one bandwidth over its
// cards) only a note can tell.
func efaGbps(n network, noted note) float64 {
	if noted.EFAGbps != 0 {
		return noted.EFAGbps
	}
	sum := 0.0
	for _, c := range n.Cards {
		if slices.Contains(c.InterfaceTypes, "efa") || slices.Contains(c.InterfaceTypes, "efa-only") {
			sum += c.PeakGbps
		}
	}
	if node, ok := performanceGbps(n.NetworkPerformance); !ok || node != sum {
		return 0
	}
	return sum
}

// performanceGbps reads "3200 Gigabit" and "4x 100 Gigabit"; "Up to 25 Gigabit" is no promise.
func performanceGbps(s string) (float64, bool) {
	s, ok := strings.CutSuffix(s, " Gigabit")
	if !ok {
		return 0, false
	}
	factor := 1.0
	if times, each, ok := strings.Cut(s, "x "); ok {
		f, err := strconv.ParseFloat(times, 64)
		if err != nil {
			return 0, false
		}
		factor, s = f, each
	}
	v, err := strconv.ParseFloat(s, 64)
	return factor * v, err == nil
}

// efaNames is the list of every type that takes EFA: the list file's and the described ones, sorted.
func efaNames(list string, rows []row) []string {
	names := map[string]bool{}
	for line := range strings.Lines(list) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name != "" && !strings.HasPrefix(name, "#") {
			names[name] = true
		}
	}
	for _, r := range rows {
		if r.record.Network.MaximumEfaInterfaces > 0 {
			names[r.name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
