// Command anchor is a plugin with a continual method: one network is trained on
// task after task, and from the second task on its weights are pulled towards
// where they were at the end of the task before:
//
//	loss = TD loss + anchor_coef * sum_j (theta_j - theta*_j)^2
package main

import (
	"io"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/registry/remote"
)

func main() { remote.Serve(Plugin{}) }

// Config holds the key of the method.
type Config struct {
	Coef float64 `cfg:"anchor_coef" min:"0" help:"weight of the pull towards the last task's weights"`
}

// Plugin is the method "anchor".
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name: "anchor", Summary: "finetuning with a pull towards the weights after the last task", Version: "1",
		Config: []byte("anchor_coef: 0.5   # weight of the pull\n"), Schema: config.Schema(Config{}),
	}
}

// New makes the method with an empty buffer.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{learner: sv.Learner}
	if err := config.Decode(s, &m.cfg); err != nil {
		return nil, err
	}
	var err error
	m.Buffered, err = single.NewBuffered("anchor", s, sv)
	return m, err
}

// method is finetuning, which Buffered is, and an anchor.
type method struct {
	single.Buffered
	cfg     Config
	learner core.Learner
	anchor  []float32 // the weights after the last task
}

// EndTask moves the anchor.
func (m *method) EndTask(core.Progress) error {
	m.anchor = m.learner.Parameters(core.ScopeAgent, m.anchor[:0])
	return m.pull()
}

// pull tells the learner about the anchor, once there is one.
func (m *method) pull() error {
	if len(m.anchor) == 0 {
		return nil
	}
	return m.learner.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: m.anchor, Coef: m.cfg.Coef}})
}

// Save writes the buffer and the anchor.
func (m *method) Save(w io.Writer) error {
	f := safetensors.New()
	m.Put(f)
	safetensors.Put(f, "anchor", m.anchor)
	return f.Encode(w)
}

// Load restores them, and the pull of the learner with them.
func (m *method) Load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return err
	}
	if m.anchor, err = safetensors.Get[float32](f, "anchor"); err != nil {
		return err
	}
	if err := m.Get(f); err != nil {
		return err
	}
	return m.pull()
}
