package sweep

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// longestPause bounds the time between two questions to a squeue that does not
// answer.
const longestPause = 5 * time.Minute

// wait returns when no task of the sweep is queued or running.
func (x Slurm) wait(ctx context.Context, s *Sweep) error {
	for quiet := 0; quiet < 3; { // a job may be between two states for an instant
		if err := pause(ctx, s, x.Every); err != nil {
			return err
		}
		if len(s.open(x.Pick)) == 0 {
			return nil
		}
		jobs, _, err := s.jobs()
		if err != nil {
			return err
		}
		tasks, err := x.patiently(ctx, s, "-j", strings.Join(jobs, ","), "-o", "%i")
		if err != nil {
			return err
		}
		if quiet++; len(tasks) > 0 {
			quiet = 0
		}
	}
	return nil
}

// pause waits for a while, or for the end of the work.
func pause(ctx context.Context, s *Sweep, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
	}
	if s.Cancelled() {
		return ErrCancelled
	}
	return nil
}

// patiently asks squeue. While it does not answer, nothing is known of the tasks:
// a call that waits asks again, after pauses that grow.
func (x Slurm) patiently(ctx context.Context, s *Sweep, args ...string) ([]string, error) {
	warned := false
	for d := x.Every; ; {
		tasks, err := squeue(ctx, args...)
		var missing *missingError
		if err == nil || !x.Wait || errors.As(err, &missing) || ctx.Err() != nil {
			return tasks, err
		}
		if !warned {
			warned = true
			x.warn("the queue cannot be seen at the moment and is asked again: %v", err)
		}
		d = min(2*d, longestPause)
		if err := pause(ctx, s, d); err != nil {
			return nil, err
		}
	}
}

// queued names the cells that a task of an earlier submission still has.
func (x Slurm) queued(ctx context.Context, s *Sweep) (map[string]bool, error) {
	if err := x.adopt(ctx, s); err != nil {
		return nil, err
	}
	jobs, of, err := s.jobs()
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	tasks, err := x.patiently(ctx, s, "-j", strings.Join(jobs, ","), "-o", "%t %i")
	out := map[string]bool{}
	for _, line := range tasks {
		state, id, _ := strings.Cut(line, " ")
		job, task, _ := strings.Cut(strings.TrimSpace(id), "_")
		if state == "CG" { // has ended and is being cleared away
			continue
		}
		chunks := of[job].Chunks
		if i, err := strconv.Atoi(task); err == nil && i >= 0 && i < len(chunks) {
			chunks = chunks[i : i+1]
		}
		for _, chunk := range chunks {
			for _, cell := range chunk {
				out[cell] = true
			}
		}
	}
	return out, err
}

// adopt finds the jobs of submissions that were cut short before their number was
// noted, by their script.
func (x Slurm) adopt(ctx context.Context, s *Sweep) error {
	n, err := s.batches()
	for i := 0; i < n && err == nil; i++ {
		b, bad := s.batch(i)
		if bad != nil || b.Job != "" || b.Refused != "" {
			continue // a batch that cannot be read was never submitted
		}
		var script string
		if script, err = filepath.Abs(s.Path("slurm", strconv.Itoa(i), taskScript)); err != nil {
			return err
		}
		var tasks []string
		if tasks, err = x.patiently(ctx, s, "--name="+jobName(s), "-o", "%F %o"); err != nil {
			return err
		}
		b.Refused = "it was not in the queue when the sweep went on"
		for _, line := range tasks {
			if job, command, _ := strings.Cut(line, " "); strings.TrimSpace(command) == script {
				b.Job, b.Refused = job, ""
			}
		}
		err = s.putBatch(i, b)
	}
	return err
}
