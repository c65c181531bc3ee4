package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/store"
	"macpro/registry/experiment"
)

// session shows a run of this process to the user.
type session struct {
	*experiment.Session
	out     output
	display *display
	stop    *stopper
	until   int64  // transitions after which the run stops as by a signal; 0 for its end
	release func() // lets a vanished reader end the program again
}

// open builds everything that a run needs. rec is the run that it takes networks
// over from, nil to look for it in the results if there is one.
func open(u config.User, rec *store.Record, out output) (*session, error) {
	x, err := experiment.Resolve(u)
	if err != nil {
		return nil, err
	}
	s := &session{out: out}
	if err := x.TakeOver(out.dir, rec, s); err != nil {
		return nil, err
	}
	if s.Session, err = x.Open(s); err != nil {
		return nil, err
	}
	return s, s.idle()
}

// idle tells the user which keys have no effect, and refuses those that would choose
// other tasks.
func (s *session) idle() error {
	for _, i := range s.Config.Idle(config.FactsOf(s.Runner.Specs()[0])) {
		if i.Tasks {
			return errors.Join(usage(errors.New(i.String())), s.Runner.Close())
		}
		s.Warn(i.String())
	}
	return nil
}

// attach connects the session with the folder that folder makes or opens. A signal
// lets it end in order, also one that comes while the folder is being made.
func (s *session) attach(folder func() error) error {
	collectOften()
	s.stop = catchSignals()
	s.release = outliveReader()
	err := folder()
	if err != nil {
		s.stop.close()
	}
	return err
}

// Attached implements experiment.Watch.
func (s *session) Attached(run *store.Run) {
	if s.display != nil {
		s.display.stop()
	}
	s.display = newDisplay(s.out.stderr, run.Log(), s.out.quiet, s.Runner.Tasks())
	s.stop.heed(s.display.log, "finishing the current episode and writing a checkpoint", s.quits)
}

// Event implements experiment.Watch.
func (s *session) Event(e core.Event) {
	s.display.event(e)
	if s.until > 0 && e.TEnv >= s.until {
		s.stop.cancel(&stoppedError{exitOK})
	}
}

// addUntil adds the flag by which a search lets a run come to its next rung.
func addUntil(cmd *cobra.Command, until *int64) {
	cmd.Flags().Int64Var(until, "until", 0, "stop as by a signal once the journal has come to this transition")
	_ = cmd.Flags().MarkHidden("until") // it is there
}

// Progress implements experiment.Watch.
func (s *session) Progress(st continual.Status) { s.display.progress(st) }

// Warn implements experiment.Watch.
func (s *session) Warn(msg string) {
	if s.display == nil {
		s.display = newDisplay(s.out.stderr, io.Discard, s.out.quiet, nil)
	}
	s.display.log.Warn(msg)
}

// play trains to the end, or until a signal or an error, and shows what became of
// the run.
func (s *session) play() error {
	result, err := s.Play(s.stop.ctx)
	s.stop.close()
	s.display.stop()
	if err != nil {
		return s.ended(s.stop.reason(err))
	}
	s.release()
	if s.out.json {
		return printJSON(s.out.stdout, struct {
			ID  string `json:"id"`
			Dir string `json:"dir"`
			record.Result
		}{s.Run.ID(), s.Run.Dir(), result})
	}
	if err := printResult(s.out.stdout, result); err != nil {
		return err
	}
	s.say("everything is in %s\n", s.Run.Dir())
	return nil
}

// ended tells the user what can be done about an error that ended the run.
func (s *session) ended(err error) error {
	var stopped *stoppedError
	var diverged *continual.DivergedError
	switch {
	case errors.As(err, &stopped):
		s.hint("stopped"+s.saved()+"; go on with", s.again())
	case errors.As(err, &diverged):
		s.say("diverged; to resume it would end in the same way: %s\n", record.DivergedAdvice)
	default:
		s.hint("failed; once the cause is gone, go on with", s.again())
	}
	return err
}

// again is the command that goes on with the run.
func (s *session) again() string { return "macpro resume " + names.ShellWord(s.Run.Dir()) }

// saved says on a terminal where the run was when it was saved.
func (s *session) saved() string {
	if c := s.Run.LatestCheckpoint(); c != nil && terminal(s.out.stderr) {
		return fmt.Sprintf(", saved at step %d of %d", c.TEnv, s.Runner.Total())
	}
	return ""
}

// quits is the last word of a run that ends at once.
func (s *session) quits() {
	s.display.stop()
	s.hint("quit at once; go on from the last checkpoint with", s.again())
}

func (s *session) hint(text, command string) { s.say("%s", hint(s.out.stderr, text, command)) }

// say writes a line for the user, unless --quiet. A user who cannot be told
// does not end the run.
func (s *session) say(format string, args ...any) {
	if !s.out.quiet {
		_ = fit(s.out.stderr, names.PlainLines(fmt.Sprintf(format, args...)))
	}
}
