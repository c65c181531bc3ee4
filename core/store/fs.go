package store

import (
	"fmt"
	"io"
)

// FS is the part of a file system that the store needs. Names are paths in the
// form of package path/filepath. Missing and existing names are reported with
// errors that match fs.ErrNotExist and fs.ErrExist.
type FS interface {
	Open(name string) (io.ReadCloser, error)
	// Create makes or empties a file; Append makes it or writes at its end.
	Create(name string) (File, error)
	Append(name string) (File, error)
	Truncate(name string, size int64) error
	Rename(from, to string) error
	// Remove removes a file. RemoveAll removes a folder with all it holds and
	// is silent about a missing one.
	Remove(name string) error
	RemoveAll(name string) error
	// Mkdir makes exactly one new folder: an existing one is fs.ErrExist.
	Mkdir(name string) error
	MkdirAll(name string) error
	// ReadDir lists a folder by ascending name.
	ReadDir(name string) ([]Entry, error)
	// SyncDir makes the names in a folder durable.
	SyncDir(name string) error
	// Lock takes the lock of a file until the result is closed or the process
	// ends, and notes the owner in it. A lock that another holds is a
	// *LockedError.
	Lock(name, owner string) (Lock, error)
	// Locked reports whether anyone holds the lock. It never creates the file.
	Locked(name string) (bool, error)
}

// File is an open file for writing.
type File interface {
	io.WriteCloser
	// Sync makes the written bytes durable.
	Sync() error
	// Size is the size of the open file. A name that does not lead to this file
	// any more is a *GoneError.
	Size() (int64, error)
}

// Lock is a lock that this process holds.
type Lock interface {
	io.Closer
	// Check makes sure that the name still leads to the locked file. If not,
	// others could lock as well, and the error is a *GoneError.
	Check() error
}

// GoneError says that a name does not lead any more to the file that is open.
type GoneError struct{ Name string }

// Error implements error.
func (e *GoneError) Error() string {
	return e.Name + " was deleted, replaced or moved while it was in use"
}

// Entry is one name in a folder.
type Entry struct {
	Name string
	Dir  bool
}

// LockedError says that a run is in use.
type LockedError struct {
	Name  string // the lock file
	Owner string // as noted by the holder, e.g. "pid 12 on host"
}

// Error implements error.
func (e *LockedError) Error() string {
	return fmt.Sprintf("run is in use by %s (lock %s)", e.Owner, e.Name)
}
