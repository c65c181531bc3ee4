package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"macpro/core/names"
	"macpro/core/sweep"
)

// sweepView shows how a sweep goes on: on a terminal a block with a line for every
// running cell and one for the whole, elsewhere lines.
type sweepView struct {
	w      io.Writer
	quiet  bool
	log    *slog.Logger
	screen *screen // nil without a terminal

	mu    sync.Mutex
	sweep *sweep.Sweep // from begin on
	cells map[string]*cellView
	order []*sweep.Cell   // the running ones, as they were started
	ended map[string]bool // cells, by id
	all   int
	open  int64 // steps of the cells that have not ended
}

type cellView struct {
	pace
	line time.Time // of the last line
}

func newSweepView(w io.Writer, quiet bool) *sweepView {
	v := &sweepView{w: w, quiet: quiet, cells: map[string]*cellView{}, ended: map[string]bool{}, screen: newScreen(w)}
	v.log = slog.New(newLog(w, v.screen, quiet))
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
	if v.screen == nil {
		v.log.Info("sweep", "id", s.ID, "cells", v.all, "done", len(v.ended), "folder", s.Path())
		return
	}
	v.say("sweep    %s, %s, %d done\nfolder   %s\n", s.ID, names.Many(v.all, "cell"), len(v.ended), s.Path())
	v.show()
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
	v.cells[c.ID] = &cellView{pace: pace{total: c.Steps}, line: time.Now()}
	v.order = append(v.order, c)
	if v.screen == nil {
		v.log.Info("cell starts", "cell", v.label(c))
	}
	v.show()
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
	if v.screen == nil && time.Since(cell.line) >= time.Minute {
		cell.line = time.Now()
		v.log.Info("progress", "cell", v.label(c), "t_env", t, "of", c.Steps, "percent", 100*t/max(c.Steps, 1), "steps_per_s", math.Round(cell.speed()), "sweep", v.left())
	}
	v.show()
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
	delete(v.cells, c.ID)
	v.order = slices.DeleteFunc(v.order, func(o *sweep.Cell) bool { return o.ID == c.ID })
	if st.Status.Ended() && !v.ended[c.ID] {
		v.ended[c.ID] = true
		v.open -= c.Steps
	}
	v.show()
	if v.screen != nil {
		v.ending(c, st)
		return
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

func (v *sweepView) end() { v.screen.close() }

// say writes a line for the user, unless --quiet.
func (v *sweepView) say(format string, args ...any) {
	if !v.quiet {
		_ = fit(v.w, names.PlainLines(fmt.Sprintf(format, args...)))
	}
}

func (v *sweepView) hint(text, command string) { v.say("%s", hint(v.w, text, command)) }

func (v *sweepView) summary(s *sweep.Sweep) { v.say("sweep %s: %s\n", s.ID, countsText(s)) }

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
