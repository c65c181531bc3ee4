package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"macpro/core/names"
)

// Meta says where training stood when a checkpoint was saved.
type Meta struct {
	TEnv    int64  `json:"t_env"`
	Episode int64  `json:"episode"`
	Task    string `json:"task"`
}

// Part is one file of a checkpoint.
type Part struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// index is index.json: the mark that a checkpoint is complete. It holds nothing
// that depends on the clock, so that equal runs have equal checkpoints.
type index struct {
	Format int `json:"format"`
	Meta
	mark
	Parts []Part `json:"parts"`
	Sum   string `json:"sum"` // over the other fields
}

const indexName, indexFormat = "index.json", 2

func (x index) sum() (string, error) {
	x.Sum = ""
	data, err := json.Marshal(x)
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:]), nil
}

func parseIndex(data []byte) (index, error) {
	var x index
	if err := names.DecodeJSON(data, &x); err != nil {
		return x, err
	}
	if x.Format != indexFormat {
		return x, fmt.Errorf("format %d, this version reads %d", x.Format, indexFormat)
	}
	if sum, err := x.sum(); err != nil || sum != x.Sum {
		return x, fmt.Errorf("its checksum does not match its contents")
	}
	var names []string
	for _, p := range x.Parts {
		if err := checkPart(p.Name, names); err != nil {
			return x, err
		}
		names = append(names, p.Name)
	}
	return x, nil
}

// checkPart accepts the name of a further part.
func checkPart(name string, before []string) error {
	switch {
	case name == "" || name == indexName || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\:`):
		return fmt.Errorf("%q cannot be the name of a part", name)
	case slices.Contains(before, name):
		return fmt.Errorf("the part %q comes twice", name)
	}
	return nil
}

// tally counts and hashes what passes through it.
type tally struct {
	size int64
	hash hash.Hash
}

func newTally() *tally { return &tally{hash: sha256.New()} }

func (t *tally) Write(p []byte) (int, error) {
	t.size += int64(len(p))
	return t.hash.Write(p)
}

func (t *tally) part(name string) Part {
	return Part{name, t.size, hex.EncodeToString(t.hash.Sum(nil))}
}

// checkpointDirs lists the names of saved checkpoints from old to new: t_env,
// or t_env.k for the k-th further one at the same step. Other names, such as
// those of unfinished saves, are left out.
func checkpointDirs(fsys FS, dir string) ([]string, error) {
	entries, err := fsys.ReadDir(filepath.Join(dir, "checkpoints"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, _, ok := place(e.Name); ok && e.Dir {
			names = append(names, e.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		ta, ka, _ := place(a)
		tb, kb, _ := place(b)
		return cmp.Or(cmp.Compare(ta, tb), cmp.Compare(ka, kb))
	})
	return names, nil
}

// place reads the name of a checkpoint's folder.
func place(name string) (t, k int64, ok bool) {
	first, rest, more := strings.Cut(name, ".")
	t, err := strconv.ParseInt(first, 10, 64)
	if err != nil || t < 0 || first != strconv.FormatInt(t, 10) {
		return 0, 0, false
	}
	if more {
		k, err = strconv.ParseInt(rest, 10, 64)
		if err != nil || k < 1 || rest != strconv.FormatInt(k, 10) {
			return 0, 0, false
		}
	}
	return t, k, true
}

// verify reads all parts of a checkpoint and compares sizes and hashes.
func verify(fsys FS, dir string, x index) error {
	for _, p := range x.Parts {
		f, err := fsys.Open(filepath.Join(dir, p.Name))
		if err != nil {
			return err
		}
		t := newTally()
		_, err = io.Copy(t, io.LimitReader(f, p.Size+1))
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("part %s: %w", p.Name, err)
		}
		if got := t.part(p.Name); got.Size != p.Size {
			return fmt.Errorf("part %s has %d bytes, %d were saved", p.Name, got.Size, p.Size)
		} else if got != p {
			return fmt.Errorf("part %s differs from what was saved", p.Name)
		}
	}
	return nil
}
