// Package owl is the baseline "OWL" of the paper (Kessler et al., 2022). Every
// task trains a head of its own on shared features. A quadratic pull protects the
// features as in EWC (package fisher). Each task has an importance and an anchor
// of its own. Heads of earlier tasks stay as they were.
//
// A test does not say which task it is. A bandit over all heads finds out from
// temporal-difference errors or from returns (package bandit). By default the
// errors are those of Q_tot. Then the test uses the central state, the reward and
// copies of the mixer, while the other methods act decentralised. owl_feedback
// td_vdn is the decentralised alternative.
//
// In the first task OWL is Finetuning bit for bit.
package owl

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/single"
	"macpro/plugins/continual/internal/bandit"
	"macpro/plugins/continual/internal/fisher"
)

// Plugin registers the method.
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// Config are the method's own keys beside those of its two parts.
type Config struct {
	NewHead  string `cfg:"new_head" enum:"copy,reset" help:"a new head starts as a copy of the last one or afresh"`
	Snapshot bool   `cfg:"owl_mixer_snapshot" only:"owl_feedback=td_joint" help:"value the actions of an old head with the mixer of its time instead of the current one"`
}

// shared are the keys of every run that the method needs.
type shared struct {
	Gamma float64 `cfg:"gamma" min:"0" max:"1" help:"discount factor of the return"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	schema := config.Schema(Config{})
	schema = append(schema, config.Schema(fisher.Config{})...)
	return core.Info{
		Name:    "owl",
		Summary: "a head for each task, chosen by a bandit in tests (Kessler et al., 2022)",
		Version: "2",
		Config:  configs.Read("algs/owl.yaml"),
		Schema:  append(schema, config.Schema(bandit.Config{})...),
	}
}

// New makes the method without a head. A learner that cannot give the feedback
// that is asked for is refused.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{learner: sv.Learner}
	err := config.Decode(s, &m.cfg, &m.shared, &m.bandit)
	if err != nil {
		return nil, err
	}
	if err := m.bandit.Check(sv.Learner); err != nil {
		return nil, err
	}
	m.mixers = core.AbilitiesOf(sv.Learner).Valuer
	if m.Buffered, err = single.NewBuffered("owl", s, sv); err != nil {
		return nil, err
	}
	m.protection, err = fisher.New(s, core.ScopeFeatures, sv)
	return m, err
}
