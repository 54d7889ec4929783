// Package suspect finds slow nodes by measuring different groups of them.
//
// A collective makes all its ranks wait for the slowest, so their times do not name it. What names a node is that every group with it is
// slow while its partners are fast elsewhere. [First] plans the first round, of disjoint groups that run at the same time; [Next] reads
// what was measured, plans the round that tells the most, and says when nothing is left to ask.
package suspect
