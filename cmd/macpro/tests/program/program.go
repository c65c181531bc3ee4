// Package program lets tests run the real program. Test packages beside it share
// the binary: the go command builds it once and keeps it in its cache.
package program

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Exit codes of the program.
const (
	OK      = 0
	Failure = 1
	Usage   = 2
)

// Command prepares a call of the program in dir, with extra environment variables.
func Command(t testing.TB, dir string, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	UsesSources(t)
	cmd := exec.Command("macpro", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	return cmd
}

// Outcome is what a call of the program left behind.
type Outcome struct {
	Code           int
	Stdout, Stderr string
	CPU            time.Duration // processor time, which other processes do not lengthen
}

// String is the beginning of what there is.
func (o Outcome) String() string {
	return fmt.Sprintf("exit code %d\n%.3000s\n%.3000s", o.Code, o.Stdout, o.Stderr)
}

// Call calls the program in dir, with extra environment variables.
func Call(t testing.TB, dir string, environ []string, args ...string) Outcome {
	t.Helper()
	cmd := Command(t, dir, environ, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	p := cmd.ProcessState
	return Outcome{p.ExitCode(), stdout.String(), stderr.String(), p.UserTime() + p.SystemTime()}
}

// Must calls the program and wants success.
func Must(t testing.TB, dir string, environ []string, args ...string) Outcome {
	t.Helper()
	o := Call(t, dir, environ, args...)
	if o.Code != OK {
		t.Fatalf("macpro %s: exit %d\n%s%s", strings.Join(args, " "), o.Code, o.Stdout, o.Stderr)
	}
	return o
}

// Start starts the program in dir; both of its outputs go to the builder.
func Start(t testing.TB, dir string, args []string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := Command(t, dir, nil, args...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &output
}

// Private gives calls of the program a configuration folder of their own.
func Private(t testing.TB) []string { return []string{"XDG_CONFIG_HOME=" + t.TempDir()} }
