// Package rule judges infrastructure as somebody wrote or registered it: launch templates, node groups, security
// groups, subnets, reservations, images, ParallelCluster configurations and scripts.
//
// The inputs are neutral: a policy pack reads them from registered resources, weft check from files. Every value is
// known, unknown (an output of a resource that does not exist yet, an intrinsic that nobody can resolve) or absent, and
// knows the path at which it stands in its source, so that a finding speaks the words of that source. All inputs of a
// Set are judged together, and refer to each other.
//
// A rule never guesses. What it needs and is unknown becomes a finding of value/unknown, which names the value and the
// rules that wait for it.
package rule
