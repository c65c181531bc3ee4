package macpro

import (
	"math"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rng"
)

// probing lets each agent choose a head by its own observations in probing
// episodes (Sec. "Decentralized Task Approximation"), or, for comparison, the
// team by the states. With one head, or until the encoders have been trained, the
// head in training acts; a single group with a context needs no probing.
func (m *method) probing(t core.Task, central bool, ev core.Evaluation) (core.HeadPlan, error) {
	n := t.Spec.Agents
	if m.sv.Learner.Heads() == 1 {
		return m.plan(repeated(0, n), ev), nil
	}
	if err := m.trainer.visit(t.Spec); err != nil {
		return core.HeadPlan{}, err
	}
	centers, err := m.testCenters(t, ev.Source.Child("centers"))
	if err != nil {
		return core.HeadPlan{}, err
	}
	switch len(centers) {
	case 0:
		if m.steps > 0 {
			return core.HeadPlan{}, m.tooFew()
		}
		return m.plan(repeated(int32(m.head), n), ev), nil
	case 1:
		return m.plan(repeated(int32(centers[0].head), n), ev), nil
	}
	eps, err := m.probe(t, ev.Source.Child("probe"))
	if err != nil {
		return core.HeadPlan{}, err
	}
	heads, err := m.choose(centers, eps, n, central)
	if err != nil {
		return core.HeadPlan{}, err
	}
	p := m.plan(heads, ev)
	p.ProbeEpisodes, p.ProbeSteps = int64(len(eps)), int64(transitions(eps))
	return p, nil
}

// probe plays the probing episodes, each with any head for the whole team.
func (m *method) probe(t core.Task, src rng.Source) ([]*episode.Episode, error) {
	r := core.RolloutRequest{
		Task: t.Spec.Task, Purpose: "probe", Episodes: m.cfg.ProbeEpisodes, Epsilon: m.cfg.ProbeEps, Source: src,
	}
	if m.cfg.ProbeHeads == keyStep {
		r.Stepper = m.everyStep()
	} else {
		r.Heads = m.randomHeads(r.Episodes, t.Spec.Agents, src.Child("heads").Stream())
	}
	return m.sv.Rollouts.Run(r)
}

// choose picks a head for every agent: the one whose center is nearest to what
// the agent's f, or for all agents g, says of the probing episodes.
func (m *method) choose(centers []center, eps []*episode.Episode, n int, central bool) ([]int32, error) {
	reader, tracks := m.trainer.readF, n
	if central {
		reader, tracks = m.trainer.readG, 1
	}
	means, err := reader.means(eps)
	if err != nil {
		return nil, err
	}
	heads := make([]int32, n)
	for i := range heads {
		var own [][]float32
		for e := range eps {
			own = append(own, means[e*tracks+i%tracks])
		}
		heads[i] = int32(centers[nearest(centers, own, m.cfg.ProbeUse == keyMean)].head)
	}
	return heads, nil
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
		eps, err := m.play(i, "centers", m.acting(t.Head), src.ChildInt(int64(i)))
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
