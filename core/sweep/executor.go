package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"macpro/core/store"
)

// Executor brings the cells of a sweep to their end, or hands them over to
// something that does.
type Executor interface {
	// Execute returns when nothing is left that it could do by itself. What
	// became of the cells is in their states.
	Execute(ctx context.Context, s *Sweep) error
	// Confirm says in one line a job what is known of the sweep outside of its
	// own files.
	Confirm(ctx context.Context, s *Sweep) ([]string, error)
	// Cancel stops what is under way after Sweep.Cancel has marked the sweep.
	Cancel(ctx context.Context, s *Sweep) error
}

// Local works in processes of this machine.
type Local struct {
	Command []string
	Jobs    int
	Pick    Pick
	Watch   Observer
}

var _ Executor = Local{}

// Execute works on all cells that have not ended. A second call for the same
// sweep is refused while the first goes on.
func (l Local) Execute(ctx context.Context, s *Sweep) error {
	lock, err := s.lockAll()
	if err != nil {
		return err
	}
	w := Worker{Sweep: s, Command: l.Command, Jobs: l.Jobs, Threads: 1, Retries: 1, Pick: l.Pick, Watch: l.Watch}
	return errors.Join(w.Run(ctx, s.Cells), lock.Close())
}

// lockAll takes the sweep as a whole for this process.
func (s *Sweep) lockAll() (io.Closer, error) {
	lock, err := s.FS.Lock(s.Path("lock"), fmt.Sprintf("pid %d on %s", os.Getpid(), host()))
	if locked, ok := errors.AsType[*store.LockedError](err); ok {
		return nil, fmt.Errorf("sweep %s is being worked on by %s", s.ID, locked.Owner)
	}
	return lock, err
}

// Confirm has nothing to add to the files of the sweep.
func (Local) Confirm(context.Context, *Sweep) ([]string, error) { return nil, nil }

// Cancel has nothing to do: workers see the mark within a second.
func (Local) Cancel(context.Context, *Sweep) error { return nil }

func (s *Sweep) open(p Pick) []*Cell {
	var out []*Cell
	for _, c := range s.Cells {
		if p.takes(s.State(c).Status) {
			out = append(out, c)
		}
	}
	return out
}
