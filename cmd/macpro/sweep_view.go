package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"macpro/core/names"
	"macpro/core/sweep"
)

// sweepView shows how a sweep goes on: on a terminal a bar for every running
// cell and one for the whole, elsewhere lines.
type sweepView struct {
	screen io.Writer
	quiet  bool
	log    *slog.Logger

	mu    sync.Mutex
	bars  *mpb.Progress // nil without a terminal
	whole *mpb.Bar
	sweep *sweep.Sweep // from begin on
	cells map[string]*cellView
	ended map[string]bool // cells, by id
	all   int
	open  int64 // steps of the cells that have not ended
	text  text
}

// text is what stands beside a bar. It is drawn while the view may be locked, so
// that it has to be ready before.
type text struct{ atomic.Pointer[string] }

func (t *text) set(s string) { t.Store(&s) }

func (t *text) decorator() decor.Decorator {
	return decor.Any(func(decor.Statistics) string {
		if s := t.Load(); s != nil {
			return *s
		}
		return ""
	})
}

// cellView is a running cell.
type cellView struct {
	pace
	text text
	bar  *mpb.Bar
	line time.Time // of the last line
}

func newSweepView(screen io.Writer, quiet bool) *sweepView {
	v := &sweepView{screen: screen, quiet: quiet, cells: map[string]*cellView{}, ended: map[string]bool{}}
	if f, ok := screen.(*os.File); ok && !quiet && isatty.IsTerminal(f.Fd()) {
		v.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40), mpb.WithRefreshRate(250*time.Millisecond))
		screen = v.bars
	}
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	v.log = slog.New(slog.NewTextHandler(screen, &slog.HandlerOptions{Level: level}))
	return v
}

// begin shows the whole.
func (v *sweepView) begin(s *sweep.Sweep) {
	v.sweep, v.all = s, len(s.Cells)
	for _, c := range s.Cells {
		if s.State(c).Status.Ended() {
			v.ended[c.ID] = true
		} else {
			v.open += c.Steps
		}
	}
	v.log.Info("sweep", "id", s.ID, "cells", v.all, "done", len(v.ended), "folder", s.Path())
	if v.bars != nil {
		v.whole = v.bars.AddBar(int64(v.all), mpb.BarPriority(1<<20),
			mpb.PrependDecorators(decor.Name(names.Plain(s.ID)+" ")),
			mpb.AppendDecorators(decor.CountersNoUnit(" %d / %d cells  "), v.text.decorator()))
		v.whole.SetCurrent(int64(len(v.ended)))
	}
}

// label names a cell by what tells it from others of its sweep.
func (v *sweepView) label(c *sweep.Cell) string {
	if v.sweep == nil {
		return c.Label()
	}
	return v.sweep.Label(c)
}

// Started adds a cell.
func (v *sweepView) Started(c *sweep.Cell) {
	v.mu.Lock()
	defer v.mu.Unlock()
	cell := &cellView{pace: pace{total: c.Steps}, line: time.Now()}
	v.cells[c.ID] = cell
	if v.bars != nil {
		cell.bar = v.bars.AddBar(max(c.Steps, 1), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(v.label(c)+" ")),
			mpb.AppendDecorators(decor.Percentage(), cell.text.decorator()))
		return
	}
	v.log.Info("cell starts", "cell", v.label(c))
}

// Progress moves a cell.
func (v *sweepView) Progress(c *sweep.Cell, t int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	cell := v.cells[c.ID]
	if cell == nil || t == cell.last {
		return
	}
	cell.report(t, time.Now())
	if cell.speed() > 0 {
		cell.text.set(fmt.Sprintf("  %.0f steps/s  %s", cell.speed(), leftText(cell.open(), cell.speed())))
		v.text.set(v.left())
	}
	if cell.bar != nil {
		cell.bar.SetCurrent(min(t, c.Steps-1))
	} else if time.Since(cell.line) >= time.Minute {
		cell.line = time.Now()
		v.log.Info("progress", "cell", v.label(c), "t_env", t, "of", c.Steps, "percent", 100*t/max(c.Steps, 1), "steps_per_s", math.Round(cell.speed()), "sweep", v.left())
	}
}

// left estimates the time to the end of the sweep from the speeds of the running
// cells.
func (v *sweepView) left() string {
	open, speed := v.open, 0.0
	for _, c := range v.cells {
		open, speed = open-c.last, speed+c.speed()
	}
	if open <= 0 {
		return "" // nothing is left, or nothing is known
	}
	return leftText(open, speed)
}

// Ended takes a cell away and says what became of it.
func (v *sweepView) Ended(c *sweep.Cell, st sweep.State) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if cell := v.cells[c.ID]; cell != nil && cell.bar != nil {
		cell.bar.Abort(true)
	}
	delete(v.cells, c.ID)
	if st.Status.Ended() && !v.ended[c.ID] {
		v.ended[c.ID] = true
		v.open -= c.Steps
		v.text.set(v.left())
	}
	if v.whole != nil {
		v.whole.SetCurrent(int64(len(v.ended)))
	}
	args := []any{"cell", v.label(c), "status", st.Status, "run", st.Run, "done", fmt.Sprintf("%d/%d", len(v.ended), v.all)}
	switch {
	case st.Status == sweep.Failed:
		v.log.Warn("cell has failed", append(args, "error", st.Error)...)
	case st.Status == sweep.Diverged:
		v.log.Warn("cell has diverged", append(args, "error", st.Error)...)
	case st.Error != "":
		v.log.Info("cell stops", append(args, "error", st.Error)...)
	case st.Reused:
		v.log.Info("cell was done before", args...)
	default:
		v.log.Info("cell ends", args...)
	}
}

// Warn tells something of a cell that does not end it.
func (v *sweepView) Warn(c *sweep.Cell, text string) { v.log.Warn(text, "cell", v.label(c)) }

// end stops the drawing.
func (v *sweepView) end() {
	if v.bars == nil {
		return
	}
	v.mu.Lock()
	for _, c := range v.cells {
		c.bar.Abort(true)
	}
	if v.whole != nil {
		v.whole.Abort(false)
	}
	v.mu.Unlock()
	v.bars.Wait()
	v.bars = nil
	v.log = slog.New(slog.NewTextHandler(v.screen, nil))
}

// say writes a line for the user, unless --quiet.
func (v *sweepView) say(format string, args ...any) {
	if !v.quiet {
		fmt.Fprint(v.screen, names.PlainLines(fmt.Sprintf(format, args...)))
	}
}

// summary prints how many cells are in which state.
func (v *sweepView) summary(s *sweep.Sweep) { v.say("sweep %s: %s\n", s.ID, countsText(s)) }

// countsText lists the states of a sweep's cells.
func countsText(s *sweep.Sweep) string {
	n := s.Counts()
	var parts []string
	for _, st := range sweep.Statuses {
		if n[st] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[st], st))
		}
	}
	return strings.Join(parts, ", ")
}
