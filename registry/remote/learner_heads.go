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
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, l.SaveHead(int(q.Head))
}

func (s *learnerServer) LoadHead(_ context.Context, q *wire.HeadRequest) (*wire.Empty, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, l.LoadHead(int(q.Head))
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
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	e, ok := l.(core.Exporter)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "the learner does not show its weights")
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

// valuer finds a learner with the ability core.JointValuer.
func (s *learnerServer) valuer(id uint64) (core.JointValuer, error) {
	l, err := s.get(id)
	if err != nil {
		return nil, err
	}
	v, ok := l.(core.JointValuer)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "the learner does not value joint actions")
	}
	return v, nil
}

func (s *learnerServer) SaveMixer(_ context.Context, q *wire.HeadRequest) (*wire.Empty, error) {
	v, err := s.valuer(q.Learner)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, v.SaveMixer(int(q.Head))
}

func (s *learnerServer) JointValues(_ context.Context, q *wire.JointRequest) (*wire.Vector, error) {
	v, err := s.valuer(q.Learner)
	if err != nil {
		return nil, err
	}
	if q.Lanes < 0 || q.Lanes > 1<<20 {
		return nil, status.Errorf(codes.InvalidArgument, "%d lanes", q.Lanes)
	}
	step := core.JointStep{Lanes: int(q.Lanes), Mixer: int(q.Mixer), Avail: q.Avail, QTot: make([]float32, q.Lanes)}
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
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	v, ok := l.(core.HeadValuer)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "the learner does not value several heads at once")
	}
	step := core.HeadStep{Lanes: int(q.Lanes)}
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
