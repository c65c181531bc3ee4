package core

import "fmt"

// NotFiniteError says that numbers of the networks are no longer finite: the run
// has diverged, and would do so again. Learners and methods return it, alone or
// wrapped.
type NotFiniteError struct{ What string }

// Error says which numbers.
func (e *NotFiniteError) Error() string { return e.What }

// NotFinite makes a *NotFiniteError.
func NotFinite(format string, args ...any) error {
	return &NotFiniteError{fmt.Sprintf(format, args...)}
}
