package experiment

import (
	"fmt"
	"path/filepath"
	"slices"

	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/record"
	"macpro/core/store"
)

// Extend prepares a run that goes on where a finished one has ended, with further
// tasks. sets are key=value pairs of the budget; those of the run's own tasks stay. The
// folder that Create makes is a new one, and its journal begins with the rows of the
// finished run, so that it is what a run of all tasks would have written.
func Extend(dir string, tasks, sets []string, w Watch) (*Session, error) {
	if err := onlyBudget(sets); err != nil {
		return nil, Input(err)
	}
	old, rec, err := Reopen(dir, 0, w)
	if err != nil {
		return nil, err
	}
	defer func() { _ = old.Runner.Close() }() // nothing was written
	if rec.Status != record.Done {
		return nil, Input(fmt.Errorf("%s is %s: only a run that is done can be extended; bring it to its end with macpro resume", dir, rec.Status))
	}
	id, c, err := position(rec)
	if err == nil && (c == nil || !id.Finished) {
		err = fmt.Errorf("%s has no checkpoint of its end", dir)
	}
	if err != nil {
		return nil, err
	}
	x, err := old.longer(dir, tasks, sets)
	if err != nil {
		return nil, Input(err)
	}
	x.origin = &store.Origin{How: store.OriginExtend, Run: rec.Manifest.ID, TEnv: c.TEnv, Checkpoint: c.Digest()}
	s, err := x.Open(w)
	if err != nil {
		return nil, err
	}
	s.shorter = rec
	if s.rows, err = openRows(rec); err == nil {
		if err = s.Runner.Extend(c.Open); err != nil {
			err = fmt.Errorf("checkpoint %s: %w", c.Dir(), err)
		}
	}
	if err != nil {
		_ = s.Runner.Close() // the first error counts
		return nil, err
	}
	return s, nil
}

// longer is the configuration of a run with further tasks.
func (s *Session) longer(dir string, more, sets []string) (*Experiment, error) {
	if c := s.Runner.Config(); c.Drawn() {
		return nil, Input(fmt.Errorf("%s trained the sequence %s, which has an end: only tasks that are listed can be followed by others; start a new run with a longer sequence", dir, c.SequenceName()))
	}
	had := s.Runner.Tasks()
	all := slices.Concat(had, more)
	tasks := "tasks=" + listed(all)
	x, err := wanted(dir, all, append(slices.Clone(sets), tasks))
	if err != nil {
		return nil, err
	}
	steps, each, err := x.steps(all)
	if err != nil {
		return nil, err
	}
	copy(steps, s.Runner.Budget())
	keys := append(budgetSets(all, steps, each), tasks)
	if s.Runner.Config().BoundaryFullTest {
		marks := append(slices.Clone(s.Runner.Config().Extended), len(had))
		keys = append(keys, "extended="+listed(marks))
	}
	return Resolve(config.User{File: filepath.Join(dir, "config.yaml"), Sets: keys})
}

// openRows is the number of rows of a finished run without those that close it: the
// last checkpoint and the result.
func openRows(rec *store.Record) (int64, error) {
	var last [2]record.Row
	rows := int64(0)
	for row, err := range rec.Journal() {
		if err != nil {
			return 0, err
		}
		last[0], last[1] = last[1], row
		rows++
	}
	before, err := record.Parse(last[0])
	if err != nil {
		return 0, err
	}
	closing, err := record.Parse(last[1])
	if err != nil {
		return 0, err
	}
	c, isCheckpoint := before.(record.Checkpoint)
	if _, isFinal := closing.(record.Final); !isFinal || !isCheckpoint || c.Reason != continual.ReasonFinal {
		return 0, fmt.Errorf("the journal of %s does not end with a last checkpoint and a result", rec.Dir)
	}
	return rows - 2, nil
}
