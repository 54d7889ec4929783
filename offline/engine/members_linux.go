package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// members lists the processes of a session. Those that end meanwhile are left out.
func members(session int) []int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	var pids []int
	for _, path := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && pid != session && sessionOf(path) == session {
			pids = append(pids, pid)
		}
	}
	return pids
}

// sessionOf reads the session of a process: the fourth field behind the name, which stands in parentheses and may
// contain anything (proc_pid_stat(5)).
func sessionOf(path string) int {
	const place = 3
	stat, err := os.ReadFile(path) //nolint:gosec // a file of the kernel
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= place {
		return 0
	}
	id, err := strconv.Atoi(string(fields[place]))
	if err != nil {
		return 0
	}
	return id
}
