package main

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"macpro/core"
	"macpro/core/continual"
	"macpro/core/record"
)

// lineEvery is the time between two lines of progress.
const lineEvery = 10 * time.Second

// display shows how a run goes on: lines for programs in the run's own log and, unless
// it is a terminal, for the user.
type display struct {
	log    *slog.Logger // to the user and to the run's log
	file   *slog.Logger // to the run's log alone
	rows   *slog.Logger // takes the rows of the record: file on a terminal, else log
	status *runStatus   // what a terminal shows of them, else nil
	tasks  []string     // labels
	loss   float64      // of the last row of statistics, NaN without a gradient step
	last   time.Time    // of the last line of progress
}

// newDisplay writes to a screen and to the run's log. quiet leaves the screen to
// warnings and errors.
func newDisplay(w, runLog io.Writer, quiet bool, tasks []string) *display {
	screen := newScreen(w)
	file := slog.NewTextHandler(runLog, nil)
	d := &display{last: time.Now(), file: slog.New(file), tasks: record.Labels(tasks), loss: math.NaN()}
	d.log = slog.New(slog.NewMultiHandler(newLog(w, screen, quiet), file))
	d.rows = d.log
	if screen != nil {
		d.rows, d.status = d.file, &runStatus{screen: screen, quiet: quiet, tasks: d.tasks}
	}
	return d
}

func (d *display) progress(s continual.Status) {
	d.status.progress(s, d.loss)
	if t := time.Now(); t.Sub(d.last) >= lineEvery {
		d.last = t
		d.rows.Info("progress", "task", s.Task, "t_env", s.TEnv, "of", s.Total, scoresAttr(d.tasks, s.Scores),
			"loss", lossText(d.loss), "epsilon", fmt.Sprintf("%.3f", s.Epsilon), "steps/s", math.Round(s.StepsPerS), "left", left(s))
	}
}

// stop takes away what is drawn; what is printed afterwards comes in its place.
func (d *display) stop() { d.status.close() }

// event turns the rows of the record that a user waits for into lines.
func (d *display) event(e core.Event) {
	entry, err := record.Parse(record.Row{Event: e})
	if err != nil {
		d.log.Warn(err.Error()) // a plugin's row, which readers will leave out
		return
	}
	d.status.event(entry)
	place := []any{"task", e.Task, "t_env", e.TEnv}
	switch r := entry.(type) {
	case record.Train:
		d.loss = math.NaN()
		if r.Gradients != nil {
			d.loss = r.Loss
		}
	case record.Alarm:
		args := append(place, "reason", r.Reason)
		for _, key := range []string{"quantity", "value"} {
			if v, ok := r.Extra[key]; ok {
				args = append(args, attribute(key, v))
			}
		}
		d.rows.Warn(e.Kind, args...)
	case record.TaskStart:
		d.rows.Info(e.Kind, append(place, "index", r.Index, "head", r.Head, "heads", r.Heads)...)
	case record.TaskEnd:
		d.rows.Info(e.Kind, append(place, "index", r.Index, "head", r.Head, "heads", r.Heads, attribute("final_average", r.FinalAverage))...)
	case record.Border:
		d.rows.Info(e.Kind, append(place, "found", r.Found, attribute("separation", r.Extra["separation"]), attribute("played_again", r.Extra["played_again"]))...)
	case record.Expansion:
		d.rows.Info(e.Kind, append(place, "index", r.Index, "head", r.Head, "heads", r.Heads, "decision", r.Decision)...)
	}
}

// attribute is a value for a line: what has parts is a group, so that a line holds
// key.part=value. A number among them has four decimals.
func attribute(key string, v any) slog.Attr {
	var parts []any
	switch v := v.(type) {
	case map[string]float64:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, slog.Float64(k, math.Round(v[k]*1e4)/1e4))
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

// scoresAttr holds the last score of every seen task by its name, "-" before its
// first test: of many tasks, the mean of the first ones and the last ones.
func scoresAttr(tasks []string, scores []float64) slog.Attr {
	from := max(0, len(scores)-mostScores)
	var parts []any
	if from > 0 {
		parts = append(parts, slog.String(fmt.Sprintf("mean_of_first_%d", from), score(mean(scores[:from]))))
	}
	for i, x := range scores[from:] {
		parts = append(parts, slog.String(tasks[from+i], score(x)))
	}
	return slog.Group("scores", parts...)
}

// lossText is a loss with four digits, "-" without a gradient step.
func lossText(loss float64) string {
	if math.IsNaN(loss) {
		return "-"
	}
	return fmt.Sprintf("%.4g", loss)
}

// left estimates the time to the end from the speed so far.
func left(s continual.Status) string {
	if s.StepsPerS <= 0 {
		return "?"
	}
	return durationText(max(float64(s.Total-s.TEnv), 0) / s.StepsPerS)
}
