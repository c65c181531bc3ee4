package macpro

import (
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/continual/internal/bandit"
)

// ModeBandit chooses among MACPro's heads in the manner of OWL, for comparison.
// It is for evaluations of recorded networks only. Heads keep no mixers of their
// own here, so the current one values the actions of all.
const ModeBandit = "macpro_bandit"

// bandit plans a test with the bandit's published settings.
func (m *method) bandit(t core.Task) (core.HeadPlan, error) {
	var discount struct {
		Gamma float64 `cfg:"gamma" min:"0" max:"1" help:"discount factor of the return"`
	}
	if err := config.Decode(m.all, &discount); err != nil {
		return core.HeadPlan{}, err
	}
	var arms []bandit.Arm
	for k := range m.sv.Learner.Heads() {
		arms = append(arms, bandit.Arm{Head: m.acting(k), Mixer: core.LiveHead})
	}
	if len(arms) < 2 {
		return core.HeadPlan{}, nil
	}
	return bandit.Published(m.sv.Learner).Plan(m.sv.Learner, arms, t.Spec, discount.Gamma)
}
