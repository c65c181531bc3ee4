package continual

import (
	"fmt"
	"maps"
	"slices"

	"macpro/core"
	"macpro/core/memory"
	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/rollout"
)

// build resolves the tasks, opens their environments and makes the learner and
// the method.
func (r *Runner) build() error {
	if r.o.Env == nil || r.o.Learner == nil || r.o.Method == nil {
		return fmt.Errorf("a run needs an environment, a learner and a method")
	}
	if r.o.Journal == nil {
		r.o.Journal = noJournal{}
	}
	list, err := r.o.Env.Tasks(r.o.Settings)
	if err == nil {
		err = list.Check()
	}
	if err != nil {
		return fmt.Errorf("environment %s: %w", r.o.Env.Info().Name, err)
	}
	if r.names, err = r.sequence(list); err != nil {
		return err
	}
	if err = r.cfg.Budget.Check(r.names, slices.Concat(slices.Collect(maps.Values(list.Sequences))...)); err != nil {
		return err
	}
	if r.budget, err = r.cfg.Of(r.names); err != nil {
		return err
	}
	if err := r.openTasks(); err != nil {
		return err
	}
	if err := r.tell(list); err != nil {
		return err
	}
	if err := r.match(r.o.Learner, nil); err != nil {
		return err
	}
	r.learner, err = r.o.Learner.New(r.o.Settings, r.told[0], core.LearnerOptions{Source: r.root, Threads: r.cfg.Threads, Tasks: r.told})
	if err == nil {
		err = rollout.CheckHidden(r.learner)
	}
	if err != nil {
		return fmt.Errorf("learner %s: %w", r.o.Learner.Info().Name, err)
	}
	if r.o.Init != nil {
		if err := r.o.Init(r.learner); err != nil {
			return err
		}
		r.entry = ReasonStop
	}
	if err := r.measurable(); err != nil {
		return err
	}
	for _, e := range r.envs {
		r.train = append(r.train, rollout.NewPlayer(e, r.learner, r.trainingLanes()))
	}
	pool := rollout.Pool{Plugin: r.o.Env, Settings: r.o.Settings, Learner: r.learner}
	r.tests, r.extra = pool, pool
	r.service = rollout.NewService(&r.extra, r.names)
	if r.hidden() {
		r.service.Hide(r.told[0], r.task)
	}
	if err := r.serveAll(); err != nil {
		return err
	}
	if err := r.match(r.o.Method, core.AbilitiesOf(r.learner).Names()); err != nil {
		return err
	}
	r.method, err = r.o.Method.New(r.o.Settings, core.Services{
		Learner: r.learner, Rollouts: r.service, Source: r.root, Journal: r.methodJournal(), Threads: r.cfg.Threads, Tasks: r.told,
	})
	if err != nil {
		return fmt.Errorf("method %s: %w", r.o.Method.Info().Name, err)
	}
	return r.prepare()
}

// prepare checks the method's modes and makes the empty records.
func (r *Runner) prepare() error {
	r.modes = r.method.Modes()
	if len(r.modes) == 0 {
		return fmt.Errorf("method %s has no test mode", r.o.Method.Info().Name)
	}
	for _, mode := range r.modes {
		if err := names.Check(mode); err != nil {
			return fmt.Errorf("method %s: a test mode: %w", r.o.Method.Info().Name, err)
		}
	}
	r.curves, r.r = map[string][]metrics.Curve{}, map[string]metrics.Matrix{}
	for _, mode := range r.modes {
		r.curves[mode] = make([]metrics.Curve, len(r.names))
		r.r[mode] = metrics.NewMatrix(len(r.names))
	}
	r.plan = rollout.Plan{
		Episodes: r.cfg.EnvsPerRollout, Sticky: r.cfg.ExploreSticky,
		Explore: r.root.Child("explore").Stream(),
	}
	r.dirty = true
	return nil
}

// sequence resolves the names of the run's tasks.
func (r *Runner) sequence(list core.TaskList) ([]string, error) {
	c, env := r.cfg, r.o.Env.Info().Name
	if r.o.Tasks != nil {
		c.Tasks = r.o.Tasks
		return listed(env, c, list)
	}
	tasks, err := listed(env, c, list)
	switch {
	case err != nil && len(c.Tasks) > 0:
		return nil, fmt.Errorf("tasks: %w", err)
	case err != nil:
		return nil, fmt.Errorf("sequence: %w", err)
	}
	return c.rounds(tasks)
}

