package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
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
	cmd := exec.Command("macpro", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environ...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	p := cmd.ProcessState
	return outcome{p.ExitCode(), stdout.String(), stderr.String(), p.UserTime() + p.SystemTime()}
}

// words splits a command line at blanks; tests need no quotes.
func words(line string) []string { return strings.Fields(line) }
