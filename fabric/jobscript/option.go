package jobscript

import (
	"slices"
	"strings"
)

// grammar is how a program reads its options.
type grammar struct {
	// short names by their letters.
	short map[byte]string
	// flags are options without a value, or with one only behind =.
	flags []string
	// pairs are options with two values.
	pairs []string
	// oneDash says that long names stand behind one dash too, as of mpirun.
	oneDash bool
	// underscores says that - and _ are the same in names.
	underscores bool
	// rename gives the names under which options are known here.
	rename map[string]string
}

// slurm reads options as sbatch and srun do.
var slurm = grammar{
	short: map[byte]string{
		'A': "account", 'a': "array", 'B': "extra-node-info", 'b': "begin", 'C': "constraint", 'c': "cpus-per-task", 'D': "chdir", 'd': "dependency",
		'e': "error", 'E': "preserve-env", 'F': "nodefile", 'G': "gpus", 'H': "hold", 'h': "help", 'I': "immediate", 'i': "input", 'J': "job-name",
		'K': "kill-on-bad-exit", 'k': "no-kill", 'L': "licenses", 'l': "label", 'M': "clusters", 'm': "distribution", 'N': "nodes", 'n': "ntasks",
		'O': "overcommit", 'o': "output", 'p': "partition", 'Q': "quiet", 'q': "qos", 'r': "relative", 'S': "core-spec", 's': "oversubscribe",
		'T': "threads", 't': "time", 'u': "unbuffered", 'V': "version", 'v': "verbose", 'W': "wait", 'w': "nodelist", 'X': "disable-status",
		'x': "exclude", 'Z': "no-allocate",
	},
	flags: []string{
		"async", "bell", "compress", "contiguous", "container-mount-home", "container-readonly", "container-remap-root", "container-writable",
		"container-entrypoint", "debugger-test", "disable-status", "exact", "exclusive", "external", "get-user-env", "help", "hold", "ignore-pbs",
		"immediate", "kill-on-bad-exit", "label", "multi-prog", "nice", "no-allocate", "no-bell", "no-container-entrypoint",
		"no-container-mount-home", "no-container-remap-root", "no-kill", "no-requeue", "overcommit", "overlap", "oversubscribe", "parsable",
		"preserve-env", "propagate", "pty", "quiet", "reboot", "requeue", "send-libs", "share", "spread-job", "stepmgr", "test-only", "unbuffered",
		"usage", "use-min-nodes", "verbose", "version", "whole",
	},
}

// mpi reads options as Open MPI's and MPICH's mpirun do.
var mpi = grammar{
	oneDash: true,
	short:   map[byte]string{'N': "npernode", 'H': "host", 'c': "np", 'n': "np", 'x': "x", 'v': "verbose", 'q': "quiet", 'l': "prepend-rank", 'f': "hostfile"},
	flags: []string{
		"allow-run-as-root", "oversubscribe", "nooversubscribe", "report-bindings", "display-map", "display-allocation", "display-devel-map", "tag-output",
		"timestamp-output", "nolocal", "verbose", "quiet", "do-not-launch", "use-hwthread-cpus", "bind-to-core", "bind-to-socket", "bind-to-none",
		"bycore", "bynode", "byslot", "debug-devel", "prepend-rank", "genvall", "genvnone", "version", "help", "merge-stderr-to-stdout", "pernode",
		"enable-recovery", "no-ready-msg", "continuous",
	},
	pairs:  []string{"mca", "gmca", "genv", "env", "prtemca", "pmca", "pmixmca"},
	rename: map[string]string{"n": "np", "ppn": "npernode", "machinefile": "hostfile", "hosts": "host", "cpus-per-proc": "cpus-per-rank"},
}

// torch reads options as torchrun and its forerunners do.
var torch = grammar{
	underscores: true,
	short:       map[byte]string{'m': "module", 'r': "redirects", 't': "tee"},
	flags: []string{
		"standalone", "module", "no-python", "run-path", "use-env", "multi-gpu", "multi-node", "use-deepspeed", "use-fsdp", "use-megatron-lm", "help",
		"no-local-rank", "force-multi", "cpu", "quiet", "debug", "same-network",
	},
	rename: map[string]string{"num-gpus": "nproc-per-node", "num-nodes": "nnodes", "num-machines": "nnodes"},
}

