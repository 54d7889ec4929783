package evidence

// Dispatch is one run of an expert-parallel benchmark.
type Dispatch struct {
	Program string           `json:"program"` // deepep-v1, deepep-v1-low-latency, deepep-v2, hybrid-ep, uccl-ep, pplx-garden, nccl-ep
	Ranks   int              `json:"ranks,omitempty"`
	Nodes   int              `json:"nodes,omitempty"`
	Passed  int              `json:"passed"` // correctness checks that the log calls passed
	Failed  []Excerpt        `json:"failed,omitempty"`
	Figures []DispatchFigure `json:"figures"`
	// Backend is what the log proves of the road: "GDAKI", "GIN proxy", "NVSHMEM libfabric", "IBGDA"; empty where it proves nothing.
	Backend  string    `json:"backend,omitempty"`
	Symptoms []Symptom `json:"symptoms,omitempty"`
	Settings []Setting `json:"settings,omitempty"`
}

// DispatchFigure is one measured operation.
type DispatchFigure struct {
	Operation string `json:"operation"`         // dispatch, combine, dispatch+combine
	Variant   string `json:"variant,omitempty"` // FP8, BF16, expanded, cached, reduced, …
	Rank      int    `json:"rank"`              // -1: of all ranks or not said
	Best      bool   `json:"best,omitempty"`    // of a tuning run
	// ScaleOutGBps is what crosses the network (RDMA, SO), ScaleUpGBps what stays on NVLink; 0 where not printed.
	ScaleOutGBps float64 `json:"scaleOutGBps,omitempty"`
	ScaleUpGBps  float64 `json:"scaleUpGBps,omitempty"`
	// TotalGBps where the program does not tell the two apart.
	TotalGBps float64 `json:"totalGBps,omitempty"`
	TimeUS    float64 `json:"timeUs,omitempty"`
	MinUS     float64 `json:"minUs,omitempty"`
	MaxUS     float64 `json:"maxUs,omitempty"`
	Excerpt
}
