package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/format"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// printResult shows the scores at the end of a run, a column a test mode, and
// what they mean for earlier tasks.
func printResult(w io.Writer, r record.Result) error {
	table := [][]string{append([]string{"score at the end"}, r.Modes...)}
	row := func(name string, of func(mode string) float64) {
		line := []string{name}
		for _, mode := range r.Modes {
			line = append(line, score(of(mode)))
		}
		table = append(table, line)
	}
	for _, b := range blocksOf(record.Labels(r.Tasks)) {
		row(b.label, func(m string) float64 { return metrics.Mean(r.R[m][len(r.Tasks)][b.from:b.to]) })
	}
	row("final average", func(m string) float64 { return float64(r.Metrics[m].FinalAverage) })
	row("forgetting, mean over earlier tasks", func(m string) float64 { return float64(r.Metrics[m].ForgettingGEM) })
	row("backward transfer", func(m string) float64 { return float64(r.Metrics[m].BackwardTransfer) })
	row("forward transfer, zero-shot", func(m string) float64 { return float64(r.Metrics[m].ForwardTransfer) })
	if err := printTable(w, 1, table); err != nil {
		return err
	}
	return fit(w, "score: the task's own, from 0 (nothing) to 1 (solved); final average: its mean over all tasks\n"+
		legend(r.Modes)+summary(r)+"\n")
}

// block is one task or, of many, consecutive ones.
type block struct {
	label    string
	from, to int
}

// mostTasks bounds the tasks that have a row each, blockSize is that of others' rows.
const mostTasks, blockSize = 20, 10

func blocksOf(labels []string) (out []block) {
	size := 1
	if len(labels) > mostTasks {
		size = blockSize
	}
	for from := 0; from < len(labels); from += size {
		b := block{labels[from], from, min(from+size, len(labels))}
		if size > 1 {
			b.label = fmt.Sprintf("mean of tasks %d to %d", from+1, b.to)
		}
		out = append(out, b)
	}
	return out
}

// modes says who chooses the heads that act in a test.
var modes = map[string]string{
	"single":      "there is one head",
	"ctde":        "each agent chooses its head by what it has seen",
	"ctce":        "one head for the team, chosen by what the central state shows",
	"oracle":      "the head or weights that the task was trained with",
	"random_head": "a head drawn at random",
	"bandit":      "a bandit chooses by temporal-difference errors",
	"all":         "all weights act",
	"inferred":    "weights of the task whose network is most certain in probing episodes",
}

func legend(shown []string) string {
	var b strings.Builder
	for _, m := range shown {
		if text, ok := modes[m]; ok {
			fmt.Fprintf(&b, "%s: %s\n", m, text)
		}
	}
	return b.String()
}

// printTable prints rows below a header, as names.Plain, on a terminal so that they fit:
// the first columns, the labels, stand in every part of a table that is too wide. Columns
// after the first are numbers or short words and align right.
func printTable(w io.Writer, labels int, rows [][]string) error {
	var safe [][]string
	for _, r := range rows {
		safe = append(safe, plain(r))
	}
	for _, part := range format.Narrow(safe, labels, columnsOf(w)) {
		align := slices.Repeat([]tw.Align{tw.AlignRight}, len(part[0]))
		align[0] = tw.AlignLeft
		t := tablewriter.NewTable(w,
			tablewriter.WithHeaderAutoFormat(tw.Off),
			tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
			tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}))
		t.Header(part[0])
		if err := errors.Join(t.Bulk(part[1:]), t.Render()); err != nil {
			return err
		}
	}
	return nil
}

func plain(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = names.Plain(text)
	}
	return out
}

// summary is the work that went into a result.
func summary(r record.Result) string {
	wall := time.Duration(r.WallS * float64(time.Second)).Round(time.Second / 10)
	parts := []string{
		fmt.Sprintf("%d training steps, %s in %v (%.0f steps/s)", r.TrainEnvSteps, names.Many(r.GradientSteps, "gradient step"), wall, r.TrainEnvStepsPerS),
	}
	if r.GradientSteps == 0 {
		parts = append(parts, "nothing was learned, because no task had batch_size episodes")
	}
	if r.Heads > 0 {
		parts = append(parts, names.Many(r.Heads, "head"))
	}
	if r.Alarms > 0 {
		times := "once"
		if r.Alarms > 1 {
			times = fmt.Sprintf("%d times", r.Alarms)
		}
		parts = append(parts, fmt.Sprintf("alarm raised %s: the mean Q_tot reached %.3g times the largest return", times, r.PeakQRatio))
	}
	return strings.Join(parts, "; ")
}

// score prints a score with two digits, as the paper's tables do.
func score(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	if text := fmt.Sprintf("%.2f", x); text != "-0.00" {
		return text
	}
	return "0.00"
}
