package continual

import (
	"slices"
	"time"

	"macpro/core/metrics"
	"macpro/core/record"
)

// Result returns what the run has come to so far.
func (r *Runner) Result() record.Result {
	res := record.Result{
		Env: r.o.Env.Info().Name, Learner: r.o.Learner.Info().Name, Method: r.o.Method.Info().Name,
		Seed: r.cfg.Seed, Finished: r.state.Finished, Outcome: r.outcome(), Speed: record.Speed{PeakRSSBytes: peakRSS()},
	}
	if !r.started.IsZero() {
		res.WallS = time.Since(r.started).Seconds()
		res.TrainEnvStepsPerS = float64(r.state.TEnv-r.fromTEnv) / res.WallS
	}
	return res
}

// outcome is the part of the result that does not depend on the clock.
func (r *Runner) outcome() record.Outcome {
	out := record.Outcome{
		Tasks: slices.Clone(r.names), Modes: slices.Clone(r.modes),
		R:            map[string]metrics.Matrix{},
		FinalAverage: map[string]metrics.Number{},
		Metrics:      map[string]metrics.Summary{},
		Heads:        r.learner.Heads(), Alarms: r.state.Alarms, PeakQRatio: r.state.PeakRatio,
		TrainEnvSteps: r.state.TEnv, TestEnvSteps: r.state.TestSteps, MethodEnvSteps: map[string]int64{},
		Episodes: r.state.Episode, GradientSteps: r.state.GradSteps,
	}
	told := r.method.Report()
	out.TaskHeads, out.ContextSteps = slices.Clone(r.taskHeads()), told.ContextSteps
	for purpose, c := range r.service.Counts() {
		out.MethodEnvSteps[purpose] = c.Steps
	}
	spans := r.spans()
	var budget []int64
	if r.cfg.StopWhen != noStop {
		budget = r.budget
	}
	for _, mode := range r.modes {
		out.R[mode] = cloneMatrix(r.r[mode])
		out.Metrics[mode] = metrics.Summarize(r.r[mode], r.curves[mode], spans, budget)
		out.FinalAverage[mode] = metrics.Number(r.r[mode].Final())
	}
	return out
}

// spans are the times in which the tasks were trained; empty for those that
// were not.
func (r *Runner) spans() [][2]int64 {
	spans := make([][2]int64, len(r.names))
	for i, end := range r.state.Ends {
		spans[i] = [2]int64{r.state.Starts[i], end}
	}
	return spans
}

func cloneMatrix(m metrics.Matrix) metrics.Matrix {
	out := make(metrics.Matrix, len(m))
	for j := range m {
		out[j] = slices.Clone(m[j])
	}
	return out
}
