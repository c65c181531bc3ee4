package experiment

// InputError is a mistake of the caller: nothing was started.
type InputError struct{ Err error }

// Error is that of what is wrong.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }

// Input marks an error as the caller's mistake; nil stays nil.
func Input(err error) error {
	if err == nil {
		return nil
	}
	return &InputError{err}
}
