package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-hpc/weft/account/capacity"
)

// Folder is a journal in a folder of one machine: a file for each entry. It excludes runs that use the same folder, and no
// others.
type Folder struct{ Path string }

var _ capacity.Journal = Folder{}

// Last gives the entry with the highest number. A folder that is not there holds none.
func (f Folder) Last(_ context.Context, key string) (capacity.Entry, error) {
	files, err := filepath.Glob(filepath.Join(f.Path, filepath.FromSlash(path(key)), "[0-9]*.json"))
	if err != nil {
		return capacity.Entry{}, fmt.Errorf("listing the purchase journal of %s: %w", key, err)
	}
	if len(files) == 0 {
		return capacity.Entry{}, nil
	}
	name := slices.Max(files)
	data, err := os.ReadFile(name) //nolint:gosec // listed above
	if err != nil {
		return capacity.Entry{}, fmt.Errorf("reading the purchase journal of %s: %w", key, err)
	}
	return decode(name, data)
}

// Append writes an entry whole, under a name that is made once: a link to a file fails where the name exists.
func (f Folder) Append(_ context.Context, key string, entry capacity.Entry) error {
	data, err := encode(entry)
	if err != nil {
		return err
	}
	dir := filepath.Join(f.Path, filepath.FromSlash(path(key)))
	if err := f.write(dir, fmt.Sprintf("%06d.json", entry.Sequence), data); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return capacity.ErrTaken
		}
		return fmt.Errorf("writing the purchase journal of %s: %w", key, err)
	}
	return nil
}

func (f Folder) write(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, "draft-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }() // one that stays is no entry
	_, err = draft.Write(data)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder makes the new name outlast a loss of power.
func syncFolder(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the journal's own folder
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
