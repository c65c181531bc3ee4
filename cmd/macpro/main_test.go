package main

import (
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/store"
)

// TestMain puts the test binary on the path under the name macpro, so that
// tests run the real program in a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"macpro": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}

// outcome is what a call of the program left behind.
type outcome struct {
	code           int
	stdout, stderr string
	cpu            time.Duration // processor time, which other processes do not lengthen
}

// macpro calls the program in dir, with extra environment variables.
func macpro(t *testing.T, dir string, environ []string, args ...string) outcome {
	t.Helper()
	o := program.Call(t, dir, environ, args...)
	return outcome{o.Code, o.Stdout, o.Stderr, o.CPU}
}

// short is a run of about a second with everything in it.
const short = program.Short

// onlyRun is the run in dir/results, where there is one.
func onlyRun(t *testing.T, dir string) *store.Record {
	t.Helper()
	return program.OnlyRun(t, dir)
}

// words splits a command line at blanks; tests need no quotes.
func words(line string) []string { return strings.Fields(line) }
