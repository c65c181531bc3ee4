package process

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin/runner"

	"macpro/core/janitor"
)

// child runs a command for go-plugin: in the janitor's group, on a thread that
// lives as long as it does, with outputs that end with it even if a fork of it
// holds them open.
type child struct {
	cmd     *exec.Cmd
	janitor *janitor.Janitor
	out     [2]*output // standard output and error
	ended   chan struct{}
	once    sync.Once
	rest    io.Writer   // gets standard output after the first line
	head    head        // what came first on standard output
	closed  atomic.Bool // standard output was closed by the command
	ending  atomic.Bool // we have set about ending the command
}

// head keeps the beginning of standard output, to the first line end.
type head struct {
	mu   sync.Mutex
	text []byte
}

func (h *head) add(p []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p...)
}

// first is the first line, or its beginning if it is not whole.
func (h *head) first() (line string, whole bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, _, whole = strings.Cut(string(h.text), "\n")
	return line, whole || len(line) >= longestLine
}

var _ runner.Runner = (*child)(nil)

func newChild(cmd *exec.Cmd, j *janitor.Janitor, rest io.Writer) *child {
	cmd.SysProcAttr = janitor.Member(j.Group(), syscall.SIGKILL) // run keeps the thread
	cmd.Stdin = nil
	return &child{cmd: cmd, janitor: j, rest: rest, ended: make(chan struct{})}
}

// Start starts the command.
func (c *child) Start(context.Context) error {
	var theirs [2]*os.File
	for i := range theirs {
		ours, file, err := os.Pipe()
		if err != nil {
			return err
		}
		defer file.Close()
		c.out[i], theirs[i] = &output{file: ours}, file
	}
	c.cmd.Stdout, c.cmd.Stderr = theirs[0], theirs[1]
	started := make(chan error, 1)
	go c.run(started)
	return <-started
}

// run starts the command and waits for its end. The goroutine keeps its thread
// and takes it along: the parent of a process, for the kernel, is a thread.
func (c *child) run(started chan<- error) {
	runtime.LockOSThread()
	defer close(c.ended)
	err := c.cmd.Start()
	started <- err
	if err == nil {
		_ = c.cmd.Wait() // how it ended is in the process state
	}
	for _, o := range c.out {
		if o.finish(); err != nil {
			_ = o.Close() // nobody reads it
		}
	}
}

// Wait waits for the command's end.
func (c *child) Wait(context.Context) error {
	<-c.ended
	return nil
}

// Kill ends the command and everything that it started. go-plugin calls it when
// there is no handshake; the command then may be about to end by itself, and how
// it ends is worth a moment.
func (c *child) Kill(context.Context) error {
	patience := grace / 4
	if c.closed.Load() {
		patience = grace // few go on without their output
	}
	select {
	case <-c.ended:
	case <-time.After(patience):
	}
	c.end()
	return nil
}

// end ends the command and everything that it started, and waits for it.
func (c *child) end() {
	c.once.Do(func() {
		if c.cmd.Process != nil {
			select {
			case <-c.ended:
			default:
				c.ending.Store(true)
			}
			_ = c.cmd.Process.Kill() // it may have ended
		}
		c.janitor.Clean()
	})
	if c.cmd.Process != nil {
		<-c.ended
	}
}

// killed says that the command, which has ended, did so because we have killed it.
// One that was about to end by itself may have come first.
func (c *child) killed() bool {
	if !c.ending.Load() || c.cmd.ProcessState == nil {
		return c.ending.Load()
	}
	ws, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

// how says in words how the command ended.
func (c *child) how() string {
	if s := c.cmd.ProcessState; s != nil {
		return s.String()
	}
	return "an unknown state"
}

// Stdout is where the handshake comes from.
func (c *child) Stdout() io.ReadCloser { return &firstLine{output: c.out[0], child: c} }

// Stderr is what the command says.
func (c *child) Stderr() io.ReadCloser { return c.out[1] }

func (c *child) Name() string { return c.cmd.Path }

// ID is the process id.
func (c *child) ID() string {
	if c.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(c.cmd.Process.Pid)
}

// Diagnose has nothing to add: Start words the error.
func (c *child) Diagnose(context.Context) string { return "" }

// PluginToHost leaves an address as it is.
func (c *child) PluginToHost(network, addr string) (string, string, error) { return network, addr, nil }

// HostToPlugin leaves an address as it is.
func (c *child) HostToPlugin(network, addr string) (string, string, error) { return network, addr, nil }
