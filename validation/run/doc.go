// Package run brings a validation order to its end on a cluster.
//
// What it needs of the cluster is a shell on the head node ([Exec]): on the node itself, over SSH, or over whatever else implements it.
// All that a run is lies in a folder of the cluster's shared home, ~/.weft/validation/<run>/: what it is a run of, its scripts, the numbers
// of its jobs, their outputs and what they came to. A client may end at any time; another one, anywhere, goes on where it was, and submits
// nothing twice.
//
// A step's jobs are submitted when the step before them passed, as package verdict judges their outputs. A run that nobody watches, or
// that waits for a capacity block to start, has its whole order in Slurm's queue: each job behind the one before, each with the coarse
// checks of its own script as a gate.
package run
