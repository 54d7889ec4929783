package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// World is everything that exists in the account: by type token, then by id. (An id alone is not enough: a bucket and
// its versioning have the same one.)
type World struct {
	Resources map[string]map[string]Resource `json:"resources"`
}

// Resource is one thing that exists.
type Resource struct {
	// URN is the Pulumi name under which the thing was created.
	URN string `json:"urn"`
	// Inputs are what the program asked for.
	Inputs Document `json:"inputs"`
	// Outputs are what the account knows of it, the inputs among them.
	Outputs Document `json:"outputs"`
}

// Get finds a resource.
func (w *World) Get(typ, id string) (Resource, bool) {
	r, ok := w.Resources[typ][id]
	return r, ok
}

// Put adds a resource or takes the place of the one that has its type and id.
func (w *World) Put(typ, id string, r Resource) {
	if w.Resources == nil {
		w.Resources = map[string]map[string]Resource{}
	}
	if w.Resources[typ] == nil {
		w.Resources[typ] = map[string]Resource{}
	}
	w.Resources[typ][id] = r
}

// Remove removes a resource; one that does not exist may be removed.
func (w *World) Remove(typ, id string) {
	delete(w.Resources[typ], id)
	if len(w.Resources[typ]) == 0 {
		delete(w.Resources, typ)
	}
}

// IDs lists the resources of a type, sorted.
func (w *World) IDs(typ string) []string {
	ids := make([]string, 0, len(w.Resources[typ]))
	for id := range w.Resources[typ] {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Len counts all resources.
func (w *World) Len() int {
	n := 0
	for _, byID := range w.Resources {
		n += len(byID)
	}
	return n
}

// Drift changes one top-level property of a resource behind Pulumi's back, in what the account knows and in what a read
// gives as inputs.
func (w *World) Drift(typ, id, property string, value any) error {
	r, ok := w.Get(typ, id)
	if !ok {
		return fmt.Errorf("there is no %s %s to change", typ, id)
	}
	r.Inputs, r.Outputs = r.Inputs.with(property, value), r.Outputs.with(property, value)
	w.Put(typ, id, r)
	return nil
}

// Store keeps a world.
type Store interface {
	// Change lets f alter the world, alone among all users of the store. When f fails, nothing is altered.
	Change(f func(*World) error) error
	// View gives the world to look at.
	View() (*World, error)
}

// NewMemory returns a store that lives as long as the process.
func NewMemory() Store { return &memory{text: []byte("{}")} }

// memory holds its world as text, so that nobody can keep a part of it and alter that later.
type memory struct {
	mu   sync.Mutex
	text []byte
}

func (m *memory) Change(f func(*World) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, err := change(m.text, f)
	if err != nil {
		return err
	}
	m.text = text
	return nil
}

func (m *memory) View() (*World, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return parseWorld(m.text)
}

// NewFile returns a store in one JSON file, which several processes may use at the same time. The file is made by the
// first change.
func NewFile(path string) Store { return file(path) }

type file string

func (f file) Change(alter func(*World) error) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	old, err := f.read()
	if err != nil {
		return err
	}
	text, err := change(old, alter)
	if err != nil {
		return err
	}
	return f.replace(text)
}

// View needs no lock: the file is replaced as a whole.
func (f file) View() (*World, error) {
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	w, err := parseWorld(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f, err)
	}
	return w, nil
}

// lock waits for the lock of the world. The kernel drops it when the process dies.
func (f file) lock() (unlock func(), err error) {
	lock, err := os.OpenFile(string(f)+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the world: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("locking the world: %w", err), lock.Close())
	}
	return func() { _ = lock.Close() }, nil // closing drops the lock, there is nothing else to lose
}

func (f file) read() ([]byte, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return []byte("{}"), nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the world: %w", err)
	}
	return text, nil
}

func (f file) replace(text []byte) error {
	next, err := os.CreateTemp(filepath.Dir(string(f)), filepath.Base(string(f))+".*")
	if err != nil {
		return fmt.Errorf("writing the world: %w", err)
	}
	_, err = next.Write(text)
	if err = errors.Join(err, next.Close()); err == nil {
		err = os.Rename(next.Name(), string(f))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing the world: %w", err), os.Remove(next.Name()))
	}
	return nil
}

func change(text []byte, alter func(*World) error) ([]byte, error) {
	w, err := parseWorld(text)
	if err != nil {
		return nil, err
	}
	if err := alter(w); err != nil {
		return nil, err
	}
	text, err = json.MarshalIndent(w, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the world: %w", err)
	}
	return append(text, '\n'), nil
}

func parseWorld(text []byte) (*World, error) {
	w := &World{}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("the world is not readable: %w", err)
	}
	return w, nil
}
