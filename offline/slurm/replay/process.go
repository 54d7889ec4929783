package replay

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// container names the variable that tells a process which image it runs in.
const container = "WEFT_REPLAY_CONTAINER"

// srun is Slurm's own, after what Pyxis would take: the container's options are taken off, and the step's processes are told the image.
// What an image or a node has under /opt lies in the lab.
func (c Call) srun() int {
	var args []string
	image := ""
	for _, arg := range c.Args {
		switch {
		case strings.HasPrefix(arg, "--container-image="):
			image = strings.TrimPrefix(arg, "--container-image=")
		case strings.HasPrefix(arg, "--container-"), strings.HasPrefix(arg, "--no-container-"):
		case arg == "--mpi=pmix": // Debian's Slurm has it in a package of its own, and stand-ins need none
			args = append(args, "--mpi=none")
		case strings.HasPrefix(arg, "--cpus-per-task=") && c.dropsCPUs():
			args = append(args, "--cpus-per-task=1")
		default:
			args = append(args, strings.ReplaceAll(arg, "/opt/", filepath.Join(c.Env(Folder), "image")+"/"))
		}
	}
	return c.real(args, []string{container + "=" + image})
}

// dropsCPUs reports that tasks get one CPU whatever the job says.
func (c Call) dropsCPUs() bool {
	s, err := c.scenario()
	return err == nil && slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Kind == OneCPU })
}

// pingpongs is how many messages of each size a pair exchanges here: both sides spin, on a machine with fewer CPUs than a node has.
const pingpongs = "10"

// pingpong is the real fi_pingpong, over TCP: the machine has no EFA device. One pair at a time has the machine.
func (c Call) pingpong() int {
	args, client := c.pingpongArgs()
	if client {
		lock, err := os.OpenFile(filepath.Join(c.Env(Folder), "pingpong.lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err == nil {
			defer func() { _ = lock.Close() }()
			err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
		}
		if err != nil {
			return c.fail(1, err)
		}
	}
	return c.real(args, []string{"FI_PROVIDER="})
}

// pingpongArgs are the call's arguments for this machine; client says that one of them is a server's address.
func (c Call) pingpongArgs() (args []string, client bool) {
	args = slices.Clone(c.Args)
	for i := range args {
		option := ""
		if i > 0 {
			option = args[i-1]
		}
		switch {
		case option == "-p" && args[i] == "efa":
			args[i] = "tcp"
		case option == "-I":
			args[i] = pingpongs
		case option == "-B", option == "-P":
			args[i] = c.ownPort(args[i])
		case !strings.HasPrefix(args[i], "-") && !strings.HasPrefix(option, "-"):
			client = true
		}
	}
	return args, client
}

// fail tells why the call fails, and gives its exit code.
func (c Call) fail(code int, why any) int {
	_, _ = fmt.Fprintf(c.Stderr, "%s: %v\n", c.Name, why)
	return code
}

// ownPort moves a port to where no other lab's is: labs of one machine share its ports, as nodes of a cluster do not.
func (c Call) ownPort(port string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.Env(Folder)))
	return strconv.Itoa(10000 + (number(port)+int(h.Sum32()%20000))%20000)
}

// real runs the program that the stand-in hides: the next of its name on PATH.
func (c Call) real(args, env []string) int {
	path := c.hidden()
	if path == "" {
		return c.fail(127, "not found")
	}
	cmd := exec.Command(path, args...) //nolint:gosec // the program that was called
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc(env, func(e string) bool { name, _, _ := strings.Cut(e, "="); return strings.HasPrefix(v, name+"=") })
	}), slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasSuffix(v, "=") })...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, c.Stdout, c.Stderr
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	default:
		return c.fail(126, err)
	}
}

func (c Call) hidden() string {
	own := filepath.Join(c.Env(Folder), "bin")
	for _, dir := range filepath.SplitList(c.Env("PATH")) {
		path := filepath.Join(dir, c.Name)
		if info, err := os.Stat(path); dir != own && err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// stepsOf lists the processes of this lab that run on a node, and the daemons that hold them, but for this one.
func stepsOf(host string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	lab := []byte(Folder + "=" + os.Getenv(Folder) + "\x00")
	node := []byte("SLURMD_NODENAME=" + host + "\x00")
	var out []int
	for _, e := range entries {
		pid := number(e.Name())
		env := procFile(pid, "environ")
		if !bytes.Contains(env, lab) || !bytes.Contains(env, node) {
			continue
		}
		if parent := parentOf(pid); bytes.HasPrefix(procFile(parent, "cmdline"), []byte("slurmstepd")) {
			out = append(out, parent)
		}
		if pid != os.Getpid() {
			out = append(out, pid)
		}
	}
	return out
}

// procFile reads a file of a process; nothing for one that is gone.
func procFile(pid int, name string) []byte {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name)) //nolint:gosec // the kernel's own files
	if err != nil {
		return nil
	}
	return data
}

// parentOf gives a process's parent: the second field behind the command, which stands in brackets.
func parentOf(pid int) int {
	stat := procFile(pid, "stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	return number(string(fields[1]))
}

func end(pid int) {
	if pid > 1 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
