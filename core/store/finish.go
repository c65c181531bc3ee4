package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"macpro/core/record"
)

// Finish writes final.json and closes the run as done.
func (r *Run) Finish(f record.Result) error {
	return r.end(record.Done, func() error {
		m := r.journal.mark()
		r.manifest.Journal = &JournalMark{m.Rows, m.Digest}
		return replaceJSON(r.fsys, r.path("final.json"), f)
	})
}

// Fail closes the run as failed and keeps the cause in the manifest. It can be
// resumed.
func (r *Run) Fail(cause error) error { return r.stop(record.Failed, cause) }

// Diverge closes the run as diverged and keeps the cause in the manifest. It
// cannot be resumed: the same numbers would come again.
func (r *Run) Diverge(cause error) error { return r.stop(record.Diverged, cause) }

func (r *Run) stop(s record.Status, cause error) error {
	err := r.end(s, func() error {
		r.manifest.LastError = cause.Error()
		return nil
	})
	if err != nil && strings.Contains(cause.Error(), err.Error()) {
		return nil // the end met what the cause tells
	}
	return err
}

// Interrupt closes a run that was asked to stop. It can be resumed.
func (r *Run) Interrupt() error {
	return r.end(record.Interrupted, func() error { return nil })
}

// end writes what waits, then the new status, and gives the lock back whatever
// went wrong. A run that could not be recorded as done is failed, which can be resumed. Nothing
// is written to a folder that may be another process's.
func (r *Run) end(s record.Status, keep func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.closed = true
	err := r.syncJournal()
	if r.lost != nil {
		_ = r.release() // nothing was left to write; the loss counts
		return err
	}
	r.refresh(s)
	if err == nil && s == record.Done {
		err = r.complete()
	}
	if err == nil || s != record.Done {
		err = errors.Join(err, keep())
	}
	if e := r.guard(); r.lost != nil {
		_ = r.release() // as above
		return errors.Join(err, e)
	}
	if err != nil && s == record.Done {
		s, r.manifest.LastError = record.Failed, err.Error()
	}
	r.manifest.Status, r.manifest.Ended = s, r.clock().UTC().Truncate(time.Second)
	err = errors.Join(err, r.saveManifest())
	return r.released(err, r.release())
}

// released joins the errors of an end and of giving back what the run held. All
// is written by then, so that the second alone fails nothing.
func (r *Run) released(err, late error) error {
	if err == nil && late != nil {
		r.warn(fmt.Sprintf("the run's record is complete, but closing its files gave: %v", late))
		return nil
	}
	return errors.Join(err, late)
}

func (r *Run) release() error {
	var errs []error
	if r.journal.file != nil {
		errs = append(errs, r.journal.file.Close())
	}
	if r.views != nil {
		errs = append(errs, r.views.close())
	}
	errs = append(errs, r.log.close())
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
	}
	return errors.Join(errs...)
}
