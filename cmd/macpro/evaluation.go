package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"macpro/core/continual"
	"macpro/core/metrics"
	"macpro/core/store"
)

// evaluation is the JSON form of what eval found.
type evaluation struct {
	ID         string     `json:"id"`
	Checkpoint string     `json:"checkpoint"` // digest of its parts
	TEnv       int64      `json:"t_env"`
	Tests      []evalTest `json:"tests"`
}

type evalTest struct {
	Task       string `json:"task"`
	Mode       string `json:"mode"`
	Seen       bool   `json:"seen"`
	Episodes   int    `json:"episodes"`
	Score      number `json:"score"`
	ReturnMean number `json:"return_mean"`
	ReturnStd  number `json:"return_std"`
	WinRate    number `json:"win_rate"`
	LengthMean number `json:"length_mean"`
	// HeadAccuracy is null where no head is right or wrong.
	HeadAccuracy  *float64      `json:"head_accuracy"`
	ProbeEpisodes int64         `json:"probe_episodes"`
	ProbeSteps    int64         `json:"probe_steps"`
	Rows          []evalEpisode `json:"rows,omitempty"`
}

type evalEpisode struct {
	Index  int     `json:"index"`
	Seed   string  `json:"seed"`
	Return float64 `json:"return"`
	Length int     `json:"length"`
	Won    bool    `json:"won"`
	Heads  []int32 `json:"heads,omitempty"`
}

type number = metrics.Number

// evaluationOf collects the results of a checkpoint, with all episodes if rows.
func evaluationOf(rec *store.Record, c *store.Checkpoint, results []continual.TestResult, rows bool) evaluation {
	e := evaluation{ID: rec.Manifest.ID, Checkpoint: c.Digest(), TEnv: c.TEnv, Tests: []evalTest{}}
	for _, r := range results {
		t := evalTest{
			Task: r.Task, Mode: r.Mode, Seen: r.Seen, Episodes: len(r.Episodes), Score: number(r.Score),
			ReturnMean: number(r.ReturnMean), ReturnStd: number(r.ReturnStd),
			WinRate: number(r.WinRate), LengthMean: number(r.LengthMean),
			ProbeEpisodes: r.ProbeEpisodes, ProbeSteps: r.ProbeSteps,
		}
		if r.HeadAccuracy >= 0 {
			t.HeadAccuracy = &r.HeadAccuracy
		}
		for _, p := range r.Episodes {
			if rows {
				t.Rows = append(t.Rows, evalEpisode{p.Index, seedText(p.Seed), p.Return, p.Length, p.Won, p.Heads})
			}
		}
		e.Tests = append(e.Tests, t)
	}
	return e
}

// seedText prints an episode's seed as the journal does.
func seedText(seed uint64) string { return fmt.Sprintf("%#016x", seed) }

// printScores shows the scores of all tasks, a column a mode, and their means
// over the tasks that a mode is defined for.
func printScores(w io.Writer, results []continual.TestResult) error {
	var tasks, modes []string
	scores := map[[2]string]float64{}
	for _, r := range results {
		if !slices.Contains(tasks, r.Task) {
			tasks = append(tasks, r.Task)
		}
		if !slices.Contains(modes, r.Mode) {
			modes = append(modes, r.Mode)
		}
		scores[[2]string{r.Task, r.Mode}] = r.Score
	}
	table := [][]string{append([]string{"score"}, modes...)}
	mean := []string{fmt.Sprintf("mean of %d tasks", len(tasks))}
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
		var all []float64
		for _, task := range tasks {
			if x, ok := scores[[2]string{task, mode}]; ok {
				all = append(all, x)
			}
		}
		cell := score(metrics.Mean(all))
		if len(all) < len(tasks) {
			cell += fmt.Sprintf(" (of %d)", len(all))
		}
		mean = append(mean, cell)
	}
	return printTable(w, append(table, mean))
}

// printEvaluation shows a line a test and the scores side by side, and, if
// rows, a line an episode.
func printEvaluation(w io.Writer, results []continual.TestResult, rows bool) error {
	table := [][]string{{"task", "mode", "seen", "score", "return", "won", "length", "right heads"}}
	for _, r := range results {
		heads := "-"
		if r.HeadAccuracy >= 0 {
			heads = score(r.HeadAccuracy)
		}
		seen := "no"
		if r.Seen {
			seen = "yes"
		}
		table = append(table, []string{r.Task, r.Mode, seen, score(r.Score), fmt.Sprintf("%.2f±%.2f", r.ReturnMean, r.ReturnStd),
			score(r.WinRate), fmt.Sprintf("%.1f", r.LengthMean), heads})
	}
	if err := printTable(w, table); err != nil {
		return err
	}
	if err := printScores(w, results); err != nil || !rows {
		return err
	}
	table = [][]string{{"task", "mode", "episode", "seed", "return", "won", "length", "heads"}}
	for _, r := range results {
		for _, e := range r.Episodes {
			heads := "live"
			if e.Heads != nil {
				heads = fmt.Sprint(e.Heads)
			}
			table = append(table, []string{r.Task, r.Mode, fmt.Sprint(e.Index), seedText(e.Seed),
				fmt.Sprintf("%.2f", e.Return), fmt.Sprint(e.Won), fmt.Sprint(e.Length), heads})
		}
	}
	return printTable(w, table)
}
