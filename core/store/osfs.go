package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"macpro/core/files"
)

// OS is the operating system's file system.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) Open(name string) (io.ReadCloser, error) { return files.Open(name) }
func (osFS) Create(name string) (File, error) {
	return openFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
}
func (osFS) Append(name string) (File, error) {
	return openFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
}
func (osFS) Truncate(name string, size int64) error { return os.Truncate(name, size) }
func (osFS) Rename(from, to string) error           { return os.Rename(from, to) }
func (osFS) Remove(name string) error               { return os.Remove(name) }
func (osFS) RemoveAll(name string) error            { return os.RemoveAll(name) }
func (osFS) Mkdir(name string) error                { return os.Mkdir(name, 0o777) }
func (osFS) MkdirAll(name string) error             { return os.MkdirAll(name, 0o777) }

func (osFS) ReadDir(name string) ([]Entry, error) {
	list, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, len(list))
	for i, e := range list {
		out[i] = Entry{e.Name(), e.IsDir()}
	}
	return out, nil
}

func (osFS) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

type osFile struct{ *os.File }

func openFile(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (f osFile) Size() (int64, error) {
	open, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return open.Size(), leadsTo(f.Name(), open)
}

// leadsTo makes sure that a name leads to an open file.
func leadsTo(name string, open os.FileInfo) error {
	there, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(open, there):
		return &GoneError{name}
	}
	return err
}

// WriteOutput is StreamOutput for content that is in memory.
func WriteOutput(name string, data []byte) error {
	return StreamOutput(name, content(data))
}

// StreamOutput writes a file that the user has named; its content is what write
// writes. A reader sees the old content or all of the new. A symbolic link stays
// and what it points to is replaced; a device or a pipe, such as /dev/stdout, is
// written to. "-" is standard output.
func StreamOutput(name string, write func(io.Writer) error) error {
	if name == "-" {
		return buffered(os.Stdout, write)
	}
	target := name
	if t, err := filepath.EvalSymlinks(name); err == nil {
		target = t
	}
	info, err := os.Stat(target)
	switch {
	case name == "":
		return errors.New("writing a file: its name is empty")
	case err == nil && info.IsDir():
		return fmt.Errorf("writing %s: it is a folder", name)
	case err == nil && !info.Mode().IsRegular():
		return writeInto(target, write)
	}
	return streamFile(OS(), target, write)
}

func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, write), f.Close())
}

func buffered(to io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriter(to)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
