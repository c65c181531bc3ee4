package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/record"
)

// Record is the reading side of a run's folder. It takes no lock and writes
// nothing; the run may be going on.
type Record struct {
	Manifest Manifest
	// Status is the manifest's, except that a run that says running but whose
	// lock nobody holds is interrupted, and one whose lock cannot be looked at is
	// unknown.
	Status record.Status
	// Doubt is why the status is unknown.
	Doubt error
	Dir   string

	fsys FS
}

// Load reads the manifest of a run's folder.
func Load(fsys FS, dir string) (*Record, error) {
	m, err := readManifest(fsys, dir)
	if err != nil {
		return nil, err
	}
	rec := &Record{Manifest: m, Status: m.Status, Dir: dir, fsys: fsys}
	if m.Status == record.Running {
		rec.look()
	}
	return rec, nil
}

// look finds out what has become of a run that says running.
func (rec *Record) look() {
	held, err := rec.fsys.Locked(filepath.Join(rec.Dir, "lock"))
	switch {
	case err != nil:
		rec.Status, rec.Doubt = record.Unknown, fmt.Errorf("whether run %s goes on cannot be told: %w", rec.Manifest.ID, err)
	case held:
		return
	default:
		rec.Status = record.Interrupted
	}
	// It may have ended between the two looks.
	if again, err := readManifest(rec.fsys, rec.Dir); err == nil && again.Status != record.Running {
		rec.Manifest, rec.Status, rec.Doubt = again, again.Status, nil
	}
}

// Journal yields the rows as ReadJournal does. A run without a journal has none.
func (rec *Record) Journal() iter.Seq2[record.Row, error] {
	return func(yield func(record.Row, error) bool) {
		f, err := rec.open()
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(record.Row{}, err)
			}
			return
		}
		defer f.Close()
		ReadJournal(f)(yield)
	}
}

// Digest is the JournalDigest of the run.
func (rec *Record) Digest() (string, error) {
	f, err := rec.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	return JournalDigest(f)
}

func (rec *Record) open() (io.ReadCloser, error) {
	return rec.fsys.Open(filepath.Join(rec.Dir, journalName))
}

// Config returns config.yaml.
func (rec *Record) Config() ([]byte, error) {
	return ReadFile(rec.fsys, filepath.Join(rec.Dir, "config.yaml"))
}

// Final returns the closing numbers, nil if the run has none yet.
func (rec *Record) Final() (*record.Result, error) {
	name := filepath.Join(rec.Dir, "final.json")
	data, err := ReadFile(rec.fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var f *record.Result
	if err := names.DecodeJSON(data, &f); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", name, err)
	}
	return f, nil
}

// LatestCheckpoint returns the newest usable checkpoint, nil if there is none,
// with a warning for each damaged one that is newer.
func (rec *Record) LatestCheckpoint() (c *Checkpoint, warnings []string, err error) {
	c, bad, err := latest(rec.fsys, rec.Dir, acceptAll)
	for _, d := range bad {
		warnings = append(warnings, d.String())
	}
	return c, warnings, err
}

// CheckpointAt returns the newest checkpoint at step t; a missing or damaged
// one is an error.
func (rec *Record) CheckpointAt(t int64) (*Checkpoint, error) {
	names, err := checkpointDirs(rec.fsys, rec.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(names) {
		if at, _, _ := place(name); at == t {
			dir := filepath.Join(rec.Dir, "checkpoints", name)
			c, err := load(rec.fsys, dir, acceptAll)
			if err != nil {
				return nil, fmt.Errorf("checkpoint %s: %w", dir, err)
			}
			return c, nil
		}
	}
	return nil, fmt.Errorf("%s has no checkpoint at t_env %d; it has %s", rec.Dir, t, cmp.Or(strings.Join(names, ", "), "none"))
}

func acceptAll(index) error { return nil }
