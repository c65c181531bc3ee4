// Package finetuning is the plainest continual method: one head is trained on
// task after task from a replay buffer D that is emptied at the start of each.
// Nothing protects what was learned before, so it shows how much a learner
// forgets by itself (the baseline "Finetuning" of the paper).
package finetuning

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/single"
)

// Plugin registers the method.
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// TaskFree says that the method needs no borders. Without them D is never emptied: it
// holds the newest episodes of whatever task they are.
func (Plugin) TaskFree() bool { return true }

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
	b, err := single.NewBuffered("finetuning", s, sv)
	return &b, err
}
