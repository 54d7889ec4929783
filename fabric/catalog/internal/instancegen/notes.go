package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// notesFile is what DescribeInstanceTypes does not say.
type notesFile struct {
	About   string            `json:"about"`
	Date    string            `json:"date"`
	Sources map[string]string `json:"sources"`
	Types   map[string]note   `json:"types"`
}

// note is about one type. A nil pointer: no source settled it.
type note struct {
	EFAGeneration      int      `json:"efaGeneration"`
	Nitro              string   `json:"nitro"`
	EFAGbps            float64  `json:"efaGbps"`
	GDRRequired        bool     `json:"gdrRequired"` // absent: the plugin's platform table does not require it
	RDMAWrite          *bool    `json:"rdmaWrite"`
	Blocks             string   `json:"blocks"`
	BlockPlaces        []string `json:"blockPlaces"`
	TopologyNodes      int      `json:"topologyNodes"`
	UltraServers       []string `json:"ultraServers"`
	SaveAddressesCards []int    `json:"saveAddressesCards"`
	IPCards            []int    `json:"ipCards"`
	Unverified         []string `json:"unverified"`
	Sources            []string `json:"sources"`
	Describe           *record  `json:"describe"` // the whole type, where EC2's answer has none
}

func parseNotes(b []byte) (notesFile, error) {
	var n notesFile
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&n); err != nil {
		return notesFile{}, fmt.Errorf("decoding JSON: %w", err)
	}
	if n.Date == "" {
		return notesFile{}, errors.New("notes carry no date")
	}
	for name, t := range n.Types {
		if err := t.check(n.Sources); err != nil {
			return notesFile{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return n, nil
}

var blockKinds = []string{"", "instance", "ultraserver", "instance,ultraserver"}

func (t note) check(sources map[string]string) error {
	if !slices.Contains(blockKinds, t.Blocks) {
		return fmt.Errorf("blocks %q is none of %q", t.Blocks, blockKinds)
	}
	if len(t.Sources) == 0 {
		return errors.New("no sources")
	}
	for _, s := range t.Sources {
		if sources[s] == "" {
			return fmt.Errorf("source %q is not listed", s)
		}
	}
	return nil
}

// refs gives the sources of a note in words.
func (n notesFile) refs(t note) string {
	out := make([]string, 0, len(t.Sources))
	for _, s := range t.Sources {
		out = append(out, n.Sources[s])
	}
	return strings.Join(out, "; ")
}
