package evidence

// Sweep is one run of an nccl-tests program: a collective over growing sizes.
type Sweep struct {
	Program    string `json:"program"`    // all_reduce_perf; empty before 2.16.7 unless the header's columns tell
	Collective string `json:"collective"` // all_reduce, alltoall, …
	Tests      string `json:"tests,omitempty"`
	Headers    string `json:"headers,omitempty"` // NCCL that the program was compiled with, as printed: 22809
	NCCL       string `json:"nccl,omitempty"`    // NCCL that it ran with, as printed

	Asked Asked  `json:"asked"`
	Ranks []Rank `json:"ranks"` // with several GPUs in a process the JSON file lists a process's first rank only
	// RankCount is how many ranks took part in one world, listed or not; 0 where nothing tells.
	RankCount int   `json:"rankCount"`
	Rows      []Row `json:"rows"`
	// ZeroRows counts rows of size 0, which are not among Rows: all-to-all and its like round small sizes down to nothing.
	ZeroRows int `json:"zeroRows,omitempty"`

	// Worlds is how many separate runs the log holds: more than one where the program was built without MPI and each process ran alone.
	Worlds int `json:"worlds"`
	// Wrong is the footer's count of values out of bounds; nil without a footer.
	Wrong *int64 `json:"wrong,omitempty"`
	// AverageGBps is the footer's average over all rows. It depends on the sweep and is never judged.
	AverageGBps *float64 `json:"averageGBps,omitempty"`
	// AverageVerdict is the program's own, OK or FAILED, where NCCL_TESTS_MIN_BW asked it for one: FAILED below 0.9 of that.
	AverageVerdict string `json:"averageVerdict,omitempty"`
	// Complete says that each world printed its footer.
	Complete bool      `json:"complete"`
	Failures []Excerpt `json:"failures,omitempty"` // "Test NCCL failure …", "Test timeout", last errors
	JSONFile string    `json:"jsonFile,omitempty"` // that the program said it writes
	Memory   string    `json:"memory,omitempty"`   // of the GPUs, as printed with -M
	// Settings are the variables of the JSON file's environment dump that an allow-list names; everything else of it is dropped.
	Settings []Setting `json:"settings,omitempty"`
}

// Asked is what the command line asked for.
type Asked struct {
	Threads    int      `json:"threads"` // of a process
	GPUs       int      `json:"gpus"`    // of a thread
	MinBytes   int64    `json:"minBytes"`
	MaxBytes   int64    `json:"maxBytes"`
	ReducedTo  int64    `json:"reducedTo,omitempty"` // "Reducing maxBytes to": less was run than asked
	Factor     int64    `json:"factor,omitempty"`
	StepBytes  int64    `json:"stepBytes,omitempty"`
	Warmup     int      `json:"warmup"`
	Iterations int      `json:"iterations"`
	Checked    bool     `json:"checked"`         // results were compared
	Modes      []string `json:"modes,omitempty"` // that change what a time means: blocking, cpu-time, graph, parallel-init, per-iteration
}

// Rank is one rank as the header lists it.
type Rank struct {
	Rank   int    `json:"rank"`
	Group  int    `json:"group"`
	PID    int    `json:"pid"`
	Host   string `json:"host"`
	Device int    `json:"device"`
	Bus    string `json:"bus,omitempty"`
	Name   string `json:"name,omitempty"` // NVIDIA H200
}

// Row is one size of a sweep. With several types, operations or cycles a size has several rows.
type Row struct {
	Bytes      int64  `json:"bytes"`
	Count      int64  `json:"count"` // of elements; for alltoall those of one peer
	Type       string `json:"type"`
	Redop      string `json:"redop,omitempty"`
	Root       int    `json:"root"`
	OutOfPlace *Half  `json:"outOfPlace,omitempty"`
	InPlace    *Half  `json:"inPlace,omitempty"`
	At         string `json:"at,omitempty"` // as printed
	Excerpt
}

// Half is one side of a row.
type Half struct {
	TimeUS   float64 `json:"timeUs"`
	AlgGBps  float64 `json:"algGBps"`
	BusGBps  float64 `json:"busGBps"`
	Wrong    *int64  `json:"wrong,omitempty"`    // nil for N/A: not checked
	MaxError float64 `json:"maxError,omitempty"` // of old versions, which print no count
	// Iterations are times of single iterations, where asked for with -I.
	Iterations *Spread `json:"iterations,omitempty"`
}

// Spread is how the iterations of one size spread, in microseconds. Times by rank do not name a slow rank: in a collective all wait for it.
type Spread struct {
	MinUS     float64     `json:"minUs"`
	MaxUS     float64     `json:"maxUs"`
	P50US     float64     `json:"p50Us,omitempty"`
	P95US     float64     `json:"p95Us,omitempty"`
	P99US     float64     `json:"p99Us"`
	CVPercent float64     `json:"cvPercent"`
	ByRankUS  [][]float64 `json:"byRankUs,omitempty"` // one list for each process, where they are few enough to keep
	// MedianByRankUS is each process's median, where the lists are too many to keep.
	MedianByRankUS []float64 `json:"medianByRankUs,omitempty"`
}
