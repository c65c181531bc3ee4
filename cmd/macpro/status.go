package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"macpro/core"
	"macpro/core/continual"
	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/record"
)

// runStatus shows a run on a terminal: lines that say what happens at the borders of
// tasks, and below them a block with where it stands. A nil *runStatus shows nothing.
type runStatus struct {
	screen *screen
	quiet  bool     // warnings alone
	tasks  []string // labels

	now    continual.Status
	loss   float64 // of the last row of statistics, NaN without a gradient step
	joined string  // what an expansion test has decided for the task that begins
}

func (d *runStatus) progress(s continual.Status, loss float64) {
	if d == nil || d.quiet {
		return
	}
	d.now, d.loss = s, loss
	snapshot := *d
	d.screen.show(snapshot.block)
}

func (d *runStatus) close() {
	if d != nil {
		d.screen.close()
	}
}

// say prints a line for something that happened.
func (d *runStatus) say(text string, phrases ...string) {
	if !d.quiet {
		_ = d.screen.line(clock(), "", "", text, phrases...)
	}
}

func (d *runStatus) event(entry record.Entry) {
	if d == nil {
		return
	}
	switch r := entry.(type) {
	case record.Expansion:
		d.joined = fmt.Sprintf(", with head %d", r.Head)
		if r.Decision == "merge" {
			d.joined = fmt.Sprintf(", joins head %d", r.Head)
		}
	case record.TaskStart:
		d.say(fmt.Sprintf("%s begins, task %d of %d%s", d.label(r.Index), r.Index+1, len(d.tasks), d.joined))
		d.joined = ""
	case record.TaskEnd:
		early := ""
		if r.Stopped != "" {
			early = " early, at " + r.Stopped
		}
		d.say(fmt.Sprintf("%s ends%s: %s", d.label(r.Index), early, d.measure()), d.scores()...)
	case record.Alarm:
		_ = d.screen.line(clock(), yellow, "alarm:", fmt.Sprintf("%s (task %s, t_env %d%s)", r.Reason, r.Task, r.TEnv, extraText(r.Extra)))
	}
}

// extraText words what a row has besides its fields.
func extraText(extra map[string]any) string {
	text := ""
	for _, kv := range appendAttr(nil, "", attribute("", extra)) {
		text += ", " + strings.TrimPrefix(kv, ".")
	}
	return text
}

// label is the name of a task of the sequence. A plugin's row may have any index.
func (d *runStatus) label(index int) string {
	if index < 0 || index >= len(d.tasks) {
		return fmt.Sprintf("task %d", index)
	}
	return names.Plain(d.tasks[index])
}

// measure says what the scores of tasks are.
func (d *runStatus) measure() string {
	if d.now.Measure == core.ScoreWinRate {
		return "win rate"
	}
	return string(d.now.Measure)
}

// block is the tasks and numbers of a run for a terminal of so many columns.
func (d runStatus) block(columns int) []string {
	s, n := d.now, d.screen
	percent := int64(100)
	if s.Total > 0 {
		percent = min(100*s.TEnv/s.Total, 100)
	}
	lines := n.labelled("task", []string{d.label(s.Index) + ",", fmt.Sprintf("%d of %d", s.Index+1, len(d.tasks))}, columns)
	lines = append(lines, n.labelled("steps", []string{n.gauge(percent, columns), fmt.Sprintf("%d %%,", percent),
		fmt.Sprintf("%d of %d,", s.TEnv, s.Total), left(s) + " left"}, columns)...)
	lines = append(lines, n.labelled("train", []string{"loss " + lossText(d.loss) + ",", fmt.Sprintf("epsilon %.3f,", s.Epsilon),
		fmt.Sprintf("%.0f steps/s", s.StepsPerS)}, columns)...)
	return append(lines, n.labelled(d.measure(), d.scores(), columns)...)
}

// mostScores bounds the tasks whose scores are shown one by one.
const mostScores = 8

// scores are those of the seen tasks, "-" before the first test: of many, the mean of
// the first ones and the last ones.
func (d *runStatus) scores() []string {
	all := d.now.Scores
	from := max(0, len(all)-mostScores)
	var out []string
	if from > 0 {
		out = append(out, fmt.Sprintf("mean %s of the first %d", score(mean(all[:from])), from))
	}
	for i, x := range all[from:] {
		out = append(out, d.label(from+i)+" "+score(x))
	}
	if len(out) == 0 {
		return []string{"-"}
	}
	for i := range len(out) - 1 {
		out[i] += ","
	}
	return out
}

// mean is that of the scores that are known.
func mean(scores []float64) float64 {
	return metrics.Mean(slices.DeleteFunc(slices.Clone(scores), math.IsNaN))
}

// clock is the time of day in front of a line.
func clock() string { return time.Now().Format(clockForm) }

// gauge is a bar that is filled to some percent.
func (s *screen) gauge(percent int64, columns int) string {
	width := min(20, columns/5)
	full := int(percent) * width / 100
	return "[" + s.paint(green, strings.Repeat("#", full)) + strings.Repeat(".", width-full) + "]"
}
