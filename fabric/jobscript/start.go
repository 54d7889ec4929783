package jobscript

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// launchers start ranks, by the names of their programs.
var launchers = map[string]string{
	"srun": "srun", "mpirun": "mpirun", "mpiexec": "mpirun", "mpiexec.hydra": "mpirun", "orterun": "mpirun", "prterun": "mpirun",
	"torchrun": "torchrun", "deepspeed": "torchrun", "sbatch": "sbatch", "salloc": "salloc",
}

var grammars = map[string]grammar{"srun": slurm, "sbatch": slurm, "salloc": slurm, "mpirun": mpi, "torchrun": torch}

// wrappers start the program that follows their options.
var wrappers = []string{
	"exec", "command", "nohup", "time", "sudo", "stdbuf", "numactl", "taskset", "nice", "timeout", "ionice", "setsid", "env", "docker", "podman",
	"singularity", "apptainer", "enroot", "nsys", "ncu",
}

// starter takes one command line apart.
type starter struct {
	*state
	// own are the assignments of this command alone.
	own []*Assignment
	// vars are their values.
	vars map[string]Word
}

// program takes note of a program that the script starts, and of what it gets.
func (s *state) program(args []Word, assigns []*syntax.Assign) {
	st := &starter{state: s, vars: map[string]Word{}}
	for _, a := range assigns {
		if a.Name != nil && !a.Naked && a.Array == nil && a.Index == nil {
			st.give(a.Name.Value, s.fold(a.Value), s.position(a.Pos()))
		}
	}
	if text, ok := shellText(args); ok && s.depth < maxDepth {
		s.apart(func(inner *state) {
			for name, w := range st.vars {
				inner.vars[name] = binding{value: w, set: true, exported: true}
			}
			inner.within(text.Text, text.Position)
		})
		s.got(st.own...)
		return
	}
	start := st.start(args)
	for _, a := range st.own {
		a.OneCommand = start
	}
	s.got(st.own...)
	if !start.starts() {
		return
	}
	start.Conditional = s.branches > 0
	start.Environment = s.environmentOf(st.vars)
	s.reach(s.bindings())
	s.script.Starts = append(s.script.Starts, start)
}

// bindings are the variables of the script at this point.
func (s *state) bindings() bindings { return s.vars }

func (s *state) environmentOf(own map[string]Word) map[string]Word {
	out := map[string]Word{}
	for name, b := range s.vars {
		if b.exported && b.set {
			out[name] = b.value
		}
	}
	for name, w := range own {
		out[name] = w
	}
	return out
}

// give adds a variable that this command alone gets.
func (st *starter) give(name string, value Word, at Position) {
	st.vars[name] = value
	st.own = append(st.own, &Assignment{
		Position: at, Name: name, Value: value, Conditional: st.branches > 0 || value.Default,
	})
}

// giveText gives NAME=value, as words of env and options write it.
func (st *starter) giveText(w Word) bool {
	name, _, ok := strings.Cut(w.Text, "=")
	if !ok || !isName(name) {
		return false
	}
	st.give(name, w.from(len(name)+1), w.Position)
	return true
}

// start takes a command line apart from its beginning: wrappers, a launcher, and what it starts.
func (st *starter) start(args []Word) *Start {
	args = st.unwrap(args)
	if len(args) == 0 {
		return &Start{}
	}
	name, rest := launcher(args)
	start := &Start{Position: args[0].Position, Launcher: name}
	if name == "" {
		start.Program = args
		return start
	}
	p := parseOptions(rest, grammars[name])
	start.Options, start.Open = p.options, p.open
	st.options(name, p.options)
	inner := st.inner(p.rest)
	if inner.Launcher != "" {
		start.Inner = inner
		return start
	}
	start.Program, start.Inner = inner.Program, nil
	return start
}

// inner is what a launcher starts. A text for a shell is read for the first program of a job in it; it is none of its own.
func (st *starter) inner(args []Word) *Start {
	args = st.unwrap(args)
	text, ok := shellText(args)
	if !ok || st.depth >= maxDepth {
		return st.start(args)
	}
	found := &Start{Position: args[0].Position}
	st.apart(func(s *state) {
		script := *s.script
		script.Starts = nil
		s.reader = &reader{script: &script}
		for name, w := range st.vars {
			s.vars[name] = binding{value: w, set: true, exported: true}
		}
		s.within(text.Text, text.Position)
		if len(script.Starts) > 0 {
			found = script.Starts[0]
		}
		s.reach(s.vars)
	})
	return found
}

