// Package symptom knows texts of logs that mean something: what a line says of the cluster, which rule it speaks for, and what to do.
//
// A line seldom says why. So each text has a rank among the causes, and where one text has two known causes its hint names both, the more
// frequent one first. Texts that people take for errors and that stand in good runs too are known as harmless, and are never blamed.
package symptom

import "github.com/weft-hpc/weft/fabric/diag"

// Cause is where a fault lies. A lower one causes the higher ones, so of several faults the lowest is to be mended first.
type Cause int

// The causes, from below.
const (
	Devices     Cause = iota // a device, an instance's interfaces or the security group that they are in
	Modules                  // kernel modules, drivers, and versions of libraries that must fit together
	Provider                 // libfabric's provider
	Plugin                   // NCCL's network plugin, or the expert-parallel library
	Environment              // variables, and what the job asked for
	Affinity                 // CPUs and GPUs of a rank
	Bandwidth                // what is slow
	Ended                    // a program ended or lost its peer: what follows from another fault, seldom why
)

var causeNames = [...]string{"devices", "modules", "provider", "plugin", "environment", "affinity", "bandwidth", "ended"}

// String is the cause's name.
func (c Cause) String() string {
	if c < 0 || int(c) >= len(causeNames) {
		return "unknown"
	}
	return causeNames[c]
}

// Row is one thing that logs say.
type Row struct {
	ID    string
	Rule  diag.ID // that the text speaks for; empty for a harmless one
	Cause Cause
	// Texts of which a line holds one. A * stands for anything between two parts. A part of each has at least eight bytes.
	Texts []string
	// Not are texts that a line must not hold.
	Not  []string
	Says string // what it means, one sentence
	Hint string // what to do
	// Source is a public report, a document or a program's source.
	Source string
	// Harmless texts stand in good runs too.
	Harmless bool
}

// Table is all rows, by cause, the harmless ones last.
func Table() []Row {
	var out []Row
	for _, rows := range tables {
		out = append(out, rows...)
	}
	return out
}

var tables = [...][]Row{
	devices, jobDevices, modules, jobModules, provider, plugin, expert, environment, jobEnvironment, affinity, bandwidth, jobBandwidth, ended, jobEnded, harmless,
}

// Lookup gives a row by its id.
func Lookup(id string) (Row, bool) {
	i, ok := matching().byID[id]
	if !ok {
		return Row{}, false
	}
	return matching().rows[i], true
}
