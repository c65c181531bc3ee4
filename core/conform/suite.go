package conform

import (
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
)

// suite lists the promises of a contract about a subject.
type suite[S any] []promise[S]

type promise[S any] struct {
	name string
	keep func(S) error
}

// Check is one promise of a contract, for use outside of a test.
type Check struct {
	Name string
	Run  func() error
}

// on is the suite on a subject without the promises in skip.
func (s suite[S]) on(subject S, skip ...string) (out []Check) {
	for _, p := range s {
		if !slices.Contains(skip, p.name) {
			out = append(out, Check{p.name, func() error { return p.keep(subject) }})
		}
	}
	return out
}

// test runs the suite as subtests. An unknown name in skip is a failure.
func (s suite[S]) test(t *testing.T, subject S, skip ...string) {
	t.Helper()
	var known []string
	for _, p := range s {
		known = append(known, p.name)
	}
	for _, name := range skip {
		if !slices.Contains(known, name) {
			t.Fatal(names.Unknown("check", name, known))
		}
	}
	for _, c := range s.on(subject, skip...) {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Run(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Defaults returns a plugin's own keys with the defaults of its configuration
// file, as a run without any other settings would hand them over. A file that
// cannot be read or lacks a key fails the test.
func Defaults(t testing.TB, info core.Info) core.Settings {
	t.Helper()
	s, err := config.Defaults(info.Name, info.Config, info.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
