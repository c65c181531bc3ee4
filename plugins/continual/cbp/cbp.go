// Package cbp is continual backpropagation (Dohare et al., 2024): units of the
// features that have become useless are replaced by fresh ones, so that the
// network stays able to learn. Nothing protects earlier tasks.
//
// The utility of unit j of a layer follows how much it contributes to the next one,
//
//	u_j = eta u_j + (1 - eta) |h_j| sum_k |w_jk|
//
// with the mean of |h_j| over a batch and all weights w_jk that read the unit. It
// is compared as u_j / (1 - eta^age). A unit is mature if its age in gradient steps
// is above a threshold. For each step a share rho of a layer's mature units is
// replaced, those of the least utility first. They get new incoming weights and
// outgoing weights of 0. Their utility and age begin anew (algorithm 1 there).
//
// Utilities are updated every cbp_interval gradient steps, by a pass over the batch
// of the last of them. The paper updates them after each step, so they fade faster
// there. The division by 1 - eta^age is that of the authors' code. Recurrent units are
// replaced as well; their weights on each other count. The paper has none. Biases start
// as all others do, in the authors' code at 0. RMSProp starts anew for the weights of a
// replaced unit, and its first step there is lr / sqrt(1 - optim_alpha). The authors' Adam
// begins with lr. With cbp_rate 0 CBP is Finetuning bit for bit.
package cbp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
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
	Rate     float64 `cfg:"cbp_rate" min:"0" max:"1" help:"rho, share of a layer's mature units that a gradient step replaces; 0 switches it off"`
	Maturity int     `cfg:"cbp_maturity" min:"0" help:"gradient steps in which a new unit is not replaced"`
	Decay    float64 `cfg:"cbp_decay" min:"0" max:"0.999999" help:"eta, what is left of a utility when it is updated"`
	Interval int     `cfg:"cbp_interval" min:"1" help:"gradient steps between two updates of the utilities"`
}

// TaskFree says that the method needs no borders. Units age by gradient steps, not by tasks.
func (Plugin) TaskFree() bool { return true }

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "cbp",
		Summary: "one network whose useless units are replaced by fresh ones (Dohare et al., 2024)",
		Version: "3",
		Config:  configs.Read("algs/cbp.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses learners whose units cannot be looked at.
func (Plugin) Match(p core.Pairing) error { return p.Needs(core.AbilityWeights) }

// New makes the method with units of age 0.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{learner: sv.Learner, journal: sv.Journal}
	if err := config.Decode(s, &m.cfg); err != nil {
		return nil, err
	}
	var err error
	if m.Buffered, err = single.NewBuffered("cbp", s, sv); err != nil {
		return nil, err
	}
	m.weights = core.AbilitiesOf(sv.Learner).Weights
	features := len(sv.Learner.Parameters(core.ScopeFeatures, nil))
	for _, l := range m.weights.Layers() {
		if len(l.In) > 0 && l.In[0].Offset < features {
			m.layers = append(m.layers, layer{Layer: l, utility: make([]float32, l.Width), age: make([]int64, l.Width)})
		}
	}
	if len(m.layers) == 0 {
		return nil, fmt.Errorf("cbp: learner has no layer of features whose units can be replaced")
	}
	return m, nil
}

// method counts steps and keeps what it knows of the units of phi.
type method struct {
	single.Buffered
	cfg     Config
	learner core.Learner
	weights core.WeightEditor
	journal core.Journal
	task    string

	layers []layer
	steps  int64              // gradient steps since the last update
	batch  []*episode.Episode // of the last of them

	params []float32 // scratch: the agent network at an update

	replaced, updates int64 // units since the start of the task, and updates
}

// layer is what is known of the units of one layer of phi.
type layer struct {
	core.Layer
	utility []float32
	age     []int64 // in updates
	due     float64 // units that are to be replaced, of which a whole number waits for nothing
}

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.task, m.batch, m.replaced, m.updates = t.Spec.Task, nil, 0, 0
	return m.Buffered.BeginTask(t, p)
}

// NextBatch draws from D and counts the step that follows.
func (m *method) NextBatch() ([]*episode.Episode, error) {
	batch, err := m.Buffered.NextBatch()
	if batch != nil {
		m.batch = batch
		m.steps++
	}
	return batch, err
}

// Trained updates the utilities when enough steps were made, and replaces units.
func (m *method) Trained(core.Progress) error {
	if m.cfg.Rate == 0 || m.batch == nil || m.steps < int64(m.cfg.Interval) {
		return nil
	}
	steps := m.steps
	m.steps = 0
	q := core.ActivityQuery{MeanAbs: true}
	for _, l := range m.layers {
		q.Layers = append(q.Layers, l.Name)
	}
	activity, err := m.weights.Activity(m.batch, q)
	if err != nil {
		return err
	}
	m.updates++
	m.params = m.learner.Parameters(core.ScopeAgent, m.params[:0])
	for i := range m.layers {
		l := &m.layers[i]
		l.update(activity[i].MeanAbs, m.params, m.cfg.Decay)
		units := l.choose(m.cfg, steps)
		if len(units) == 0 {
			continue
		}
		if err := m.weights.ResetUnits(l.Name, units); err != nil {
			return err
		}
		m.replaced += int64(len(units))
	}
	return nil
}

// update takes the mean absolute activations of one batch.
func (l *layer) update(mean, params []float32, eta float64) {
	for j := range l.utility {
		out := 0.0
		for _, s := range l.Out {
			s.Each(j, func(p int) { out += math.Abs(float64(params[p])) })
		}
		l.utility[j] = float32(eta*float64(l.utility[j]) + (1-eta)*float64(mean[j])*out)
		l.age[j]++
	}
}

// choose finds the units to replace after so many gradient steps since the last
// update, as many as before every other one, and makes their utility and age 0.
func (l *layer) choose(c Config, steps int64) []int {
	var mature []int
	for j, a := range l.age {
		if a*steps > int64(c.Maturity) {
			mature = append(mature, j)
		}
	}
	l.due += c.Rate * float64(len(mature)) * float64(steps)
	n := min(int(l.due), len(mature))
	if n == 0 {
		return nil
	}
	l.due -= float64(n)
	value := func(j int) float64 { return float64(l.utility[j]) / (1 - math.Pow(c.Decay, float64(l.age[j]))) }
	slices.SortStableFunc(mature, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
	units := mature[:n]
	slices.Sort(units)
	for _, j := range units {
		l.utility[j], l.age[j] = 0, 0
	}
	return units
}

// EndTask writes a row about the units that were replaced.
func (m *method) EndTask(p core.Progress) error {
	return m.journal.Emit(core.Event{Kind: "units", TEnv: p.TEnv, Episode: p.Episode, Task: m.task,
		Fields: map[string]any{"replaced": m.replaced, "updates": m.updates}})
}
