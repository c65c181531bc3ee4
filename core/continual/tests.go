package continual

import (
	"math"

	"macpro/core"
	"macpro/core/metrics"
	"macpro/core/record"
)

// noRow marks a test that fills no row of the score matrix.
const noRow = -1

// test tests the seen tasks that test_tasks chooses in all modes. With row >= 0 it
// closes a task, or for row 0 comes before any training. Then it fills that row of the
// score matrix, and with boundary_full_test it also tests unseen tasks.
func (r *Runner) test(row int) error {
	for _, i := range r.testedTasks(row) {
		for _, mode := range r.modes {
			t, err := r.evaluate(core.Task{Index: i, Spec: r.specs[i]}, mode, r.cfg.TestEpisodes, nil)
			if err != nil {
				return err
			}
			if t == nil {
				continue
			}
			if err := r.record(t, row); err != nil {
				return err
			}
		}
	}
	r.state.LastTest = r.state.TEnv
	r.report()
	return nil
}

// known is the number of tasks that the run knew of once it had trained some. Tasks
// that were added later count from then on.
func (r *Runner) known(trained int) int {
	for _, n := range r.cfg.Extended {
		if trained <= n {
			return min(n, len(r.names))
		}
	}
	return len(r.names)
}

// record keeps the score of a test and writes its rows.
func (r *Runner) record(t *TestResult, row int) error {
	r.state.TestEpisodes += int64(len(t.Rows))
	r.state.TestSteps += t.Steps
	i := *t.Index
	c := r.curves[t.Mode][i].With(metrics.Point{T: t.TEnv, Score: float64(t.Score)})
	r.curves[t.Mode][i] = c
	if row >= 0 {
		from := int64(math.MinInt64) // tests since the start of the task that ends
		if row > 0 {
			from = r.state.Starts[row-1]
		}
		r.r[t.Mode][row][i] = c.Last(r.cfg.FinalAvgPoints, from)
	}
	at := r.now(t.Task)
	for _, e := range t.Rows {
		if err := r.emit(record.TestEpisode{At: at, Mode: t.Mode, Played: e, TaskIndex: record.Repeated(r.names, i)}); err != nil {
			return err
		}
	}
	test := record.Test{
		At: at, Mode: t.Mode, Index: i, Seen: t.Seen, Episodes: len(t.Rows), Score: float64(t.Score), TestStats: *t.TestStats, Extra: t.Fields,
	}
	if row >= 0 {
		test.After = &row
	}
	return r.emit(test)
}
