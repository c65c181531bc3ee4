package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"google.golang.org/grpc"

	"macpro/core"
	"macpro/core/episode"
	"macpro/registry/remote/process"
	"macpro/registry/remote/wire"
)

type methodPlugin struct{ *host }

var (
	_ core.MethodPlugin = (*methodPlugin)(nil)
	_ core.Matcher      = (*methodPlugin)(nil)
	_ core.TaskFree     = (*methodPlugin)(nil)
	_ Plugin            = (*methodPlugin)(nil)
)

// Match refuses what the method cannot serve.
func (p *methodPlugin) Match(q core.Pairing) error {
	return p.match(q, func(c *grpc.ClientConn) matchCall { return wire.NewMethodClient(c).Match })
}

// TaskFree says whether the plugin has the ability. A process that does not start is
// found by the next call.
func (p *methodPlugin) TaskFree() bool { return p.Start() == nil && p.can(abilityTaskFree) }

// New makes a method and lends it the run's learner, rollouts and journal.
func (p *methodPlugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	proc, err := p.started()
	if err != nil {
		return nil, err
	}
	settings, err := wire.FromSettings(s)
	if err != nil {
		return nil, err
	}
	gate := process.NewGate()
	m := &method{link: &keeper{link: toPlugin{proc, gate}}, calls: wire.NewMethodClient(proc.Conn())}
	a, err := ask(m.link, "New", m.calls.New, &wire.NewMethod{
		Settings: settings, Source: position(sv.Source), Threads: int64(sv.Threads),
		Tasks:  wire.FromSpecs(sv.Tasks),
		Broker: lend(proc.Broker(), gate, sv, m), LearnerAbilities: core.AbilitiesOf(sv.Learner).Names(),
	})
	if err != nil {
		return nil, err
	}
	m.id, m.modes, m.report.EvalModes = a.Method, a.Modes, a.EvalModes
	if err := m.state("New", a.State); err != nil {
		return nil, err
	}
	return m, nil
}

type method struct {
	link   *keeper
	calls  wire.MethodClient
	id     uint64
	modes  []string
	head   int
	report core.MethodReport
}

var _ core.Method = (*method)(nil)

// state takes in what the method shows between two calls: call is the last.
func (m *method) state(call string, a *wire.MethodState) error {
	err := errors.Join(core.InRange("its head", a.GetHead(), core.LiveHead, core.MaxHeads),
		core.InRange("the number of its context steps", a.GetContextSteps(), 0, math.MaxInt64),
		core.InRange("the number of borders that it has found", a.GetBorders(), 0, math.MaxInt64),
		core.InRange("the number of tasks with heads", int64(len(a.GetTaskHeads())), 0, core.MaxTasks))
	var heads []int
	for i, k := range a.GetTaskHeads() {
		err = errors.Join(err, core.InRange(fmt.Sprintf("the head of task %d", i), k, core.LiveHead, core.MaxHeads))
		heads = append(heads, int(k))
	}
	if err != nil {
		return m.link.fault(call, err)
	}
	m.head, m.report.TaskHeads, m.report.ContextSteps, m.report.Borders = int(a.GetHead()), heads, a.GetContextSteps(), a.GetBorders()
	return nil
}

func (m *method) Report() core.MethodReport { return m.report }

// advance makes a call that may change what the method shows.
func advance[Q any](m *method, name string, call func(context.Context, Q, ...grpc.CallOption) (*wire.MethodState, error), q Q) error {
	a, err := ask(m.link, name, call, q)
	if err == nil {
		err = m.state(name, a)
	}
	return err
}

func progress(p core.Progress) *wire.Progress {
	return &wire.Progress{TEnv: p.TEnv, TaskSteps: p.TaskSteps, Episode: p.Episode}
}

func task(t core.Task) *wire.Task {
	return &wire.Task{Index: int64(t.Index), Spec: wire.FromSpec(t.Spec)}
}

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	return advance(m, "BeginTask", m.calls.BeginTask, &wire.BeginTaskRequest{Method: m.id, Task: task(t), Progress: progress(p)})
}

func (m *method) Head() int { return m.head }

func (m *method) Collected(e *episode.Episode, p core.Progress) error {
	return advance(m, "Collected", m.calls.Collected, &wire.CollectedRequest{Method: m.id, Episode: wire.FromEpisode(e), Progress: progress(p)})
}

func (m *method) NextBatch() ([]*episode.Episode, error) {
	a, err := ask(m.link, "NextBatch", m.calls.NextBatch, m.ref())
	if err != nil {
		return nil, err
	}
	batch, err := wire.ToEpisodes(a.Episodes)
	if err != nil {
		return nil, m.link.fault("NextBatch", err)
	}
	return batch, nil
}

func (m *method) Trained(p core.Progress) error {
	return advance(m, "Trained", m.calls.Trained, &wire.ProgressRequest{Method: m.id, Progress: progress(p)})
}

func (m *method) EndTask(p core.Progress) error {
	return advance(m, "EndTask", m.calls.EndTask, &wire.ProgressRequest{Method: m.id, Progress: progress(p)})
}

func (m *method) Modes() []string { return slices.Clone(m.modes) }

func (m *method) ref() *wire.MethodRef { return &wire.MethodRef{Method: m.id} }

func (m *method) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	q := &wire.ChooseHeadsRequest{Method: m.id, Task: task(t), Mode: mode, TEnv: ev.TEnv, Episodes: int64(ev.Episodes), Source: position(ev.Source)}
	if ev.TaskHead != nil {
		head := int64(*ev.TaskHead)
		q.TaskHead = &head
	}
	a, err := ask(m.link, "ChooseHeads", m.calls.ChooseHeads, q)
	if err != nil {
		return core.HeadPlan{}, err
	}
	plan := core.HeadPlan{Skip: a.Skip, Together: int(a.Together), ProbeEpisodes: a.ProbeEpisodes, ProbeSteps: a.ProbeSteps}
	if a.Heads != nil {
		if plan.Heads, err = wire.Numbers[int32]("heads", a.Heads); err == nil && len(plan.Heads) != ev.Episodes*t.Spec.Agents {
			err = fmt.Errorf("%d heads for %d episodes of %d agents", len(plan.Heads), ev.Episodes, t.Spec.Agents)
		}
		if err != nil {
			return core.HeadPlan{}, m.link.fault("ChooseHeads", err)
		}
	}
	if a.Agent != nil {
		if plan.Agent, err = wire.Numbers[float32]("parameters", a.Agent); err != nil {
			return core.HeadPlan{}, m.link.fault("ChooseHeads", err)
		}
	}
	if a.Stepper != 0 {
		plan.Stepper = &stepper{m, a.Stepper}
	}
	return plan, nil
}

// editGradient lets the method's hook edit a gradient.
func (m *method) editGradient(g []float32) error {
	a, err := ask(m.link, "EditGradient", m.calls.EditGradient, &wire.EditRequest{Method: m.id, Gradient: wire.Bytes(g)})
	if err != nil {
		return err
	}
	if err := wire.Fill("edited gradient", g, a.Values); err != nil {
		return m.link.fault("EditGradient", err)
	}
	return nil
}

func (m *method) Save(w io.Writer) error { return saved(m.link, m.calls.Save, m.ref(), w) }

func (m *method) Load(r io.Reader) error {
	a, err := loaded(m.link, m.calls.Load, m.id, r)
	if err == nil {
		err = m.state("Load", a)
	}
	return err
}
