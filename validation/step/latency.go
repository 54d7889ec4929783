package step

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
)

const (
	// pairTime is how long one round of pairs may take.
	pairTime = time.Minute
	// allPairs is up to how many nodes every pair is measured; of more, each node is measured with three.
	allPairs = 8
	// firstPort of the control connections of pairs, one for each.
	firstPort = 47600
)

// latency measures one-way times of small messages between pairs of nodes, all pairs of a round at the same time: no node is in two.
func (b *builder) latency(g plan.NodeGroup) {
	hosts := near(b.known(g), b.options.Places)
	n := g.Nodes
	if len(hosts) > 0 {
		n = len(hosts)
	}
	rounds := matchings(n)
	s := script{
		step: plan.StepLatency, group: g, nodes: n, hosts: hosts, mpi: "none", environment: []string{"FI_PROVIDER=" + provider(g)},
		limit: 5*minute + pairTime*time.Duration(2*len(rounds)),
	}
	s.do("%s", pingpong(g))
	port := firstPort
	for i, round := range rounds {
		var lines []string
		for _, p := range round {
			label := fmt.Sprintf("pingpong-%d-%d", p[0], p[1])
			s.labels = append(s.labels, label)
			lines = append(lines, fmt.Sprintf("pair %s %d %s %s %d &", label, i+1, node(hosts, p[0]), node(hosts, p[1]), port))
			port++
		}
		s.do("%s\nwait", strings.Join(lines, "\n"))
	}
	s.do("all_ended")
	b.add(s, fmt.Sprintf("one-way times of small messages between pairs of %d nodes", n))
}

// pingpong is the function that measures one pair.
func pingpong(g plan.NodeGroup) string {
	seconds := int(pairTime.Seconds())
	run := fmt.Sprintf("srun --overlap --mpi=none --nodes=1 --ntasks=1 --cpus-per-task=1 --nodelist=\"$%%s\" \\\n    env \"${road[@]}\" \"PATH=$PATH:/opt/amazon/efa/bin\"")
	return fmt.Sprintf(`# pair LABEL ROUND CLIENT SERVER PORT: messages between two nodes. The client's table is the program's output; the server's lies beside it.
pair() {
  local from=$3 to=$4 port=$5 reached
  reached=$(address "$to")
  timeout --kill-after=5 %d `+run+` fi_pingpong -p %s -e rdm -I 1000 -B "$port" >"$out/$1.server.log" 2>&1 </dev/null &
  program "$1" "$2" "$from,$to" %d client
  wait
}

client() {
  timeout --kill-after=5 "$limit" `+run+` bash -c "$patient" patient -p %s -e rdm -I 1000 -P "$port" "${reached:-$to}"
}`, seconds, "to", provider(g), seconds, "from", provider(g))
}

// node names a node in a script: by its name where that is known, else by its place in the job.
func node(hosts []string, i int) string {
	if i < len(hosts) {
		return quote(hosts[i])
	}
	return fmt.Sprintf(`"${nodes[%d]}"`, i)
}

// near sorts nodes so that those that share most of their network stand together. Nodes whose place is unknown come last.
func near(hosts []string, places []result.Place) []string {
	at := map[string][]string{}
	for _, p := range places {
		at[p.Node] = append([]string{p.Block}, p.Path...)
	}
	slices.SortStableFunc(hosts, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(at[b]), len(at[a])), slices.Compare(at[a], at[b]))
	})
	return hosts
}

// matchings are rounds of disjoint pairs: of few nodes all pairs, as in a tournament; of many, near ones, far ones, and those across.
func matchings(n int) [][][2]int {
	if n <= allPairs {
		return tournament(n)
	}
	far := n / 2
	var near, away, across [][2]int
	for i := range n / 2 {
		near = append(near, [2]int{2 * i, 2*i + 1})
		away = append(away, [2]int{i, i + far})
		across = append(across, [2]int{i, n - 1 - i})
	}
	return [][][2]int{near, away, across}
}

// tournament pairs each of n with each other: one stays, the others go round. Of an odd number one rests in each round.
func tournament(n int) [][][2]int {
	even := n + n%2
	ring := make([]int, even)
	for i := range ring {
		ring[i] = i
	}
	var rounds [][][2]int
	for range even - 1 {
		var round [][2]int
		for i := range even / 2 {
			a, b := min(ring[i], ring[even-1-i]), max(ring[i], ring[even-1-i])
			if b < n {
				round = append(round, [2]int{a, b})
			}
		}
		rounds = append(rounds, round)
		ring = append(append([]int{ring[0], ring[even-1]}, ring[1:even-1]...), nil...)
	}
	return rounds
}
