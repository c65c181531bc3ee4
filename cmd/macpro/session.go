package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"macpro/core"
	"macpro/core/continual"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/store"
)

// session is a run in this process: what trains, and where its record goes.
type session struct {
	*experiment
	out     output
	runner  *continual.Runner
	run     *store.Run // nil until attach
	display *display
	stop    *stopper
	release func() // lets a vanished reader end the program again
}

// open builds everything that a run needs, without a folder: whatever cannot
// work is found here and is the caller's mistake.
func (x *experiment) open(out output) (*session, error) {
	s := &session{experiment: x, out: out}
	runner, err := continual.New(continual.Options{
		Env: x.env, Learner: x.learner, Method: x.alg, Settings: x.settings,
		Journal: s, Checkpoint: s.checkpoint,
		Progress: func(st continual.Status) { s.display.progress(st) },
	})
	if err != nil {
		return nil, usage(err)
	}
	s.runner = runner
	return s, nil
}

// Emit passes a row to the record and tells the user about it.
func (s *session) Emit(e core.Event) error {
	if s.run == nil {
		return fmt.Errorf("a row of kind %q before the run has a record", e.Kind)
	}
	s.display.event(e)
	return s.run.Emit(e)
}

// attach connects the session with the folder that folder makes or opens. A signal
// lets it end in order, also one that comes while the folder is being made.
func (s *session) attach(folder func() (*store.Run, error)) error {
	collectOften()
	s.stop = catchSignals()
	s.release = outliveReader()
	run, err := folder()
	if err != nil {
		s.stop.close()
		return err
	}
	c := s.runner.Config()
	s.run = run
	s.display = newDisplay(s.out.stderr, run.Log(), s.out.quiet, c.StepsPerTask*int64(len(s.runner.Tasks())))
	run.Keep = c.CheckpointKeep
	run.Warn = func(msg string) { s.display.log.Warn(msg) }
	s.stop.heed(s.display.log, "finishing the current episode and writing a checkpoint")
	return nil
}

func (s *session) checkpoint(m continual.CheckpointMeta) error {
	tasks := s.runner.Tasks()
	meta := store.Meta{TEnv: m.TEnv, Episode: m.Episode, Task: tasks[min(m.Task, len(tasks)-1)]}
	return s.run.SaveCheckpoint(meta, s.runner.Save)
}

// play trains to the end, or until a signal or an error, and closes the record
// with what became of the run.
func (s *session) play() error {
	result, err := s.train(s.stop.ctx)
	s.stop.close()
	s.display.stop(err == nil)
	err = s.stop.reason(err)
	var stopped *stoppedError
	switch {
	case err == nil:
		s.release()
		err = s.finish(result)
	case errors.As(err, &stopped):
		err = errors.Join(err, s.run.Interrupt())
		s.say("stopped; go on with: macpro resume %s\n", s.run.Dir())
	default:
		return s.fail(err)
	}
	return errors.Join(err, s.runner.Close())
}

// train runs the loop. A plugin that panics ends this run only, with a trace in
// its log.
func (s *session) train(ctx context.Context) (result record.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			_, logErr := fmt.Fprintf(s.run.Log(), "panic: %v\n%s", v, debug.Stack())
			err = errors.Join(fmt.Errorf("panic: %v (trace in %s)", v, filepath.Join(s.run.Dir(), "log.txt")), logErr)
		}
	}()
	return s.runner.Run(ctx)
}

// finish records the result and shows it.
func (s *session) finish(result record.Result) error {
	if err := s.run.Finish(result); err != nil {
		return err
	}
	if s.out.json {
		return printJSON(s.out.stdout, struct {
			ID  string `json:"id"`
			Dir string `json:"dir"`
			record.Result
		}{s.run.ID(), s.run.Dir(), result})
	}
	if err := printResult(s.out.stdout, result); err != nil {
		return err
	}
	s.say("everything is in %s\n", s.run.Dir())
	return nil
}

// fail records an error that ended the run.
func (s *session) fail(err error) error {
	var diverged *continual.DivergedError
	if errors.As(err, &diverged) {
		err = errors.Join(err, s.run.Diverge(err), s.runner.Close())
		s.say("diverged; to resume it would end in the same way: %s\n", record.DivergedAdvice)
		return err
	}
	err = errors.Join(err, s.run.Fail(err), s.runner.Close())
	s.say("failed; once the cause is gone, go on with: macpro resume %s\n", s.run.Dir())
	return err
}

// say writes a line for the user, unless --quiet. A user who cannot be told
// does not end the run.
func (s *session) say(format string, args ...any) {
	if !s.out.quiet {
		_, _ = fmt.Fprint(s.out.stderr, names.PlainLines(fmt.Sprintf(format, args...)))
	}
}
