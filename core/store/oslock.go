package store

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// These bound the wait for a lock. Who trains keeps it. Who reads takes it for an instant,
// which is long if the machine is busy or the reader is stopped.
const (
	lockPatience   = 500 * time.Millisecond
	readerPatience = time.Minute
)

// osLock is a lock on the file that its name leads to, which Check looks after.
type osLock struct{ *flock.Flock }

// newLock opens a file for locking, with the rights that the umask gives: what
// one member of a group has left, another can go on with.
func newLock(name string, flag int) osLock {
	return osLock{flock.New(name, flock.SetFlag(flag), flock.SetPermissions(0o666))}
}

func (l osLock) Check() error {
	open, err := l.Stat()
	if err != nil {
		return err
	}
	return leadsTo(l.Path(), open)
}

func (osFS) Lock(name, owner string) (Lock, error) {
	l := newLock(name, os.O_CREATE|os.O_RDWR)
	for from := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		held, err := l.TryLock()
		if err != nil {
			return nil, lockError(name, err)
		}
		if held && l.Check() == nil {
			break
		}
		patience, owner := lockPatience, ownerOf(name)
		if !held {
			if read, _ := l.TryRLock(); read { // nobody is there, or only readers
				patience, owner = readerPatience, "a process that reads it"
			}
		}
		_ = l.Close() // of a file that was replaced in between; the new one is tried
		if time.Since(from) > patience {
			return nil, &LockedError{name, owner}
		}
	}
	if err := os.WriteFile(name, []byte(owner+"\n"), 0o666); err != nil {
		_ = l.Close() // the write error is the one to report
		return nil, err
	}
	return l, nil
}

func ownerOf(name string) string {
	owner, err := ReadFile(OS(), name)
	if err != nil || len(owner) == 0 {
		return "another process"
	}
	return strings.TrimSpace(string(owner))
}

// lockError names the file of an error that comes without.
func lockError(name string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return &fs.PathError{Op: "lock", Path: name, Err: err}
}

func (osFS) Locked(name string) (bool, error) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	l := newLock(name, os.O_RDONLY)
	free, err := l.TryRLock()
	if err != nil {
		return false, lockError(name, err)
	}
	_ = l.Close() // the answer is known
	return !free, nil
}
