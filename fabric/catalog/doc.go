// Package catalog is the one home of facts about EFA clusters: instance types, software versions that fit
// them, ParallelCluster releases and reference figures, each row with its source and the day it was read.
//
// Instance types are generated Go (zz_generated_instances.go) from the committed answers in data/, so that
// looking one up costs no parsing at start. The hand-kept tables (installers, floors, pairs, denylist,
// releases, reference figures) are Go composite literals in small files by subject: the compiler checks
// their shape, reviews read them as tables, and they need no parser. Only the key list of ParallelCluster's
// schemas is a data file: it is long, regular, rarely asked, and parsed on first use.
//
// Nothing in here guesses. What no source settled is absent, zero or named in a row's Unverified.
package catalog
