package evidence

// Training is a run of a training program.
type Training struct {
	Framework  string      `json:"framework"`    // megatron-lm, megatron-bridge, torch
	Of         int         `json:"of,omitempty"` // iterations asked for
	Iterations []Iteration `json:"iterations"`
	Symptoms   []Symptom   `json:"symptoms,omitempty"`
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
