//go:build !linux

package engine

import (
	"os/exec"
	"strconv"
	"strings"
)

// members lists the processes that descend from the leader of a session, as far as ps tells parents. Those that end
// meanwhile are left out.
func members(session int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		pid, errPID := strconv.Atoi(fields[0])
		parent, errParent := strconv.Atoi(fields[1])
		if errPID == nil && errParent == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	var all []int
	for next := children[session]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0]]...)
	}
	return all
}
