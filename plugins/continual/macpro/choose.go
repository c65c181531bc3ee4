package macpro

import (
	"slices"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/rng"
	"macpro/plugins/continual/internal/bandit"
)

// ChooseHeads plans the heads of a test.
func (m *method) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	switch mode {
	case ModeCTDE, ModeCTCE:
		return m.probing(t, mode == ModeCTCE, ev)
	case ModeOracle:
		if ev.TaskHead != nil {
			return m.plan(repeated(int32(*ev.TaskHead), t.Spec.Agents), ev), nil
		}
		if t.Index < 0 || t.Index >= len(m.tasks) {
			return core.HeadPlan{Skip: true}, nil
		}
		if m.cfg.OracleMerged == keyLive && m.joined(t.Index) {
			return core.HeadPlan{}, nil
		}
		return m.plan(repeated(int32(m.tasks[t.Index].Head), t.Spec.Agents), ev), nil
	case ModeRandom:
		if m.cfg.RandomHeads == keyStep {
			return core.HeadPlan{Stepper: m.everyStep()}, nil
		}
		heads := m.randomHeads(ev.Episodes, t.Spec.Agents, ev.Source.Child("head_random").Stream())
		return core.HeadPlan{Heads: heads}, nil
	case ModeBandit:
		return m.bandit(t)
	}
	return core.HeadPlan{}, names.Unknown("test mode of macpro", mode, m.modes)
}

// joined tells whether a task was merged into the group of an earlier one.
func (m *method) joined(task int) bool {
	return slices.IndexFunc(m.tasks, func(t taskHead) bool { return t.Head == m.tasks[task].Head }) < task
}

// acting is what stands for head k in a test: the head in training is the live
// one, unless its saved copy is asked for.
func (m *method) acting(k int) int32 {
	if k == m.head && m.cfg.CurrentHead == keyLive {
		return core.LiveHead
	}
	return int32(k)
}

// plan lets every agent act with its head in all episodes.
func (m *method) plan(heads []int32, ev core.Evaluation) core.HeadPlan {
	var p core.HeadPlan
	for range ev.Episodes {
		for _, k := range heads {
			p.Heads = append(p.Heads, m.acting(int(k)))
		}
	}
	return p
}

// randomHeads draws a head for each episode, the same for all agents.
func (m *method) randomHeads(episodes, n int, from *rng.Stream) []int32 {
	var heads []int32
	for range episodes {
		heads = append(heads, repeated(m.acting(from.Intn(m.sv.Learner.Heads())), n)...)
	}
	return heads
}

// everyStep draws a head for each step of each episode.
func (m *method) everyStep() core.HeadStepper {
	s := stepper{}
	for k := range m.sv.Learner.Heads() {
		s.heads = append(s.heads, m.acting(k))
	}
	return s
}

// stepper chooses any head at every step, the same for all agents. The draw
// depends on episode and step alone.
type stepper struct {
	core.Unwatched
	heads []int32
}

func (s stepper) StepHeads(v *core.StepView, heads []int32) error {
	n := v.Spec.Agents
	for i, e := range v.Episodes {
		k := v.Source.ChildInt(int64(e)).ChildInt(int64(v.T)).Stream().Intn(len(s.heads))
		copy(heads[i*n:(i+1)*n], repeated(s.heads[k], n))
	}
	return nil
}

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
