package evidence

// Path is what NCCL's debug lines say of the road between nodes. The channels are the road that was used; the rest says what was found.
type Path struct {
	NCCL      string     `json:"nccl,omitempty"`      // 2.27.7+cuda12.9
	Plugin    string     `json:"plugin,omitempty"`    // aws-ofi-nccl's version
	Libfabric string     `json:"libfabric,omitempty"` // as the plugin prints it
	Platform  string     `json:"platform,omitempty"`  // that the plugin chose or runs on: p5en.48xlarge
	Nodes     []NodePath `json:"nodes"`               // sorted by host
	Ranks     int        `json:"ranks,omitempty"`     // nRanks of the largest communicator
	NNodes    int        `json:"nNodes,omitempty"`    // as NCCL counts them
	Settings  []Setting  `json:"settings,omitempty"`
	GIN       GIN        `json:"gin"`
	Tuner     *Excerpt   `json:"tuner,omitempty"`
	Symptoms  []Symptom  `json:"symptoms,omitempty"` // in the order of the log
	Warnings  []Repeated `json:"warnings,omitempty"` // NCCL WARN lines, equal ones once
	// Omitted counts what was left out because a bound was reached: warnings and settings that differ from all others, and hosts.
	Omitted int64 `json:"omitted,omitempty"`
	// Lines counts the NCCL lines; 0 means that the log holds none.
	Lines int64 `json:"lines"`
}

// NodePath is one node's part.
type NodePath struct {
	Host      string             `json:"host"`
	Networks  map[string]int     `json:"networks,omitempty"`  // "Using network X": times seen
	Providers map[string]int     `json:"providers,omitempty"` // "Selected provider is X"
	Fabric    string             `json:"fabric,omitempty"`    // efa-direct
	NICs      []int              `json:"nics,omitempty"`      // "found N nics": the distinct counts seen, ascending
	Transport string             `json:"transport,omitempty"` // RDMA or SENDRECV
	DMABuf    *bool              `json:"dmabuf,omitempty"`
	Bootstrap string             `json:"bootstrap,omitempty"` // interface
	CPUs      string             `json:"cpus,omitempty"`      // affinity as printed
	Channels  Channels           `json:"channels"`
	First     map[string]Excerpt `json:"first,omitempty"` // the first line of each kind: network, provider, channel, socket, gdr-missing
}

// Channels counts a node's channel lines by road.
type Channels struct {
	Net       int `json:"net"`       // via NET/…: leaves the node
	Libfabric int `json:"libfabric"` // of those over Libfabric, AWS Libfabric or OFI
	GDR       int `json:"gdr"`       // of the Libfabric ones with /GDRDMA
	Socket    int `json:"socket"`    // over NET/Socket
	IB        int `json:"ib"`        // over NET/IB, IBext and the like
	Other     int `json:"other"`     // over another network
	Local     int `json:"local"`     // P2P, SHM, NVLS, …: inside the node
}

// GIN is NCCL's GPU-initiated networking, which DeepEP v2 needs.
type GIN struct {
	Plugin   string   `json:"plugin,omitempty"`   // Libfabric_GDAKI
	Type     int      `json:"type,omitempty"`     // 2 proxy, 3 DOCA, 4 GPI, 5 EFA GDA
	Assigned *Excerpt `json:"assigned,omitempty"` // the line that says both
	Context  *Excerpt `json:"context,omitempty"`  // that a context was made: the proof that it runs
	Failed   *Excerpt `json:"failed,omitempty"`
}

// Symptom is a text that is known to mean something: see package symptom.
type Symptom struct {
	ID   string `json:"id"`
	Host string `json:"host,omitempty"`
	Excerpt
	Times int `json:"times"` // how often the log has it
	// Instances that the text names, the one that it came from first: "My host id: i-…", "Peer host id: i-…".
	Instances []string `json:"instances,omitempty"`
}

// Repeated is a line and how often it came, on how many hosts.
type Repeated struct {
	Excerpt
	Times int      `json:"times"`
	Hosts []string `json:"hosts,omitempty"` // sorted
	// Harmless is the id of the text in package symptom by which the line is known to stand in good runs too.
	Harmless string `json:"harmless,omitempty"`
}
