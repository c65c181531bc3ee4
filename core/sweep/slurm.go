package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"macpro/core/names"
)

// Slurm submits job arrays. A batch is one submission: a list of chunks, each
// the cells of one task of the array, which a worker takes one after the other.
// A search that decides while cells run is a single task, with processors for
// some cells at a time.
// The files of the sweep stay the truth; squeue is only asked which tasks are
// still there, and sacct what it thinks.
type Slurm struct {
	Command []string // how macpro is called on the nodes
	Args    []string // further arguments of sbatch, such as --partition=long
	// Pack is the number of cells in a task; 0 packs cells until a task has
	// about PackSteps transitions.
	Pack     int
	Throttle int // tasks that run at the same time, 0 for no limit
	Jobs     int // cells at the same time in the task of a search
	Pick     Pick
	// Report, if not empty, is a command that runs when all tasks have ended,
	// however they did.
	Report []string
	// Wait makes Execute wait, and submit again what was lost on the way.
	Wait  bool
	Every time.Duration // between two looks while waiting
	Log   func(format string, args ...any)
	Warn  func(format string, args ...any) // nil is Log
}

var _ Executor = Slurm{}

// PackSteps is the work, in transitions, that makes a task worth the overhead
// of the scheduler.
const PackSteps = 100_000

// rounds bounds how often Execute submits lost cells again.
const rounds = 5

// taskScript is the file of a batch that its tasks run.
const taskScript = "task.sh"

// Execute submits the cells that have not ended and that no task of an earlier
// submission has.
func (x Slurm) Execute(ctx context.Context, s *Sweep) error {
	for round := 0; ; round++ {
		cells := s.open(x.Pick)
		if len(cells) == 0 {
			return nil
		}
		if round == rounds {
			return fmt.Errorf("%s still unfinished after %s", names.Many(len(cells), "cell"), names.Many(rounds, "submission"))
		}
		if round > 0 {
			x.Log("%s lost or failed: submitted again", names.Many(len(cells), "cell"))
		}
		if err := x.handOver(ctx, s, cells); err != nil || !x.Wait {
			return err
		}
		if err := x.wait(ctx, s); err != nil {
			return err
		}
		failed := 0
		for _, c := range cells {
			if s.State(c).Status == Failed {
				failed++
			}
		}
		if failed > 0 {
			return fmt.Errorf("%s failed", names.Many(failed, "cell"))
		}
	}
}

// handOver submits the cells that are not in the queue already. Two calls for one
// sweep do not do so at the same time.
func (x Slurm) handOver(ctx context.Context, s *Sweep, cells []*Cell) (err error) {
	lock, err := s.lockAll()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	queued, err := x.queued(ctx, s)
	if err != nil {
		return fmt.Errorf("whether cells of an earlier submission are still in the queue is not known, so nothing is submitted: %w", err)
	}
	all := len(cells)
	cells = slices.DeleteFunc(cells, func(c *Cell) bool { return queued[c.ID] })
	if n := all - len(cells); n > 0 {
		x.Log("%s in Slurm's queue already, not submitted again", names.Many(n, "cell"))
	}
	if len(cells) == 0 {
		return nil
	}
	return x.submitAll(ctx, s, cells)
}

// chunks packs cells into tasks; those of a search stay together.
func (x Slurm) chunks(s *Sweep, cells []*Cell) [][]string {
	if s.Search.Adaptive() {
		task := make([]string, len(cells))
		for i, c := range cells {
			task[i] = c.ID
		}
		return [][]string{task}
	}
	var out [][]string
	var steps int64
	for _, c := range cells {
		last := len(out) - 1
		if last < 0 || x.Pack > 0 && len(out[last]) >= x.Pack || x.Pack == 0 && steps >= PackSteps {
			out, steps = append(out, nil), 0
			last++
		}
		out[last] = append(out[last], c.ID)
		steps += c.Steps
	}
	return out
}

// warn is a message that --quiet lets through.
func (x Slurm) warn(format string, args ...any) {
	if x.Warn == nil {
		x.Warn = x.Log
	}
	x.Warn(format, args...)
}

func jobName(s *Sweep) string { return "macpro-" + s.ID }

// Confirm asks squeue for the sweep's tasks, and sacct for those that are gone
// from the queue.
func (x Slurm) Confirm(ctx context.Context, s *Sweep) ([]string, error) {
	jobs, _, err := s.jobs()
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	lines, err := squeue(ctx, "-j", strings.Join(jobs, ","), "-o", "task %i: %T (%r)")
	if err != nil {
		return nil, err
	}
	// Sites without accounting have no sacct to ask.
	if out, err := command(ctx, "sacct", "-X", "-n", "-P", "-j", strings.Join(jobs, ","), "-o", "JobID,State,ExitCode"); err == nil {
		for _, line := range splitLines(out) {
			lines = append(lines, "accounting: "+strings.ReplaceAll(line, "|", " "))
		}
	}
	return lines, nil
}

// Cancel cancels the sweep's jobs.
func (x Slurm) Cancel(ctx context.Context, s *Sweep) error {
	jobs, _, err := s.jobs()
	if err != nil || len(jobs) == 0 {
		return err
	}
	_, err = command(ctx, "scancel", jobs...)
	return err
}
