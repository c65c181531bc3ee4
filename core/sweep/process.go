package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"macpro/core/janitor"
)

// patience is how long a process may take to save its state after SIGTERM.
const patience = 2 * time.Minute

// pollEvery is how often a process and its record are looked at.
const pollEvery = 250 * time.Millisecond

type exit struct {
	code   int            // exit code, -1 for a signal
	signal syscall.Signal // that killed it, 0 for none
	err    error          // it could not be started or waited for
}

func (e exit) String() string {
	switch {
	case e.err != nil:
		return e.err.Error()
	case e.signal != 0:
		return fmt.Sprintf("killed by signal %d (%v)", int(e.signal), e.signal)
	}
	return fmt.Sprintf("exit code %d", e.code)
}

// run starts a process and waits for its end. When the context ends, it gets SIGTERM
// and, long after, SIGKILL. Until then watch is called every few tenths of a second; it
// may be nil.
func run(ctx context.Context, environ, argv []string, stdout, stderr io.Writer, watch func()) exit {
	// A cell does not outlive a worker that was killed, and still saves its state: it gets
	// SIGTERM when this thread ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = stdout, stderr, environ
	cmd.SysProcAttr = janitor.Member(0, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return exit{err: err}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	stop := ctx.Done()
	var kill <-chan time.Time
	for {
		select {
		case err := <-ended:
			return exitOf(cmd, err)
		case <-stop:
			stop, watch = nil, nil
			_ = cmd.Process.Signal(syscall.SIGTERM) // it may just have ended
			kill = time.After(patience)
		case <-kill:
			_ = cmd.Process.Kill()
		case <-tick.C:
			if watch != nil {
				watch()
			}
		}
	}
}

func exitOf(cmd *exec.Cmd, err error) exit {
	var bad *exec.ExitError
	if err != nil && !errors.As(err, &bad) {
		return exit{err: err}
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exit{code: -1, signal: ws.Signal()}
	}
	return exit{code: cmd.ProcessState.ExitCode()}
}

// Environ is the environment of a cell: this process's without variables that set
// keys of the configuration, because a cell's configuration is complete, and with
// the variables that its sweep keeps.
func Environ(kept map[string]string) []string {
	var out []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if _, ours := kept[name]; !ours && !strings.HasPrefix(kv, "MACPRO_") {
			out = append(out, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		out = append(out, name+"="+kept[name])
	}
	return out
}
