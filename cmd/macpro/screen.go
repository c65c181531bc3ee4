package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"macpro/core/report/format"
)

// redrawEvery is the time between two looks at what a screen shall show.
const redrawEvery = 250 * time.Millisecond

// footer makes the lines at the foot of a screen for a width. It must not call the
// screen and is called from any goroutine.
type footer func(columns int) []string

// screen is a terminal with a block at its foot that is drawn again when it changes.
// What is written stands above the block. Every drawing begins at the left border, as
// what the user types, such as ^C, has moved the cursor. A nil *screen shows nothing.
type screen struct {
	file   *os.File
	colour bool
	still  bool // nothing can be drawn again: the block is a text like others, now and then

	mu    sync.Mutex
	foot  footer
	fresh bool  // foot has changed since it was drawn
	drawn []int // widths of the lines that stand there
	typed int   // bytes that wait in the terminal since the block was drawn

	closed bool
	end    chan struct{}
}

// newScreen is nil if the writer is no terminal.
func newScreen(w any) *screen {
	if !terminal(w) {
		return nil
	}
	s := &screen{file: w.(*os.File), colour: coloured(w), still: dumb(), end: make(chan struct{})}
	go s.redraw()
	return s
}

// redraw draws what has changed until the screen is closed.
func (s *screen) redraw() {
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	last := time.Now()
	woken := make(chan os.Signal, 1)
	signal.Notify(woken, syscall.SIGCONT, syscall.SIGWINCH)
	defer signal.Stop(woken)
	for {
		select {
		case <-s.end:
			return
		case sig := <-woken:
			s.mu.Lock()
			if sig == syscall.SIGCONT {
				s.drawn = nil // the shell has written below it
			}
			_ = s.draw(nil)
			s.mu.Unlock()
		case now := <-tick.C:
			s.mu.Lock()
			if s.fresh && (!s.still || now.Sub(last) >= lineEvery) {
				last = now
				_ = s.draw(nil)
			}
			s.mu.Unlock()
		}
	}
}

func (s *screen) show(b footer) {
	if s == nil {
		return
	}
	s.mu.Lock()
	if !s.closed {
		s.foot, s.fresh = b, true
	}
	s.mu.Unlock()
}

// Write puts whole lines above the block.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(text), s.draw(text)
}

// draw writes text in place of the block and the block below it. A block below which
// the user has typed a line, such as Enter alone, stays: where it begins is not known.
func (s *screen) draw(text []byte) error {
	columns, rows := sizeOf(s.file)
	if n := typedBytes(s.file); n > s.typed {
		s.drawn, s.typed = nil, n
	} else {
		s.typed = n // a signal or a reader has taken some
	}
	var b bytes.Buffer
	if !s.still {
		b.WriteString(s.erase(columns))
	}
	b.Write(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		b.WriteString("\n")
	}
	s.drawn, s.fresh = nil, false
	if s.foot != nil && !(s.still && len(text) > 0) {
		lines := s.foot(columns)
		for _, line := range lines[:min(len(lines), rows-1)] {
			b.WriteString(line + "\n")
			s.drawn = append(s.drawn, twwidth.Width(line))
		}
	}
	_, err := s.file.Write(b.Bytes())
	return err
}

// erase moves the cursor to where the block begins and clears what follows. A terminal
// that has become narrower shows a line in several rows.
func (s *screen) erase(columns int) string {
	up := 0
	for _, w := range s.drawn {
		up += 1 + max(w-1, 0)/columns
	}
	if up > 0 {
		return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
	}
	return "\r\x1b[J"
}

// close takes the block away. Whatever is written afterwards stands in its place.
func (s *screen) close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed, s.foot = true, nil
	_ = s.draw(nil) // whoever cannot be told does not stop what goes on
	close(s.end)
}

// paint gives text a colour, if the screen has some.
func (s *screen) paint(code, text string) string {
	if s == nil || !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// labelled is a line of a block: a word, then texts that are put on further lines if
// the columns are too few for all.
func (s *screen) labelled(label string, texts []string, columns int) []string {
	const indent = "         " // as wide as the labels of a run's header
	lines := format.Fold(indent, indent, texts, columns)
	lines[0] = s.paint(faint, label) + strings.Repeat(" ", max(0, len(indent)-len(label))) + lines[0][len(indent):]
	return lines
}
