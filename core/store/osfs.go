package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// OS is the operating system's file system.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) Open(name string) (io.ReadCloser, error) { return os.Open(name) }
func (osFS) Create(name string) (File, error)        { return os.Create(name) }
func (osFS) Append(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
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
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// lockPatience bounds the wait for a lock, which readers take for an instant.
const lockPatience = 500 * time.Millisecond

func (osFS) Lock(name, owner string) (io.Closer, error) {
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR))
	for end := time.Now().Add(lockPatience); ; time.Sleep(10 * time.Millisecond) {
		held, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if held {
			break
		}
		if time.Now().After(end) {
			holder, err := os.ReadFile(name)
			if err != nil || len(holder) == 0 {
				holder = []byte("another process")
			}
			return nil, &LockedError{name, strings.TrimSpace(string(holder))}
		}
	}
	if err := os.WriteFile(name, []byte(owner+"\n"), 0o666); err != nil {
		_ = l.Close() // the write error is the one to report
		return nil, err
	}
	return l, nil
}

func (osFS) Locked(name string) (bool, error) {
	if _, err := os.Stat(name); os.IsNotExist(err) {
		return false, nil
	}
	l := flock.New(name, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if err != nil {
		return false, err
	}
	return !free, l.Close()
}

// WriteOutput writes a file that the user has named, by WriteFile. A symbolic
// link stays and what it points to is replaced; a device or a pipe, such as
// /dev/stdout, is written to.
func WriteOutput(name string, data []byte) error {
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
		return writeInto(target, data)
	}
	return WriteFile(OS(), target, data)
}

func writeInto(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
