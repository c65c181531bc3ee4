package continual

import (
	"math"
	"time"

	"macpro/core/record"
)

func (r *Runner) emit(e record.Entry) error {
	if err := r.o.Journal.Emit(record.Event(e)); err != nil {
		return r.at("writing the journal", err)
	}
	return nil
}

// now is the position of a row that is written now. task may be "".
func (r *Runner) now(task string) record.At {
	return record.At{TEnv: r.state.TEnv, Episode: r.state.Episode, Task: task}
}

// logTrain writes the row of training statistics of the window that ends here.
func (r *Runner) logTrain() error {
	r.state.LastLog = r.state.TEnv
	if r.window.episodes == 0 {
		return nil
	}
	w := r.window
	r.window = window{}
	row := w.row(r.now(r.task()))
	row.Epsilon, row.Head, row.Heads = r.plan.Epsilon, r.method.Head(), r.learner.Heads()
	if err := r.emit(row); err != nil {
		return err
	}
	if w.updates > 0 {
		if err := r.watchQ(w.sum.QTaken / w.updates); err != nil {
			return err
		}
	}
	r.report()
	return nil
}

// watchQ raises an alarm when the mean Q_tot of the taken actions rises above
// what an episode can return at most: the values have become detached from the
// returns. There is one row whenever that state is entered.
func (r *Runner) watchQ(q float64) error {
	most := r.specs[r.state.Task].MaxReturn
	if r.cfg.QAlarmFactor == 0 || most <= 0 {
		return nil
	}
	s := &r.state
	s.PeakRatio = max(s.PeakRatio, q/most)
	high := q > r.cfg.QAlarmFactor*most
	if !high || s.InAlarm {
		s.InAlarm = high
		return nil
	}
	s.InAlarm = true
	s.Alarms++
	return r.emit(record.Alarm{At: r.now(r.task()), Reason: record.AlarmInflation,
		Extra: map[string]any{"q_taken": q, "max_return": most, "factor": q / most}})
}

// report tells Options.Progress where the run stands.
func (r *Runner) report() {
	if r.o.Progress == nil {
		return
	}
	s := Status{
		Task: r.task(), Index: r.state.Task, Tasks: r.names,
		TEnv: r.state.TEnv, Total: r.Total(),
		Episode: r.state.Episode, Epsilon: r.epsilon(), Measure: r.specs[r.state.Task].Score,
	}
	for i := range r.state.Starts {
		score := math.NaN()
		if c := r.curves[r.modes[0]][i]; len(c) > 0 {
			score = c[len(c)-1].Score
		}
		s.Scores = append(s.Scores, score)
	}
	if d := time.Since(r.started).Seconds(); d > 0 {
		s.StepsPerS = float64(r.state.TEnv-r.fromTEnv) / d
	}
	r.o.Progress(s)
}

// averages is the mean score over the first m tasks by mode, from row m of R. A task
// that the test of this row left out counts with its newest tests.
func (r *Runner) averages(m int) map[string]float64 {
	f := map[string]float64{}
	for mode, matrix := range r.r {
		sum := 0.0
		for i, x := range matrix[m][:m] {
			if math.IsNaN(x) {
				x = r.curves[mode][i].Last(r.cfg.FinalAvgPoints, math.MinInt64)
			}
			sum += x
		}
		f[mode] = sum / float64(m)
	}
	return f
}

// NoteBudget writes a row about a longer budget that the run has been given.
func (r *Runner) NoteBudget(steps []int64) error {
	return r.emit(record.Budget{At: r.now(r.task()), Steps: steps})
}
