package record

import "slices"

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

// Ended tells whether the run can never go on.
func (s Status) Ended() bool { return s == Done || s == Diverged }
