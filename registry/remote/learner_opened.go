package remote

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"macpro/core"
	"macpro/registry/remote/wire"
)

// The server's side of the abilities gradients and weights.

func able[T any](s *learnerServer, id uint64, name string, of func(core.LearnerAbilities) T) (T, error) {
	l, err := s.get(id)
	if err != nil {
		var none T
		return none, err
	}
	a := of(core.AbilitiesOf(l))
	if any(a) == nil {
		return a, status.Errorf(codes.Unimplemented, "the learner has not got the ability %q", name)
	}
	return a, nil
}

func (s *learnerServer) gradients(id uint64) (core.GradientEditor, error) {
	return able(s, id, core.AbilityGradients, func(a core.LearnerAbilities) core.GradientEditor { return a.Gradients })
}

func (s *learnerServer) weights(id uint64) (core.WeightEditor, error) {
	return able(s, id, core.AbilityWeights, func(a core.LearnerAbilities) core.WeightEditor { return a.Weights })
}

func (s *learnerServer) Gradient(_ context.Context, q *wire.GradientRequest) (*wire.Vector, error) {
	l, err := s.gradients(q.Learner)
	if err != nil {
		return nil, err
	}
	batch, err := wire.ToEpisodes(q.Episodes)
	if err != nil {
		return nil, err
	}
	g, err := l.Gradient(core.Scope(q.Scope), batch, nil)
	return &wire.Vector{Values: wire.Bytes(g)}, err
}

func (s *learnerServer) SetHook(_ context.Context, q *wire.HookRequest) (*wire.Empty, error) {
	l, err := s.gradients(q.Learner)
	if err != nil {
		return nil, err
	}
	if s.edit == nil {
		return nil, status.Error(codes.Unimplemented, "a hook is for a lent learner; others are trained by TrainEdited")
	}
	edit := s.edit
	if !q.On {
		edit = nil
	}
	return &wire.Empty{}, l.SetGradientHook(edit)
}

func (s *learnerServer) TrainEdited(stream wire.Learner_TrainEditedServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	id := first.GetBatch().GetLearner()
	editor, err := s.gradients(id)
	if err != nil {
		return err
	}
	l, err := s.get(id)
	if err != nil {
		return err
	}
	batch, err := wire.ToEpisodes(first.GetBatch().GetEpisodes())
	if err != nil {
		return err
	}
	if err := editor.SetGradientHook(func(g []float32) error { return edited(stream, g) }); err != nil {
		return err
	}
	t, err := l.Train(batch)
	if err := errors.Join(err, editor.SetGradientHook(nil)); err != nil {
		return err
	}
	return stream.Send(&wire.Edit{Stats: fromStats(t)})
}

// edited lets the other end of a stream edit a gradient.
func edited(stream wire.Learner_TrainEditedServer, g []float32) error {
	if err := stream.Send(&wire.Edit{Gradient: wire.Present(g)}); err != nil {
		return err
	}
	a, err := stream.Recv()
	if err != nil {
		return err
	}
	if a.Failed != "" {
		return errors.New(a.Failed)
	}
	return wire.Fill("edited gradient", g, a.Gradient)
}

func (s *learnerServer) SetValueTerm(_ context.Context, q *wire.ValueTerm) (*wire.Empty, error) {
	l, err := s.gradients(q.Learner)
	if err != nil {
		return nil, err
	}
	t := core.ValueTerm{Loss: core.ValueLoss(q.Loss), Temperature: q.Temperature, Coef: q.Coef, Only: q.Only}
	if t.Head, err = wire.Optional[float32]("head", q.Head); err != nil {
		return nil, err
	}
	for _, m := range q.Targets {
		v, err := wire.Optional[float32]("targets", m.Values)
		if err != nil {
			return nil, err
		}
		t.Targets = append(t.Targets, v)
	}
	return &wire.Empty{}, l.SetValueTerm(t)
}

func (s *learnerServer) SetParameters(_ context.Context, q *wire.ParametersRequest) (*wire.Empty, error) {
	l, err := s.weights(q.Learner)
	if err != nil {
		return nil, err
	}
	values, err := wire.Numbers[float32]("parameters", q.Values)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, l.SetParameters(core.Scope(q.Scope), values)
}

func (s *learnerServer) SetFrozen(_ context.Context, q *wire.FrozenRequest) (*wire.Empty, error) {
	var frozen []bool
	if q.Frozen != nil {
		frozen = make([]bool, len(q.Frozen))
		for j, b := range q.Frozen {
			frozen[j] = b != 0
		}
	}
	return done(s.weights, q.Learner, func(l core.WeightEditor) error { return l.SetFrozen(frozen) })
}

func (s *learnerServer) Layers(_ context.Context, q *wire.LearnerRef) (*wire.LayerList, error) {
	l, err := s.weights(q.Learner)
	if err != nil {
		return nil, err
	}
	out := &wire.LayerList{}
	for _, x := range l.Layers() {
		out.Layers = append(out.Layers, &wire.Layer{Name: x.Name, Width: int64(x.Width), In: fromSpans(x.In), Out: fromSpans(x.Out)})
	}
	return out, nil
}

func (s *learnerServer) ResetUnits(_ context.Context, q *wire.UnitsRequest) (*wire.Empty, error) {
	var units []int
	for _, j := range q.Units {
		units = append(units, int(j))
	}
	return done(s.weights, q.Learner, func(l core.WeightEditor) error { return l.ResetUnits(q.Layer, units) })
}

func (s *learnerServer) Activity(_ context.Context, q *wire.ActivityRequest) (*wire.ActivityList, error) {
	l, err := s.weights(q.Learner)
	if err != nil {
		return nil, err
	}
	batch, err := wire.ToEpisodes(q.Episodes)
	if err != nil {
		return nil, err
	}
	all, err := l.Activity(batch, core.ActivityQuery{Layers: q.Layers, MeanAbs: q.MeanAbs, Zeros: q.Zeros, Gram: q.Gram})
	if err != nil {
		return nil, err
	}
	out := &wire.ActivityList{}
	for _, x := range all {
		out.Layers = append(out.Layers, &wire.LayerActivity{
			Layer: x.Layer, Rows: int64(x.Rows), MeanAbs: wire.Bytes(x.MeanAbs), Zeros: wire.Bytes(x.Zeros), Gram: wire.Bytes(x.Gram),
		})
	}
	return out, nil
}
