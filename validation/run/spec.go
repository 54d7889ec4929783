package run

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/step"
)

// specFile of a run's folder says what it is a run of.
const specFile = "spec.json"

// spec is what a client needs to go on with a run that another one began.
type spec struct {
	Schema    int            `json:"schema"`
	ID        string         `json:"id"`
	Key       string         `json:"key"`
	Weft      string         `json:"weft"`
	Started   time.Time      `json:"started"`
	Plan      plan.Cluster   `json:"plan"`
	Config    config.Cluster `json:"config"`
	Options   step.Options   `json:"options"`
	KeepGoing bool           `json:"keepGoing,omitempty"`
	Timeout   time.Duration  `json:"timeout,omitempty"`
}

const specSchema = 1

func (s spec) request() Request {
	p := s.Plan
	p.Config = s.Config
	return Request{Key: s.Key, Plan: p, Options: s.Options, KeepGoing: s.KeepGoing, Timeout: s.Timeout}
}

// Key names a validation by what it is of: the plan with its steps and thresholds, and the options of its jobs.
func Key(p plan.Cluster, o step.Options) (string, error) {
	data, err := json.Marshal(struct {
		Plan    plan.Cluster
		Config  config.Cluster
		Options step.Options
	}{p, p.Config, o})
	if err != nil {
		return "", fmt.Errorf("naming a validation: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// open makes the run, or goes on with the one of the same key.
func (r *Runner) open(ctx context.Context, q Request) (*client, error) {
	now := r.Clock.Now().UTC().Truncate(time.Second)
	sp := spec{
		Schema: specSchema, Key: q.Key, Weft: r.Weft, Started: now, Plan: q.Plan, Config: q.Plan.Config, Options: q.Options,
		KeepGoing: q.KeepGoing, Timeout: q.Timeout,
	}
	sum := sha256.Sum256([]byte(q.Key))
	sp.ID = now.Format("20060102-150405-") + hex.EncodeToString(sum[:3])
	order := step.New(q.Plan, q.Options)
	archive, err := pack(sp, order)
	if err != nil {
		return nil, err
	}
	id, made, err := r.head().open(ctx, q.Key, sp.ID, archive)
	if err != nil {
		return nil, err
	}
	s := &client{runner: r, id: id, started: now, free: now, request: q, order: order, jobs: map[string]*job{}}
	if made {
		r.say(id, "", fmt.Sprintf("begins: %d jobs, in ~/.weft/validation/%s on the head node", len(order.Jobs), id))
		return s, nil
	}
	old, err := r.spec(ctx, id)
	if err != nil {
		return nil, err
	}
	s.started = old.Started
	r.say(id, "", "goes on: it began at "+old.Started.Format(time.RFC3339))
	return s, nil
}

func (r *Runner) spec(ctx context.Context, id string) (spec, error) {
	var s spec
	text, err := r.head().call(ctx, nil, "get", id, specFile)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("reading what run %s is of: %w", id, err)
	}
	if s.Schema != specSchema {
		return s, fmt.Errorf("run %s was begun by weft %s, in a form that this one does not read", id, s.Weft)
	}
	return s, nil
}

// find gives the newest run for an empty id.
func (r *Runner) find(ctx context.Context, id string) (string, error) {
	out, err := r.head().call(ctx, nil, "runs")
	if err != nil {
		return "", err
	}
	var ids []string
	for line := range strings.Lines(out) {
		name, _, _ := strings.Cut(line, "\t")
		ids = append(ids, name)
	}
	switch {
	case id == "" && len(ids) > 0:
		return slices.Max(ids), nil
	case slices.Contains(ids, id):
		return id, nil
	case id == "":
		return "", ErrNoRun
	default:
		return "", fmt.Errorf("%w: %s", ErrNoRun, id)
	}
}

// pack makes the folder of a run: what it is of, and its scripts.
func pack(s spec, order step.Order) ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing what the run is of: %w", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	add := func(name string, data []byte) error {
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: s.Started}); err != nil {
			return err
		}
		_, err := t.Write(data)
		return err
	}
	err = add(specFile, text)
	for _, j := range order.Jobs {
		if err == nil {
			err = add("jobs/"+j.Name+".sh", []byte(j.Script))
		}
	}
	if err == nil {
		err = t.Close()
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("packing the run's scripts: %w", err)
	}
	return b.Bytes(), nil
}