// listed are the tasks that the settings list.
func listed(env string, c Config, l core.TaskList) ([]string, error) {
	known := slices.Sorted(maps.Keys(l.Params))
	if len(c.Tasks) > 0 {
		for _, t := range c.Tasks {
			if hint := l.Absent[t]; hint != "" && !slices.Contains(known, t) {
				return nil, fmt.Errorf("%q is a sequence of tasks of %s, not a task: choose it with sequence=%s and without tasks, and %s", t, env, t, hint)
			}
			if _, ok := l.Sequences[t]; ok && !slices.Contains(known, t) {
				return nil, fmt.Errorf("%q is a sequence of tasks of %s, not a task: choose it with sequence=%s and without tasks", t, env, t)
			}
			if !slices.Contains(known, t) {
				return nil, names.Unknown("task of "+env, t, known)
			}
		}
		return c.Tasks, nil
	}
	tasks, ok := l.Sequences[c.Sequence]
	if hint := l.Absent[c.Sequence]; !ok && hint != "" {
		return nil, fmt.Errorf("%s has no sequence %q with these settings: %s", env, c.Sequence, hint)
	}
	if !ok && slices.Contains(known, c.Sequence) {
		return nil, fmt.Errorf("%q is a task of %s, not a sequence: choose it with tasks=[%s]", c.Sequence, env, c.Sequence)
	}
	if !ok {
		return nil, names.Unknown("sequence of "+env, c.Sequence, slices.Sorted(maps.Keys(l.Sequences)))
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("sequence %q of %s has no tasks", c.Sequence, env)
	}
	return tasks, nil
}

// openTasks opens the training environments and collects their specs.
func (r *Runner) openTasks() error {
	for _, name := range r.names {
		e, err := rollout.Open(r.o.Env, name, r.trainingLanes(), r.o.Settings)
		if err != nil {
			return err
		}
		r.envs = append(r.envs, e)
		s := e.Spec()
		if err := r.fits(s); err != nil {
			return fmt.Errorf("environment %s: %w", s.Env, err)
		}
		r.specs = append(r.specs, s)
	}
	return nil
}

// fits is an error if the batches or the buffer of a task cannot fit into memory.
// A buffer keeps at least a bit of every number of its episodes.
func (r *Runner) fits(s core.EnvSpec) error {
	episode := float64(s.Limit+1) * s.RecordBytes()
	what := fmt.Sprintf("task %q: batch_size %d episodes of up to %d steps", s.Task, r.cfg.BatchSize, s.Limit)
	if err := memory.Fits(what, float64(r.cfg.BatchSize)*episode); err != nil {
		return err
	}
	what = fmt.Sprintf("task %q: buffer_size %d episodes of up to %d steps, packed,", s.Task, r.cfg.BufferSize, s.Limit)
	return memory.Fits(what, float64(r.cfg.BufferSize)*episode/32)
}

func (r *Runner) trainingLanes() int {
	return rollout.Lanes(r.o.Env, r.o.Settings, r.cfg.EnvsPerRollout)
}

// match asks a plugin, if it has an opinion, whether it fits into the run. The
// learner's abilities are known once it is made.
func (r *Runner) match(plugin any, abilities []string) error {
	p := core.Pairing{
		Env: r.o.Env.Info().Name, Learner: r.o.Learner.Info().Name, Method: r.o.Method.Info().Name,
		Tasks: r.told, Settings: r.o.Settings, Abilities: abilities,
	}
	if m, ok := plugin.(core.Matcher); ok {
		if err := m.Match(p); err != nil {
			return fmt.Errorf("%s, %s and %s cannot be combined: %w", p.Env, p.Learner, p.Method, err)
		}
	}
	return nil
}

// serveAll makes sure that the learner can serve every task of the run, and
// leaves it at the first.
func (r *Runner) serveAll() error {
	for i := len(r.told) - 1; i >= 0; i-- {
		if err := r.setTask(i); err != nil {
			return fmt.Errorf("learner %s cannot serve the whole sequence: %w", r.o.Learner.Info().Name, err)
		}
	}
	return nil
}

// setTask tells the learner that training has come to task i. Nothing else does.
func (r *Runner) setTask(i int) error {
	s := r.told[r.toldIndex(i)]
	if err := r.learner.SetTask(s); err != nil {
		return fmt.Errorf("task %s of %s: %w", s.Task, s.Env, err)
	}
	return nil
}

type noJournal struct{}

func (noJournal) Emit(core.Event) error { return nil }
