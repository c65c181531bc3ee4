package store

import (
	"bytes"
	"errors"
	"fmt"
)

// guard makes sure, before anything is written, that the folder is still this
// process's alone and that nobody else has changed the journal. A lock that was
// lost stays lost: from then on the run writes nothing. r.mu is held.
func (r *Run) guard() error {
	if r.lost == nil {
		var gone *GoneError
		err := r.lock.Check()
		if errors.As(err, &gone) {
			err = fmt.Errorf("%w: another process may train in this folder now, so that this one ends", err)
			r.lost = err
		}
		if err != nil {
			return err
		}
	}
	if r.lost != nil {
		return r.lost
	}
	return r.journal.intact()
}

// intact makes sure that the journal is where it was and as long as the rows
// that were written.
func (j *journal) intact() error {
	size, err := j.file.Size()
	switch {
	case err != nil:
		return fmt.Errorf("the journal: %w", err)
	case size < j.size:
		return fmt.Errorf("the journal was cut by somebody else: it has %d bytes, %d were written", size, j.size)
	case size > j.size:
		return fmt.Errorf("somebody else has written to the journal: it has %d bytes, %d were written", size, j.size)
	}
	return nil
}

// locked is guard for a caller that does not hold r.mu.
func (r *Run) locked() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.guard()
}

// syncJournal writes the rows that wait and makes them durable.
func (r *Run) syncJournal() error {
	if err := r.guard(); err != nil {
		return err
	}
	return r.journal.sync()
}

// complete makes sure that a run that is to be called done has its record:
// every row as it was written, and the configuration that it began with.
func (r *Run) complete() error {
	rec := Record{Dir: r.dir, fsys: r.fsys}
	digest, err := rec.Digest()
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	if want := r.journal.mark(); digest != want.Digest {
		return fmt.Errorf("%s was changed by somebody else: its rows are not those that were written", r.path(journalName))
	}
	config, err := rec.Config()
	if err != nil {
		return err
	}
	if !bytes.Equal(config, r.config) {
		return fmt.Errorf("%s was changed by somebody else while the run went on: put it back", r.path("config.yaml"))
	}
	return nil
}
