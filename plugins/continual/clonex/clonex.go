// Package clonex rehearses by behavioural cloning (the cloning of ClonEx,
// Wolczyk et al., 2022): one network and a replay buffer D that is emptied at the
// start of every task. At a task's end episodes of D are kept together with the
// agents' values Q* in them. From the next task on every gradient step also pulls
// the values in some kept episodes M towards them,
//
//	L = TD loss on D + clone_coef * mean over rows of M of KL(softmax(Q*/T) || softmax(Q/T))
//
// or, with clone_loss mse, the mean of (Q - Q*)^2. Kept episodes have no part in
// the TD loss, so that what was learned in them stays even where TD errors of an
// earlier task would be large. ClonEx's exploration in new tasks is not part of it.
//
// ClonEx clones the policies of an actor that has a head for each task. Here there is no
// actor and one head: its action values make the policies. COOM halves the sum of both
// gradients and has a weight of 100 in front of the cloning.
//
// In the first task, and with clone_coef 0 in all, it is Finetuning bit for bit.
package clonex

import (
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
	Coef        float64 `cfg:"clone_coef" min:"0" help:"weight of the cloned values in the loss; 0 makes it Finetuning"`
	Loss        string  `cfg:"clone_loss" enum:"kl,mse" help:"distance from the kept values: divergence of the policies softmax(Q/T), or squared error"`
	Temperature float64 `cfg:"clone_temperature" min:"1e-6" only:"clone_loss=kl" help:"temperature T of the policies"`
	Episodes    int     `cfg:"clone_episodes" min:"1" help:"episodes of D that are kept of each task"`
	Batch       int     `cfg:"clone_batch" min:"1" help:"kept episodes in a gradient step, beside those of D"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "clonex",
		Summary: "one network, values of earlier tasks are cloned in kept episodes (Wolczyk et al., 2022)",
		Version: "1",
		Config:  configs.Read("algs/clonex.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses learners without values of episodes or terms on values.
func (Plugin) Match(p core.Pairing) error {
	return p.Needs(core.AbilityGradients, core.AbilityValues)
}

// New makes the method with an empty buffer and nothing kept.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	able := core.AbilitiesOf(sv.Learner)
	m := &method{learner: able.Gradients, values: able.Valuer}
	if err := config.Decode(s, &m.cfg); err != nil {
		return nil, err
	}
	var err error
	if m.Buffered, err = single.NewBuffered("clonex", s, sv); err != nil {
		return nil, err
	}
	m.kept = newStore(len(sv.Tasks)*m.cfg.Episodes, sv.Source.Child("clone").Stream())
	return m, nil
}

// method is the buffer D of the current task and what is kept of earlier ones.
type method struct {
	single.Buffered
	cfg     Config
	learner core.GradientEditor
	values  core.Valuer
	kept    *store
	batch   []*episode.Episode
	targets [][]float32
}

// NextBatch draws a batch of D and kept episodes beside it, whose values the
// learner is to keep in the step that follows.
func (m *method) NextBatch() ([]*episode.Episode, error) {
	now, err := m.Buffered.NextBatch()
	if err != nil || now == nil || m.cfg.Coef == 0 || m.kept.len() == 0 {
		return now, err
	}
	m.batch, m.targets = append(m.batch[:0], now...), append(m.targets[:0], make([][]float32, len(now))...)
	m.batch, m.targets = m.kept.draw(m.cfg.Batch, m.batch, m.targets)
	return m.batch, m.learner.SetValueTerm(core.ValueTerm{
		Loss: core.ValueLoss(m.cfg.Loss), Temperature: m.cfg.Temperature, Coef: m.cfg.Coef, Targets: m.targets, Only: true,
	})
}

// EndTask keeps episodes of the task with the values that it has taught.
func (m *method) EndTask(core.Progress) error {
	if m.cfg.Coef == 0 {
		return nil
	}
	eps, err := m.kept.choose(m.Ring(), m.cfg.Episodes)
	if err != nil || len(eps) == 0 {
		return err
	}
	values, err := m.values.EpisodeValues(eps, nil)
	if err != nil {
		return err
	}
	return m.kept.add(eps, values)
}

// Put adds D and what is kept to f.
func (m *method) Put(f *safetensors.File) {
	m.Buffered.Put(f)
	m.kept.put(f)
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	if err := m.Buffered.Get(f); err != nil {
		return err
	}
	return m.kept.get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "clonex", m) }
