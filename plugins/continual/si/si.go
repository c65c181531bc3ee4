// Package si is synaptic intelligence (Zenke, Poole and Ganguli, 2017): a
// parameter is held back as strongly as it contributed to the fall of the loss
// while a task was trained. Along the steps of a task, g the gradient of the TD
// loss before a step and Delta theta what the step changed,
//
//	omega_j  = sum_steps -g_j Delta theta_j
//	Omega_j += max(0, omega_j) / ((theta_j(end) - theta_j(start))^2 + xi)
//	L = L_TD + c sum_j Omega_j (theta_j - theta*_j)^2
//
// (equations 3 to 5 there). A negative sum would push parameters away from where
// they were; it counts as 0. The paper has no such bound. Its authors' code bounds
// Omega, the sum over tasks, in place of each task's share. The optimiser may move a
// parameter with a gradient of zero, through nothing but the pull; such steps contribute
// nothing.
//
// In the first task, and with si_coef 0 in all, SI is Finetuning bit for bit.
package si

import (
	"fmt"
	"io"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/plugins/continual/internal/pull"
)

// Plugin registers the method.
type Plugin struct{}

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)

// Config are the method's own keys.
type Config struct {
	Coef float64 `cfg:"si_coef" min:"0" help:"weight c of the pull; 0 switches it off"`
	Xi   float64 `cfg:"si_xi" help:"xi, added to the squared way of a parameter so that short ways do not count too much; above 0"`
	Norm string  `cfg:"si_norm" enum:"mean,none" help:"divide a task's importance by its mean over parameters, or leave it"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "si",
		Summary: "one network, parameters that made the loss fall are held back (Zenke et al., 2017)",
		Version: "1",
		Config:  configs.Read("algs/si.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses learners that do not show their gradients.
func (Plugin) Match(p core.Pairing) error { return p.Needs(core.AbilityGradients) }

// New makes the method with nothing to protect.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{}
	if err := config.Decode(s, &m.cfg); err != nil {
		return nil, err
	}
	if m.cfg.Xi <= 0 {
		return nil, fmt.Errorf("si_xi is %v: want a number above 0", m.cfg.Xi)
	}
	var err error
	if m.Base, err = pull.New("si", m.cfg.Coef, s, sv); err != nil {
		return nil, err
	}
	if m.cfg.Coef == 0 {
		return m, nil // nothing is held, so nothing needs to be measured
	}
	return m, core.AbilitiesOf(sv.Learner).Gradients.SetGradientHook(m.before)
}

// method measures the path of the parameters.
type method struct {
	pull.Base
	cfg Config

	start, omega []float32 // parameters at the task's start; contributions so far

	// The step under way: where it began and its gradient. moving is false between
	// two calls of the run, when a checkpoint may be written.
	from, grad, here []float32
	moving           bool
}

// BeginTask begins a path.
func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.start = m.Learner.Parameters(core.ScopeAgent, m.start[:0])
	m.omega = make([]float32, len(m.start))
	return m.Base.BeginTask(t, p)
}

// before is called with the gradient of every step. It ends the step before and
// begins this one; the gradient stays as it is.
func (m *method) before(g []float32) error {
	m.arrive()
	m.from = m.Learner.Parameters(core.ScopeAgent, m.from[:0])
	m.grad = append(m.grad[:0], g[:len(m.from)]...)
	m.moving = true
	return nil
}

// arrive adds the contributions of the step that was under way.
func (m *method) arrive() {
	if !m.moving {
		return
	}
	m.moving = false
	m.here = m.Learner.Parameters(core.ScopeAgent, m.here[:0])
	for j, g := range m.grad {
		m.omega[j] -= g * (m.here[j] - m.from[j])
	}
}

// Trained ends the last step.
func (m *method) Trained(p core.Progress) error {
	m.arrive()
	return m.Base.Trained(p)
}

// EndTask turns the path into importance and adds it.
func (m *method) EndTask(p core.Progress) error {
	if m.cfg.Coef == 0 {
		return nil
	}
	end := m.Learner.Parameters(core.ScopeAgent, m.here[:0])
	importance := make([]float32, len(end))
	for j, w := range m.omega {
		way := float64(end[j]) - float64(m.start[j])
		importance[j] = float32(max(0, float64(w)) / (way*way + m.cfg.Xi))
	}
	mean, err := pull.Scale(importance, m.cfg.Norm == "mean")
	if err != nil {
		return fmt.Errorf("task %s: %w", m.Task, err)
	}
	if err := m.Emit("importance", p, map[string]any{"mean": mean, "drift": m.Drift()}); err != nil {
		return err
	}
	return m.Hold(pull.Plus(importance, m.Importance()))
}

// Put adds the state to f: that of the base and the path so far.
func (m *method) Put(f *safetensors.File) {
	m.Base.Put(f)
	if m.start != nil {
		safetensors.Put(f, "si.start", m.start)
		safetensors.Put(f, "si.omega", m.omega)
	}
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	m.moving, m.start, m.omega = false, nil, nil
	if f.Has("si.start") {
		n := len(m.Learner.Parameters(core.ScopeAgent, m.here[:0]))
		m.start, m.omega = make([]float32, n), make([]float32, n)
		if err := safetensors.Fill(f, "si.start", m.start); err != nil {
			return err
		}
		if err := safetensors.Fill(f, "si.omega", m.omega); err != nil {
			return err
		}
	}
	return m.Base.Get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "si", m) }
