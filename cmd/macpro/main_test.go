package main

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"macpro/cmd/macpro/tests/program"
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

// macpro calls the program in dir, with extra environment variables.
func macpro(t *testing.T, dir string, environ []string, args ...string) program.Outcome {
	t.Helper()
	return program.Call(t, dir, environ, args...)
}

// words splits a command line at blanks; tests need no quotes.
func words(line string) []string { return strings.Fields(line) }
