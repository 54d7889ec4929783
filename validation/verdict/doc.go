// Package verdict judges what a validation's jobs said against what the plan expects.
//
// [Judge] takes one step of the validation order with all its evidence and gives its result; [Run] does so for a whole order and names
// the cause to mend first; [Diagnose] judges logs that no plan belongs to. All of them are pure: the same input gives the same result.
//
// Bandwidth is judged by size, never by nccl-tests' average, which depends on the sweep. What is missing is never taken for good: a
// node whose log does not show the road, sizes too small to fill it and a job without an end are findings of their own.
package verdict
