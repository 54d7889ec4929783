package run

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

//go:embed head.sh
var headScript string

// head calls functions of head.sh.
type head struct {
	exec  Exec
	retry func() backoff.BackOff
}

// tries bounds how often a call that could not be made is made again. Every function of head.sh may run twice.
const tries = 5

// call runs one function and gives what it wrote. Trouble on the way there is tried again; what the function itself says is not.
func (h head) call(ctx context.Context, stdin []byte, function string, args ...string) (string, error) {
	script := headScript + "\n" + function
	for _, a := range args {
		script += " " + quote(a)
	}
	out, err := backoff.Retry(ctx, func() (answer, error) {
		var a answer
		var err error
		a.stdout, a.stderr, a.code, err = h.exec.Run(ctx, script, stdin)
		if err != nil && ctx.Err() != nil {
			return a, backoff.Permanent(ctx.Err())
		}
		return a, err
	}, backoff.WithBackOff(h.retry()), backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(0))
	if err != nil {
		return "", fmt.Errorf("asking the head node (%s): %w", function, err)
	}
	if out.code != 0 {
		return "", fmt.Errorf("asking the head node (%s): exit code %d: %s", function, out.code, strings.TrimSpace(string(out.stderr)))
	}
	return string(out.stdout), nil
}

// answer of a function.
type answer struct {
	stdout, stderr []byte
	code           int
}

// errBusy says that another validation goes on, of another plan.
var errBusy = errors.New("another validation goes on on this cluster")

// open makes a run, or gives the one that goes on for the same key.
func (h head) open(ctx context.Context, key, id string, archive []byte) (run string, made bool, err error) {
	out, err := h.call(ctx, archive, "open", key, id)
	if err != nil {
		return "", false, err
	}
	word, name, _ := strings.Cut(strings.TrimSpace(out), " ")
	switch word {
	case "new":
		return name, true, nil
	case "going":
		return name, false, nil
	case "busy":
		return name, false, fmt.Errorf("%w: run %s; wait for it, or end it with `weft validate cancel`", errBusy, name)
	default:
		return "", false, fmt.Errorf("opening a run: the head node says %q", strings.TrimSpace(out))
	}
}

// submit submits a job once. refused is what sbatch said to a job that it does not take.
func (h head) submit(ctx context.Context, run, name string, script []byte, after []string) (id, refused string, err error) {
	out, err := h.call(ctx, script, "submit", append([]string{run, name}, after...)...)
	if err != nil {
		return "", "", err
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(out), " ")
	switch word {
	case "job":
		return rest, "", nil
	case "refused":
		return "", rest, nil
	default:
		return "", "", fmt.Errorf("submitting %s: the head node says %q", name, strings.TrimSpace(out))
	}
}

func (h head) look(ctx context.Context, run string) (sight, error) {
	out, err := h.call(ctx, nil, "look", run)
	if err != nil {
		return sight{}, err
	}
	return readSight(out)
}

func (h head) fetch(ctx context.Context, run, name string, each, all int64) ([]byte, error) {
	out, err := h.call(ctx, nil, "fetch", run, name, strconv.FormatInt(each, 10), strconv.FormatInt(all, 10))
	return []byte(out), err
}

func defaultRetry() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = time.Second, 20*time.Second
	return b
}