// options takes the variables that a launcher's options give: --export of Slurm, -x of Open MPI.
func (st *starter) options(launcher string, options []Option) {
	for _, o := range options {
		switch {
		case launcher == "mpirun" && (o.Name == "x" || o.Name == "genv" || o.Name == "env"):
			st.giveText(o.Value)
		case grammars[launcher].short['N'] == "nodes" && o.Name == "export":
			for part := range strings.SplitSeq(o.Value.Text, ",") {
				w := o.Value
				w.Text = part
				st.giveText(w)
			}
		}
	}
}

// launcher names the launcher of a command line and gives what follows it.
func launcher(args []Word) (name string, rest []Word) {
	program := path.Base(args[0].Text)
	if name, ok := launchers[program]; ok && args[0].Known {
		return name, args[1:]
	}
	switch {
	case strings.HasPrefix(program, "python") && len(args) > 2:
		if i := slices.IndexFunc(args, func(w Word) bool { return w.Text == "-m" }); i > 0 && i+1 < len(args) &&
			slices.Contains([]string{"torch.distributed.run", "torch.distributed.launch"}, args[i+1].Text) {
			return "torchrun", args[i+2:]
		}
	case program == "accelerate" && len(args) > 1 && args[1].Text == "launch":
		return "torchrun", args[2:]
	}
	return "", args
}

// unwrap takes programs away that start another one.
func (st *starter) unwrap(args []Word) []Word {
	for len(args) > 0 && args[0].Known && slices.Contains(wrappers, path.Base(args[0].Text)) {
		name := path.Base(args[0].Text)
		args = args[1:]
		switch name {
		case "env":
			args = st.environ(args)
		case "docker", "podman", "singularity", "apptainer", "enroot":
			args = st.container(args)
		case "nsys", "ncu":
			args = profiled(args)
		default:
			args = pastOptions(name, args)
		}
	}
	return args
}

// environ is env NAME=value … program.
func (st *starter) environ(args []Word) []Word {
	args = parseOptions(args, environs).rest
	for len(args) > 0 && st.giveText(args[0]) {
		args = args[1:]
	}
	return args
}

// container is docker run -e NAME=value image program, and the like.
func (st *starter) container(args []Word) []Word {
	if len(args) == 0 {
		return nil
	}
	p := parseOptions(args[1:], environs)
	for _, o := range p.options {
		if o.Name == "env" || o.Name == "e" {
			st.giveText(o.Value)
		}
	}
	if len(p.rest) == 0 {
		return nil
	}
	return p.rest[1:]
}

// valued are options of wrappers with a value behind them.
var valued = map[string][]string{
	"nice": {"-n"}, "numactl": {"-N", "-C", "-m", "-i", "-p"}, "timeout": {"-k", "-s"}, "ionice": {"-c", "-n"}, "sudo": {"-u", "-g"},
	"stdbuf": {"-i", "-o", "-e"}, "exec": {"-a"}, "time": {"-o", "-f"},
}

// pastOptions skips the options of a wrapper, and what else stands before the program.
func pastOptions(name string, args []Word) []Word {
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		skip := 1
		if slices.Contains(valued[name], args[0].Text) {
			skip = 2
		}
		args = args[min(skip, len(args)):]
	}
	if (name == "timeout" || name == "taskset") && len(args) > 0 { // the time, the mask
		args = args[1:]
	}
	return args
}

// profiled finds the program behind a profiler's many options: the first word that is a launcher or a program of the job.
func profiled(args []Word) []Word {
	for i, w := range args {
		if program := (&Start{Program: args[i:]}); w.Known && (launchers[path.Base(w.Text)] != "" || program.starts()) {
			return args[i:]
		}
	}
	return nil
}

// shellText is the script of bash -c script.
func shellText(args []Word) (Word, bool) {
	if len(args) < 3 || !isShell(path.Base(args[0].Text)) || args[0].Text == "" {
		return Word{}, false
	}
	for i, w := range args[1 : len(args)-1] {
		if strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.HasSuffix(w.Text, "c") {
			return args[i+2], args[i+2].Known
		}
	}
	return Word{}, false
}

// starts reports that a program is one that a job is about, and no tool of the shell.
func (s *Start) starts() bool {
	if s.Launcher != "" {
		return true
	}
	if len(s.Program) == 0 {
		return false
	}
	name := s.Program[0].Text
	base := path.Base(name)
	return !s.Program[0].Known || strings.HasPrefix(base, "python") || strings.HasSuffix(base, "_perf") || strings.HasSuffix(base, ".py") ||
		strings.HasPrefix(name, "./") || strings.HasPrefix(name, "/opt/") || base == "accelerate"
}
