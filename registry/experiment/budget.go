package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"macpro/core/budget"
	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/record"
	"macpro/core/store"
)

// recordedAs tells whether a configuration is the one that a manifest has.
func recordedAs(m store.Manifest, configYAML []byte) bool {
	c, err := config.ReadRecorded("config.yaml", configYAML)
	return err == nil && c.Hash(m.Unhashed) == m.ConfigHash
}

// onlyBudget refuses key=value pairs of other keys than those of the budget.
func onlyBudget(sets []string) error {
	for _, set := range sets {
		key, _, ok := strings.Cut(set, "=")
		if key = strings.TrimSpace(key); !ok || key != "steps_per_task" && key != "steps_by_task" && !strings.HasPrefix(key, "steps_per_task.") {
			return fmt.Errorf("--set %s: only the budget of a recorded run can change: steps_per_task, steps_per_task.TASK or steps_by_task", set)
		}
	}
	return nil
}

// position is where the newest checkpoint of a run stands; nothing has ended in a run
// without one.
func position(rec *store.Record) (id continual.Identity, c *store.Checkpoint, err error) {
	c, _, err = rec.LatestCheckpoint()
	if err != nil || c == nil {
		return id, nil, err
	}
	id, err = identityOf(c)
	return id, c, err
}

// wanted is the configuration of a run of these tasks with other keys, the budget that
// the user asks for among them: entries for single tasks join those that the run has.
func wanted(dir string, tasks, sets []string) (*Experiment, error) {
	var single []string
	for _, set := range sets {
		if below, ok := strings.CutPrefix(set, "steps_per_task."); ok {
			single = append(single, strings.ReplaceAll(below, " ", ""))
		}
	}
	if err := (budget.Budget{StepsByTask: single}).Check(tasks, nil); err != nil {
		return nil, err
	}
	return Resolve(config.User{File: filepath.Join(dir, "config.yaml"), Sets: sets})
}

// listed is a list in one line of YAML.
func listed(list any) string {
	b, err := json.Marshal(list) // JSON is YAML
	if err != nil {
		panic(err) // numbers and texts have a form
	}
	return string(b)
}

// steps lists the transitions of the tasks of a configuration.
func (x *Experiment) steps(tasks []string) (all []int64, each int64, err error) {
	c, err := continual.Parse(x.Settings)
	if err != nil {
		return nil, 0, err
	}
	list, err := x.Env.Tasks(x.Settings)
	if err != nil {
		return nil, 0, err
	}
	if err := c.Budget.Check(tasks, slices.Concat(slices.Collect(maps.Values(list.Sequences))...)); err != nil {
		return nil, 0, err
	}
	all, err = c.Of(tasks)
	return all, c.StepsPerTask, err
}

// budgetSets are the settings of a budget: an entry for every task, unless all are
// equal.
func budgetSets(tasks []string, steps []int64, each int64) []string {
	entries := []string{}
	if slices.ContainsFunc(steps, func(n int64) bool { return n != each }) {
		for i, label := range record.Labels(tasks) {
			entries = append(entries, fmt.Sprintf("%s=%d", label, steps[i]))
		}
	}
	return []string{fmt.Sprintf("steps_per_task=%d", each), "steps_by_task=" + listed(entries)}
}

// Lengthen gives a run that is not done a longer budget, for Resume to use: sets are
// key=value pairs of the budget. Tasks that have ended keep what they had. The run
// goes on as one that had this budget from its beginning.
func Lengthen(dir string, sets []string, w Watch) error {
	if err := onlyBudget(sets); err != nil {
		return Input(err)
	}
	s, rec, err := Reopen(dir, 0, w)
	if err != nil {
		return err
	}
	defer func() { _ = s.Runner.Close() }() // nothing was written
	if rec.Status == record.Done {
		return Input(fmt.Errorf("%s: the run is done, its budget is spent; macpro extend adds tasks", dir))
	}
	if err := rec.Status.Resumable(); err != nil {
		return Input(fmt.Errorf("%s: %w", dir, err))
	}
	id, c, err := position(rec)
	if err != nil {
		return err
	}
	tasks, old := s.Runner.Tasks(), s.Runner.Budget()
	x, err := wanted(dir, tasks, sets)
	if err != nil {
		return Input(err)
	}
	steps, each, err := x.steps(tasks)
	if err != nil {
		return Input(err)
	}
	copy(steps, old[:id.Ended])
	for i, n := range steps {
		if n < old[i] {
			return Input(fmt.Errorf("task %s has %d transitions and cannot be given %d: a resumed run can only get more", record.Labels(tasks)[i], old[i], n))
		}
	}
	if slices.Equal(steps, old) {
		return nil
	}
	if x, err = Resolve(config.User{File: filepath.Join(dir, "config.yaml"), Sets: budgetSets(tasks, steps, each)}); err != nil {
		return Input(err)
	}
	change := store.Budget{Steps: steps}
	if c != nil {
		change.TEnv = c.TEnv
	}
	return store.Reconfigure(store.OS(), dir, x.Config.YAML(), func(m *store.Manifest) {
		m.ConfigHash, m.GroupHash, m.Unhashed, m.Overridden = x.Config.Hash(), x.Config.GroupHash(), x.Config.Unhashed(), x.Config.Overridden()
		m.Budgets = append(m.Budgets, change)
	})
}

// noteBudgets writes a row for every change of the budget that the journal of a run
// that is resumed does not have.
func (s *Session) noteBudgets() error {
	changes := s.Run.Manifest().Budgets
	if len(changes) == 0 {
		return nil
	}
	rec, err := store.Load(store.OS(), s.Run.Dir())
	if err != nil {
		return err
	}
	known := 0
	for row, err := range rec.Journal() {
		if err == nil && row.Kind == record.KindBudget {
			known++
		}
	}
	for _, b := range changes[min(known, len(changes)):] {
		if err := s.Runner.NoteBudget(b.Steps); err != nil {
			return err
		}
	}
	return nil
}
