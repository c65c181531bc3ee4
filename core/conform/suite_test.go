package conform

import "testing"

// one runs a single check of a suite.
func one[S any](t *testing.T, s suite[S], check string, subject S) error {
	t.Helper()
	for _, p := range s {
		if p.name == check {
			return p.keep(subject)
		}
	}
	t.Fatalf("no check %q", check)
	return nil
}
