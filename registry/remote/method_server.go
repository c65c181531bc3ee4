package remote

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/go-plugin"

	"macpro/core"
	"macpro/core/rng"
	"macpro/registry/remote/wire"
)

// methodServer serves continual methods.
type methodServer struct {
	plugin  core.MethodPlugin
	broker  *plugin.GRPCBroker
	methods *table[*servedMethod]
}

// servedMethod is a method with the steppers of its last plans.
type servedMethod struct {
	core.Method
	steppers []core.HeadStepper // the newest last
	first    uint64             // id of steppers[0]
}

// keptSteppers bounds the plans whose steppers can still be asked; a test asks
// that of the last one.
const keptSteppers = 16

func newMethodServer(p core.MethodPlugin, b *plugin.GRPCBroker) wire.MethodServer {
	return &methodServer{plugin: p, broker: b, methods: newTable[*servedMethod]("method")}
}

func (s *methodServer) Match(_ context.Context, q *wire.Pairing) (*wire.Empty, error) {
	return matched(s.plugin, q)
}

func (s *methodServer) New(_ context.Context, q *wire.NewMethod) (*wire.MethodMade, error) {
	settings, err := wire.ToSettings(q.Settings)
	if err != nil {
		return nil, err
	}
	sv, err := borrow(s.broker, q)
	if err != nil {
		return nil, err
	}
	m, err := s.plugin.New(settings, sv)
	if err != nil {
		return nil, err
	}
	x := &servedMethod{Method: m, first: 1}
	return &wire.MethodMade{Method: s.methods.add(x), Modes: m.Modes(), Abilities: abilitiesOf(m), State: x.state()}, nil
}

// state is what the method shows between two calls. A method that has not begun
// a task need not have a head yet.
func (m *servedMethod) state() (a *wire.MethodState) {
	a = &wire.MethodState{}
	if c, ok := m.Method.(core.ContextCounter); ok {
		a.ContextSteps = c.ContextSteps()
	}
	if h, ok := m.Method.(core.HeadMapper); ok {
		for _, k := range h.TaskHeads() {
			a.TaskHeads = append(a.TaskHeads, int64(k))
		}
	}
	defer func() { _ = recover() }()
	a.Head = int64(m.Head())
	return a
}

// advanced answers a call that may have changed what the method shows.
func (m *servedMethod) advanced(err error) (*wire.MethodState, error) {
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
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	return m.advanced(m.BeginTask(toTask(q.Task), toProgress(q.Progress)))
}

func (s *methodServer) Collected(_ context.Context, q *wire.CollectedRequest) (*wire.MethodState, error) {
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	e, err := wire.ToEpisode(q.Episode)
	if err != nil {
		return nil, err
	}
	return m.advanced(m.Collected(e, toProgress(q.Progress)))
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
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	return m.advanced(m.Trained(toProgress(q.Progress)))
}

func (s *methodServer) EndTask(_ context.Context, q *wire.ProgressRequest) (*wire.MethodState, error) {
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	return m.advanced(m.EndTask(toProgress(q.Progress)))
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
	plan, err := m.ChooseHeads(toTask(q.Task), q.Mode, core.Evaluation{TEnv: q.TEnv, Episodes: int(q.Episodes), Source: source})
	if err != nil {
		return nil, err
	}
	if err := crosses(plan); err != nil {
		return nil, err
	}
	a := &wire.HeadPlan{Skip: plan.Skip, ProbeEpisodes: plan.ProbeEpisodes, ProbeSteps: plan.ProbeSteps, Stepper: m.keep(plan.Stepper)}
	if plan.Heads != nil {
		a.Heads = append([]byte{}, wire.Bytes(plan.Heads)...)
	}
	return a, nil
}

// crosses refuses a plan that would choose differently from another process,
// where nobody tells its stepper how episodes end.
func crosses(p core.HeadPlan) error {
	_, watches := p.Stepper.(core.EpisodeWatcher)
	if watches || p.Together > 0 {
		return errors.New("this test mode must hear how episodes end, which does not cross to another process: take the method out of plugins.isolate")
	}
	return nil
}

// keep gives a stepper an id, 0 for none.
func (m *servedMethod) keep(s core.HeadStepper) uint64 {
	if s == nil {
		return 0
	}
	if len(m.steppers) == keptSteppers {
		m.steppers = append(m.steppers[:0], m.steppers[1:]...)
		m.first++
	}
	m.steppers = append(m.steppers, s)
	return m.first + uint64(len(m.steppers)) - 1
}

func (s *methodServer) StepHeads(_ context.Context, q *wire.StepHeadsRequest) (*wire.Heads, error) {
	m, err := s.methods.get(q.Method)
	if err != nil {
		return nil, err
	}
	if q.Stepper < m.first || q.Stepper-m.first >= uint64(len(m.steppers)) {
		return nil, fmt.Errorf("the plan %d is too old to choose heads: %d newer ones were made", q.Stepper, keptSteppers)
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
	err = m.steppers[q.Stepper-m.first].StepHeads(&v, heads)
	return &wire.Heads{Heads: wire.Bytes(heads)}, err
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
