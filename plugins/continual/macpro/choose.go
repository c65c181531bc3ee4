package macpro

import (
	"math"

	"macpro/core"
	"macpro/core/names"
	"macpro/core/rng"
)

// ChooseHeads plans the heads of a test.
func (m *method) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	switch mode {
	case ModeCTDE, ModeCTCE:
		return m.probing(t, mode == ModeCTCE, ev)
	case ModeOracle:
		if t.Index < 0 || t.Index >= len(m.tasks) {
			return core.HeadPlan{Skip: true}, nil
		}
		return m.plan(repeated(int32(m.tasks[t.Index].Head), t.Spec.Agents), ev), nil
	case ModeRandom:
		if m.cfg.RandomHeads == keyStep {
			return core.HeadPlan{Stepper: m.everyStep()}, nil
		}
		heads := m.randomHeads(ev.Episodes, t.Spec.Agents, ev.Source.Child("head_random").Stream())
		return core.HeadPlan{Heads: heads}, nil
	case ModeBandit:
		return m.bandit(t)
	}
	return core.HeadPlan{}, names.Unknown("test mode of macpro", mode, m.modes)
}

// acting is what stands for head k in a test: the head in training is the live
// one, unless its saved copy is asked for.
func (m *method) acting(k int) int32 {
	if k == m.head && m.cfg.CurrentHead == keyLive {
		return core.LiveHead
	}
	return int32(k)
}

// plan lets every agent act with its head in all episodes.
func (m *method) plan(heads []int32, ev core.Evaluation) core.HeadPlan {
	var p core.HeadPlan
	for range ev.Episodes {
		for _, k := range heads {
			p.Heads = append(p.Heads, m.acting(int(k)))
		}
	}
	return p
}

// randomHeads draws a head for each episode, the same for all agents.
func (m *method) randomHeads(episodes, n int, from *rng.Stream) []int32 {
	var heads []int32
	for range episodes {
		heads = append(heads, repeated(m.acting(from.Intn(m.sv.Learner.Heads())), n)...)
	}
	return heads
}

// everyStep draws a head for each step of each episode.
func (m *method) everyStep() core.HeadStepper {
	s := stepper{}
	for k := range m.sv.Learner.Heads() {
		s.heads = append(s.heads, m.acting(k))
	}
	return s
}

// stepper chooses any head at every step, the same for all agents. The draw
// depends on episode and step alone.
type stepper struct{ heads []int32 }

func (s stepper) StepHeads(v *core.StepView, heads []int32) error {
	n := v.Spec.Agents
	for i, e := range v.Episodes {
		k := v.Source.ChildInt(int64(e)).ChildInt(int64(v.T)).Stream().Intn(len(s.heads))
		copy(heads[i*n:(i+1)*n], repeated(s.heads[k], n))
	}
	return nil
}

// probing lets each agent choose a head by its own observations in probing
// episodes (Sec. "Decentralized Task Approximation"), or, for comparison, the
// team by the states. With one head, or while no group has a context, the head
// in training acts.
func (m *method) probing(t core.Task, central bool, ev core.Evaluation) (core.HeadPlan, error) {
	n := t.Spec.Agents
	if m.sv.Learner.Heads() == 1 {
		return m.plan(repeated(0, n), ev), nil
	}
	if err := alike(m.spec, t.Spec); err != nil {
		return core.HeadPlan{}, err
	}
	centers, err := m.testCenters(t, ev.Source.Child("centers"))
	if err != nil {
		return core.HeadPlan{}, err
	}
	switch len(centers) {
	case 0:
		return m.plan(repeated(int32(m.head), n), ev), nil
	case 1:
		return m.plan(repeated(int32(centers[0].head), n), ev), nil
	}
	request := core.RolloutRequest{
		Task: t.Spec.Task, Purpose: "probe", Episodes: m.cfg.ProbeEpisodes, Epsilon: m.cfg.ProbeEps, Source: ev.Source.Child("probe"),
	}
	if m.cfg.ProbeHeads == keyStep {
		request.Stepper = m.everyStep()
	} else {
		request.Heads = m.randomHeads(request.Episodes, n, ev.Source.Child("probe", "heads").Stream())
	}
	eps, err := m.sv.Rollouts.Run(request)
	if err != nil {
		return core.HeadPlan{}, err
	}
	reader, tracks := m.trainer.readF, n
	if central {
		reader, tracks = m.trainer.readG, 1
	}
	means, err := reader.means(eps)
	if err != nil {
		return core.HeadPlan{}, err
	}
	heads := make([]int32, n)
	for i := range heads {
		var own [][]float32
		for e := range eps {
			own = append(own, means[e*tracks+i%tracks])
		}
		heads[i] = int32(centers[nearest(centers, own, m.cfg.ProbeUse == keyMean)].head)
	}
	p := m.plan(heads, ev)
	p.ProbeEpisodes, p.ProbeSteps = int64(len(eps)), int64(transitions(eps))
	return p, nil
}

// nearest is the center with the smallest distance to any of the contexts, or
// with the smallest mean distance to them; the first on ties.
func nearest(cs []center, contexts [][]float32, mean bool) int {
	best, least := 0, math.Inf(1)
	for k, c := range cs {
		d := math.Inf(1)
		if mean {
			d = c.distance(contexts)
		} else {
			for _, x := range contexts {
				d = min(d, apart(c.mean, x))
			}
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// testCenters are the groups' centers for a test.
func (m *method) testCenters(t core.Task, src rng.Source) ([]center, error) {
	if t.Index >= 0 || m.cfg.GenCenters != keyRollout || m.steps == 0 {
		return m.centers(src)
	}
	return m.playedCenters(src)
}

// playedCenters computes the centers from new episodes of every trained task
// with its head, in place of stored ones.
func (m *method) playedCenters(src rng.Source) ([]center, error) {
	contexts := make([][][]float32, m.sv.Learner.Heads())
	for i, t := range m.tasks {
		eps, err := m.sv.Rollouts.Run(core.RolloutRequest{
			Task: t.Name, Purpose: "centers", Episodes: m.cfg.ContextBatch,
			Heads: repeated(m.acting(t.Head), m.cfg.ContextBatch*m.spec.Agents), Source: src.ChildInt(int64(i)),
		})
		if err != nil {
			return nil, err
		}
		means, err := m.trainer.readG.means(eps)
		if err != nil {
			return nil, err
		}
		contexts[t.Head] = append(contexts[t.Head], means...)
	}
	var cs []center
	for k, means := range contexts {
		cs = append(cs, centerOf(k, means))
	}
	return cs, nil
}
