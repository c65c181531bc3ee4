package mini

import (
	"fmt"
	"io"
	"slices"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/names"
	"macpro/core/safetensors"
)

// Method is the plugin "mini-method", a continual method that uses every service
// of a run. It has a head for each task and three test modes. It pulls the features
// towards where they were at the last task's end. It plays identification episodes
// at a task's start.
type Method struct{}

// Test modes: the task's own head; a head for each episode chosen at random
// after two probing episodes; a head for each step in turn.
const (
	ModeOwn   = "own"
	ModeProbe = "probe"
	ModeSteps = "steps"
)

// Info names the plugin.
func (Method) Info() core.Info {
	return core.Info{Name: "mini-method", Summary: "a head for each task", Version: "1"}
}

// New makes the method.
func (Method) New(s core.Settings, sv core.Services) (core.Method, error) {
	var c episode.ReplayConfig
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	replay, err := episode.NewReplay(c, sv.Source)
	return &method{sv: sv, replay: replay}, err
}

type method struct {
	sv     core.Services
	replay *episode.Replay
	heads  []int // by task
	live   int   // the task whose head is live
	anchor []float32
	steps  int64
}

func (m *method) BeginTask(t core.Task, _ core.Progress) error {
	m.replay.Clear()
	k, err := m.sv.Learner.NewHead(core.HeadReset)
	if err != nil {
		return err
	}
	m.heads, m.live = append(m.heads, k), t.Index
	if t.Index == 0 {
		return nil
	}
	eps, err := m.sv.Rollouts.Run(core.RolloutRequest{
		Task: t.Spec.Task, Purpose: "identify", Episodes: 3, Epsilon: 0.1, Source: m.sv.Source.Child("identify").ChildInt(int64(t.Index)),
	})
	if err != nil {
		return err
	}
	sum := 0
	for _, e := range eps {
		sum += e.T
	}
	return m.sv.Journal.Emit(core.Event{Kind: "expansion", Task: t.Spec.Task, Fields: map[string]any{"head": k, "steps": sum}})
}

func (m *method) Head() int { return m.heads[m.live] }

func (m *method) Collected(e *episode.Episode, _ core.Progress) error {
	m.replay.Insert(e)
	return nil
}

func (m *method) NextBatch() ([]*episode.Episode, error) { return m.replay.NextBatch() }

func (m *method) Trained(p core.Progress) error {
	if p.Episode%5 != 0 {
		return nil
	}
	m.steps++
	return m.sv.Learner.SaveHead(m.Head())
}

func (m *method) EndTask(core.Progress) error {
	m.anchor = m.sv.Learner.Parameters(core.ScopeFeatures, m.anchor[:0])
	if err := m.sv.Learner.SaveHead(m.Head()); err != nil {
		return err
	}
	return m.protect()
}

func (m *method) protect() error {
	if len(m.anchor) == 0 {
		return nil
	}
	return m.sv.Learner.SetPenalties([]core.Penalty{{Scope: core.ScopeFeatures, Anchor: m.anchor, Coef: 0.5}})
}

func (m *method) Modes() []string { return []string{ModeOwn, ModeProbe, ModeSteps} }

func (m *method) Report() core.MethodReport {
	return core.MethodReport{TaskHeads: m.heads, ContextSteps: m.steps}
}

func (m *method) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	n := t.Spec.Agents
	switch mode {
	case ModeOwn:
		switch {
		case t.Index < 0 || t.Index >= len(m.heads):
			return core.HeadPlan{Skip: true}, nil
		case t.Index == m.live:
			return core.HeadPlan{}, nil
		}
		return core.HeadPlan{Heads: same(m.heads[t.Index], ev.Episodes*n)}, nil
	case ModeProbe:
		p := core.HeadPlan{ProbeEpisodes: 2}
		eps, err := m.sv.Rollouts.Run(core.RolloutRequest{Task: t.Spec.Task, Purpose: "probe", Episodes: 2, Source: ev.Source})
		if err != nil {
			return p, err
		}
		pick := ev.Source.Child("pick").Stream()
		for _, e := range eps {
			p.ProbeSteps += int64(e.T)
		}
		for range ev.Episodes {
			p.Heads = append(p.Heads, same(pick.Intn(len(m.heads)), n)...)
		}
		return p, nil
	case ModeSteps:
		return core.HeadPlan{Stepper: inTurn{k: len(m.heads)}}, nil
	}
	return core.HeadPlan{}, names.Unknown("test mode of mini-method", mode, m.Modes())
}

func same(head, n int) []int32 {
	return slices.Repeat([]int32{int32(head)}, n)
}

// inTurn uses head t mod k at step t, after a draw that decides the first.
type inTurn struct {
	core.Unwatched
	k int
}

func (s inTurn) StepHeads(v *core.StepView, heads []int32) error {
	n := v.Spec.Agents
	for i, e := range v.Episodes {
		first := v.Source.ChildInt(int64(e)).Stream().Intn(s.k)
		copy(heads[i*n:(i+1)*n], same((first+v.T)%s.k, n))
	}
	return nil
}

func (m *method) Save(w io.Writer) error {
	f := safetensors.New()
	m.replay.Put(f)
	heads := []int64{int64(m.live), m.steps}
	for _, k := range m.heads {
		heads = append(heads, int64(k))
	}
	safetensors.Put(f, "heads", heads)
	safetensors.Put(f, "anchor", m.anchor)
	return f.Encode(w)
}

func (m *method) Load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return err
	}
	heads, err := safetensors.Get[int64](f, "heads")
	if err != nil {
		return err
	}
	if len(heads) < 2 || int(heads[0]) >= max(1, len(heads)-2) {
		return fmt.Errorf("mini-method: %v is no table of heads", heads)
	}
	m.live, m.steps, m.heads = int(heads[0]), heads[1], nil
	for _, k := range heads[2:] {
		m.heads = append(m.heads, int(k))
	}
	if m.anchor, err = safetensors.Get[float32](f, "anchor"); err != nil {
		return err
	}
	if err := m.replay.Get(f); err != nil {
		return err
	}
	return m.protect()
}

var (
	_ core.MethodPlugin = Method{}
	_ core.HeadStepper  = inTurn{}
)
