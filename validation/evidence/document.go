package evidence

import "github.com/weft-hpc/weft/fabric/diag"

// Document is what one file of a run held. A file can hold several things: nccl-tests prints its table between NCCL's debug lines.
type Document struct {
	File     string      `json:"file"`
	Kinds    []string    `json:"kinds"` // what the file was found to be, the main thing first: nccl-tests, nccl-log, fi_info, …
	Sweep    *Sweep      `json:"sweep,omitempty"`
	Further  []Sweep     `json:"further,omitempty"` // sweeps after the first, where a job ran several programs into one log
	Path     *Path       `json:"path,omitempty"`
	Info     *FabricInfo `json:"info,omitempty"`
	Pingpong *Pingpong   `json:"pingpong,omitempty"`
	// Pingpongs are all sides and runs, where the file holds more than one; Pingpong is the first of those with the most rows.
	Pingpongs []Pingpong `json:"pingpongs,omitempty"`
	Dispatch  *Dispatch  `json:"dispatch,omitempty"`
	Training  *Training  `json:"training,omitempty"`
	// Symptoms are known texts of any log, first seen first; those of Path, Dispatch and Training are among them.
	Symptoms []Symptom `json:"symptoms,omitempty"`
	// Findings say what of the file could not be read, and hold those that the checks of a node printed into it.
	Findings diag.List `json:"findings,omitempty"`
	// ExitCode is the program's, where the file or its job tells it.
	ExitCode *int `json:"exitCode,omitempty"`
}
