package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
)

// Checkpoint is a complete, verified checkpoint.
type Checkpoint struct {
	index
	fsys FS
	dir  string
}

// Dir is the checkpoint's folder.
func (c *Checkpoint) Dir() string { return c.dir }

// Names lists the parts in the order in which they were saved.
func (c *Checkpoint) Names() []string {
	names := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		names[i] = p.Name
	}
	return names
}

// Digest is a SHA-256 (hex) over the names and contents of all parts: equal
// states have equal digests.
func (c *Checkpoint) Digest() string {
	h := sha256.New()
	for _, p := range c.Parts {
		_, _ = fmt.Fprintf(h, "%s %d %s\n", p.Name, p.Size, p.SHA256) // a hash accepts all
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Open opens a part. The reader has a method Len() int with the number of bytes
// that are left.
func (c *Checkpoint) Open(name string) (io.ReadCloser, error) {
	i := slices.Index(c.Names(), name)
	if i < 0 {
		return nil, fmt.Errorf("checkpoint %s has no part %q, only %q", c.dir, name, c.Names())
	}
	f, err := c.fsys.Open(filepath.Join(c.dir, name))
	if err != nil {
		return nil, err
	}
	return &sized{bufio.NewReaderSize(f, 256<<10), f, c.Parts[i].Size}, nil
}

// Read opens a part, as Open, for the duration of f.
func (c *Checkpoint) Read(name string, f func(io.Reader) error) error {
	part, err := c.Open(name)
	if err != nil {
		return err
	}
	if err := errors.Join(f(part), part.Close()); err != nil {
		return fmt.Errorf("checkpoint %s: part %s: %w", c.dir, name, err)
	}
	return nil
}

// sized is a buffered reader that knows how much is left.
type sized struct {
	r io.Reader
	io.Closer
	left int64
}

func (s *sized) Len() int { return int(s.left) }

func (s *sized) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.left -= int64(n)
	return n, err
}

// damage is a checkpoint that cannot be used, by its folder's name.
type damage struct {
	name string
	err  error
}

func (d damage) String() string {
	return fmt.Sprintf("checkpoint %s is damaged and was passed over: %v", d.name, d.err)
}

// latest finds the newest checkpoint whose parts are as they were saved and
// that accept agrees with, and reports the newer ones. It is nil if none was
// ever completed; if there are some and none can be used, that is an error.
func latest(fsys FS, dir string, accept func(index) error) (*Checkpoint, []damage, error) {
	names, err := checkpointDirs(fsys, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var bad []damage
	for _, name := range slices.Backward(names) {
		c, err := load(fsys, filepath.Join(dir, "checkpoints", name), accept)
		if err == nil {
			return c, bad, nil
		}
		bad = append(bad, damage{name, err})
	}
	if len(bad) > 0 {
		return nil, bad, fmt.Errorf("none of the %d checkpoints in %s can be used; the newest: %w",
			len(bad), filepath.Join(dir, "checkpoints"), bad[0].err)
	}
	return nil, nil, nil
}

func load(fsys FS, dir string, accept func(index) error) (*Checkpoint, error) {
	data, err := ReadFile(fsys, filepath.Join(dir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing", indexName)
	}
	if err != nil {
		return nil, err
	}
	x, err := parseIndex(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", indexName, err)
	}
	if err := verify(fsys, dir, x); err != nil {
		return nil, err
	}
	if err := accept(x); err != nil {
		return nil, err
	}
	return &Checkpoint{x, fsys, dir}, nil
}
