package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
)

// unfinished is the folder that a checkpoint is written in.
const unfinished = "unfinished"

// AddPart writes one file of a checkpoint with what f writes.
type AddPart = func(name string, f func(io.Writer) error) error

// SaveCheckpoint saves the state of training next to the journal's position.
// write calls part once for each file. The checkpoint exists once everything is
// synced and renamed; only then older ones beyond Keep are deleted. If it fails,
// say on a full disk, the older ones are untouched, the error tells what happened
// and the run may go on. A second checkpoint at the same step is kept beside the
// first.
//
// The run may be used while write runs, but rows emitted then come after the
// checkpoint.
func (r *Run) SaveCheckpoint(m Meta, write func(part AddPart) error) error {
	at, err := r.beginSave(m)
	if err != nil {
		return fmt.Errorf("saving the checkpoint at t_env %d: %w", m.TEnv, err)
	}
	c, err := r.save(index{Format: indexFormat, Meta: m, mark: at}, write)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saving = false
	if err != nil {
		return fmt.Errorf("saving the checkpoint at t_env %d: %w", m.TEnv, err)
	}
	r.last = c
	if err := r.prune(); err != nil {
		r.warn(fmt.Sprintf("old checkpoints were not deleted: %v", err))
	}
	return nil
}

// beginSave makes the journal durable and returns its position.
func (r *Run) beginSave(m Meta) (mark, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return mark{}, errClosed
	case r.saving:
		return mark{}, fmt.Errorf("another checkpoint is being saved")
	case m.TEnv < 0:
		return mark{}, fmt.Errorf("t_env must not be negative")
	}
	if err := r.syncJournal(); err != nil {
		return mark{}, err
	}
	r.saving = true
	return r.journal.mark(), nil
}

// save writes the parts and the index into the unfinished folder and gives it
// its name.
func (r *Run) save(x index, write func(part AddPart) error) (*Checkpoint, error) {
	tmp := r.path("checkpoints", unfinished)
	if err := r.fsys.RemoveAll(tmp); err != nil {
		return nil, err
	}
	c, err := r.fill(tmp, x, write)
	if err != nil {
		_ = r.fsys.RemoveAll(tmp) // gives the space back; the first error counts
		return nil, err
	}
	return c, r.fsys.SyncDir(r.path("checkpoints"))
}

func (r *Run) fill(tmp string, x index, write func(part AddPart) error) (*Checkpoint, error) {
	if err := r.fsys.Mkdir(tmp); err != nil {
		return nil, err
	}
	var names []string
	err := write(func(name string, f func(io.Writer) error) error {
		if err := checkPart(name, names); err != nil {
			return err
		}
		p, err := writePart(r.fsys, filepath.Join(tmp, name), f)
		if err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		names, x.Parts = append(names, name), append(x.Parts, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if x.Sum, err = x.sum(); err != nil {
		return nil, err
	}
	data, err := indented(x)
	if err != nil {
		return nil, err
	}
	if err := create(r.fsys, filepath.Join(tmp, indexName), content(data)); err != nil {
		return nil, err
	}
	if err := r.fsys.SyncDir(tmp); err != nil {
		return nil, err
	}
	name, err := r.freePlace(x.TEnv)
	if err != nil {
		return nil, err
	}
	if err := r.locked(); err != nil {
		return nil, err
	}
	dir := r.path("checkpoints", name)
	return &Checkpoint{index: x, fsys: r.fsys, dir: dir}, r.fsys.Rename(tmp, dir)
}

// freePlace returns the name of the next checkpoint at step t.
func (r *Run) freePlace(t int64) (string, error) {
	names, err := checkpointDirs(r.fsys, r.dir)
	next := int64(0)
	for _, name := range names {
		if at, k, _ := place(name); at == t {
			next = k + 1
		}
	}
	if next == 0 {
		return strconv.FormatInt(t, 10), err
	}
	return fmt.Sprintf("%d.%d", t, next), err
}

// prune deletes the oldest checkpoints beyond Keep, their index first: what is
// left of a deletion that was cut is no checkpoint.
func (r *Run) prune() error {
	names, err := checkpointDirs(r.fsys, r.dir)
	if err != nil || r.Keep <= 0 {
		return err
	}
	for _, name := range names[:max(0, len(names)-r.Keep)] {
		dir := r.path("checkpoints", name)
		if err := r.fsys.Remove(filepath.Join(dir, indexName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := r.fsys.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func writePart(fsys FS, name string, f func(io.Writer) error) (Part, error) {
	file, err := fsys.Create(name)
	if err != nil {
		return Part{}, err
	}
	t := newTally()
	w := bufio.NewWriterSize(io.MultiWriter(file, t), 256<<10)
	err = f(w)
	if err == nil {
		err = w.Flush()
	}
	return t.part(filepath.Base(name)), finish(file, err)
}
