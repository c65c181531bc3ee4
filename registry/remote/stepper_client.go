package remote

import (
	"macpro/core"
	"macpro/core/episode"
	"macpro/registry/remote/wire"
)

// stepper stands for a HeadStepper that stays in the method's process.
type stepper struct {
	m  *method
	id uint64
}

var _ core.HeadStepper = (*stepper)(nil)

func (s *stepper) StepHeads(v *core.StepView, heads []int32) error {
	q := &wire.StepHeadsRequest{
		Method: s.m.id, Stepper: s.id, T: int64(v.T), Source: position(v.Source), Spec: wire.FromSpec(v.Spec),
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

func (s *stepper) EpisodeEnded(number int, e *episode.Episode) error {
	_, err := ask(s.m.link, "EpisodeEnded", s.m.calls.EpisodeEnded, &wire.EpisodeEndedRequest{
		Stepper: s.id, Number: int64(number), Episode: wire.FromLean(e),
	})
	return err
}

func (s *stepper) TestFields() (map[string]any, error) {
	a, err := ask(s.m.link, "TestFields", s.m.calls.TestFields, &wire.StepperRef{Stepper: s.id})
	if err != nil || len(a.GetFields()) == 0 {
		return nil, err
	}
	return wire.ToMap(a), nil
}
