package store

import (
	"errors"
	"io"
	"path/filepath"
	"sync"
)

// runLog writes the printed text of a run to log.txt and to Sacred's cout.txt.
type runLog struct {
	mu    sync.Mutex
	files []File
}

func (l *runLog) open(fsys FS, dir string) error {
	for _, name := range []string{"log.txt", filepath.Join(sacredDir, "cout.txt")} {
		f, err := fsys.Append(filepath.Join(dir, name))
		if err != nil {
			return errors.Join(err, l.close())
		}
		l.files = append(l.files, f)
	}
	return nil
}

// Write appends to both files at once, without a buffer.
func (l *runLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.files) == 0 {
		return 0, errClosed
	}
	var errs []error
	for _, f := range l.files {
		_, err := f.Write(p)
		errs = append(errs, err)
	}
	return len(p), errors.Join(errs...)
}

func (l *runLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, f := range l.files {
		errs = append(errs, f.Close())
	}
	l.files = nil
	return errors.Join(errs...)
}

// Log is where the run's printed output goes; it stays when a run is resumed.
func (r *Run) Log() io.Writer { return &r.log }
