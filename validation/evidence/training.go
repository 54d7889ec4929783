package evidence

// Training is a run of a training program.
type Training struct {
	Framework  string      `json:"framework"`    // megatron-lm, megatron-bridge, torch
	Of         int         `json:"of,omitempty"` // iterations asked for
	Iterations []Iteration `json:"iterations"`
	// Timers are parts of an iteration whose times differ between ranks, where the log tells: "(min, max) time across ranks".
	Timers   []Timer   `json:"timers,omitempty"`
	Symptoms []Symptom `json:"symptoms,omitempty"`
	// Concluded says that the last iteration asked for was printed.
	Concluded bool `json:"concluded"`
}

// Iteration is one printed line: one iteration, or the mean of Covers iterations.
type Iteration struct {
	Number  int     `json:"number"`
	Covers  int     `json:"covers"` // the log interval, where two lines tell it; 1 otherwise
	MS      float64 `json:"ms"`
	Loss    *Float  `json:"loss,omitempty"` // may be NaN or infinite, written as such; nil where omitted
	Grad    *Float  `json:"grad,omitempty"`
	TFLOPS  float64 `json:"tflops,omitempty"` // of one GPU
	Skipped int     `json:"skipped"`
	NaN     int     `json:"nan"`
	At      string  `json:"at,omitempty"`
	Excerpt
}

// Timer is one part of an iteration: the report of it in which the ranks lay furthest apart.
type Timer struct {
	Name  string  `json:"name"`  // forward-backward
	After int     `json:"after"` // the iteration printed before the report; 0 before the first
	MinMS float64 `json:"minMs"` // of the fastest rank
	MaxMS float64 `json:"maxMs"` // of the slowest
	Times int     `json:"times"` // how often the timer was reported
	Excerpt
}
