package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"macpro/core"
	"macpro/core/continual"
	"macpro/core/record"
	"macpro/core/store"
)

// Watch hears how a run goes on.
type Watch interface {
	// Attached comes first: the run has its folder.
	Attached(run *store.Run)
	// Event gets every row of the journal.
	Event(e core.Event)
	Progress(s continual.Status)
	Warn(msg string)
}

// Session is a run in this process: what trains, and where its record goes.
type Session struct {
	*Experiment
	Runner *continual.Runner
	Run    *store.Run // nil until Create or Resume
	Name   string     // of the run that Create makes, "" for none
	watch  Watch

	shorter *store.Record // that the run extends, nil for none
	rows    int64         // of its journal that are those of this run
}

// Open builds everything that a run needs, without a folder: whatever cannot work
// is found here and is an *InputError. w may be nil. The caller closes the Runner,
// unless it calls Play.
func (x *Experiment) Open(w Watch) (*Session, error) {
	if w == nil {
		w = &logging{}
	}
	s := &Session{Experiment: x, watch: w}
	runner, err := continual.New(continual.Options{
		Env: x.Env, Learner: x.Learner, Method: x.Method, Settings: x.Settings, Tasks: x.trainedTasks,
		Journal: s, Checkpoint: s.checkpoint, Progress: w.Progress, Init: x.init,
	})
	if err != nil {
		return nil, x.Blame(err)
	}
	s.Runner = runner
	return s, nil
}

// Emit passes a row to the record and to the watch.
func (s *Session) Emit(e core.Event) error {
	if s.Run == nil {
		return fmt.Errorf("a row of kind %q before the run has a record", e.Kind)
	}
	s.watch.Event(e)
	return s.Run.Emit(e)
}

// Create makes a new folder below a results root for the run.
func (s *Session) Create(root string) error {
	if err := s.begun(); err != nil {
		return err
	}
	run, err := s.create(root)
	var taken *store.NameError
	switch {
	case errors.As(err, &taken):
		return Input(err)
	case err != nil:
		return err
	}
	s.attach(run)
	return nil
}

// create makes the folder. That of a longer run begins with the rows of the shorter.
func (s *Session) create(root string) (*store.Run, error) {
	if s.shorter != nil {
		return store.CreateFrom(store.OS(), root, s.Manifest(), s.Config.YAML(), s.shorter, s.rows)
	}
	return store.Create(store.OS(), root, s.Manifest(), s.Config.YAML())
}

// Resume opens the folder of a run that Reopen has rebuilt and restores its newest
// checkpoint, which it returns; nil if the run has none yet and begins again.
func (s *Session) Resume(dir string) (*store.Checkpoint, error) {
	run, warnings, err := store.Open(store.OS(), dir)
	if err != nil {
		return nil, err
	}
	s.attach(run)
	for _, w := range warnings {
		s.watch.Warn(w)
	}
	c := run.LatestCheckpoint()
	if o := run.Manifest().Origin; c == nil && o != nil {
		return nil, s.fail(fmt.Errorf("the run was killed before it had saved what it took over from %s: start it again", o.Run))
	}
	if c != nil {
		if err := s.Runner.Load(c.Open); err != nil {
			return nil, s.fail(err)
		}
	}
	if err := s.noteBudgets(); err != nil {
		return nil, s.fail(err)
	}
	return c, nil
}

func (s *Session) attach(run *store.Run) {
	s.Run = run
	run.Keep = s.Runner.Config().CheckpointKeep
	run.Warn = s.watch.Warn
	s.watch.Attached(run)
}

func (s *Session) checkpoint(m continual.CheckpointMeta) error {
	tasks := s.Runner.Tasks()
	meta := store.Meta{TEnv: m.TEnv, Episode: m.Episode, Task: tasks[min(m.Task, len(tasks)-1)]}
	return s.Run.SaveCheckpoint(meta, s.Runner.Save)
}

// Play trains to the end, or until ctx is cancelled or an error, and closes the
// record with what became of the run. A run whose context was cancelled writes a
// checkpoint and can be resumed; its error wraps that of ctx.
func (s *Session) Play(ctx context.Context) (record.Result, error) {
	result, err := s.train(ctx)
	switch {
	case err == nil:
		err = s.Run.Finish(result)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = errors.Join(err, s.Run.Interrupt())
	default:
		return result, s.fail(err)
	}
	return result, errors.Join(err, s.Runner.Close())
}

// train runs the loop. A plugin that panics ends this run only, with a trace in
// its log.
func (s *Session) train(ctx context.Context) (result record.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			_, logErr := fmt.Fprintf(s.Run.Log(), "panic: %v\n%s", v, debug.Stack())
			err = errors.Join(fmt.Errorf("panic: %v (trace in %s)", v, filepath.Join(s.Run.Dir(), "log.txt")), logErr)
		}
	}()
	return s.Runner.Run(ctx)
}

// fail records an error that ended the run.
func (s *Session) fail(err error) error {
	var diverged *continual.DivergedError
	if errors.As(err, &diverged) {
		return errors.Join(err, s.Run.Diverge(err), s.Runner.Close())
	}
	return errors.Join(err, s.Run.Fail(err), s.Runner.Close())
}
