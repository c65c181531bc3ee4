// Package agem is averaged gradient episodic memory (A-GEM, Chaudhry et al.,
// 2019): one network, a replay buffer D that is emptied at the start of every
// task, and a memory of episodes of earlier tasks (package rehearsal). With the
// gradient g of a step's TD loss and the gradient g_ref of the TD loss of a batch
// drawn from the memory, the step is made of
//
//	g                                      if g.g_ref >= 0
//	g - (g.g_ref / g_ref.g_ref) g_ref      otherwise
//
// the closest gradient along which the loss of earlier tasks does not grow. It
// concerns all that is trained: features, head and mixer.
//
// The projection comes before the clip and RMSProp, as it comes before Adam in
// Continual World and COOM. RMSProp scales each parameter by itself, so the step that
// is made may still oppose g_ref. The paper's plain gradient descent cannot. The memory
// is a uniform sample of all episodes of a task; theirs are draws from the buffer at the
// task's end.
//
// In the first task, and with agem_batch 0 in all, A-GEM is Finetuning bit for
// bit.
package agem

import (
	"fmt"
	"io"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/plugins/continual/internal/rehearsal"
)

// Plugin registers the method.
type Plugin struct{}

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)

// Config is the method's own key beside that of the memory.
type Config struct {
	Batch int `cfg:"agem_batch" min:"0" help:"episodes of earlier tasks behind the gradient that no step may oppose; 0 switches it off"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "agem",
		Summary: "one network, no step against the gradient of earlier tasks (Chaudhry et al., 2019)",
		Version: "1",
		Config:  configs.Read("algs/agem.yaml"),
		Schema:  append(config.Schema(Config{}), config.Schema(rehearsal.Config{})...),
	}
}

// Match refuses learners that show no gradients.
func (Plugin) Match(p core.Pairing) error { return p.Needs(core.AbilityGradients) }

// New makes the method with an empty buffer and an empty memory.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{learner: core.AbilitiesOf(sv.Learner).Gradients, journal: sv.Journal}
	var r rehearsal.Config
	err := config.Decode(s, &m.cfg, &r)
	if err != nil {
		return nil, err
	}
	if m.Buffered, err = single.NewBuffered("agem", s, sv); err != nil {
		return nil, err
	}
	m.memory, m.batch = rehearsal.New(r, sv.Source), make([]*episode.Episode, m.cfg.Batch)
	if m.cfg.Batch > 0 {
		err = m.learner.SetGradientHook(m.edit)
	}
	return m, err
}

// method is the buffer D of the current task and the memory of all.
type method struct {
	single.Buffered
	cfg     Config
	learner core.GradientEditor
	journal core.Journal
	memory  *rehearsal.Memory
	batch   []*episode.Episode
	ref     []float32 // g_ref

	task        core.Task
	steps, bent int64 // gradient steps of the task, and those that were projected
}

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.task, m.steps, m.bent = t, 0, 0
	return m.Buffered.BeginTask(t, p)
}

func (m *method) Collected(e *episode.Episode, p core.Progress) error {
	if m.cfg.Batch > 0 {
		m.memory.Insert(e)
	}
	return m.Buffered.Collected(e, p)
}

// edit is the hook on the gradient of every step.
func (m *method) edit(g []float32) error {
	m.steps++
	batch := m.batch[:min(len(m.batch), m.memory.Old(m.task.Index))]
	if len(batch) == 0 {
		return nil
	}
	if err := m.memory.Sample(m.task.Index, batch); err != nil {
		return err
	}
	var err error
	if m.ref, err = m.learner.Gradient(core.ScopeAll, batch, m.ref[:0]); err != nil {
		return err
	}
	if project(g, m.ref) {
		m.bent++
	}
	return nil
}

// project takes the part of g out that opposes ref. It tells whether there was
// any.
func project(g, ref []float32) bool {
	along, size := nn.Dot(g, ref), nn.SumSq(ref)
	if along >= 0 || size == 0 {
		return false
	}
	nn.Axpy(g, float32(-along/size), ref)
	return true
}

// EndTask tells how many steps were projected.
func (m *method) EndTask(p core.Progress) error {
	return m.journal.Emit(core.Event{Kind: "agem", TEnv: p.TEnv, Episode: p.Episode, Task: m.task.Spec.Task, Fields: map[string]any{
		"steps": m.steps, "projected": m.bent, "memory": m.memory.Old(m.task.Index + 1),
	}})
}

// Put adds the task, its counts, D and the memory to f.
func (m *method) Put(f *safetensors.File) {
	f.Meta["task"] = m.task.Spec.Task
	safetensors.Put(f, "counts", []int64{int64(m.task.Index), m.steps, m.bent})
	m.Buffered.Put(f)
	m.memory.Put(f)
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	counts, err := safetensors.Get[int64](f, "counts", 3)
	if err != nil {
		return err
	}
	m.task.Index, m.steps, m.bent, m.task.Spec.Task = int(counts[0]), counts[1], counts[2], f.Meta["task"]
	if m.task.Index < 0 {
		return fmt.Errorf("task %d", m.task.Index)
	}
	if err := m.Buffered.Get(f); err != nil {
		return err
	}
	return m.memory.Get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "agem", m) }
