package continual

import (
	"errors"
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/rollout"
)

// TestResult is one test of a task in a mode, with every episode.
type TestResult struct {
	record.EvaluationTest
	Label string // the task's name for people, see record.Labels
	TEnv  int64
	Steps int64 // transitions of the test's own episodes
	// Fields are what the method adds to the test's row, nil if nothing.
	Fields map[string]any
}

// evaluate tests the current networks on a task with greedy episodes; nil says
// that the mode is not defined for the task. All randomness derives from (seed, task, mode, t_env). watch may be nil.
func (r *Runner) evaluate(task core.Task, mode string, episodes int, watch func(rollout.Moment) error) (*TestResult, error) {
	spec := task.Spec
	src := r.testSource(task, mode)
	heads, err := r.method.ChooseHeads(r.asked(task), mode, core.Evaluation{TEnv: r.state.TEnv, Episodes: episodes, Source: src, TaskHead: r.taskHead(task)})
	if err != nil {
		return nil, r.ofMethod(fmt.Errorf("choosing heads for %s in mode %s: %w", spec.Task, mode, err))
	}
	if heads.Skip {
		return nil, nil
	}
	if err := rollout.CheckHeads(heads.Heads, r.learner.Heads()); err != nil {
		return nil, r.ofMethod(fmt.Errorf("choosing heads for %s in mode %s: %w", spec.Task, mode, err))
	}
	right := r.rightHeads(task)
	if heads.Stepper != nil && right != nil {
		watch = right.watching(watch)
	}
	player, err := r.tests.Player(spec.Task, episodes)
	if err != nil {
		return nil, r.at("testing", err)
	}
	res := &TestResult{Label: r.label(task), TEnv: r.state.TEnv, EvaluationTest: record.EvaluationTest{
		Task: spec.Task, Index: &task.Index, Mode: mode, Episodes: episodes,
		Seen:      task.Index >= 0 && task.Index < len(r.state.Starts),
		TestStats: &record.TestStats{ProbeEpisodes: heads.ProbeEpisodes, ProbeSteps: heads.ProbeSteps},
	}}
	plan := rollout.Plan{
		Episodes: episodes, Env: src.Child("episodes").Stream(), Source: src.Child("steps"),
		Heads: heads.Heads, Stepper: heads.Stepper, Together: heads.Together, Task: r.toldIndex(task.Index), Head: core.LiveHead, Lean: true,
		Watch: watch,
	}
	if err := r.with(heads.Agent, func() error { return player.Play(&plan, res.add) }); err != nil {
		return nil, r.at("testing", err)
	}
	if heads.Stepper == nil && right != nil {
		for _, e := range res.Rows {
			right.count(e.Heads)
		}
	}
	res.HeadAccuracy = right.share()
	if heads.Stepper != nil {
		if res.Fields, err = heads.Stepper.TestFields(); err != nil {
			return nil, r.ofMethod(err)
		}
	}
	r.score(res, spec)
	return res, nil
}

// with does something while other parameters of the agent act; nil are the
// online ones.
func (r *Runner) with(agent []float32, do func() error) error {
	if agent == nil {
		return do()
	}
	w := core.AbilitiesOf(r.learner).Weights
	if w == nil {
		return r.ofMethod(fmt.Errorf("a plan with parameters of its own, and learner %s takes none", r.o.Learner.Info().Name))
	}
	online := r.learner.Parameters(core.ScopeAgent, nil)
	if err := w.SetParameters(core.ScopeAgent, agent); err != nil {
		return r.ofMethod(err)
	}
	err := do()
	return errors.Join(err, w.SetParameters(core.ScopeAgent, online))
}

func (t *TestResult) add(i int, e *episode.Episode, heads []int32) error {
	t.Steps += int64(e.T)
	t.Rows = append(t.Rows, record.Played{
		Index: i, Seed: record.SeedText(e.Seed), Return: e.Return(), Length: e.T, Won: e.Won, Heads: slices.Clone(heads),
	})
	return nil
}

// score fills the statistics of the noted episodes.
func (r *Runner) score(t *TestResult, spec core.EnvSpec) {
	returns := make([]float64, len(t.Rows))
	won := 0
	for i, e := range t.Rows {
		returns[i] = e.Return
		if e.Won {
			won++
		}
	}
	n := float64(len(t.Rows))
	t.ReturnMean, t.ReturnStd = metrics.Number(metrics.Mean(returns)), metrics.Number(metrics.Std(returns))
	t.WinRate, t.LengthMean = metrics.Number(float64(won)/n), metrics.Number(float64(t.Steps)/n)
	switch {
	case spec.Score == core.ScoreWinRate:
		t.Score = t.WinRate
	case spec.MaxReturn > 0:
		t.Score = t.ReturnMean / metrics.Number(spec.MaxReturn)
	default:
		t.Score = t.ReturnMean
	}
}

// rightHeads counts how often agents act with the head of a task.
type rightHeads struct {
	want, live int32
	right, all int
}

// rightHeads starts to count for a task; nil if no head is the right one.
func (r *Runner) rightHeads(task core.Task) *rightHeads {
	if task.Index < 0 || task.Index >= len(r.state.Starts) {
		return nil
	}
	want := r.taskHeads()
	if task.Index >= len(want) {
		return nil
	}
	return &rightHeads{want: int32(want[task.Index]), live: int32(r.method.Head())}
}

// count takes the heads [n] of a team.
func (c *rightHeads) count(heads []int32) {
	for _, h := range heads {
		if h == core.LiveHead {
			h = c.live
		}
		if h == c.want {
			c.right++
		}
		c.all++
	}
}

// watching counts at every step, and then passes what it sees on to watch, which
// may be nil.
func (c *rightHeads) watching(watch func(rollout.Moment) error) func(rollout.Moment) error {
	return func(m rollout.Moment) error {
		c.count(m.Heads)
		if watch == nil {
			return nil
		}
		return watch(m)
	}
}

// share is the part that was right, nil if nothing was counted.
func (c *rightHeads) share() *float64 {
	if c == nil || c.all == 0 {
		return nil
	}
	return new(float64(c.right) / float64(c.all))
}
