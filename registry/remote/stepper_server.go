package remote

import (
	"context"
	"errors"
	"fmt"

	"macpro/core"
	"macpro/registry/remote/wire"
)

// keptSteppers bounds the plans of a method whose steppers can still be asked; a
// test asks that of the last one.
const keptSteppers = 16

// keep gives the stepper of a plan an id and forgets that of an old plan.
func (s *methodServer) keep(m *servedMethod, x core.HeadStepper) uint64 {
	if len(m.steppers) == keptSteppers {
		_, _ = s.steppers.drop(m.steppers[0]) // it is there
		m.steppers = append(m.steppers[:0], m.steppers[1:]...)
	}
	id := s.steppers.add(x)
	m.steppers = append(m.steppers, id)
	return id
}

func (s *methodServer) asked(id uint64) (core.HeadStepper, error) {
	x, err := s.steppers.get(id)
	if err != nil {
		return nil, fmt.Errorf("%w: those of the last %d plans can be asked", err, keptSteppers)
	}
	return x, nil
}

func (s *methodServer) StepHeads(_ context.Context, q *wire.StepHeadsRequest) (*wire.Heads, error) {
	x, err := s.asked(q.Stepper)
	if err != nil {
		return nil, err
	}
	v := core.StepView{T: int(q.T), Avail: q.Avail, Spec: wire.ToSpec(q.Spec)}
	for _, e := range q.Episodes {
		v.Episodes = append(v.Episodes, int(e))
	}
	var errs [7]error
	errs[0] = v.Source.UnmarshalBinary(q.Source)
	v.Obs, errs[1] = wire.Numbers[float32]("observations", q.Obs)
	v.State, errs[2] = wire.Numbers[float32]("states", q.State)
	v.Hidden, errs[3] = wire.Numbers[float32]("hidden states", q.Hidden)
	v.Last, errs[4] = wire.Numbers[int32]("last actions", q.Last)
	v.Reward, errs[5] = wire.Numbers[float32]("rewards", q.Reward)
	heads, err := wire.Numbers[int32]("heads", q.Heads)
	errs[6] = err
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	err = x.StepHeads(&v, heads)
	return &wire.Heads{Heads: wire.Bytes(heads)}, err
}

func (s *methodServer) EpisodeEnded(_ context.Context, q *wire.EpisodeEndedRequest) (*wire.Empty, error) {
	x, err := s.asked(q.Stepper)
	if err != nil {
		return nil, err
	}
	e, err := wire.ToLean(q.Episode)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, x.EpisodeEnded(int(q.Number), e)
}

func (s *methodServer) TestFields(_ context.Context, q *wire.StepperRef) (*wire.Table, error) {
	x, err := s.asked(q.Stepper)
	if err != nil {
		return nil, err
	}
	told, err := x.TestFields()
	if err != nil {
		return nil, err
	}
	fields, err := wire.FromAny(told)
	if err != nil {
		return nil, fmt.Errorf("fields of a test: %w", err)
	}
	return fields.GetTable(), nil
}
