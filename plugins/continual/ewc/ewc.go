// Package ewc is elastic weight consolidation (Kirkpatrick et al., 2017), the
// baseline "EWC" of the paper. It has one head and a replay buffer D that is
// emptied at the start of every task. A quadratic pull draws the whole agent
// network, features and head, towards where it was at the ends of earlier tasks.
// Each parameter is pulled as strongly as it mattered there (package fisher). The
// mixer is not protected, because it plays no part in acting.
//
// In the first task, and with ewc_lambda 0 in all, EWC is Finetuning bit for
// bit.
package ewc

import (
	"io"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/plugins/continual/internal/fisher"
)

// Plugin registers the method.
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "ewc",
		Summary: "one network, parameters that earlier tasks need are held back (Kirkpatrick et al., 2017)",
		Version: "1",
		Config:  configs.Read("algs/ewc.yaml"),
		Schema:  config.Schema(fisher.Config{}),
	}
}

// New makes the method with an empty buffer and nothing to protect.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	b, err := single.NewBuffered("ewc", s, sv)
	if err != nil {
		return nil, err
	}
	protection, err := fisher.New(s, core.ScopeAgent, sv)
	return &method{Buffered: b, protection: protection}, err
}

// method is the buffer D of the current task and what earlier ones have left.
type method struct {
	single.Buffered
	protection *fisher.Protection
	task       string
}

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.task = t.Spec.Task
	return m.Buffered.BeginTask(t, p)
}

func (m *method) Trained(p core.Progress) error { return m.protection.Trained(m.task, p) }

func (m *method) EndTask(p core.Progress) error {
	return m.protection.EndTask(m.Ring(), m.task, p)
}

// Put adds the task, D and what is protected to f.
func (m *method) Put(f *safetensors.File) {
	f.Meta["task"] = m.task
	m.Buffered.Put(f)
	m.protection.Put(f)
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	m.task = f.Meta["task"]
	if err := m.Buffered.Get(f); err != nil {
		return err
	}
	return m.protection.Get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "ewc", m) }
