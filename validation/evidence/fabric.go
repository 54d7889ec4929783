package evidence

import (
	"slices"
	"strings"
)

// FabricInfo is an answer of fi_info.
type FabricInfo struct {
	Libfabric string     `json:"libfabric,omitempty"` // of fi_info --version
	Endpoints []Endpoint `json:"endpoints,omitempty"`
	// Listed are the providers of fi_info -l with their versions: a provider is listed without any device.
	Listed  map[string]string `json:"listed,omitempty"`
	Failure *Excerpt          `json:"failure,omitempty"` // fi_getinfo: -61 (No data available)
}

// Endpoint is one block of fi_info. A device stands in several of them.
type Endpoint struct {
	// Label is what a launcher put before the lines, a rank or a node; empty where the answer is of one node.
	Label    string `json:"label,omitempty"`
	Provider string `json:"provider"`
	Fabric   string `json:"fabric"`
	Domain   string `json:"domain"`
	Version  string `json:"version"`
	Type     string `json:"type"`
	Protocol string `json:"protocol"`
}

// Devices are the different devices of a provider for each label, sorted, without the endings by which the EFA provider tells its kinds of
// endpoints apart: with libfabric 2 an EFA device stands there three times, twice as `-rdm` and once as `-dgrm`.
func (f *FabricInfo) Devices(provider string) map[string][]string {
	out := map[string][]string{}
	for _, e := range f.Endpoints {
		if e.Provider != provider {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(e.Domain, "-rdm"), "-dgrm")
		if !slices.Contains(out[e.Label], name) {
			out[e.Label] = append(out[e.Label], name)
		}
	}
	for _, names := range out {
		slices.Sort(names)
	}
	return out
}

// Pingpong is one side of a run of fi_pingpong.
type Pingpong struct {
	Label    string        `json:"label,omitempty"`    // what a launcher put before the lines
	Provider string        `json:"provider,omitempty"` // as asked for, where the log says
	From     string        `json:"from,omitempty"`
	To       string        `json:"to,omitempty"`
	Rows     []PingpongRow `json:"rows"`
	Failure  *Excerpt      `json:"failure,omitempty"`
}

// PingpongRow is one message size.
type PingpongRow struct {
	Bytes   int64   `json:"bytes"`
	Sent    int64   `json:"sent"`
	Acked   int64   `json:"acked"` // differs from Sent where answers were lost; both are rounded down to their unit by the program
	Seconds float64 `json:"seconds"`
	MBps    float64 `json:"mBps"`
	// OneWayUS is the time of one transfer in one direction: elapsed / sent / 2.
	OneWayUS float64 `json:"oneWayUs"`
	// Warm is false for the first row of a run, which carries the set-up of the connection.
	Warm bool `json:"warm"`
	Excerpt
}
