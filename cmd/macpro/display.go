package main

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"macpro/core"
	"macpro/core/continual"
	"macpro/core/names"
	"macpro/core/record"
)

// lineEvery is the time between two lines of progress where there is no
// terminal to draw a bar on, such as in the log of a batch system.
const lineEvery = 10 * time.Second

// display shows how a run goes on: a bar on a terminal, lines elsewhere, and
// the lines alone in the run's own log.
type display struct {
	log  *slog.Logger  // to the user and to the run's log
	file *slog.Logger  // to the run's log alone
	bars *mpb.Progress // nil without a terminal
	bar  *mpb.Bar
	now  atomic.Pointer[continual.Status]
	last time.Time // of the last line of progress
}

// newDisplay writes to screen and to the run's log. quiet leaves the screen to
// warnings and errors.
func newDisplay(screen, runLog io.Writer, quiet bool, total int64) *display {
	d := &display{last: time.Now()}
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	if f, ok := screen.(*os.File); ok && !quiet && isatty.IsTerminal(f.Fd()) {
		d.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40), mpb.WithRefreshRate(250*time.Millisecond))
		d.bar = d.bars.AddBar(total,
			mpb.PrependDecorators(decor.Any(d.left)),
			mpb.AppendDecorators(decor.Any(d.right)))
		screen = d.bars
	}
	file := slog.NewTextHandler(runLog, nil)
	d.file = slog.New(file)
	d.log = slog.New(slog.NewMultiHandler(slog.NewTextHandler(screen, &slog.HandlerOptions{Level: level}), file))
	return d
}

// progress takes over a new status.
func (d *display) progress(s continual.Status) {
	d.now.Store(&s)
	if d.bar != nil {
		d.bar.SetCurrent(min(s.TEnv, s.Total-1))
	}
	if t := time.Now(); t.Sub(d.last) >= lineEvery {
		d.last = t
		if d.bar == nil {
			d.log.Info("progress", "task", s.Task, "t_env", s.TEnv, "of", s.Total, "scores", scoresText(s),
				"steps/s", math.Round(s.StepsPerS), "left", left(s))
		}
	}
}

// event turns the rows of the record that a user waits for into lines.
func (d *display) event(e core.Event) {
	entry, err := record.Parse(record.Row{Event: e})
	if err != nil {
		d.log.Warn(err.Error()) // a plugin's row, which readers will leave out
		return
	}
	place := []any{"task", e.Task, "t_env", e.TEnv}
	switch r := entry.(type) {
	case record.Alarm:
		args := append(place, "reason", r.Reason)
		for _, key := range []string{"quantity", "value"} {
			if v, ok := r.Extra[key]; ok {
				args = append(args, attribute(key, v))
			}
		}
		d.log.Warn(e.Kind, args...)
	case record.TaskStart:
		d.log.Info(e.Kind, append(place, "index", r.Index, "head", r.Head, "heads", r.Heads)...)
	case record.TaskEnd:
		d.log.Info(e.Kind, append(place, "index", r.Index, "head", r.Head, "heads", r.Heads, attribute("final_average", r.FinalAverage))...)
	case record.Expansion:
		d.log.Info(e.Kind, append(place, "index", r.Index, "head", r.Head, "heads", r.Heads, "decision", r.Decision)...)
	}
}

// attribute is a value for a line: what has parts is a group, so that a line holds
// key.part=value.
func attribute(key string, v any) slog.Attr {
	var parts []any
	switch v := v.(type) {
	case map[string]float64:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, slog.Float64(k, v[k]))
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, attribute(k, v[k]))
		}
	case []any:
		for i, x := range v {
			parts = append(parts, attribute(strconv.Itoa(i), x))
		}
	default:
		return slog.Any(key, v)
	}
	return slog.Group(key, parts...)
}

// stop ends the drawing; what is printed afterwards comes below the bar.
func (d *display) stop(done bool) {
	if d.bars == nil {
		return
	}
	if done {
		d.bar.SetTotal(-1, true)
	} else {
		d.bar.Abort(false)
	}
	d.bars.Wait()
}

func (d *display) left(decor.Statistics) string {
	s := d.now.Load()
	if s == nil {
		return "starting "
	}
	return fmt.Sprintf("%s (%d/%d) %d/%d ", names.Plain(s.Task), s.Index+1, len(s.Tasks), s.TEnv, s.Total)
}

func (d *display) right(decor.Statistics) string {
	s := d.now.Load()
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" %s  %.0f steps/s  %s left", scoresText(*s), s.StepsPerS, left(*s))
}

// scoresText lists the last score of every seen task, "-" before its first test.
func scoresText(s continual.Status) string {
	var out []string
	for _, p := range s.Scores {
		if math.IsNaN(p) {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprintf("%.2f", p))
		}
	}
	return strings.Join(out, " ")
}

// left estimates the time to the end from the speed so far.
func left(s continual.Status) string {
	if s.StepsPerS <= 0 {
		return "?"
	}
	return durationText(max(float64(s.Total-s.TEnv), 0) / s.StepsPerS)
}
