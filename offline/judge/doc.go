// Package judge asks the real ParallelCluster what it says to a configuration, against an account on 127.0.0.1.
package judge
