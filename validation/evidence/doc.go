// Package evidence is what logs of a cluster's nodes said, in the units of the field and without judgement.
//
// The parsers under validation/parse make it, validation/verdict judges it. Bandwidths are GB/s (1e9 bytes), sizes are bytes, times are
// microseconds unless a name says otherwise. A figure that a log does not give is nil or zero as its field says, never a guess. Nothing of
// a process environment is kept beyond the names in [Setting].
package evidence

// Excerpt is one line of a log, as it stood there but for the prefix of a launcher.
type Excerpt struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // from 1
	Text string `json:"text"`           // at most MaxText bytes
}

// MaxText bounds an excerpt, in bytes; a longer line is cut at a character's border and ends in an ellipsis.
const MaxText = 400

// Setting is a variable of the environment that NCCL or a plugin echoed in its log: names beginning with NCCL_, OFI_NCCL_, FI_, NVSHMEM_
// and the like, never the dump that a program made of its whole environment.
type Setting struct {
	Name  string   `json:"name"`
	Value string   `json:"value"`
	By    string   `json:"by"` // environment, file, plugin, or "plugin, overridden": the plugin wanted a value and found one set
	Hosts []string `json:"hosts,omitempty"`
	Excerpt
}
