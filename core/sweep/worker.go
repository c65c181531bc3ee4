package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/store"
)

// Observer hears what happens to cells. Calls come from several goroutines.
type Observer interface {
	Started(c *Cell)
	Progress(c *Cell, t int64)
	Ended(c *Cell, st State)
	Warn(c *Cell, text string)
}

// Worker brings cells to their end, some at the same time.
type Worker struct {
	Sweep   *Sweep
	Command []string // how macpro is called
	Jobs    int      // processes at the same time
	Threads int      // of each process
	// Retries is how often a cell whose process was killed is tried again at
	// once; it then goes on from its last checkpoint.
	Retries int
	Pick    Pick
	Watch   Observer

	runs *Runs
}

// ErrCancelled says that a sweep was cancelled while it was worked on.
var ErrCancelled = errors.New("the sweep was cancelled")

// Run works on the cells until all have ended, failed or were interrupted. The
// error is that of the context; what became of the cells is in their states.
func (w *Worker) Run(ctx context.Context, cells []*Cell) error {
	w.runs = NewRuns(w.Sweep.FS, w.Sweep.Root)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go w.heedCancel(ctx, stop)
	plan := w.schedule(cells)
	type result struct {
		j  job
		st State
	}
	results := make(chan result)
	for running := 0; ; running-- {
		for running < w.Jobs && ctx.Err() == nil {
			j, ok := plan.next()
			if !ok {
				break
			}
			running++
			go func() { results <- result{j, w.cell(ctx, j)} }()
		}
		if running == 0 {
			break
		}
		r := <-results
		plan.ended(r.j, r.st)
	}
	if err := plan.close(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// heedCancel ends the work when the sweep is cancelled.
func (w *Worker) heedCancel(ctx context.Context, stop context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			if w.Sweep.Cancelled() {
				stop(ErrCancelled)
			}
		}
	}
}

// job is a cell that shall get as far as until transitions; 0 is its end.
type job struct {
	cell  *Cell
	until int64
}

// cell works on one cell and returns the state that it left it in.
func (w *Worker) cell(ctx context.Context, j job) State {
	lock, err := w.Sweep.lock(j.cell)
	if _, locked := errors.AsType[*store.LockedError](err); locked { // somebody else does it
		st := w.Sweep.State(j.cell)
		w.Watch.Ended(j.cell, st)
		return st
	}
	if err != nil {
		return State{Status: Failed, Error: err.Error()}
	}
	w.Watch.Started(j.cell)
	st := w.work(ctx, j, w.Sweep.stored(j.cell))
	w.Sweep.score(j, &st)
	if err := errors.Join(w.Sweep.put(j.cell, st), lock.Close()); err != nil {
		st.Status, st.Error = Failed, err.Error()
	}
	w.Watch.Ended(j.cell, st)
	return st
}

func (w *Worker) work(ctx context.Context, j job, st State) State {
	c := j.cell
	if st.Status == Running {
		w.settle(ctx, c)
	}
	w.warnOfRuns(c)
	if text := w.Sweep.changed(c, st); text != "" {
		w.Watch.Warn(c, text)
	}
	for try := 0; ; try++ {
		rec := w.runs.find(c)
		if rec != nil && rec.Status == record.Done {
			st.Reused = st.Attempts == 0
			st.Run, st.Status, st.Error, st.Tail = rec.Manifest.ID, Done, "", nil
			return w.evaluate(ctx, c, st)
		}
		if rec != nil && rec.Status == record.Diverged {
			st.Reused = st.Attempts == 0
			st.Run, st.Status, st.Error, st.Tail = rec.Manifest.ID, Diverged, rec.Manifest.LastError, nil
			return st
		}
		if rec != nil && rec.Status == record.Running {
			st.Status, st.Error = Interrupted, fmt.Sprintf("run %s of this configuration is being trained by process %d on %s",
				rec.Manifest.ID, rec.Manifest.PID, rec.Manifest.Host)
			return st
		}
		st.Status, st.Error, st.Tail = Running, "", nil
		st.Attempts++
		if err := w.Sweep.put(c, st); err != nil {
			st.Status, st.Error = Failed, err.Error()
			return st
		}
		again := false
		if st, again = w.train(ctx, j, st, rec); !again || try >= w.Retries {
			break
		}
	}
	if st.Status == Done {
		return w.evaluate(ctx, c, st)
	}
	return st
}

// warnOfRuns says which runs of a cell's configuration are not used, because
// something in their folders was deleted or because a plugin had another version.
// Finished runs need their networks only for evaluations that are not made yet.
func (w *Worker) warnOfRuns(c *Cell) {
	runs := w.runs.look()
	for _, rec := range runs.made(c, false) {
		w.Watch.Warn(c, fmt.Sprintf("%s is not used: it was made with %s", rec.Dir, strings.Join(c.others(rec.Manifest.Versions.Plugins), "; ")))
	}
	for _, rec := range runs.all(c) {
		part := lacks(rec)
		if part == "" && rec.Status == record.Done && !w.Sweep.allEvaluated(rec.Manifest.ID) && missing(rec, "checkpoints") {
			part = "checkpoints"
			w.runs.reject(rec)
		}
		if part != "" {
			w.Watch.Warn(c, fmt.Sprintf("%s is not used, because its %s was deleted", rec.Dir, part))
		}
	}
}

