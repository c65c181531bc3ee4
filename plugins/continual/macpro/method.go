package macpro

import (
	"fmt"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/record"
)

type method struct {
	cfg    settings
	all    core.Settings // of the run
	sv     core.Services
	modes  []string
	replay *episode.Replay // D of the current task
	store  *episode.Groups // D'

	spec    core.EnvSpec // shapes of all tasks, known from the first on
	trainer *trainer     // nil before the first task
	tasks   []taskHead   // that have begun
	head    int          // in training
	anchor  []float32    // phi at the last task's end
	cached  []center     // as the last context step left them
	fresh   freshCenters // the last ones that were computed

	inserted int64 // episodes in D' so far

	steps       int64 // context steps
	lastContext int64 // t_env of the last of them
	lastSave    int64 // t_env at which the live head was saved last

	protection protection
	borders    *borders // nil where the run tells them

	batch   batch
	scratch []int
	pool    []int
}

// taskHead is a task and the head that it was assigned to.
type taskHead struct {
	Name string
	Head int
}

// BeginTask decides whether the task joins a group or opens one, and loads its
// head.
func (m *method) BeginTask(t core.Task, p core.Progress) error {
	if err := m.serve(t.Spec); err != nil {
		return err
	}
	d, err := m.decide(t, int64(len(m.tasks)))
	if err != nil {
		return err
	}
	return m.begin(t, &d, p)
}

// begin starts a task with the head that was decided on.
func (m *method) begin(t core.Task, d *decision, p core.Progress) error {
	m.replay.Clear()
	if err := m.assign(t, d); err != nil {
		return err
	}
	m.lastSave = p.TEnv
	if m.cfg.RegSum == keyAgents { // of the new task
		if err := m.protect(); err != nil {
			return err
		}
	}
	if err := m.emit(d.row(m, at(t.Spec.Task, p))); err != nil {
		return err
	}
	if d.full {
		err := m.emit(record.Alarm{At: at(t.Spec.Task, p), Reason: "max_heads", Extra: map[string]any{
			"quantity": m.sv.Learner.Heads(), "value": fmt.Sprintf("max_heads %d: the task joins head %d", m.cfg.MaxHeads, d.head),
		}})
		if err != nil {
			return err
		}
	}
	return m.dump("task_start", d, p)
}

// serve makes the networks for the first task, and what later ones need of
// their own. Other shapes are refused, unless they are teams of entities alike.
func (m *method) serve(spec core.EnvSpec) (err error) {
	if m.trainer != nil {
		return m.trainer.begin(spec)
	}
	m.spec = spec
	if spec.Entities != nil {
		if err := m.cfg.decodeEntities(m.all); err != nil {
			return err
		}
	}
	if m.trainer, err = newTrainer(&m.cfg, spec, m.sv.Source.Child("init")); err != nil {
		return err
	}
	m.trainer.threads = m.sv.Threads
	return nil
}

// assign makes the decided head live.
func (m *method) assign(t core.Task, d *decision) error {
	switch {
	case d.head < 0:
		start := core.HeadInit(m.cfg.NewHead)
		if len(m.tasks) == 0 {
			start = core.HeadCopy // the learner has just been drawn
		}
		k, err := m.sv.Learner.NewHead(start)
		if err != nil {
			return err
		}
		d.head = k
	case d.head != m.head: // the live head and its saved copy are equal now
		if err := m.sv.Learner.LoadHead(d.head); err != nil {
			return err
		}
	}
	m.head = d.head
	m.tasks = append(m.tasks, taskHead{t.Spec.Task, d.head})
	return nil
}

// Head is the head in training.
func (m *method) Head() int { return m.head }

// Collected stores the episode in D and in D'.
func (m *method) Collected(e *episode.Episode, _ core.Progress) error {
	m.replay.Insert(e)
	if m.borders != nil {
		e = m.borders.collect(e, len(m.tasks)-1)
	}
	if e != nil {
		m.store.Insert(e)
		m.inserted++
	}
	return nil
}

// NextBatch draws from D. To distill features it adds trajectories of D'.
func (m *method) NextBatch() ([]*episode.Episode, error) {
	batch, err := m.replay.NextBatch()
	if err != nil || batch == nil || m.cfg.Protect != protectDistill {
		return batch, err
	}
	return m.hold(batch)
}

// Trained saves the live head every kappa2 and trains the encoders every kappa1
// transitions. With hidden boundaries it looks for one first.
func (m *method) Trained(p core.Progress) error {
	if found, err := m.search(p); err != nil || found {
		return err
	}
	due := p.TEnv-m.lastContext >= m.cfg.Kappa1
	if p.TEnv-m.lastSave >= m.cfg.Kappa2 && (due || !m.cfg.SaveNested) {
		if err := m.sv.Learner.SaveHead(m.head); err != nil {
			return err
		}
		m.lastSave = p.TEnv
	}
	if !due {
		return nil
	}
	heads := m.ready()
	if len(heads) < m.cfg.MinGroups {
		return nil
	}
	m.lastContext = p.TEnv
	return m.contextStep(heads, p)
}

// EndTask saves the head and anchors the features.
func (m *method) EndTask(p core.Progress) error {
	if err := m.sv.Learner.SaveHead(m.head); err != nil {
		return err
	}
	m.lastSave = p.TEnv
	if err := m.warn(p); err != nil {
		return err
	}
	if err := m.learned(p); err != nil {
		return err
	}
	if err := m.protect(); err != nil {
		return err
	}
	return m.dump("task_end", nil, p)
}

// Report shows the head of every task that has begun, the bandit as a further
// mode, and the number of updates of the encoders.
func (m *method) Report() core.MethodReport {
	heads := make([]int, len(m.tasks))
	for i, t := range m.tasks {
		heads[i] = t.Head
	}
	return core.MethodReport{TaskHeads: heads, EvalModes: []string{ModeBandit}, ContextSteps: m.steps, Borders: m.borders.count()}
}

// Modes lists the test modes, the own one first.
func (m *method) Modes() []string { return m.modes }

func (m *method) emit(r record.Entry) error {
	e := record.Event(r)
	if err := m.sv.Journal.Emit(e); err != nil {
		return fmt.Errorf("row %q: %w", e.Kind, err)
	}
	return nil
}

// at is the position of a row about a task.
func at(task string, p core.Progress) record.At {
	return record.At{TEnv: p.TEnv, Episode: p.Episode, Task: task}
}

func (m *method) taskNames() []string {
	names := make([]string, len(m.tasks))
	for i, t := range m.tasks {
		names[i] = t.Name
	}
	return names
}
