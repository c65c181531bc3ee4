package remote

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/registry/remote/wire"
)

// The client of a learner has the methods of all abilities and says itself which
// of them the learner on the other side has.
var (
	_ core.Exporter       = (*learner)(nil)
	_ core.Valuer         = (*learner)(nil)
	_ core.GradientEditor = (*learner)(nil)
	_ core.WeightEditor   = (*learner)(nil)
)

// Abilities are those of the learner on the other side.
func (l *learner) Abilities() (a core.LearnerAbilities) {
	has := func(ability string) bool { return slices.Contains(l.abilities, ability) }
	if has(core.AbilityExport) {
		a.Exporter = l
	}
	if has(core.AbilityValues) {
		a.Valuer = l
	}
	if has(core.AbilityGradients) {
		a.Gradients = l
	}
	if has(core.AbilityWeights) {
		a.Weights = l
	}
	return a
}

// Weights copies the online weights. A failure shows at the next call that can
// return it.
func (l *learner) Weights() []core.Weight {
	a, err := ask(l.link, "Weights", l.calls.Weights, l.ref())
	var out []core.Weight
	for _, w := range a.GetWeights() {
		x := core.Weight{Name: w.Name}
		for _, d := range w.Shape {
			x.Shape = append(x.Shape, int(d))
		}
		if x.Data, err = wire.Numbers[float32](w.Name, w.Data); err != nil {
			err = l.link.fault("Weights", err)
			break
		}
		out = append(out, x)
	}
	if err != nil {
		l.link.note(err)
	}
	return out
}

func (l *learner) SaveMixer(k int) error {
	_, err := ask(l.link, "SaveMixer", l.calls.SaveMixer, &wire.HeadRequest{Learner: l.id, Head: int64(k)})
	return err
}

func (l *learner) JointValues(s *core.JointStep) error {
	a, err := ask(l.link, "JointValues", l.calls.JointValues, &wire.JointRequest{
		Learner: l.id, Spec: wire.FromSpecOf(s.Spec), Lanes: int64(s.Lanes), Mixer: int64(s.Mixer),
		State: wire.Bytes(s.State), Avail: s.Avail, Q: wire.Bytes(s.Q), Actions: wire.Bytes(s.Actions),
	})
	if err != nil {
		return err
	}
	if err := wire.Fill("joint values", s.QTot, a.Values); err != nil {
		return l.link.fault("JointValues", fmt.Errorf("%d lanes: %w", s.Lanes, err))
	}
	return nil
}

func (l *learner) HeadValues(s *core.HeadStep) error {
	q := &wire.HeadStep{
		Learner: l.id, Spec: wire.FromSpecOf(s.Spec), Lanes: int64(s.Lanes), Obs: wire.Bytes(s.Obs), LastActions: wire.Bytes(s.LastActions),
		Hidden: wire.Bytes(s.Hidden), Heads: wire.Bytes(s.Heads),
	}
	if rows := len(s.Heads) * len(s.LastActions); rows > 0 {
		q.Actions = int64(len(s.Q) / rows)
	}
	a, err := ask(l.link, "HeadValues", l.calls.HeadValues, q)
	if err != nil {
		return err
	}
	return l.fill("HeadValues", a, s.Q, s.Hidden)
}

func (l *learner) EpisodeValues(batch []*episode.Episode, agent []float32) ([][]float32, error) {
	q := &wire.ValuesRequest{Learner: l.id, Episodes: wire.FromEpisodes(batch), Agent: wire.Present(agent)}
	a, err := ask(l.link, "EpisodeValues", l.calls.EpisodeValues, q)
	if err != nil {
		return nil, err
	}
	if len(a.Values) != len(batch) {
		return nil, l.link.fault("EpisodeValues", fmt.Errorf("values of %d episodes, want %d", len(a.Values), len(batch)))
	}
	out := make([][]float32, len(batch))
	for i, e := range batch {
		out[i] = make([]float32, e.T*e.N*e.A)
		if err := wire.Fill("values of an episode", out[i], a.Values[i]); err != nil {
			return nil, l.link.fault("EpisodeValues", err)
		}
	}
	return out, nil
}
