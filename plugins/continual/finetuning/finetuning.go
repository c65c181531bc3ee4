// Package finetuning is the plainest continual method: one head is trained on
// task after task from a replay buffer D that is emptied at the start of each.
// Nothing protects what was learned before, so it shows how much a learner
// forgets by itself (the baseline "Finetuning" of the paper).
package finetuning

import (
	"fmt"
	"io"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/safetensors"
	"macpro/plugins/continual/internal/single"
)

// Plugin registers the method.
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "finetuning",
		Summary: "one network trained on task after task, nothing kept",
		Version: "1",
		Config:  configs.Read("algs/finetuning.yaml"),
	}
}

// New makes the method with an empty buffer.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	var c episode.ReplayConfig
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	replay, err := episode.NewReplay(c, sv.Source)
	if err != nil {
		return nil, err
	}
	return &method{One: "finetuning", replay: replay}, nil
}

// method holds nothing but the buffer D.
type method struct {
	single.One
	replay *episode.Replay
}

func (m *method) BeginTask(core.Task, core.Progress) error {
	m.replay.Clear()
	return nil
}

func (m *method) Collected(e *episode.Episode, _ core.Progress) error {
	m.replay.Insert(e)
	return nil
}

func (m *method) NextBatch() ([]*episode.Episode, error) { return m.replay.NextBatch() }
func (m *method) Trained(core.Progress) error            { return nil }
func (m *method) EndTask(core.Progress) error            { return nil }

func (m *method) Save(w io.Writer) error {
	f := safetensors.New()
	m.replay.Put(f)
	return f.Encode(w)
}

func (m *method) Load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return err
	}
	if err := m.replay.Get(f); err != nil {
		return fmt.Errorf("finetuning: %w", err)
	}
	return nil
}
