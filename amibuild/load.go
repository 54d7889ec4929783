package amibuild

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Files are a recipe and what lies beside it, as they were read.
type Files struct {
	// Request for the plan, without its target.
	Request Request
	// Findings of the files themselves.
	Findings diag.List
	// Sources are the contents by the names that findings use.
	Sources map[string][]byte
}

// Load reads a recipe by its name in a folder, the lock beside it, and the scripts that the recipe names. Shown is the folder as
// findings name it. A missing lock or script is judged by New; the error is for a recipe that is not there, and for what can't be read.
func Load(folder fs.FS, name, shown string) (Files, error) {
	f := Files{Sources: map[string][]byte{}, Request: Request{Files: map[string][]byte{}}}
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return f, fmt.Errorf("reading the recipe: %w", err)
	}
	recipeName := path.Join(shown, name)
	f.Sources[recipeName] = text
	f.Request.Recipe, f.Findings = Decode(recipeName, text)
	if err := f.lock(folder, path.Join(path.Dir(name), LockFile), shown); err != nil {
		return f, err
	}
	return f, f.scripts(folder, path.Dir(name))
}

func (f *Files) lock(folder fs.FS, name, shown string) error {
	text, err := fs.ReadFile(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the lock: %w", err)
	}
	lockName := path.Join(shown, name)
	f.Sources[lockName] = text
	var found diag.List
	f.Request.Lock, found = DecodeLock(lockName, text)
	f.Findings.Add(found...)
	return nil
}

func (f *Files) scripts(folder fs.FS, beside string) error {
	for _, c := range f.Request.Recipe.Value.Components {
		if c.Script == nil || c.Script.File == "" {
			continue
		}
		name := path.Join(beside, c.Script.File)
		if !fs.ValidPath(name) {
			continue // outside of the recipe's folder: not there, as New says
		}
		text, err := fs.ReadFile(folder, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("reading a script: %w", err)
		}
		f.Request.Files[c.Script.File] = text
	}
	return nil
}

// Plan plans the image of the files for a target, with all findings.
func (f Files) Plan(t Target) (Image, diag.List) {
	r := f.Request
	r.Target = t
	i, found := New(r)
	out := append(append(diag.List{}, f.Findings...), found...)
	out.Sort()
	return i, out
}
