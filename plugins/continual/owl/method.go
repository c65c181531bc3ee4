package owl

import (
	"fmt"
	"io"
	"slices"

	"macpro/core"
	"macpro/core/names"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/plugins/continual/internal/bandit"
	"macpro/plugins/continual/internal/fisher"
)

// Test modes. The first is the method of the paper; the other shows what the
// bandit's choice costs.
const (
	Mode       = "bandit" // a bandit chooses among the heads of all tasks
	ModeOracle = "oracle" // the head that the task was trained with
)

// method is the buffer D of the current task and what earlier ones have left.
// Head k belongs to task k; the learner keeps the heads and their mixers.
type method struct {
	single.Buffered
	cfg        Config
	shared     shared
	bandit     bandit.Config
	learner    core.Learner
	mixers     core.Valuer // nil if the learner keeps no mixers
	protection *fisher.Protection

	task  string
	heads []int // by task: 0, 1, 2, ...
}

// BeginTask makes the task's head. The first starts as the network was made.
func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.task = t.Spec.Task
	if err := m.Buffered.BeginTask(t, p); err != nil {
		return err
	}
	init := core.HeadCopy
	if t.Index > 0 {
		init = core.HeadInit(m.cfg.NewHead)
	}
	k, err := m.learner.NewHead(init)
	if err == nil && k != t.Index {
		err = fmt.Errorf("task %d was given head %d", t.Index, k)
	}
	m.heads = append(m.heads, k)
	return err
}

func (m *method) Head() int { return max(0, len(m.heads)-1) }

// Report shows the head of every task that has begun.
func (m *method) Report() core.MethodReport { return core.MethodReport{TaskHeads: m.heads} }

func (m *method) Trained(p core.Progress) error { return m.protection.Trained(m.task, p) }

// EndTask keeps the head, with the mixer that its values were learned for, and
// protects the features.
func (m *method) EndTask(p core.Progress) error {
	k := m.Head()
	if err := m.learner.SaveHead(k); err != nil {
		return err
	}
	if m.mixers != nil && m.cfg.Snapshot {
		if err := m.mixers.SaveMixer(k); err != nil {
			return err
		}
	}
	return m.protection.EndTask(m.Ring(), m.task, p)
}

func (m *method) Modes() []string { return []string{Mode, ModeOracle} }

// ChooseHeads lets a bandit over all heads choose, a single head just acts; or
// the head of the task acts, if it has one.
func (m *method) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	switch mode {
	case Mode:
		if len(m.heads) < 2 {
			return core.HeadPlan{}, nil
		}
		return m.bandit.Plan(m.learner, m.arms(), t.Spec, m.shared.Gamma)
	case ModeOracle:
		if t.Index < 0 || t.Index >= len(m.heads) {
			return core.HeadPlan{Skip: true}, nil
		}
		return core.HeadPlan{Heads: slices.Repeat([]int32{m.arms()[t.Index].Head}, ev.Episodes*t.Spec.Agents)}, nil
	}
	return core.HeadPlan{}, names.Unknown("test mode of owl", mode, m.Modes())
}

// arms are the heads of all tasks: the latest one as it is now, the others as
// they were saved.
func (m *method) arms() []bandit.Arm {
	arms := make([]bandit.Arm, len(m.heads))
	for i, k := range m.heads {
		arms[i] = bandit.Arm{Head: int32(k), Mixer: core.LiveHead}
		if m.cfg.Snapshot {
			arms[i].Mixer = k
		}
	}
	arms[len(arms)-1] = bandit.Arm{Head: core.LiveHead, Mixer: core.LiveHead}
	return arms
}

// Put adds the task, the heads of all, D and what is protected to f.
func (m *method) Put(f *safetensors.File) {
	f.Meta["task"] = m.task
	heads := make([]int64, len(m.heads))
	for i, k := range m.heads {
		heads[i] = int64(k)
	}
	safetensors.Put(f, "heads", heads)
	m.Buffered.Put(f)
	m.protection.Put(f)
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	heads, err := safetensors.Get[int64](f, "heads")
	if err != nil {
		return err
	}
	m.task, m.heads = f.Meta["task"], nil
	if len(heads) != m.learner.Heads() {
		return fmt.Errorf("%d tasks have heads, the learner has %d", len(heads), m.learner.Heads())
	}
	for i, k := range heads {
		if k != int64(i) {
			return fmt.Errorf("task %d has head %d", i, k)
		}
		m.heads = append(m.heads, i)
	}
	if err := m.Buffered.Get(f); err != nil {
		return err
	}
	return m.protection.Get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "owl", m) }
