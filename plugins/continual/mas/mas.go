// Package mas is memory aware synapses (Aljundi et al., 2018): one network whose
// parameters are held back as strongly as the agents' action values depend on
// them. At the end of a task, over N episodes of its buffer D,
//
//	Omega_j += mean_N |d ||Q||^2 / d theta_j|
//	L = L_TD + lambda sum_j Omega_j (theta_j - theta*_j)^2
//
// where ||Q||^2 is the squared norm of an agent's action values, the mean over
// transitions and agents (equations 2 to 4 there), and theta* is where the last
// task ended. Unlike the importance of EWC it does not vanish with the TD error.
//
// The paper takes the absolute gradient of each sample. Here a sample is an episode,
// whose steps add up before. Continual World and COOM hold no heads: there each task has
// its own. Here the one head is held as well. Neither they nor the paper normalise the
// importance (mas_norm none), bound it or clip the gradient of the pull. Here the clip
// sees it, unless clip_scope is td.
//
// In the first task, and with mas_lambda 0 in all, MAS is Finetuning bit for bit.
package mas

import (
	"fmt"
	"io"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/plugins/continual/internal/pull"
)

// Plugin registers the method.
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// Config are the method's own keys.
type Config struct {
	Lambda   float64 `cfg:"mas_lambda" min:"0" help:"weight of the pull; 0 switches it off"`
	Episodes int     `cfg:"mas_episodes" min:"1" help:"episodes of the buffer D that the importance is estimated from"`
	Norm     string  `cfg:"mas_norm" enum:"mean,none" help:"divide a task's importance by its mean over parameters, or leave it"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "mas",
		Summary: "one network, parameters that the action values depend on are held back (Aljundi et al., 2018)",
		Version: "1",
		Config:  configs.Read("algs/mas.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// New makes the method with nothing to protect. It draws from the stream "mas".
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{}
	if err := config.Decode(s, &m.cfg); err != nil {
		return nil, err
	}
	var err error
	if m.Base, err = pull.New("mas", m.cfg.Lambda, s, sv); err != nil {
		return nil, err
	}
	m.draw = sv.Source.Child("mas").Stream()
	return m, nil
}

type method struct {
	pull.Base
	cfg  Config
	draw *rng.Stream
}

// EndTask estimates the importance of the task that ends and adds it.
func (m *method) EndTask(p core.Progress) error {
	eps := make([]*episode.Episode, min(m.cfg.Episodes, m.Ring().Len()))
	if len(eps) == 0 {
		return fmt.Errorf("no episodes of task %s to estimate the importance of parameters from", m.Task)
	}
	if err := m.Ring().Sample(eps, m.draw); err != nil {
		return err
	}
	omega, err := m.Learner.Importance(eps, core.ImportanceValues)
	if err != nil {
		return err
	}
	mean, err := pull.Scale(omega, m.cfg.Norm == "mean")
	if err != nil {
		return fmt.Errorf("task %s: %w", m.Task, err)
	}
	if err := m.Emit("importance", p, map[string]any{"mean": mean, "episodes": len(eps), "drift": m.Drift()}); err != nil {
		return err
	}
	return m.Hold(pull.Plus(omega, m.Importance()))
}

// Put adds the state to f: that of the base and the stream.
func (m *method) Put(f *safetensors.File) {
	m.Base.Put(f)
	safetensors.Put(f, "stream.mas", m.draw.AppendState(nil))
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	if err := safetensors.Restore(f, "stream.mas", m.draw); err != nil {
		return err
	}
	return m.Base.Get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "mas", m) }
