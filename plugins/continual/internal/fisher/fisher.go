package fisher

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/rng"
)

// Protection holds importances and anchors and keeps the learner's penalties
// in step with them.
type Protection struct {
	cfg      Config
	interval int64
	scope    core.Scope
	learner  core.Learner
	journal  core.Journal
	draw     *rng.Stream

	terms  []term
	logged int64     // t_env of the last row about the drift
	now    []float32 // scratch: the current parameters
}

// term is one summand of the penalty, in the order of Learner.Parameters.
type term struct{ importance, anchor []float32 }

// New makes a protection of a part of the agent network that protects nothing
// yet. It draws from the stream "fisher".
func New(s core.Settings, scope core.Scope, sv core.Services) (*Protection, error) {
	p := &Protection{scope: scope, learner: sv.Learner, journal: sv.Journal, draw: sv.Source.Child("fisher").Stream()}
	var every pace
	if err := config.Decode(s, &p.cfg, &every); err != nil {
		return nil, err
	}
	p.interval = every.Interval
	return p, nil
}

// EndTask takes the task that ends under protection. It needs the task's
// episodes, so it comes before the buffer is emptied: fisher_episodes of them
// are drawn without replacement, or all if there are fewer.
func (p *Protection) EndTask(ring *episode.Ring, task string, at core.Progress) error {
	eps := make([]*episode.Episode, min(p.cfg.Episodes, ring.Len()))
	if len(eps) == 0 {
		return fmt.Errorf("no episodes of task %s to estimate the importance of parameters from", task)
	}
	if err := ring.Sample(eps, p.draw); err != nil {
		return err
	}
	f, err := p.learner.Importance(eps, core.ImportanceSource(p.cfg.Source))
	if err != nil {
		return err
	}
	drift, drifted := p.drift() // from the anchor that is about to be replaced
	anchor := p.learner.Parameters(p.scope, nil)
	f = f[:len(anchor)] // of the agent network; features come first
	row, err := p.scale(f)
	if err != nil {
		return fmt.Errorf("task %s: %w", task, err)
	}
	row["episodes"], row["source"], row["scope"] = len(eps), p.cfg.Source, string(p.scope)
	if drifted {
		row["drift"] = drift
	}
	if err := p.emit("fisher", task, at, row); err != nil {
		return err
	}
	p.take(term{f, anchor})
	p.logged = at.TEnv
	return p.apply()
}

// scale normalises and clips a new importance and describes it: mean, max and
// the share of zeros as it was estimated, and the share that was clipped.
func (p *Protection) scale(f []float32) (map[string]any, error) {
	sum, most, zeros, clipped := 0.0, 0.0, 0, 0
	for _, x := range f {
		sum += float64(x)
		most = max(most, float64(x))
		if x == 0 {
			zeros++
		}
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, core.NotFinite("the importance of parameters is not finite (sum %v)", sum)
	}
	n := float64(len(f))
	factor := 1.0
	if p.cfg.Norm == normMean && sum > 0 {
		factor = n / sum
	}
	for j, x := range f {
		y := factor * float64(x)
		if p.cfg.Clip > 0 && y > p.cfg.Clip {
			y = p.cfg.Clip
			clipped++
		}
		f[j] = float32(y)
	}
	return map[string]any{"mean": sum / n, "max": most, "zeros": float64(zeros) / n, "clipped": float64(clipped) / n}, nil
}

func (p *Protection) take(t term) {
	switch {
	case p.cfg.Mode == separate:
		p.terms = append(p.terms, t)
		return
	case p.cfg.Mode == online && len(p.terms) > 0:
		for j, old := range p.terms[0].importance {
			t.importance[j] += float32(p.cfg.Gamma * float64(old))
		}
	}
	p.terms = []term{t}
}

// apply hands the penalty to the learner. With lambda 0 there is none, so that
// training is bit for bit that without protection.
func (p *Protection) apply() error {
	var penalties []core.Penalty
	for _, t := range p.terms {
		if p.cfg.Lambda > 0 {
			penalties = append(penalties, core.Penalty{Scope: p.scope, Anchor: t.anchor, Importance: t.importance, Coef: p.cfg.Lambda / 2})
		}
	}
	return p.learner.SetPenalties(penalties)
}

// Trained writes a row about the drift whenever log_interval transitions have
// passed, from the second task on.
func (p *Protection) Trained(task string, at core.Progress) error {
	if len(p.terms) == 0 || at.TEnv-p.logged < p.interval {
		return nil
	}
	p.logged = at.TEnv
	d, _ := p.drift()
	return p.emit("drift", task, at, map[string]any{"scope": string(p.scope), "drift": d})
}

// drift is the distance of the parameters from the latest anchor, false while
// there is none.
func (p *Protection) drift() (float64, bool) {
	if len(p.terms) == 0 {
		return 0, false
	}
	p.now = p.learner.Parameters(p.scope, p.now[:0])
	sum := 0.0
	for j, a := range p.terms[len(p.terms)-1].anchor {
		d := float64(p.now[j]) - float64(a)
		sum += d * d
	}
	return math.Sqrt(sum), true
}

func (p *Protection) emit(kind, task string, at core.Progress, fields map[string]any) error {
	return p.journal.Emit(core.Event{Kind: kind, TEnv: at.TEnv, Episode: at.Episode, Task: task, Fields: fields})
}
