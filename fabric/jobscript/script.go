package jobscript

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is what a text is.
type Kind string

// The kinds, in words for people.
const (
	None        Kind = ""
	Batch       Kind = "Slurm batch script"
	Shell       Kind = "shell script"
	Environment Kind = "environment file"
	Dockerfile  Kind = "Dockerfile"
)

// Script is what a text says.
type Script struct {
	Kind Kind
	// Directives are the #SBATCH options that Slurm reads, in their order.
	Directives []Option
	// Ignored are #SBATCH options behind the first command, which Slurm does not read.
	Ignored []Option
	// Settings are the variables that reach a program: in force at one that the script starts, or at the script's end where it starts none.
	Settings []Assignment
	// Starts are the programs that the script starts.
	Starts []*Start
	// Sourced are the files that the script reads into itself, whose settings are not known.
	Sourced []Word
	// Problems are parts that cannot be read.
	Problems []Problem
}

// Position is a place in a text, both from 1, the column in bytes. The zero Position is nowhere in particular.
type Position struct {
	Line, Column int
}

// Word is a word of a script after expansion.
type Word struct {
	Position
	Text  string // the whole of it where it is known, else what is known of its beginning
	Known bool
	// Several says that nothing is known of how many words stand here: "${ARGS[@]}" of an array that is not known.
	Several bool
	// Default says that the text counts where the environment that the script was started from has no other: ${NAME:-text}.
	Default bool
}

// Value gives the text; false when it is not known.
func (w Word) Value() (string, bool) { return w.Text, w.Known }

// Option is an option of a command line or directive.
type Option struct {
	Position
	// Name is the long name without dashes: cpus-per-task, also of -c.
	Name string
	// Value is what the option was given; the zero Word for one without.
	Value Word
}

// Assignment is a variable that a script sets.
type Assignment struct {
	Position
	Name  string
	Value Word
	// Conditional says that it is set on some ways through the script only.
	Conditional bool
	// OneCommand is the program that it stands before, and after which it is gone; nil for a variable of the whole script.
	OneCommand *Start
}

// Start is a program that a script starts.
type Start struct {
	Position
	// Launcher is the program that starts ranks: srun, mpirun, torchrun, …; empty for a program that is started by itself.
	Launcher string
	Options  []Option
	// Program is what is started, with its arguments; empty where Inner is.
	Program []Word
	// Inner is the launcher that this one starts: srun torchrun.
	Inner *Start
	// Conditional says that it is started on some ways through the script only.
	Conditional bool
	// Open says that some options are words whose text is not known: "${ARGS[@]}".
	Open bool
	// Environment gives the values of the variables that the program gets from the script.
	Environment map[string]Word
}

// Problem is a part that cannot be read.
type Problem struct {
	Position
	Text string
}

// Last gives the last of several options with one of some names: later ones win.
func Last(options []Option, names ...string) (Option, bool) {
	for _, o := range slices.Backward(options) {
		if slices.Contains(names, o.Name) {
			return o, true
		}
	}
	return Option{}, false
}

// Int reads the value of an option as a whole number; false where it is not known or no number.
func (o Option) Int() (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(o.Value.Text))
	return n, err == nil && o.Value.Known
}
