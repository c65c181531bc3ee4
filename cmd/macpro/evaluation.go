package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"macpro/core/continual"
	"macpro/core/metrics"
	"macpro/core/names"
)

// printScores shows the scores of all tasks, a column a mode, and their means
// over the tasks that a mode is defined for.
func printScores(w io.Writer, results []continual.TestResult) error {
	var tasks, modes []string
	scores, ofMode := map[[2]string]float64{}, map[string][]float64{}
	for _, r := range results {
		if !slices.Contains(tasks, r.Label) {
			tasks = append(tasks, r.Label)
		}
		if !slices.Contains(modes, r.Mode) {
			modes = append(modes, r.Mode)
		}
		scores[[2]string{r.Label, r.Mode}] = float64(r.Score)
		ofMode[r.Mode] = append(ofMode[r.Mode], float64(r.Score))
	}
	table := [][]string{append([]string{"score"}, modes...)}
	mean := []string{"mean of " + names.Many(len(tasks), "task")}
	for _, task := range tasks {
		line := []string{task}
		for _, mode := range modes {
			x, ok := scores[[2]string{task, mode}]
			if !ok {
				x = math.NaN()
			}
			line = append(line, score(x))
		}
		table = append(table, line)
	}
	for _, mode := range modes {
		all := ofMode[mode]
		cell := score(metrics.Mean(all))
		if len(all) < len(tasks) {
			cell += fmt.Sprintf(" (of %d)", len(all))
		}
		mean = append(mean, cell)
	}
	if err := printTable(w, 1, append(table, mean)); err != nil {
		return err
	}
	return fit(w, "score: the task's own, from 0 (nothing) to 1 (solved)\n"+legend(modes))
}

// printEvaluation shows a line a test and the scores side by side, and, if
// rows, a line an episode.
func printEvaluation(w io.Writer, results []continual.TestResult, rows bool) error {
	table := [][]string{{"task", "mode", "seen", "score", "return", "won", "length", "right heads"}}
	for _, r := range results {
		heads := "-"
		if r.HeadAccuracy != nil {
			heads = score(*r.HeadAccuracy)
		}
		seen := "no"
		if r.Seen {
			seen = "yes"
		}
		table = append(table, []string{r.Label, r.Mode, seen, score(float64(r.Score)), fmt.Sprintf("%.2f±%.2f", r.ReturnMean, r.ReturnStd),
			score(float64(r.WinRate)), fmt.Sprintf("%.1f", r.LengthMean), heads})
	}
	if err := printTable(w, 2, table); err != nil {
		return err
	}
	if err := printScores(w, results); err != nil || !rows {
		return err
	}
	table = [][]string{{"task", "mode", "episode", "seed", "return", "won", "length", "heads"}}
	for _, r := range results {
		for _, e := range r.Rows {
			heads := "live"
			if e.Heads != nil {
				heads = fmt.Sprint(e.Heads)
			}
			table = append(table, []string{r.Label, r.Mode, fmt.Sprint(e.Index), e.Seed,
				fmt.Sprintf("%.2f", e.Return), fmt.Sprint(e.Won), fmt.Sprint(e.Length), heads})
		}
	}
	return printTable(w, 3, table)
}
