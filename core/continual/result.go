package continual

import (
	"maps"
	"slices"
	"time"

	"macpro/core"
	"macpro/core/metrics"
)

// Result is what a run has come to. All but Throughput is part of the run's
// state and survives a stop.
type Result struct {
	Env     string   `json:"env"`
	Learner string   `json:"learner"`
	Method  string   `json:"method"`
	Seed    int64    `json:"seed"`
	Tasks   []string `json:"tasks"`
	Modes   []string `json:"modes"` // the first is the method's own
	// R is the score matrix by mode, FinalAverage the mean of its last row.
	R            map[string]metrics.Matrix  `json:"r"`
	FinalAverage map[string]metrics.Number  `json:"final_average"`
	Metrics      map[string]metrics.Summary `json:"metrics"`
	// TaskHeads is the head of each begun task, nil for one-head methods; Heads
	// is the number of saved heads.
	TaskHeads []int `json:"task_heads,omitempty"`
	Heads     int   `json:"heads"`
	// Finished is false for a run that was stopped.
	Finished bool `json:"finished"`
	// Alarms is how often the mean Q_tot rose above q_alarm_factor times the
	// largest return; PeakQRatio is its largest multiple of that return.
	Alarms     int     `json:"alarms"`
	PeakQRatio float64 `json:"peak_q_ratio"`
	Throughput
}

// Throughput counts a run's work. Steps are transitions.
type Throughput struct {
	TrainEnvSteps int64 `json:"train_env_steps"`
	TestEnvSteps  int64 `json:"test_env_steps"`
	// MethodEnvSteps are those of episodes that the method asked for, by
	// purpose ("probe", "identify", ...).
	MethodEnvSteps map[string]int64 `json:"method_env_steps"`
	Episodes       int64            `json:"episodes"`
	GradientSteps  int64            `json:"gradient_steps"`
	ContextSteps   int64            `json:"context_steps"`
	// The rest concerns this process only: since Run was called.
	WallS             float64 `json:"wall_s"`
	TrainEnvStepsPerS float64 `json:"train_env_steps_per_s"`
	PeakRSSBytes      int64   `json:"peak_rss_bytes"`
}

// Result returns what the run has come to so far.
func (r *Runner) Result() Result {
	res := Result{
		Env: r.o.Env.Info().Name, Learner: r.o.Learner.Info().Name, Method: r.o.Method.Info().Name, Seed: r.cfg.Seed,
		Tasks: slices.Clone(r.names), Modes: slices.Clone(r.modes),
		R:            map[string]metrics.Matrix{},
		FinalAverage: map[string]metrics.Number{},
		Metrics:      map[string]metrics.Summary{},
		Heads:        r.learner.Heads(), Finished: r.state.Finished,
		Alarms: r.state.Alarms, PeakQRatio: r.state.PeakRatio,
		Throughput: r.throughput(),
	}
	if m, ok := r.method.(core.HeadMapper); ok {
		res.TaskHeads = slices.Clone(m.TaskHeads())
	}
	spans := r.spans()
	for _, mode := range r.modes {
		res.R[mode] = cloneMatrix(r.r[mode])
		res.Metrics[mode] = metrics.Summarize(r.r[mode], r.curves[mode], spans)
		res.FinalAverage[mode] = metrics.Number(r.r[mode].Final())
	}
	return res
}

// Fields lists the whole result by name, with values as in core.Event.
func (res *Result) Fields() map[string]any {
	f := res.lasting()
	maps.Copy(f, map[string]any{
		"env": res.Env, "learner": res.Learner, "method": res.Method, "seed": res.Seed, "finished": res.Finished,
		"wall_s": res.WallS, "train_env_steps_per_s": res.TrainEnvStepsPerS, "peak_rss_bytes": res.PeakRSSBytes,
	})
	return f
}

// lasting lists what does not depend on the clock or the process.
func (res *Result) lasting() map[string]any {
	return map[string]any{
		"tasks": res.Tasks, "modes": res.Modes, "r": res.R, "final_average": res.FinalAverage, "metrics": res.Metrics,
		"task_heads": res.TaskHeads, "heads": res.Heads, "alarms": res.Alarms, "peak_q_ratio": res.PeakQRatio,
		"train_env_steps": res.TrainEnvSteps, "test_env_steps": res.TestEnvSteps, "method_env_steps": res.MethodEnvSteps,
		"episodes": res.Episodes, "gradient_steps": res.GradientSteps, "context_steps": res.ContextSteps,
	}
}

// Curves returns the scores of a mode's tests by task.
func (r *Runner) Curves(mode string) []metrics.Curve {
	out := make([]metrics.Curve, len(r.curves[mode]))
	for i, c := range r.curves[mode] {
		out[i] = slices.Clone(c)
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

func (r *Runner) throughput() Throughput {
	t := Throughput{
		TrainEnvSteps: r.state.TEnv, TestEnvSteps: r.state.TestSteps, MethodEnvSteps: map[string]int64{},
		Episodes: r.state.Episode, GradientSteps: r.state.GradSteps, PeakRSSBytes: peakRSS(),
	}
	for purpose, c := range r.service.Counts() {
		t.MethodEnvSteps[purpose] = c.Steps
	}
	if c, ok := r.method.(core.ContextCounter); ok {
		t.ContextSteps = c.ContextSteps()
	}
	if !r.started.IsZero() {
		t.WallS = time.Since(r.started).Seconds()
		t.TrainEnvStepsPerS = float64(r.state.TEnv-r.fromTEnv) / t.WallS
	}
	return t
}

func cloneMatrix(m metrics.Matrix) metrics.Matrix {
	out := make(metrics.Matrix, len(m))
	for j := range m {
		out[j] = slices.Clone(m[j])
	}
	return out
}
