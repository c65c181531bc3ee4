package packnet

import (
	"math"

	"macpro/core"
	"macpro/core/episode"
)

// Values of the key packnet_task.
const taskInferred = "inferred"

// infer plans a test whose task nobody tells. Before it the team plays a few
// probing episodes at random. Every task's network reads them, and the one that is
// most certain of its actions acts in the whole test: that with the smallest mean
// entropy of softmax(Q_i) over available actions, over all agents i and steps (as
// in Supermasks in Superposition, Wortsman et al., 2020). Neither rewards nor
// states play a part. The choice is central: one for the team, from the
// observations of all agents.
//
// It works where networks are uncertain outside of their task. On foraging they are
// not: the entropies of three tasks differ by 0.001, and the choice is no better
// than chance (final average 0.33, with the task told 0.94: VDN, topright, right and
// bottomleft, 30,000 steps each, one seed).
func (m *method) infer(t core.Task, ev core.Evaluation) (core.HeadPlan, error) {
	as := m.like(t)
	switch {
	case as < 0:
		return core.HeadPlan{Skip: true}, nil
	case m.cfg.Keep == 0 || m.task < 1:
		return core.HeadPlan{}, nil // there is one network
	}
	eps, err := m.rollouts.Run(core.RolloutRequest{
		Task: t.Spec.Task, Purpose: "probe", Episodes: m.cfg.Probes, Epsilon: 1, Source: ev.Source.Child("probe"),
	})
	if err != nil {
		return core.HeadPlan{}, err
	}
	p := core.HeadPlan{ProbeEpisodes: int64(len(eps))}
	for _, e := range eps {
		e.Task = as
		p.ProbeSteps += int64(e.T)
	}
	c := &choice{}
	for k := range m.task + 1 {
		values, err := m.values.EpisodeValues(eps, m.network(k))
		if err != nil {
			return core.HeadPlan{}, err
		}
		h := entropy(eps, values)
		if c.entropies = append(c.entropies, h); h < c.entropies[c.task] {
			c.task = k
		}
	}
	p.Agent, p.Stepper = m.network(c.task), c
	return p, nil
}

// like is a task of the run with the shapes of t, t itself if it is one; -1 if
// there is none.
func (m *method) like(t core.Task) int {
	if t.Index >= 0 {
		return t.Index
	}
	for k, s := range m.tasks {
		if s.Agents == t.Spec.Agents && s.Actions == t.Spec.Actions && s.ObsWidth == t.Spec.ObsWidth && s.StateWidth == t.Spec.StateWidth && s.Limit >= t.Spec.Limit {
			return k
		}
	}
	return -1
}

// network is the parameters that act in task k; nil are all of them, which the
// task in training has.
func (m *method) network(k int) []float32 {
	if k == m.task {
		return nil
	}
	w := m.learner.Parameters(core.ScopeAgent, nil)
	for j, owner := range m.owners.Of {
		if owner == 0 || int(owner) > k+1 {
			w[j] = 0
		}
	}
	return w
}

// entropy is the mean entropy of the softmax of the values [T, n, A] of each
// episode over available actions.
func entropy(eps []*episode.Episode, values [][]float32) float64 {
	sum, rows := 0.0, 0
	for i, e := range eps {
		for r := range e.T * e.N {
			sum += rowEntropy(values[i][r*e.A:(r+1)*e.A], e.Avail[r*e.A:(r+1)*e.A])
			rows++
		}
	}
	return sum / float64(max(1, rows))
}

func rowEntropy(q []float32, avail []uint8) float64 {
	top := math.Inf(-1)
	for a, ok := range avail {
		if ok != 0 {
			top = max(top, float64(q[a]))
		}
	}
	norm, mean := 0.0, 0.0
	for a, ok := range avail {
		if ok != 0 {
			x := float64(q[a]) - top
			norm += math.Exp(x)
			mean += math.Exp(x) * x
		}
	}
	if norm == 0 {
		return 0 // nothing can be done
	}
	return math.Log(norm) - mean/norm
}

// choice is what was inferred; it joins the row of the test.
type choice struct {
	core.Unwatched
	task      int
	entropies []float64 // of each task's network
}

// StepHeads lets the only head act.
func (c *choice) StepHeads(_ *core.StepView, heads []int32) error {
	for i := range heads {
		heads[i] = core.LiveHead
	}
	return nil
}

// TestFields tells the task and how certain the networks were.
func (c *choice) TestFields() (map[string]any, error) {
	return map[string]any{"inferred_task": c.task, "entropy": c.entropies}, nil
}
