package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"macpro/core/record"
)

// The ways in which a run goes out from another one.
const (
	OriginExtend = "extend" // it goes on with further tasks
	OriginFrom   = "from"   // it starts with the other's networks
)

// Origin is the run that a run goes out from.
type Origin struct {
	How        string `json:"how"` // OriginExtend or OriginFrom
	Run        string `json:"run"` // id
	TEnv       int64  `json:"t_env"`
	Checkpoint string `json:"checkpoint"` // Checkpoint.Digest
}

// Budget is a longer budget that a run was given when it was resumed.
type Budget struct {
	TEnv  int64   `json:"t_env"` // of the checkpoint from which it counts
	Steps []int64 `json:"steps"` // transitions of every task
}

// CreateFrom is Create for a run whose journal begins with the first rows of another
// run's, wall clock included.
func CreateFrom(fsys FS, root string, m Manifest, configYAML []byte, from *Record, rows int64) (*Run, error) {
	r, err := Create(fsys, root, m, configYAML)
	if err != nil {
		return nil, err
	}
	if err := r.copyRows(from, rows); err != nil {
		_ = r.release() // the first error counts, and
		_ = r.fsys.RemoveAll(r.dir)
		return nil, fmt.Errorf("making the run %s: the journal of %s: %w", m.ID, from.Manifest.ID, err)
	}
	return r, nil
}

// copyRows appends the first rows of another journal, byte for byte.
func (r *Run) copyRows(from *Record, rows int64) error {
	f, err := from.open()
	if err != nil {
		return err
	}
	defer f.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := newLineReader(f)
	for line, err := range lines.first(rows) {
		if err == io.EOF {
			return fmt.Errorf("it has fewer than %d rows", rows)
		}
		if err != nil {
			return err
		}
		row, err := lines.parse(line)
		if err != nil {
			return err
		}
		r.journal.count(withoutWall(line))
		r.journal.pending = append(append(r.journal.pending, line...), '\n')
		r.wallBase = row.Wall
		r.views.add(&row.Event, row.Wall)
		if err := r.drain(); err != nil {
			return err
		}
	}
	return r.syncJournal()
}

// nextConfig is a configuration that takes the place of config.yaml once the manifest
// knows it.
const nextConfig = "config.next.yaml"

// Reconfigure gives a run that is not running another configuration. change notes it
// in the manifest. A process that is killed leaves the run with either, see Settle.
func Reconfigure(fsys FS, dir string, configYAML []byte, change func(*Manifest)) (err error) {
	r := &Run{fsys: fsys, dir: dir, clock: time.Now, journal: newJournal()}
	defer func() {
		err = errors.Join(err, r.release())
	}()
	if err := r.acquire(); err != nil {
		return err
	}
	if r.manifest, err = readManifest(fsys, dir); err != nil {
		return err
	}
	if err := r.manifest.Status.Resumable(); err != nil {
		return err
	}
	if r.manifest.Status == record.Running {
		r.manifest.Status = record.Interrupted // nobody held the lock
	}
	next := r.path(nextConfig)
	if err := replace(fsys, next, configYAML); err != nil {
		return err
	}
	change(&r.manifest)
	if err := r.saveManifest(); err != nil {
		return err
	}
	return errors.Join(fsys.Rename(next, r.path("config.yaml")), fsys.SyncDir(dir))
}

// Settle completes a Reconfigure that was cut. known tells whether a configuration is
// the one of the manifest.
func Settle(fsys FS, dir string, known func(m Manifest, configYAML []byte) bool) error {
	next := filepath.Join(dir, nextConfig)
	data, err := ReadFile(fsys, next)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := readManifest(fsys, dir)
	switch {
	case err != nil:
		return err
	case known(m, data):
		err = fsys.Rename(next, filepath.Join(dir, "config.yaml"))
	default: // the manifest never came to know it
		err = fsys.Remove(next)
	}
	return errors.Join(err, fsys.SyncDir(dir))
}
