package remote

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"macpro/core"
	"macpro/registry/remote/wire"
)

func (s *learnerServer) NewHead(_ context.Context, q *wire.HeadRequest) (*wire.LearnerState, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	k, err := l.NewHead(core.HeadInit(q.Init))
	if err != nil {
		return nil, err
	}
	a := stateOf(l)
	a.Head = int64(k)
	return a, nil
}

func (s *learnerServer) SaveHead(_ context.Context, q *wire.HeadRequest) (*wire.Empty, error) {
	return done(s.get, q.Learner, func(l core.Learner) error { return l.SaveHead(int(q.Head)) })
}

func (s *learnerServer) LoadHead(_ context.Context, q *wire.HeadRequest) (*wire.Empty, error) {
	return done(s.get, q.Learner, func(l core.Learner) error { return l.LoadHead(int(q.Head)) })
}

func (s *learnerServer) Save(q *wire.LearnerRef, to wire.Learner_SaveServer) error {
	l, err := s.get(q.Learner)
	if err != nil {
		return err
	}
	return saveTo(to, l.Save)
}

func (s *learnerServer) Load(from wire.Learner_LoadServer) error {
	first, err := from.Recv()
	if err != nil {
		return err
	}
	l, err := s.get(first.Id)
	if err != nil {
		return err
	}
	if err := l.Load(&chunkReader{from: from, rest: first.Data}); err != nil {
		return err
	}
	return from.SendAndClose(stateOf(l))
}

func (s *learnerServer) Weights(_ context.Context, q *wire.LearnerRef) (*wire.WeightList, error) {
	e, err := able(s, q.Learner, core.AbilityExport, func(a core.LearnerAbilities) core.Exporter { return a.Exporter })
	if err != nil {
		return nil, err
	}
	out := &wire.WeightList{}
	for _, w := range e.Weights() {
		m := &wire.Weight{Name: w.Name, Data: wire.Bytes(w.Data)}
		for _, d := range w.Shape {
			m.Shape = append(m.Shape, int64(d))
		}
		out.Weights = append(out.Weights, m)
	}
	return out, nil
}

func (s *learnerServer) valuer(id uint64) (core.Valuer, error) {
	return able(s, id, core.AbilityValues, func(a core.LearnerAbilities) core.Valuer { return a.Valuer })
}

func (s *learnerServer) SaveMixer(_ context.Context, q *wire.HeadRequest) (*wire.Empty, error) {
	return done(s.valuer, q.Learner, func(v core.Valuer) error { return v.SaveMixer(int(q.Head)) })
}

func (s *learnerServer) JointValues(_ context.Context, q *wire.JointRequest) (*wire.Vector, error) {
	v, err := s.valuer(q.Learner)
	if err != nil {
		return nil, err
	}
	if q.Lanes < 0 || q.Lanes > 1<<20 {
		return nil, status.Errorf(codes.InvalidArgument, "%d lanes", q.Lanes)
	}
	step := core.JointStep{Spec: wire.ToSpecOf(q.Spec), Lanes: int(q.Lanes), Mixer: int(q.Mixer), Avail: q.Avail, QTot: make([]float32, q.Lanes)}
	var errs [3]error
	step.State, errs[0] = wire.Numbers[float32]("states", q.State)
	step.Q, errs[1] = wire.Numbers[float32]("values", q.Q)
	step.Actions, errs[2] = wire.Numbers[int32]("actions", q.Actions)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if err := v.JointValues(&step); err != nil {
		return nil, err
	}
	return &wire.Vector{Values: wire.Bytes(step.QTot)}, nil
}

func (s *learnerServer) HeadValues(_ context.Context, q *wire.HeadStep) (*wire.ActReply, error) {
	v, err := s.valuer(q.Learner)
	if err != nil {
		return nil, err
	}
	step := core.HeadStep{Spec: wire.ToSpecOf(q.Spec), Lanes: int(q.Lanes)}
	var errs [4]error
	step.Obs, errs[0] = wire.Numbers[float32]("observations", q.Obs)
	step.LastActions, errs[1] = wire.Numbers[int32]("last actions", q.LastActions)
	step.Hidden, errs[2] = wire.Numbers[float32]("hidden states", q.Hidden)
	step.Heads, errs[3] = wire.Numbers[int32]("heads", q.Heads)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	step.Q = make([]float32, len(step.Heads)*len(step.LastActions)*int(q.Actions))
	if err := v.HeadValues(&step); err != nil {
		return nil, err
	}
	return &wire.ActReply{Hidden: wire.Bytes(step.Hidden), Q: wire.Bytes(step.Q)}, nil
}

func (s *learnerServer) EpisodeValues(_ context.Context, q *wire.ValuesRequest) (*wire.Vectors, error) {
	v, err := s.valuer(q.Learner)
	if err != nil {
		return nil, err
	}
	batch, err := wire.ToEpisodes(q.Episodes)
	if err != nil {
		return nil, err
	}
	agent, err := wire.Optional[float32]("parameters", q.Agent)
	if err != nil {
		return nil, err
	}
	values, err := v.EpisodeValues(batch, agent)
	out := &wire.Vectors{}
	for _, x := range values {
		out.Values = append(out.Values, wire.Bytes(x))
	}
	return out, err
}