// settle waits for the process of a cell whose worker was killed: it was asked
// to end, but may still be saving its state.
func (w *Worker) settle(ctx context.Context, c *Cell) {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(pollEvery) {
		if rec := w.runs.find(c); rec == nil || rec.Status != record.Running {
			return
		}
	}
}

// train runs one process for a cell, anew or on from rec. again says that the
// process was killed by somebody and may be tried once more.
func (w *Worker) train(ctx context.Context, j job, st State, rec *store.Record) (_ State, again bool) {
	c := j.cell
	log, err := w.Sweep.FS.Append(w.Sweep.cellPath(c, "log.txt"))
	if err != nil {
		st.Status, st.Error = Failed, err.Error()
		return st, false
	}
	argv := append([]string{}, w.Command...)
	if rec != nil {
		argv = append(argv, "resume", rec.Dir)
	} else {
		argv = append(argv, "run", "--config", w.Sweep.cellPath(c, "config.yaml"))
	}
	argv = append(argv, "--out", w.Sweep.Root, "--threads", fmt.Sprint(w.Threads))
	if j.until > 0 { // the run itself stops at its rung, whether or not anybody looks
		argv = append(argv, "--until", fmt.Sprint(j.until))
	}
	f := &follower{}
	watch := func() {
		if f.dir == "" {
			if rec := w.runs.find(c); rec != nil {
				f.dir, st.Run = rec.Dir, rec.Manifest.ID
				_ = w.Sweep.put(c, st) // whoever looks finds the run; its end is what counts
			}
			return
		}
		f.poll()
		w.Watch.Progress(c, f.TEnv)
	}
	e := run(ctx, Environ(w.Sweep.Environ), argv, log, log, watch)
	if err := log.Close(); err != nil && e.err == nil {
		e.err = err
	}
	if rec = w.runs.find(c); rec != nil {
		st.Run = rec.Manifest.ID
	}
	st = w.judge(ctx, c, st, e, rec)
	if st.Status == Failed && f.dir != "" && gone(f.dir) {
		w.Watch.Warn(c, fmt.Sprintf("the run's folder %s was deleted, at least in part, while it was trained: the cell begins again in a new one", f.dir))
		return st, ctx.Err() == nil
	}
	if rec != nil && st.Status == Interrupted && j.until > 0 {
		if f.dir = rec.Dir; f.reached(j.until) { // it stopped at its rung
			st.Status, st.Error, st.Tail = Pending, "", nil
			return st, false
		}
	}
	return st, e.signal != 0 && ctx.Err() == nil
}

// gone says whether a run's folder is no longer that of a whole run.
func gone(dir string) bool {
	rec, err := store.Load(store.OS(), dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && lacks(rec) != ""
}

// score notes the score of a run at the rung of a job.
func (s *Sweep) score(j job, st *State) {
	if j.until == 0 || st.Run == "" {
		return
	}
	rec, err := store.Find(s.FS, s.Root, st.Run)
	if err != nil {
		return // its score is not known
	}
	f := follower{dir: rec.Dir}
	if f.reached(j.until) {
		if st.Rungs == nil {
			st.Rungs = map[int64]metrics.Number{}
		}
		st.Rungs[j.until] = metrics.Number(f.score(j.until))
	}
}

// judge decides what a process left behind. The run's own record counts more
// than the exit code.
func (w *Worker) judge(ctx context.Context, c *Cell, st State, e exit, rec *store.Record) State {
	switch {
	case rec != nil && rec.Status == record.Done:
		st.Status = Done
		return st
	case rec != nil && rec.Status == record.Diverged:
		st.Status, st.Error = Diverged, rec.Manifest.LastError
		return st
	case rec != nil && rec.Status == record.Interrupted && ctx.Err() != nil:
		st.Status, st.Error = Interrupted, context.Cause(ctx).Error()
		return st
	case rec != nil && rec.Status == record.Interrupted, e.signal != 0:
		st.Status, st.Error = Interrupted, e.String()
	default:
		st.Status, st.Error = Failed, e.String()
	}
	if st.Tail = lastLines(w.Sweep, c); st.Status == Failed && len(st.Tail) > 0 {
		st.Error += ": " + st.Tail[len(st.Tail)-1]
	}
	return st
}

func lastLines(s *Sweep, c *Cell) []string {
	const most = 20
	data, err := store.ReadFile(s.FS, s.cellPath(c, "log.txt"))
	if err != nil {
		return nil
	}
	lines := splitLines(string(data))
	return lines[max(0, len(lines)-most):]
}
