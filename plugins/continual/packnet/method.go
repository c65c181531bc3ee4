package packnet

import (
	"io"

	"macpro/core"
	"macpro/core/names"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/plugins/continual/internal/prune"
)

// Test modes.
const (
	ModeOracle = "oracle" // the weights of the tasks up to the one that is played
	ModeAll    = "all"    // all weights

	ModeInferred = "inferred" // the weights of the task that probing finds
)

// method is the buffer D of the current task and the owners of all weights.
type method struct {
	single.Buffered
	cfg      Config
	steps    []int64 // training transitions of each task
	learner  core.Learner
	weights  core.WeightEditor
	values   core.Valuer
	tasks    []core.EnvSpec // of the run
	rollouts core.Rollouts
	journal  core.Journal

	task   int
	name   string
	pruned bool          // the task in training has chosen its weights
	owners *prune.Owners // of the agent network: k+1 is task k
}

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.task, m.name, m.pruned = t.Index, t.Spec.Task, false
	if err := m.Buffered.BeginTask(t, p); err != nil {
		return err
	}
	return m.fix()
}

// pruneAt is the number of transitions of the task after which it is pruned.
func (m *method) pruneAt() int64 { return int64((1 - m.cfg.Retrain) * float64(m.steps[m.task])) }

func (m *method) Trained(p core.Progress) error {
	if m.pruned || p.TaskSteps < m.pruneAt() {
		return nil
	}
	return m.prune(p)
}

func (m *method) EndTask(p core.Progress) error {
	if m.pruned {
		return nil
	}
	return m.prune(p)
}

// own is the owner of the weights that the task in training keeps.
func (m *method) own() uint8 { return uint8(m.task + 1) }

// prune chooses the weights that the task keeps and sets the others that were
// free to zero.
func (m *method) prune(p core.Progress) error {
	m.pruned = true
	if m.cfg.Keep == 0 {
		return nil
	}
	w := m.learner.Parameters(core.ScopeAgent, nil)
	kept := m.owners.Keep(w, m.cfg.Keep, m.own())
	for j, k := range m.owners.Of {
		if k == 0 {
			w[j] = 0
		}
	}
	if err := m.weights.SetParameters(core.ScopeAgent, w); err != nil {
		return err
	}
	err := m.journal.Emit(core.Event{Kind: "packnet", TEnv: p.TEnv, Episode: p.Episode, Task: m.name, Fields: map[string]any{
		"kept": kept, "free": m.owners.Free(), "weights": len(w),
	}})
	if err != nil {
		return err
	}
	return m.fix()
}

// fix tells the learner which weights may move: before pruning those that are
// free, after it those that the task keeps.
func (m *method) fix() error {
	if m.cfg.Keep == 0 {
		return nil
	}
	frozen := make([]bool, len(m.owners.Of))
	for j, k := range m.owners.Of {
		frozen[j] = k != 0
		if m.pruned {
			frozen[j] = k != m.own()
		}
	}
	return m.weights.SetFrozen(frozen)
}

// Modes has the mode inferred if the task is to be inferred.
func (m *method) Modes() []string {
	if m.cfg.Task == taskInferred {
		return []string{ModeInferred, ModeOracle, ModeAll}
	}
	return []string{ModeOracle, ModeAll}
}

// ChooseHeads plans a test with the weights of the tasks up to the played task.
// The task in training is played as it is.
func (m *method) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	switch {
	case mode == ModeInferred && m.cfg.Task == taskInferred:
		return m.infer(t, ev)
	case mode == ModeAll:
		return core.HeadPlan{}, nil
	case mode != ModeOracle:
		return core.HeadPlan{}, names.Unknown("test mode of packnet", mode, m.Modes())
	case t.Index < 0 || t.Index > m.task:
		return core.HeadPlan{Skip: true}, nil
	case m.cfg.Keep == 0 || t.Index == m.task:
		return core.HeadPlan{}, nil
	}
	return core.HeadPlan{Agent: m.network(t.Index)}, nil
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "packnet", m) }

// Put adds the task, the owners and D to f.
func (m *method) Put(f *safetensors.File) {
	f.Meta["task"] = m.name
	pruned := int64(0)
	if m.pruned {
		pruned = 1
	}
	safetensors.Put(f, "state", []int64{int64(m.task), pruned})
	safetensors.Put(f, "owner", m.owners.Of)
	m.Buffered.Put(f)
}

// Get restores what Put added, and fixes the learner's weights by the owners.
func (m *method) Get(f *safetensors.File) error {
	state, err := safetensors.Get[int64](f, "state", 2)
	if err != nil {
		return err
	}
	if err := safetensors.Fill(f, "owner", m.owners.Of); err != nil {
		return err
	}
	if err := m.Buffered.Get(f); err != nil {
		return err
	}
	m.task, m.name, m.pruned = int(state[0]), f.Meta["task"], state[1] != 0
	return m.fix()
}
