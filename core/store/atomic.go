package store

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"macpro/core/files"
)

// temporaries numbers the temporary files of this process.
var temporaries atomic.Int64

// WriteFile replaces a file in one step: a reader, also one that comes after a
// crash, sees the old content or all of the new. The folder is made if needed.
func WriteFile(fsys FS, name string, data []byte) error {
	return writeFile(fsys, name, func(temporary string) error { return create(fsys, temporary, data) })
}

// streamFile is WriteFile for content that need not fit into memory.
func streamFile(fsys FS, name string, write func(io.Writer) error) error {
	return writeFile(fsys, name, func(temporary string) error {
		f, err := fsys.Create(temporary)
		if err != nil {
			return err
		}
		return finish(f, buffered(f, write))
	})
}

func writeFile(fsys FS, name string, create func(temporary string) error) error {
	if err := fsys.MkdirAll(filepath.Dir(name)); err != nil {
		return err
	}
	return replaceBy(fsys, name, fmt.Sprintf("%s.%d-%d.tmp", name, os.Getpid(), temporaries.Add(1)), create)
}

// replace writes data under a temporary name and renames it.
func replace(fsys FS, name, temporary string, data []byte) error {
	return replaceBy(fsys, name, temporary, func(temporary string) error { return create(fsys, temporary, data) })
}

func replaceBy(fsys FS, name, temporary string, create func(temporary string) error) error {
	err := create(temporary)
	if err == nil {
		err = fsys.Rename(temporary, name)
	}
	if err != nil {
		_ = fsys.Remove(temporary) // it may not exist; the first error counts
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// create writes and syncs a new file.
func create(fsys FS, name string, data []byte) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return finish(f, err)
}

// finish syncs and closes a file unless an error came before.
func finish(f File, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// replaceJSON writes v as indented JSON; NaN and infinities become null.
func replaceJSON(fsys FS, name string, v any) error {
	data, err := indented(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return replace(fsys, name, name+".tmp", data)
}

func indented(v any) ([]byte, error) {
	compact, err := appendJSON(nil, v)
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(json.RawMessage(compact), "", "  ")
	return append(data, '\n'), err
}

// readFile returns a whole file of at most files.Most bytes.
func readFile(fsys FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := files.All(f, name, files.Most)
	if e := f.Close(); err == nil {
		err = e
	}
	return data, err
}
