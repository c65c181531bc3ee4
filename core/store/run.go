package store

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"macpro/core"
	"macpro/core/record"
)

// Rows are written when flushBytes of them wait or flushEvery has passed, and
// synced every syncEvery. The views in tb/ and sacred/ are renewed every
// viewEvery.
const (
	flushBytes = 64 << 10
	flushEvery = 2 * time.Second
	syncEvery  = 5 * time.Second
	viewEvery  = 30 * time.Second
)

// errClosed is the answer of a run that has ended.
var errClosed = errors.New("the run's record is closed")

// Run is the writing side of a run's folder. The process that holds it holds
// the run's lock. All methods may be called from several goroutines.
type Run struct {
	// Keep is how many of the newest checkpoints stay; 0 keeps all.
	Keep int
	// Warn takes warnings that need no action; nil writes them to the log. It
	// must not call the run.
	Warn func(string)

	fsys FS
	dir  string
	lock Lock
	lost error // why the lock is not ours any more

	mu        sync.Mutex
	closed    bool
	manifest  Manifest
	config    []byte // config.yaml as it was at the start
	journal   *journal
	views     *views
	log       runLog
	last      *Checkpoint
	saving    bool
	clock     func() time.Time
	started   time.Time // of this session
	wallBase  float64   // training seconds before this session
	flushed   time.Time
	synced    time.Time
	refreshed time.Time
}

var _ core.Journal = (*Run)(nil)

// Create makes the folder <root>/runs/<id> of a new run, takes its lock and
// writes manifest and configuration. Runs that are created at the same moment
// get folders of their own. A name that another run of the results has is a
// *NameError.
func Create(fsys FS, root string, m Manifest, configYAML []byte) (*Run, error) {
	return createAt(fsys, root, m, configYAML, time.Now)
}

func createAt(fsys FS, root string, m Manifest, configYAML []byte, clock func() time.Time) (*Run, error) {
	if m.Created.IsZero() {
		m.Created = clock().UTC().Truncate(time.Second)
	}
	if err := freeName(fsys, root, m.Name); err != nil {
		return nil, err
	}
	id, err := claim(fsys, root, &m)
	if err != nil {
		return nil, fmt.Errorf("making a run's folder: %w", err)
	}
	m.ID = id
	r := &Run{fsys: fsys, dir: filepath.Join(runsDir(root), id), manifest: m, clock: clock, journal: newJournal()}
	if err := r.begin(configYAML); err != nil {
		_ = r.release() // the first error counts, and
		_ = r.fsys.RemoveAll(r.dir)
		return nil, fmt.Errorf("making the run %s: %w", id, err)
	}
	return r, nil
}

// begin fills the folder of a new run. The manifest comes last: a folder
// without one is not a run.
func (r *Run) begin(configYAML []byte) error {
	if err := r.acquire(); err != nil {
		return err
	}
	config := r.path("config.yaml")
	if err := replace(r.fsys, config, configYAML); err != nil {
		return err
	}
	if err := r.fsys.MkdirAll(r.path("checkpoints")); err != nil {
		return err
	}
	if err := r.start(configYAML); err != nil {
		return err
	}
	return r.announce()
}

func (r *Run) acquire() error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	r.manifest.PID, r.manifest.Host = os.Getpid(), host
	r.lock, err = r.fsys.Lock(r.path("lock"), fmt.Sprintf("pid %d on %s", os.Getpid(), host))
	return err
}

// start opens the files that grow.
func (r *Run) start(configYAML []byte) (err error) {
	r.started = r.clock()
	r.flushed, r.synced, r.refreshed = r.started, r.started, r.started
	r.config = configYAML
	if r.journal.file, err = r.fsys.Append(r.path(journalName)); err != nil {
		return err
	}
	if r.views, err = newViews(r.fsys, r.dir, &r.manifest, configYAML); err != nil {
		return err
	}
	return r.log.open(r.fsys, r.dir)
}

// announce writes the manifest of a running run and makes its folder durable.
func (r *Run) announce() error {
	r.manifest.Status, r.manifest.Ended = record.Running, time.Time{}
	return r.saveManifest()
}

func (r *Run) saveManifest() error {
	return replaceJSON(r.fsys, r.path("manifest.json"), &r.manifest)
}

func (r *Run) path(elem ...string) string {
	return filepath.Join(append([]string{r.dir}, elem...)...)
}

// Dir is the run's folder, ID its name.
func (r *Run) Dir() string { return r.dir }

// ID is the run's name, unique also across machines.
func (r *Run) ID() string { return r.manifest.ID }

// Manifest returns a copy of the manifest.
func (r *Run) Manifest() Manifest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.manifest
}

// wall is the training time so far in seconds, to the millisecond.
func (r *Run) wall() float64 {
	return math.Round((r.wallBase+r.clock().Sub(r.started).Seconds())*1000) / 1000
}

// Emit appends a row to the journal. The row is part of the record as soon as
// Emit is called, also when it returns an error from writing, so it must not be
// emitted again; a row that has no JSON form is refused whole.
func (r *Run) Emit(e core.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	j, wall, start := r.journal, r.wall(), len(r.journal.pending)
	row, keys, err := appendRow(j.pending, &e, j.keys)
	j.keys = keys
	if err != nil {
		j.pending = row[:start]
		return err
	}
	j.count(row[start:])
	j.pending = appendWall(row, wall)
	r.views.add(&e, wall)
	return r.drain()
}

// drain writes what waits if enough bytes or time have come together.
func (r *Run) drain() error {
	now := r.clock()
	if now.Sub(r.refreshed) >= viewEvery {
		r.refreshed = now
		if err := r.guard(); err != nil {
			return err
		}
		r.refresh(record.Running)
	}
	if now.Sub(r.synced) >= syncEvery {
		r.synced, r.flushed = now, now
		return r.syncJournal()
	}
	if len(r.journal.pending) >= flushBytes || now.Sub(r.flushed) >= flushEvery {
		r.flushed = now
		if err := r.guard(); err != nil {
			return err
		}
		if err := r.journal.flush(); err != nil {
			return fmt.Errorf("writing the journal: %w", err)
		}
	}
	return nil
}

// refresh renews the views. They can be made anew from the journal at any time,
// so that their trouble is no more than a warning.
func (r *Run) refresh(s record.Status) {
	if err := r.views.write(s, r.wall()); err != nil {
		r.warn(fmt.Sprintf("a view of the journal was not written: %v", err))
	}
}

func (r *Run) warn(text string) {
	if r.Warn != nil {
		r.Warn(text)
		return
	}
	_, _ = fmt.Fprintln(&r.log, "warning:", text) // there is no other place to tell it
}
