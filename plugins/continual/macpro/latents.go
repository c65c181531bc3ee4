package macpro

import (
	"macpro/core"
	"macpro/core/episode"
	"macpro/core/record"
	"macpro/core/rng"
)

// dump writes a row of contexts for every task that has begun, for pictures of
// how groups lie: what g says of new episodes with the task's saved head, which at
// these times is the live one if it is in training, and what f says of each agent. For a task that has just passed the expansion test the
// episodes are those of the test with the nearest head.
func (m *method) dump(when string, d *decision, p core.Progress) error {
	if !m.cfg.Latents || m.steps == 0 {
		return nil
	}
	src := m.sv.Source.Child("latents", when).ChildInt(int64(len(m.tasks)))
	for i := range m.tasks {
		var eps []*episode.Episode
		if d != nil && i == len(m.tasks)-1 {
			if d.nearest < 0 {
				continue
			}
			eps = d.candidates[d.nearest].episodes
		} else if played, err := m.play(i, "latents", int32(m.tasks[i].Head), src.ChildInt(int64(i))); err != nil {
			return err
		} else {
			eps = played
		}
		if err := m.dumpTask(when, i, eps, p); err != nil {
			return err
		}
	}
	return nil
}

// play plays a batch of episodes of the i-th task greedily with a head.
func (m *method) play(i int, purpose string, head int32, src rng.Source) ([]*episode.Episode, error) {
	return m.sv.Rollouts.Run(core.RolloutRequest{
		Task: m.tasks[i].Name, Purpose: purpose, Episodes: m.cfg.ContextBatch,
		Heads: repeated(head, m.cfg.ContextBatch*m.trainer.agents(i)), Source: src,
	})
}

// dumpTask writes the row of one task: "g" [episodes][z], "f" [episodes][agents][z]
// and "lengths" [episodes] in transitions.
func (m *method) dumpTask(when string, i int, eps []*episode.Episode, p core.Progress) error {
	t := m.tasks[i]
	g, err := m.trainer.readG.means(eps)
	if err != nil {
		return err
	}
	all, err := m.trainer.readF.means(eps)
	if err != nil {
		return err
	}
	f, lengths := make([][][]float32, len(eps)), make([]int, len(eps))
	for i, e := range eps {
		f[i], all = all[:e.N], all[e.N:]
		lengths[i] = e.T
	}
	return m.emit(record.Latents{At: at(t.Name, p), When: when, Head: t.Head, ContextSteps: m.steps, G: g, F: f, Lengths: lengths,
		TaskIndex: record.Repeated(m.taskNames(), i)})
}
