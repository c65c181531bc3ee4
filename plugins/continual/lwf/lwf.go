// Package lwf is learning without forgetting (Li and Hoiem, 2017) for action
// values: while a task is trained, the agents' values at its own records are held
// to those that the network of the last task's end gives there,
//
//	L = L_TD + c mean KL(softmax(Q_old / T) || softmax(Q / T))
//
// over transitions and agents, among available actions (equation 2 there, whose
// cross-entropy differs by a constant). No episode of an earlier task is kept.
//
// In the paper each task has a head: heads of earlier tasks are held, the new one is
// free and trained alone at first. Here there is one head, which is held and trained, so
// a large weight leaves no room for the new task. The paper's T is 2.
//
// In the first task, and with lwf_coef 0 in all, LwF is Finetuning bit for bit.
package lwf

import (
	"fmt"
	"io"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/safetensors"
	"macpro/core/single"
)

// Plugin registers the method.
type Plugin struct{}

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)

// Config are the method's own keys.
type Config struct {
	Coef        float64 `cfg:"lwf_coef" min:"0" help:"weight c of the distillation; 0 switches it off"`
	Temperature float64 `cfg:"lwf_temperature" help:"temperature T of the softmax over an agent's action values; above 0"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "lwf",
		Summary: "one network, distilled from the last task's on the new task's data (Li and Hoiem, 2017)",
		Version: "1",
		Config:  configs.Read("algs/lwf.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses learners that cannot value episodes with earlier weights.
func (Plugin) Match(p core.Pairing) error {
	return p.Needs(core.AbilityGradients, core.AbilityValues)
}

// New makes the method without a teacher.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{learner: sv.Learner}
	if err := config.Decode(s, &m.cfg); err != nil {
		return nil, err
	}
	if m.cfg.Temperature <= 0 {
		return nil, fmt.Errorf("lwf_temperature is %v: want a number above 0", m.cfg.Temperature)
	}
	a := core.AbilitiesOf(sv.Learner)
	m.values, m.gradients = a.Valuer, a.Gradients
	var err error
	m.Buffered, err = single.NewBuffered("lwf", s, sv)
	return m, err
}

type method struct {
	single.Buffered
	cfg       Config
	learner   core.Learner
	values    core.Valuer
	gradients core.GradientEditor
	teacher   []float32 // the agent network at the last task's end; nil in the first task
}

// NextBatch draws from D and adds the distillation to the step that follows.
func (m *method) NextBatch() ([]*episode.Episode, error) {
	batch, err := m.Buffered.NextBatch()
	if err != nil || batch == nil || m.teacher == nil || m.cfg.Coef == 0 {
		return batch, err
	}
	targets, err := m.values.EpisodeValues(batch, m.teacher)
	if err != nil {
		return nil, err
	}
	return batch, m.gradients.SetValueTerm(core.ValueTerm{
		Loss: core.ValueKL, Temperature: m.cfg.Temperature, Coef: m.cfg.Coef, Targets: targets,
	})
}

// EndTask makes the network the teacher of the next task.
func (m *method) EndTask(core.Progress) error {
	m.teacher = m.learner.Parameters(core.ScopeAgent, m.teacher[:0])
	return nil
}

// Put adds D and the teacher to f.
func (m *method) Put(f *safetensors.File) {
	m.Buffered.Put(f)
	if m.teacher != nil {
		safetensors.Put(f, "teacher", m.teacher)
	}
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	m.teacher = nil
	if f.Has("teacher") {
		m.teacher = make([]float32, len(m.learner.Parameters(core.ScopeAgent, nil)))
		if err := safetensors.Fill(f, "teacher", m.teacher); err != nil {
			return err
		}
	}
	return m.Buffered.Get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "lwf", m) }
