package program

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"macpro/core/report/format"
)

// Terminal is a program on a pseudo-terminal.
type Terminal struct {
	t   testing.TB
	cmd *exec.Cmd
	tty *os.File

	mu    sync.Mutex
	bytes strings.Builder
	ended chan struct{} // nothing more is written
}

// OnTerminal starts the program in dir on a terminal of 24 rows.
func OnTerminal(t testing.TB, dir string, cols int, environ []string, args ...string) *Terminal {
	t.Helper()
	p := &Terminal{t: t, cmd: Command(t, dir, nil, args...), ended: make(chan struct{})}
	p.cmd.Env = append(append(p.cmd.Env, "TERM=xterm", "NO_COLOR=", "RUNEWIDTH_EASTASIAN=0"), environ...)
	tty, err := pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 24, Cols: uint16(cols)})
	if err != nil {
		t.Fatal(err)
	}
	p.tty = tty
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	go func() {
		defer close(p.ended)
		part := make([]byte, 4096)
		for {
			n, err := tty.Read(part) // an error is the end of a terminal that nobody has open
			p.mu.Lock()
			p.bytes.Write(part[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return p
}

// Raw is all that was written.
func (p *Terminal) Raw() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes.String()
}

// Await waits until a text was written.
func (p *Terminal) Await(text string) {
	p.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !strings.Contains(p.Raw(), text); time.Sleep(10 * time.Millisecond) {
		select {
		case <-p.ended:
			if strings.Contains(p.Raw(), text) {
				return
			}
			p.t.Fatalf("ended before it wrote %q:\n%s", text, p.Raw())
		default:
		}
		if time.Now().After(end) {
			p.t.Fatalf("never wrote %q:\n%q", text, p.Raw())
		}
	}
}

// AwaitAll waits until what was written matches all patterns, or the program has ended. It
// returns a pattern that is not there, or "".
func (p *Terminal) AwaitAll(patterns ...string) string {
	p.t.Helper()
	for {
		over := false
		select {
		case <-p.ended:
			over = true
		case <-time.After(10 * time.Millisecond):
		}
		raw := p.Raw()
		i := slices.IndexFunc(patterns, func(want string) bool { return !regexp.MustCompile(want).MatchString(raw) })
		if i < 0 {
			return ""
		}
		if over {
			return patterns[i]
		}
	}
}

// Key types on the terminal.
func (p *Terminal) Key(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.tty, text); err != nil {
		p.t.Fatal(err)
	}
}

// Wait is the exit code.
func (p *Terminal) Wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		p.t.Fatalf("does not end:\n%q", p.Raw())
	}
	_ = p.cmd.Wait() // the code tells
	return p.cmd.ProcessState.ExitCode()
}

// Emulate is what a terminal of some columns shows after it has got a text, with what has
// left it at the top. Sequences that are not for the cursor, clearing or colours stay in
// the text, where tests find them.
func Emulate(text string, cols int) []string {
	rows, x, y := [][]rune{nil}, 0, 0
	put := func(r rune) {
		if x >= cols {
			x, y = 0, y+1
		}
		for len(rows) <= y {
			rows = append(rows, nil)
		}
		for len(rows[y]) <= x {
			rows[y] = append(rows[y], ' ')
		}
		rows[y][x] = r
		x++
	}
	for len(text) > 0 {
		if code, n, final := sequence(text); final != 0 {
			switch final {
			case 'A':
				y = max(0, y-max(1, code))
			case 'J':
				rows = rows[:min(len(rows), y+1)]
				if y < len(rows) {
					rows[y] = rows[y][:min(len(rows[y]), x)]
				}
			}
			text = text[n:]
			continue
		}
		r := []rune(text[:min(len(text), 4)])[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			x = 0
		case '\n':
			y++
			for len(rows) <= y {
				rows = append(rows, nil)
			}
		default:
			put(r)
		}
	}
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimRight(string(r), " "))
	}
	return out
}

// sequence reads the sequences for cursor up, clear below and colours; final is 0 for
// anything else.
func sequence(text string) (code, n int, final byte) {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0, 0, 0
	}
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9' || c == ';':
		case c == 'A' || c == 'J' || c == 'm':
			code, _ = strconv.Atoi(text[2:i]) // of "1;31" none is needed
			return code, i + 1, c
		default:
			return 0, 0, 0
		}
	}
	return 0, 0, 0
}

// TooWide are the lines of an output that a terminal of some columns would break, but for
// commands and what cannot be broken: a path or a hash, alone or behind a label.
func TooWide(raw string, cols int) (out []string) {
	for line := range strings.SplitSeq(raw, "\n") {
		line = strings.TrimRight(line[strings.LastIndex(line, "\x1b[J")+1:], "\r")
		line = strings.TrimPrefix(line, "[J")
		words := strings.Fields(line)
		if twwidth.Width(line) > cols && !format.IsCommand(line) && len(words) > 2 {
			out = append(out, line)
		}
	}
	return out
}

// Signal sends a signal to the program.
func (p *Terminal) Signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}
