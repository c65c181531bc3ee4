package store

import (
	"errors"
	"time"
)

// Final holds the closing numbers of a run by name; values as in core.Event.
type Final map[string]any

// Finish writes final.json and closes the run as done.
func (r *Run) Finish(f Final) error {
	return r.end(Done, func() error {
		m := r.journal.mark()
		r.manifest.Journal = &JournalMark{m.Rows, m.Digest}
		return replaceJSON(r.fsys, r.path("final.json"), f)
	})
}

// Fail closes the run as failed and keeps the cause in the manifest. It can be
// resumed.
func (r *Run) Fail(cause error) error {
	return r.end(Failed, func() error {
		r.manifest.LastError = cause.Error()
		return nil
	})
}

// Interrupt closes a run that was asked to stop. It can be resumed.
func (r *Run) Interrupt() error {
	return r.end(Interrupted, func() error { return nil })
}

// end writes what waits, then the new status, and gives the lock back whatever
// went wrong. A run that could not be recorded as done stays resumable.
func (r *Run) end(s Status, record func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.closed = true
	r.refresh(s)
	err := errors.Join(r.journal.sync(), record())
	if err == nil || s != Done {
		r.manifest.Status, r.manifest.Ended = s, r.clock().UTC().Truncate(time.Second)
		err = errors.Join(err, r.saveManifest())
	}
	return errors.Join(err, r.release())
}

// release closes all files and gives the lock back.
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
