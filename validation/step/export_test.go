package step

// Matchings is matchings for tests.
func Matchings(n int) [][][2]int { return matchings(n) }
