package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"macpro/core/continual"
)

// printResult shows the scores at the end of a run, a column a test mode, and
// what they mean for earlier tasks.
func printResult(w io.Writer, r continual.Result) error {
	t := tablewriter.NewTable(w, tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithFooterAutoFormat(tw.Off))
	t.Header(append([]string{"score at the end"}, r.Modes...))
	for i, task := range r.Tasks {
		row := []string{task}
		for _, mode := range r.Modes {
			m := r.R[mode]
			row = append(row, score(m[len(m)-1][i]))
		}
		if err := t.Append(row); err != nil {
			return err
		}
	}
	measures := []struct {
		name string
		of   func(mode string) float64
	}{
		{"final average", func(m string) float64 { return float64(r.Metrics[m].FinalAverage) }},
		{"forgetting (mean over earlier tasks)", func(m string) float64 { return float64(r.Metrics[m].ForgettingGEM) }},
		{"backward transfer", func(m string) float64 { return float64(r.Metrics[m].BackwardTransfer) }},
		{"forward transfer, zero-shot", func(m string) float64 { return float64(r.Metrics[m].ForwardTransfer) }},
	}
	for _, m := range measures {
		row := []string{m.name}
		for _, mode := range r.Modes {
			row = append(row, score(m.of(mode)))
		}
		if err := t.Append(row); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, summary(r))
	return err
}

// summary is the work that went into a result.
func summary(r continual.Result) string {
	wall := time.Duration(r.WallS * float64(time.Second)).Round(time.Second / 10)
	parts := []string{
		fmt.Sprintf("%d training steps, %d gradient steps in %v (%.0f steps/s)", r.TrainEnvSteps, r.GradientSteps, wall, r.TrainEnvStepsPerS),
	}
	if r.Heads > 0 {
		parts = append(parts, fmt.Sprintf("%d heads", r.Heads))
	}
	if r.Alarms > 0 {
		parts = append(parts, fmt.Sprintf("%d alarms: the mean Q_tot reached %.1f times the largest return", r.Alarms, r.PeakQRatio))
	}
	return strings.Join(parts, "; ")
}

// score prints a score with two digits, as the paper's tables do.
func score(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.2f", x)
}
