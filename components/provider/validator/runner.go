package validator

import (
	"context"
	"time"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
)

// Runner runs the validation order on a cluster.
type Runner interface {
	// Run brings the order to its end, or to the point where it waits for something that may take days, such as the start
	// of a block; say gets a line for people at each turn. A run for the same key that has not ended, or that nobody has
	// collected, is gone on with.
	//
	// A failed validation is a report with that outcome. An error is for an order that could not be run or read. When the
	// context ends, Run leaves the cluster's jobs alone and returns the context's error; the next Run of the same key goes
	// on with them.
	Run(ctx context.Context, r Request, say func(line string)) (Report, error)
}

// Request is what is to be validated, and how.
type Request struct {
	// Key tells one validation from another: it changes with the resource and with every input that decides the outcome.
	Key string
	// Plan of the cluster, with the resource's steps and thresholds. Plan.Steps has at least one.
	Plan plan.Cluster
	// Head says how to reach the head node.
	Head Head
	// KeepGoing runs later steps on a failed foundation.
	KeepGoing bool
	// Timeout of the whole order from the start of its first job; 0 for none.
	Timeout time.Duration
	// ReportDirectory gets the report; empty is the runner's own place.
	ReportDirectory string
	// Drop is the id of a run that waited for inputs which no longer hold, to be cancelled; empty for none.
	Drop string
}

// Report is what came out.
type Report struct {
	result.Run
	// Path of the report that a person opens; empty when there is none yet.
	Path string
}
