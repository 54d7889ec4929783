// Package account is an AWS account on 127.0.0.1, for the real AWS SDKs and the real ParallelCluster.
//
// It is moto's server in one process, with the calls that moto lacks added, and it holds what a World says and nothing
// else. One process serves many worlds, one after the other: loading one takes a fraction of a second.
package account
