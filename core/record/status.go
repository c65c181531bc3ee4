package record

import (
	"errors"
	"slices"
)

// Status is the state of a run.
type Status string

// A run whose process died without a word is interrupted, although its manifest
// still says running.
const (
	Running     Status = "running"
	Done        Status = "done"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
	// Diverged is a run whose loss or gradient stopped being finite. It would do
	// so again.
	Diverged Status = "diverged"
	// Unknown is a run that says running and whose lock cannot be looked at. It
	// is what a reader knows, never what a manifest says.
	Unknown Status = "unknown"
)

// Statuses lists all states that a manifest may have.
func Statuses() []Status { return []Status{Running, Done, Failed, Interrupted, Diverged} }

// Known tells whether s is a state of a run.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// Resumable is nil for a run that can go on, else it says why it cannot.
func (s Status) Resumable() error {
	switch s {
	case Done:
		return errors.New("the run is done, there is nothing to resume; macpro extend adds tasks")
	case Diverged:
		return errors.New("the run has diverged and would do so again: " + DivergedAdvice)
	}
	return nil
}

// DivergedAdvice is what helps after a run has diverged.
const DivergedAdvice = "start a new run with other settings, such as a smaller lr or grad_norm_clip"
