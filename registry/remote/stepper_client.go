package remote

import (
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/registry/remote/wire"
)

// stepper stands for a HeadStepper that stays in the method's process.
type stepper struct {
	m  *method
	id uint64
}

var (
	_ core.HeadStepper = (*stepper)(nil)
	_ core.Failer      = (*stepper)(nil)
)

// stepper makes one with the optional abilities that the other side has.
func (m *method) stepper(id uint64, abilities []string) core.HeadStepper {
	s := &stepper{m, id}
	w, r := watcher{s}, reporter{s}
	switch [2]bool{slices.Contains(abilities, abilityEpisodeEnded), slices.Contains(abilities, abilityTestFields)} {
	case [2]bool{true, true}:
		return struct {
			*stepper
			watcher
			reporter
		}{s, w, r}
	case [2]bool{true, false}:
		return struct {
			*stepper
			watcher
		}{s, w}
	case [2]bool{false, true}:
		return struct {
			*stepper
			reporter
		}{s, r}
	}
	return s
}

func (s *stepper) StepHeads(v *core.StepView, heads []int32) error {
	source, err := v.Source.MarshalBinary()
	if err != nil {
		return err
	}
	q := &wire.StepHeadsRequest{
		Method: s.m.id, Stepper: s.id, T: int64(v.T), Source: source, Spec: wire.FromSpec(v.Spec),
		Obs: wire.Bytes(v.Obs), State: wire.Bytes(v.State), Avail: v.Avail, Hidden: wire.Bytes(v.Hidden),
		Last: wire.Bytes(v.Last), Reward: wire.Bytes(v.Reward), Heads: wire.Bytes(heads),
	}
	for _, e := range v.Episodes {
		q.Episodes = append(q.Episodes, int64(e))
	}
	a, err := ask(s.m.link, "StepHeads", s.m.calls.StepHeads, q)
	if err != nil {
		return err
	}
	if err := wire.Fill("heads", heads, a.Heads); err != nil {
		return s.m.link.fault("StepHeads", err)
	}
	return nil
}

// Err is the first failure of a call that could not return it.
func (s *stepper) Err() error { return s.m.link.err }

// The optional abilities of core.EpisodeWatcher and core.TestReporter.
type (
	watcher  struct{ s *stepper }
	reporter struct{ s *stepper }
)

func (w watcher) EpisodeEnded(number int, e *episode.Episode) {
	m := w.s.m
	_, err := ask(m.link, "EpisodeEnded", m.calls.EpisodeEnded, &wire.EpisodeEndedRequest{
		Stepper: w.s.id, Number: int64(number), Episode: wire.FromLean(e),
	})
	if err != nil {
		m.link.note(err)
	}
}

func (r reporter) TestFields() map[string]any {
	m := r.s.m
	a, err := ask(m.link, "TestFields", m.calls.TestFields, &wire.StepperRef{Stepper: r.s.id})
	if err != nil {
		m.link.note(err)
		return nil
	}
	return wire.ToMap(a)
}
