// Package files reads files that others may have made or swapped. It reads a whole
// file up to a bound. Where only a regular file will do, it refuses a device or a
// pipe, because these may have no end or never begin.
package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Most is the size in bytes of the largest file that is read as a whole.
const Most = 64 << 20

// Read returns a whole file of at most Most bytes. It may be a pipe, such as
// /dev/stdin.
func Read(name string) ([]byte, error) { return ReadMost(name, Most) }

// ReadMost is Read with another bound.
func ReadMost(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return All(f, name, most)
}

// All reads what is left of r, which has the name name in errors; more than most
// bytes are an error.
func All(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes, the most that is read", name, most)
	}
	return data, err
}

// Open opens a regular file for reading.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a device or a pipe, not a file")}
	}
	return os.Open(name)
}

// Sum is the SHA-256 of a regular file of any size.
func Sum(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}
