package boot

import (
	"bytes"
	"fmt"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// fleet is in what a head node's chef-client.log says of static nodes while it waits for them, and when all of them take jobs.
const fleet = "tatic fleet capacity"

var (
	waits = []byte("Waiting for static fleet capacity provisioning")
	ready = []byte("Static fleet capacity is ready")
)

const (
	// between is how long ParallelCluster pauses between two such lines.
	between = 15 * time.Second
	// bootstrap is ParallelCluster's own DevSettings/Timeouts/HeadNodeBootstrapTimeout: then the stack gives up.
	bootstrap = 30 * time.Minute
)

// wait is that of a head node for its static nodes. It begins when the head node's own scripts are over, so it tells a node that did not come
// from a script that hangs: of that, the log has no such line.
type wait struct{ lines, last int }

func (w *wait) line(l line.Line) {
	switch {
	case bytes.Contains(l.Text, waits):
		w.lines, w.last = w.lines+1, l.Number
	case bytes.Contains(l.Text, ready):
		*w = wait{}
	}
}

func (w *wait) findings(file string) diag.List {
	if w.lines == 0 {
		return nil
	}
	level, waited := diag.Warn, time.Duration(w.lines)*between
	if waited >= bootstrap {
		level = diag.Error
	}
	return diag.List{{
		Rule: diag.JobNode, Level: level, Place: diag.Place{File: file, Line: w.last},
		Got:  fmt.Sprintf("the head node has waited %s for its static nodes; its own scripts are over", waited),
		Want: fmt.Sprintf("every static node takes jobs within %s", bootstrap),
		Hint: "1. clustermgtd's log on the head node says why instances do not come: no capacity, or a launch that EC2 refuses; " +
			"2. they come and are replaced: a script of the queue fails or hangs, see cloud-init-output.log of a node",
		Source: "https://docs.aws.amazon.com/parallelcluster/latest/ug/troubleshooting-fc-v3-create-cluster.html; aws/aws-parallelcluster#3373",
	}}
}
