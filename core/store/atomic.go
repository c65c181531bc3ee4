package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"macpro/core/files"
)

// temporaries numbers the temporary files of this process.
var temporaries atomic.Int64

// WriteFile replaces a file in one step: a reader, also one that comes after a
// crash, sees the old content or all of the new. The folder is made if needed.
func WriteFile(fsys FS, name string, data []byte) error { return streamFile(fsys, name, content(data)) }

// content writes what is in memory.
func content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// streamFile is WriteFile for content that need not fit into memory.
func streamFile(fsys FS, name string, write func(io.Writer) error) error {
	if err := fsys.MkdirAll(filepath.Dir(name)); err != nil {
		return err
	}
	return replaceBy(fsys, name, fmt.Sprintf("%s.%d-%d.tmp", name, os.Getpid(), temporaries.Add(1)), write)
}

// replace is WriteFile for a file that only one process writes, in a folder that is
// there.
func replace(fsys FS, name string, data []byte) error {
	return replaceBy(fsys, name, name+".tmp", content(data))
}

// replaceBy writes a file under a temporary name and renames it.
func replaceBy(fsys FS, name, temporary string, write func(io.Writer) error) error {
	err := create(fsys, temporary, write)
	if err == nil {
		err = fsys.Rename(temporary, name)
	}
	if err != nil {
		_ = fsys.Remove(temporary) // it may not exist; the first error counts
		var of *fs.PathError
		if errors.As(err, &of) && of.Path == temporary && err.Error() == of.Error() {
			err = of.Err // the user has never heard of that name
		}
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return fsys.SyncDir(filepath.Dir(name))
}

func create(fsys FS, name string, write func(io.Writer) error) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	return finish(f, buffered(f, write))
}

// finish syncs and closes a file unless an error came before.
func finish(f File, err error) error {
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replaceJSON writes v as indented JSON; NaN and infinities become null.
func replaceJSON(fsys FS, name string, v any) error {
	data, err := indented(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return replace(fsys, name, data)
}

func indented(v any) ([]byte, error) {
	compact, err := AppendJSON(nil, v)
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(json.RawMessage(compact), "", "  ")
	return append(data, '\n'), err
}

// ReadFile returns a whole file of at most 64 MiB (files.Most).
func ReadFile(fsys FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := files.All(f, name, files.Most)
	return data, errors.Join(err, f.Close())
}