// environs reads options of programs that give variables to another one: env, docker run.
var environs = grammar{
	oneDash: true,
	short:   map[byte]string{'e': "env", 'i': "ignore-environment", 'u': "unset", 'v': "volume", 'w': "workdir", 'C': "chdir", 'S': "split-string"},
	flags: []string{
		"ignore-environment", "rm", "it", "ti", "interactive", "tty", "privileged", "detach", "init", "nv", "cleanenv", "contain", "containall", "fakeroot",
		"root", "rw", "writable", "no-home", "0", "null", "debug",
	},
}

// parsed is a command line taken apart.
type parsed struct {
	options []Option
	rest    []Word // from the program on
	open    bool   // some of the options are not known
}

// parseOptions takes the options from the front of a command line.
func parseOptions(words []Word, g grammar) parsed {
	p := optionParser{grammar: g, words: words}
	for p.step() {
		continue
	}
	return parsed{p.options, p.words, p.open}
}

type optionParser struct {
	grammar
	words   []Word
	options []Option
	open    bool
}

// step takes one option; false at the first word that is none. An array that is not known holds options, as long as others follow. Any other word
// of which nothing is known ends them: it may be an option or the program.
func (p *optionParser) step() bool {
	switch {
	case len(p.words) == 0:
		return false
	case len(p.words) > 1 && p.words[0].Several:
		p.words, p.open = p.words[1:], true
		return true
	case p.words[0].Text == "":
		p.open = p.open || !p.words[0].Known
		return false
	case len(p.words[0].Text) < 2 || p.words[0].Text[0] != '-':
		return false
	}
	return p.option()
}

// option takes a word that begins with a dash; false for the one that ends all options.
func (p *optionParser) option() bool {
	w := p.words[0]
	p.words = p.words[1:]
	body := strings.TrimLeft(w.Text, "-")
	switch {
	case w.Text == "--":
		return false
	case strings.HasPrefix(w.Text, "--"), p.oneDash && len(body) > 1:
		p.long(w, body)
	default:
		p.letters(w, body)
	}
	return true
}

// long takes an option with its whole name.
func (p *optionParser) long(w Word, body string) {
	name, value, given := strings.Cut(body, "=")
	name = p.name(name)
	o := Option{Position: w.Position, Name: name}
	switch {
	case given:
		o.Value = w.from(len(w.Text) - len(value))
	case !w.Known || slices.Contains(p.flags, name):
	case slices.Contains(p.pairs, name):
		p.pair(&o)
	default:
		o.Value = p.take()
	}
	p.options = append(p.options, o)
}

// pair joins the two values of an option, as NAME=VALUE.
func (p *optionParser) pair(o *Option) {
	first := p.take()
	if strings.Contains(first.Text, "=") {
		o.Value = first
		return
	}
	second := p.take()
	o.Value = Word{Position: first.Position, Text: first.Text + "=" + second.Text, Known: first.Known && second.Known}
}

// letters takes options of one letter, which may stand together and have their value behind them: -vN4.
func (p *optionParser) letters(w Word, body string) {
	for i := range len(body) {
		name, known := p.short[body[i]]
		if !known {
			name = body[i : i+1]
		}
		o := Option{Position: w.Position, Name: p.name(name)}
		if known && slices.Contains(p.flags, o.Name) && (body[i] != 'K' || i+1 == len(body)) { // -K0 has a value
			p.options = append(p.options, o)
			continue
		}
		rest := len(w.Text) - len(body) + i + 1
		if rest < len(w.Text) || !w.Known {
			o.Value = w.from(rest)
			o.Value.Text = strings.TrimPrefix(o.Value.Text, "=")
		} else {
			o.Value = p.take()
		}
		p.options = append(p.options, o)
		return
	}
}

func (p *optionParser) name(name string) string {
	if p.underscores {
		name = strings.ReplaceAll(name, "_", "-")
	}
	if other, ok := p.rename[name]; ok {
		return other
	}
	return name
}

// take takes the next word as a value.
func (p *optionParser) take() Word {
	if len(p.words) == 0 {
		return Word{}
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// from gives the end of a word.
func (w Word) from(offset int) Word {
	w.Text = w.Text[min(offset, len(w.Text)):]
	return w
}
