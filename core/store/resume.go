package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"macpro/core/record"
)

// Open takes a run's folder for resuming: it takes the lock, finds the newest
// usable checkpoint, sets damaged newer ones aside, cuts the journal to the
// checkpoint's position and makes the views anew from it. Without any
// checkpoint the run starts from the beginning. warnings say what was passed
// over. A run that is done or in use is an error.
func Open(fsys FS, dir string) (r *Run, warnings []string, err error) {
	return openAt(fsys, dir, time.Now)
}

func openAt(fsys FS, dir string, clock func() time.Time) (*Run, []string, error) {
	if _, err := readManifest(fsys, dir); err != nil {
		return nil, nil, fmt.Errorf("resuming: %w", err)
	}
	r := &Run{fsys: fsys, dir: dir, clock: clock, journal: newJournal()}
	warnings, err := r.reopen()
	if err != nil {
		_ = r.release() // the first error counts
		return nil, warnings, fmt.Errorf("resuming %s: %w", dir, err)
	}
	return r, warnings, nil
}

func (r *Run) reopen() ([]string, error) {
	if err := r.acquire(); err != nil {
		return nil, err
	}
	pid, host := r.manifest.PID, r.manifest.Host
	m, err := readManifest(r.fsys, r.dir) // again, now that nobody else writes it
	if err != nil {
		return nil, err
	}
	if err := m.Status.Resumable(); err != nil {
		return nil, err
	}
	m.PID, m.Host = pid, host
	m.Resumed++
	r.manifest = m
	config, err := ReadFile(r.fsys, r.path("config.yaml"))
	if err != nil {
		return nil, err
	}
	warnings, err := r.rewind()
	if err != nil {
		return warnings, err
	}
	if err := r.start(config); err != nil {
		return warnings, err
	}
	more, err := r.adopt()
	if err != nil {
		return append(warnings, more...), err
	}
	return append(warnings, more...), r.announce()
}

// rewind chooses the checkpoint. Damaged newer ones are moved away before
// anything is written, so that a crash at any later point leads to the same
// choice.
func (r *Run) rewind() (warnings []string, err error) {
	rows, err := countRows(r.fsys, r.path(journalName))
	if err != nil {
		return nil, err
	}
	if err := r.keepsCheckpoints(rows); err != nil {
		return nil, err
	}
	c, bad, err := latest(r.fsys, r.dir, func(x index) error {
		if x.Rows > rows {
			return fmt.Errorf("it was saved after %d journal rows, the journal has %d", x.Rows, rows)
		}
		return r.follows(x.mark)
	})
	for _, d := range bad {
		warnings = append(warnings, d.String())
	}
	if err != nil {
		return warnings, err
	}
	r.last = c
	for _, d := range bad {
		aside := r.path("checkpoints", "damaged-"+d.name)
		if err := r.fsys.RemoveAll(aside); err != nil {
			return warnings, err
		}
		if err := r.fsys.Rename(r.path("checkpoints", d.name), aside); err != nil {
			return warnings, err
		}
	}
	if len(bad) > 0 {
		err = r.fsys.SyncDir(r.path("checkpoints"))
	}
	return warnings, errors.Join(err, r.sweepUp())
}

// sweepUp ends deletions that were cut: what is left of them is older than the
// newest checkpoint and has no index.
func (r *Run) sweepUp() error {
	names, err := checkpointDirs(r.fsys, r.dir)
	if err != nil || r.last == nil {
		return err
	}
	for _, name := range names {
		dir := r.path("checkpoints", name)
		f, err := r.fsys.Open(filepath.Join(dir, indexName))
		if err == nil {
			_ = f.Close() // it was not read
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			if err := r.fsys.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// follows makes sure that the journal begins with the rows from before a
// checkpoint.
func (r *Run) follows(want mark) error {
	f, err := r.fsys.Open(r.path(journalName))
	if errors.Is(err, fs.ErrNotExist) && want.Rows == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	p := newPosition()
	for line, err := range newLineReader(f).first(want.Rows) {
		if err != nil {
			return err
		}
		p.count(withoutWall(line))
	}
	if p.mark() != want {
		return fmt.Errorf("the first %d rows of the journal are not those from before it", want.Rows)
	}
	return nil
}

// keepsCheckpoints makes sure that there is a folder of checkpoints. A run that
// has rows has one: without it the rows would be cut off and the run begin again.
func (r *Run) keepsCheckpoints(rows int64) error {
	dir := r.path("checkpoints")
	_, err := r.fsys.ReadDir(dir)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case rows > 0:
		return fmt.Errorf("%s is missing, though the journal has %d rows: put it back; with an empty one the run starts again", dir, rows)
	}
	return r.fsys.MkdirAll(dir)
}

// adopt reads the rows up to the checkpoint into position, clock and views, and
// cuts off the others.
func (r *Run) adopt() (warnings []string, err error) {
	var want mark
	if r.last != nil {
		want = r.last.mark
	}
	f, err := r.fsys.Open(r.path(journalName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := newLineReader(f)
	for line, err := range lines.first(want.Rows) {
		if err != nil {
			return warnings, fmt.Errorf("reading the journal: %w", err)
		}
		r.journal.count(withoutWall(line))
		row, bad := lines.parse(line)
		if bad != nil {
			warnings = append(warnings, bad.Error())
			continue
		}
		r.wallBase = row.Wall
		r.views.add(&row.Event, row.Wall)
	}
	if err := r.fsys.Truncate(r.path(journalName), lines.bytes); err != nil {
		return warnings, err
	}
	r.journal.size = lines.bytes
	r.refresh(record.Running)
	return warnings, r.syncJournal()
}

// countRows counts the complete lines of a journal; a missing one has none.
func countRows(fsys FS, name string) (int64, error) {
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := newLineReader(f)
	for _, err := range lines.all() {
		if err != nil {
			return 0, err
		}
	}
	return int64(lines.count), nil
}

// LatestCheckpoint is the newest checkpoint of the run, from which a resumed run
// goes on; nil if there is none.
func (r *Run) LatestCheckpoint() *Checkpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}
