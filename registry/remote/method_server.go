package remote

import (
	"context"

	"github.com/hashicorp/go-plugin"

	"macpro/core"
	"macpro/core/rng"
	"macpro/registry/remote/wire"
)

type methodServer struct {
	plugin   core.MethodPlugin
	broker   *plugin.GRPCBroker
	methods  *table[*servedMethod]
	steppers *table[core.HeadStepper] // that the host can ask, of all methods
}

// servedMethod is a method with the steppers of its last plans.
type servedMethod struct {
	core.Method
	learner  *learner // that it was lent
	steppers []uint64 // the newest last
}

func (s *methodServer) Match(_ context.Context, q *wire.Pairing) (*wire.Empty, error) {
	return matched(s.plugin, q)
}

func (s *methodServer) New(_ context.Context, q *wire.NewMethod) (*wire.MethodMade, error) {
	settings, err := wire.ToSettings(q.Settings)
	if err != nil {
		return nil, err
	}
	sv, err := borrow(s.broker, q, s.steppers)
	if err != nil {
		return nil, err
	}
	m, err := s.plugin.New(settings, sv)
	if err != nil {
		return nil, err
	}
	x := &servedMethod{Method: m, learner: sv.Learner.(*learner)}
	return &wire.MethodMade{Method: s.methods.add(x), Modes: m.Modes(), EvalModes: m.Report().EvalModes, State: x.state()}, nil
}

// state is what the method shows between two calls. A method that has not begun
// a task need not have a head yet.
func (m *servedMethod) state() (a *wire.MethodState) {
	r := m.Report()
	a = &wire.MethodState{ContextSteps: r.ContextSteps, Borders: r.Borders}
	for _, k := range r.TaskHeads {
		a.TaskHeads = append(a.TaskHeads, int64(k))
	}
	defer func() { _ = recover() }()
	a.Head = int64(m.Head())
	return a
}

// advance makes a call that may change what the method shows.
func (s *methodServer) advance(id uint64, call func(*servedMethod) error) (*wire.MethodState, error) {
	m, err := s.methods.get(id)
	if err == nil {
		err = call(m)
	}
	if err != nil {
		return nil, err
	}
	return m.state(), nil
}

func toProgress(p *wire.Progress) core.Progress {
	return core.Progress{TEnv: p.GetTEnv(), TaskSteps: p.GetTaskSteps(), Episode: p.GetEpisode()}
}

func toTask(t *wire.Task) core.Task {
	return core.Task{Index: int(t.GetIndex()), Spec: wire.ToSpec(t.GetSpec())}
}

func (s *methodServer) Free(_ context.Context, q *wire.MethodRef) (*wire.Empty, error) {
	_, err := s.methods.drop(q.Method)
	return &wire.Empty{}, err
}

func (s *methodServer) BeginTask(_ context.Context, q *wire.BeginTaskRequest) (*wire.MethodState, error) {
	return s.advance(q.Method, func(m *servedMethod) error { return m.BeginTask(toTask(q.Task), toProgress(q.Progress)) })
}

func (s *methodServer) Collected(_ context.Context, q *wire.CollectedRequest) (*wire.MethodState, error) {
	return s.advance(q.Method, func(m *servedMethod) error {
		e, err := wire.ToEpisode(q.Episode)
		if err != nil {
			return err
		}
		return m.Collected(e, toProgress(q.Progress))
	})
}

func (s *methodServer) NextBatch(_ context.Context, q *wire.MethodRef) (*wire.Episodes, error) {
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	b, err := m.NextBatch()
	return &wire.Episodes{Episodes: wire.FromEpisodes(b)}, err
}

func (s *methodServer) Trained(_ context.Context, q *wire.ProgressRequest) (*wire.MethodState, error) {
	return s.advance(q.Method, func(m *servedMethod) error { return m.Trained(toProgress(q.Progress)) })
}

func (s *methodServer) EndTask(_ context.Context, q *wire.ProgressRequest) (*wire.MethodState, error) {
	return s.advance(q.Method, func(m *servedMethod) error { return m.EndTask(toProgress(q.Progress)) })
}

func (s *methodServer) ChooseHeads(_ context.Context, q *wire.ChooseHeadsRequest) (*wire.HeadPlan, error) {
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	var source rng.Source
	if err := source.UnmarshalBinary(q.Source); err != nil {
		return nil, err
	}
	ev := core.Evaluation{TEnv: q.TEnv, Episodes: int(q.Episodes), Source: source}
	if q.TaskHead != nil {
		head := int(*q.TaskHead)
		ev.TaskHead = &head
	}
	plan, err := m.ChooseHeads(toTask(q.Task), q.Mode, ev)
	if err != nil {
		return nil, err
	}
	a := &wire.HeadPlan{Skip: plan.Skip, Together: int64(plan.Together), ProbeEpisodes: plan.ProbeEpisodes, ProbeSteps: plan.ProbeSteps}
	if plan.Stepper != nil {
		a.Stepper = s.keep(m, plan.Stepper)
	}
	a.Heads, a.Agent = wire.Present(plan.Heads), wire.Present(plan.Agent)
	return a, nil
}

// EditGradient asks the hook that the method has set on the lent learner.
func (s *methodServer) EditGradient(_ context.Context, q *wire.EditRequest) (*wire.Gradient, error) {
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	g, err := wire.Numbers[float32]("gradient", q.Gradient)
	if err != nil || m.learner.hook == nil {
		return &wire.Gradient{Values: q.Gradient}, err
	}
	err = m.learner.hook(g)
	return &wire.Gradient{Values: wire.Bytes(g)}, err
}

func (s *methodServer) Save(q *wire.MethodRef, to wire.Method_SaveServer) error {
	m, err := s.methods.get(q.Method)
	if err != nil {
		return err
	}
	return saveTo(to, m.Save)
}

func (s *methodServer) Load(from wire.Method_LoadServer) error {
	first, err := from.Recv()
	if err != nil {
		return err
	}
	m, err := s.methods.get(first.Id)
	if err != nil {
		return err
	}
	if err := m.Load(&chunkReader{from: from, rest: first.Data}); err != nil {
		return err
	}
	return from.SendAndClose(m.state())
}
