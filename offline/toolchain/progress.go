package toolchain

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// Progress shows that tools are being made.
type Progress interface {
	Begin(Tool) Task
}

// Task is one tool that is being made.
type Task interface {
	// Say tells what is going on now; it may be called often.
	Say(line string)
	// End tells that it is made, or why not.
	End(err error)
}

// NewProgress returns a progress that fits the file: moving on a terminal, lines elsewhere.
func NewProgress(f *os.File) Progress {
	if term.IsTerminal(int(f.Fd())) {
		return &moving{out: f}
	}
	return NewLines(f)
}

// NewLines returns a progress that writes a line when a tool is begun and ended, and one now and then in between.
func NewLines(w io.Writer) Progress { return &lines{out: w, now: time.Now, every: 30 * time.Second} }

type lines struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	every time.Duration
}

func (l *lines) Begin(t Tool) Task {
	l.print("%s %s: making it (%s), %s when nothing is cached", t.Name, t.Version, t.Doc, about(t.Usual))
	return &linesTask{lines: l, name: t.Name, begun: l.now(), said: l.now()}
}

func (l *lines) print(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintf(l.out, format+"\n", args...) // progress that cannot be shown is no reason to stop
}

type linesTask struct {
	*lines
	name        string
	begun, said time.Time
}

func (t *linesTask) Say(line string) {
	if t.now().Sub(t.said) < t.every {
		return
	}
	t.said = t.now()
	t.print("%s: %s after %s", t.name, line, t.now().Sub(t.begun).Round(time.Second))
}

func (t *linesTask) End(err error) {
	took := t.now().Sub(t.begun).Round(100 * time.Millisecond)
	if err != nil {
		t.print("%s: failed after %s", t.name, took)
		return
	}
	t.print("%s: done in %s", t.name, took)
}

// moving shows a spinner, the time and the last line.
type moving struct{ out io.Writer }

func (m *moving) Begin(t Tool) Task {
	task := &movingTask{bars: mpb.New(mpb.WithOutput(m.out)), line: about(t.Usual) + " when nothing is cached"}
	task.bar = task.bars.New(1, mpb.NopStyle(), mpb.PrependDecorators(
		decor.Spinner(nil), decor.Elapsed(decor.ET_STYLE_MMSS, decor.WCSyncSpace), decor.Name(" "+t.Name+" "+t.Version+": "), decor.Any(task.show),
	))
	return task
}

type movingTask struct {
	bars *mpb.Progress
	bar  *mpb.Bar
	mu   sync.Mutex
	line string
}

func (t *movingTask) show(decor.Statistics) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.line
}

func (t *movingTask) Say(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line = line
}

func (t *movingTask) End(err error) {
	if err != nil {
		t.Say("failed")
		t.bar.Abort(false)
	} else {
		t.Say("done")
		t.bar.SetCurrent(1)
	}
	t.bars.Wait()
}

// about puts a duration in words.
func about(d time.Duration) string {
	switch {
	case d >= 90*time.Second:
		return fmt.Sprintf("about %d minutes", int(d.Round(time.Minute).Minutes()))
	case d >= time.Second:
		return fmt.Sprintf("about %d seconds", int(d.Round(time.Second).Seconds()))
	}
	return "a moment"
}
