package evidence

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
	Provider string `json:"provider"`
	Fabric   string `json:"fabric"`
	Domain   string `json:"domain"`
	Version  string `json:"version"`
	Type     string `json:"type"`
	Protocol string `json:"protocol"`
}

// Pingpong is one side of a run of fi_pingpong.
type Pingpong struct {
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
	Acked   int64   `json:"acked"`
	Seconds float64 `json:"seconds"`
	MBps    float64 `json:"mBps"`
	// OneWayUS is the time of one transfer in one direction: elapsed / sent / 2.
	OneWayUS float64 `json:"oneWayUs"`
	// Warm is false for the first row of a run, which carries the set-up of the connection.
	Warm bool `json:"warm"`
	Excerpt
}
