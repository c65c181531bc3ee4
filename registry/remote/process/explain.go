package process

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// want is what a plugin has to do first, in words.
var want = fmt.Sprintf("its first line of output must be 1|%d|unix|SOCKET|grpc, which remote.Serve (Go) and serve() (Python) print", Protocol)

// explainStart words the error of a process that did not come up: what it did, and
// what would be right.
func (p *Process) explainStart(err error, limit time.Duration) error {
	e := &Error{Plugin: p.name, Call: "start"}
	if p.child == nil || p.child.cmd.Process == nil {
		e.Reason = unstarted(err, p.child)
		return e
	}
	line, whole := p.child.head.first()
	own := p.gone(grace/4) && !p.child.killed() // it ended by itself
	switch fault := handshakeFault(line); {
	case !whole && own:
		e.Reason = fmt.Errorf("it ended at once with %s and without a line: %s", p.child.how(), want)
	case !whole && p.child.closed.Load():
		e.Reason = fmt.Errorf("it closed its standard output without a line: %s", want)
	case !whole && line != "":
		e.Reason = fmt.Errorf("within %v it printed only %s, without a line end: %s", limit, quoted(line), want)
	case !whole:
		e.Reason = fmt.Errorf("it printed nothing within %v: %s", limit, want)
	case fault != nil && own:
		e.Reason = fmt.Errorf("%w; it ended with %s", fault, p.child.how())
	case fault != nil:
		e.Reason = fault
	default:
		e.Reason = err
	}
	e.LastWords = explaining(p.out.String())
	return e
}

// handshakeFault says what is wrong with a plugin's first line, if anything.
func handshakeFault(line string) error {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 4 {
		return fmt.Errorf("its first line of output is %s and not a plugin's handshake: %s", quoted(line), want)
	}
	speaks := "netrpc" // what go-plugin takes a handshake without the word for
	if len(parts) > 4 {
		speaks = parts[4]
	}
	hand := "its handshake " + quoted(line)
	switch {
	case parts[0] != "1":
		return fmt.Errorf("%s is of version %s of go-plugin's protocol, want 1: %s", hand, parts[0], want)
	case parts[1] != strconv.Itoa(Protocol):
		return fmt.Errorf("it speaks version %s of the protocol, this program %d: build the plugin for this program", parts[1], Protocol)
	case parts[2] != "unix":
		return fmt.Errorf("%s names a connection of kind %q, want unix: %s", hand, parts[2], want)
	case parts[3] == "":
		return fmt.Errorf("%s names no socket: %s", hand, want)
	case speaks != "grpc":
		return fmt.Errorf("%s speaks %q, want grpc: %s", hand, speaks, want)
	case len(parts) > 5 && len(parts[5]) > 50: // go-plugin takes longer ones for a certificate
		return fmt.Errorf("its handshake asks for TLS, which the sockets of plugins do not have: %s", want)
	}
	return nil
}

// reach tries the socket of a handshake.
func reach(line string) error {
	socket := strings.Split(strings.TrimSpace(line), "|")[3]
	c, err := net.Dial("unix", socket)
	if err != nil {
		return fmt.Errorf("nothing answers at its socket %s: it must listen there before it prints its handshake (%w)", socket, err)
	}
	return c.Close()
}

func quoted(line string) string {
	const most = 80
	if line = strings.TrimSpace(line); len(line) > most {
		return strconv.Quote(line[:most]) + "..."
	}
	return strconv.Quote(line)
}

// unstarted words the error of a command that the system did not start.
func unstarted(err error, c *child) error {
	if c == nil {
		return fmt.Errorf("it cannot be started: %w", err)
	}
	program, dir, hint := c.cmd.Path, c.cmd.Dir, ""
	i, statErr := os.Stat(program)
	_, dirErr := os.Stat(dir)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		hint = program + " is not found on PATH"
	case dir != "" && dirErr != nil:
		hint = fmt.Sprintf("its folder %s is not there", dir)
	case errors.Is(statErr, fs.ErrNotExist):
		hint = "there is no such file"
	case statErr == nil && i.IsDir():
		hint = program + " is a folder"
	case errors.Is(err, fs.ErrPermission):
		hint = "you may not run this file (chmod +x)"
	case errors.Is(err, syscall.ENOEXEC):
		hint = "it is neither a program for this machine nor a script with a #! line"
	case errors.Is(err, fs.ErrNotExist):
		hint = "the interpreter in its #! line, or a library, is not there"
	default:
		return fmt.Errorf("it cannot be started: %w", err)
	}
	return fmt.Errorf("it cannot be started: %w: %s", err, hint)
}

// explaining is what explains a fault best: from the line of a Go panic on, or else the
// last lines.
func explaining(text string) string {
	const most = 12
	text = strings.ToValidUTF8(strings.TrimSpace(text), "?")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return strings.Join(lines[i:min(len(lines), i+most)], "\n")
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
