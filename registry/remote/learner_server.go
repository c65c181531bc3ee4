package remote

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"macpro/core"
	"macpro/core/rng"
	"macpro/registry/remote/wire"
)

// learnerServer serves learners: those of a plugin, or the learner that a run lends
// to its method. The lent learner has the id 0.
type learnerServer struct {
	plugin   core.LearnerPlugin // nil where a learner is lent
	lent     core.Learner
	edit     func(g []float32) error // the hook of the method that it is lent to
	learners *table[core.Learner]
}

func (s *learnerServer) get(id uint64) (core.Learner, error) {
	if id == 0 && s.lent != nil {
		return s.lent, nil
	}
	return s.learners.get(id)
}

// done makes a call that answers nothing of what get finds.
func done[T any](get func(uint64) (T, error), id uint64, call func(T) error) (*wire.Empty, error) {
	x, err := get(id)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, call(x)
}

// stateOf is what a learner shows between two calls.
func stateOf(l core.Learner) *wire.LearnerState {
	return &wire.LearnerState{HiddenWidth: int64(l.HiddenWidth()), Heads: int64(l.Heads())}
}

func (s *learnerServer) Match(_ context.Context, q *wire.Pairing) (*wire.Empty, error) {
	return matched(s.plugin, q)
}

// matched asks a plugin that has the ability.
func matched(plugin any, q *wire.Pairing) (*wire.Empty, error) {
	m, ok := plugin.(core.Matcher)
	if !ok {
		return &wire.Empty{}, nil
	}
	p, err := wire.ToPairing(q)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, m.Match(p)
}

func (s *learnerServer) New(_ context.Context, q *wire.NewLearner) (*wire.LearnerState, error) {
	if s.plugin == nil {
		return nil, status.Error(codes.Unimplemented, "a run lends its one learner and makes no others")
	}
	settings, err := wire.ToSettings(q.Settings)
	if err != nil {
		return nil, err
	}
	var source rng.Source
	if err := source.UnmarshalBinary(q.Source); err != nil {
		return nil, err
	}
	l, err := s.plugin.New(settings, wire.ToSpec(q.Spec), core.LearnerOptions{Source: source, Threads: int(q.Threads), Tasks: wire.ToSpecs(q.Tasks)})
	if err != nil {
		return nil, err
	}
	a := stateOf(l)
	a.Learner, a.Abilities = s.learners.add(l), core.AbilitiesOf(l).Names()
	return a, nil
}

func (s *learnerServer) Free(_ context.Context, q *wire.LearnerRef) (*wire.Empty, error) {
	_, err := s.learners.drop(q.Learner)
	return &wire.Empty{}, err
}

func (s *learnerServer) State(_ context.Context, q *wire.LearnerRef) (*wire.LearnerState, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	return stateOf(l), nil
}

func (s *learnerServer) SetTask(_ context.Context, q *wire.SetTaskRequest) (*wire.LearnerState, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	if err := l.SetTask(wire.ToSpec(q.Spec)); err != nil {
		return nil, err
	}
	return stateOf(l), nil
}

func (s *learnerServer) Act(_ context.Context, q *wire.ActRequest) (*wire.ActReply, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	step := core.ActStep{Spec: wire.ToSpecOf(q.Spec), Lanes: int(q.Lanes)}
	var errs [4]error
	step.Obs, errs[0] = wire.Numbers[float32]("observations", q.Obs)
	step.LastActions, errs[1] = wire.Numbers[int32]("last actions", q.LastActions)
	step.Heads, errs[2] = wire.Numbers[int32]("heads", q.Heads)
	step.Hidden, errs[3] = wire.Numbers[float32]("hidden states", q.Hidden)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	step.Q = make([]float32, len(step.LastActions)*int(q.Actions))
	if err := l.Act(&step); err != nil {
		return nil, err
	}
	return &wire.ActReply{Hidden: wire.Bytes(step.Hidden), Q: wire.Bytes(step.Q)}, nil
}

func (s *learnerServer) Train(_ context.Context, q *wire.BatchRequest) (*wire.TrainStats, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	batch, err := wire.ToEpisodes(q.Episodes)
	if err != nil {
		return nil, err
	}
	t, err := l.Train(batch)
	return fromStats(t), err
}

func (s *learnerServer) SyncTarget(_ context.Context, q *wire.LearnerRef) (*wire.Empty, error) {
	return done(s.get, q.Learner, func(l core.Learner) error { l.SyncTarget(); return nil })
}

func (s *learnerServer) Parameters(_ context.Context, q *wire.ScopeRequest) (*wire.Vector, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	if err := core.Scope(q.Scope).Check(); err != nil { // in another language a slip is no error of a compiler
		return nil, err
	}
	return &wire.Vector{Values: wire.Bytes(l.Parameters(core.Scope(q.Scope), nil))}, nil
}

func (s *learnerServer) Importance(_ context.Context, q *wire.BatchRequest) (*wire.Vector, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	batch, err := wire.ToEpisodes(q.Episodes)
	if err != nil {
		return nil, err
	}
	x, err := l.Importance(batch, core.ImportanceSource(q.Source))
	return &wire.Vector{Values: wire.Bytes(x)}, err
}

func (s *learnerServer) SetPenalties(_ context.Context, q *wire.Penalties) (*wire.Empty, error) {
	l, err := s.get(q.Learner)
	if err != nil {
		return nil, err
	}
	var list []core.Penalty
	for _, m := range q.Penalties {
		p := core.Penalty{Scope: core.Scope(m.Scope), Coef: m.Coef, L2: m.L2}
		if p.Anchor, err = wire.Numbers[float32]("anchor", m.Anchor); err != nil {
			return nil, err
		}
		if p.Importance, err = wire.Optional[float32]("importance", m.Importance); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return &wire.Empty{}, l.SetPenalties(list)
}
