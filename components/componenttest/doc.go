// Package componenttest records what a Pulumi program registers, without an engine and without AWS.
//
// Record runs a program over Pulumi's mocks and gives every registration, sorted by URN; Golden compares them
// with a file. A component is recorded in update mode, where every output is known, and in preview mode, where
// what AWS decides is unknown, and twice in each: a second run that registers something else would be a diff
// for ever.
package componenttest
