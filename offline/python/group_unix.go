//go:build unix

package python

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the child the leader of a new process group, so that what it starts can be ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error means that it is gone
}
