// Package procgen draws the tasks of procedural sequences. A family says how one
// task is drawn from a stream; its name tells all of its constants, so that the
// name alone opens it.
package procgen

import (
	"fmt"

	"macpro/core"
	"macpro/core/rng"
)

// Sequence is the name of the drawn sequence.
const Sequence = "generated"

// Config are the keys of a family that can draw tasks. They have a seed of their own,
// so that runs with different seeds train the same tasks.
type Config struct {
	Count      int     `cfg:"env_args.generate" min:"0" max:"10000" neutral:"0" only:"sequence=generated tasks=[]" help:"tasks of the sequence generated, drawn from the family's distribution; 0 is no such sequence"`
	Difficulty float64 `cfg:"env_args.generate_difficulty" min:"0" max:"1" neutral:"0.5" only:"sequence=generated tasks=[]" help:"how far the constants of generated tasks may go from the easiest ones"`
	Seed       int64   `cfg:"env_args.generate_seed" neutral:"1" only:"sequence=generated tasks=[]" help:"root of the streams of generated tasks; runs with other seeds share their tasks"`
}

// tries bounds how often a task is drawn anew until it differs from all before it.
const tries = 1000

// Draw lists the names of Count distinct tasks. Each has a stream of its own, so the
// first tasks of a longer sequence are those of a shorter one.
func (c Config) Draw(family string, draw func(s *rng.Stream, difficulty float64) string) ([]string, error) {
	root, seen := rng.New(uint64(c.Seed)).Child("generate", family), map[string]bool{}
	names := make([]string, c.Count)
	for i := range names {
		s := root.ChildInt(int64(i)).Stream()
		for k := 0; names[i] == "" || seen[names[i]]; k++ {
			if k == tries {
				return nil, fmt.Errorf("env_args.generate %d: at env_args.generate_difficulty %g only %d different tasks were found; ask for fewer or for a higher difficulty, and repeat them with sequence_repeat", c.Count, c.Difficulty, i)
			}
			names[i] = draw(s, c.Difficulty)
		}
		seen[names[i]] = true
	}
	return names, nil
}

// Absent says what the drawn sequence needs, if it was not asked for.
func (c Config) Absent() map[string]string {
	if c.Count > 0 {
		return nil
	}
	return map[string]string{Sequence: "set env_args.generate to its number of tasks, as in env_args.generate=20"}
}

// Add appends the drawn sequence to the list of a family's tasks; with Count 0 it is
// absent. params lists the constants of a task.
func (c Config) Add(l *core.TaskList, family string, draw func(s *rng.Stream, difficulty float64) string, params func(name string) []core.Param) error {
	if c.Count == 0 {
		l.Absent = c.Absent()
		return nil
	}
	drawn, err := c.Draw(family, draw)
	for _, name := range drawn {
		l.Params[name] = params(name)
	}
	l.Sequences[Sequence] = drawn
	return err
}

// Whole draws an integer of [lo,hi], uniformly.
func Whole(s *rng.Stream, lo, hi int) int { return lo + s.Intn(hi-lo+1) }
