package family

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core"
	spelling "macpro/core/names"
	"macpro/plugins/envs/internal/lanes"
	"macpro/plugins/envs/internal/procgen"
	"macpro/plugins/envs/internal/sc2"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// Family is a set of maps under one name.
type Family struct {
	About core.Info
	Maps  []*battle.Map
	// Trained is the number of maps, the first ones, that have a variant: with the
	// suffix _change to their name, agents see and shoot one cell less far.
	Trained int
	// Recover says that enemies can recover: the family has the keys of Settings,
	// not of Config alone.
	Recover bool
	// Mix is the distribution of generated battles.
	Mix *battle.Mix
}

// suffix marks a variant.
const suffix = "_change"

type task struct {
	name string
	m    *battle.Map
	opt  battle.Options
}

func (f *Family) find(name string, c Settings) (task, error) {
	if m, ok := f.Mix.Parse(name); ok {
		if c.Real() {
			return task{}, fmt.Errorf("generated battle %s: StarCraft II has maps of its own only; play it with env_args.backend=embedded", name)
		}
		opt, err := c.options(false)
		return task{name, m, opt}, err
	}
	base, variant := strings.CutSuffix(name, suffix)
	maps := f.Maps
	if variant {
		maps = f.Maps[:f.Trained]
	}
	m := battle.Find(maps, base)
	if m == nil {
		known := slices.Concat(f.Names(), names(f.Maps[:f.Trained], suffix))
		return task{}, spelling.Unknown(f.About.Name+" task", name, known)
	}
	opt, err := c.options(variant)
	return task{name, m, opt}, err
}

// Names lists all maps.
func (f *Family) Names() []string { return names(f.Maps, "") }

func names(maps []*battle.Map, suffix string) []string {
	out := make([]string, len(maps))
	for i, m := range maps {
		out[i] = m.Name + suffix
	}
	return out
}

// Benchmark lists the tasks of a continual benchmark: the trained maps are the sequence
// "train"; their variants and all other maps are only tested.
func (f *Family) Benchmark(c Settings) (core.TaskList, error) {
	trained, rest := f.Maps[:f.Trained], f.Maps[f.Trained:]
	sequences := map[string][]string{"train": names(trained, "")}
	return f.Tasks(sequences, slices.Concat(names(trained, suffix), names(rest, "")), c)
}

// Tasks lists the given sequences, the generated one and test-only tasks with the
// constants of all tasks in them.
func (f *Family) Tasks(sequences map[string][]string, testOnly []string, c Settings) (core.TaskList, error) {
	if c.Count > 0 {
		drawn, err := c.Draw(f.About.Name, f.Mix.Draw)
		if err != nil {
			return core.TaskList{}, err
		}
		sequences[procgen.Sequence] = drawn
	}
	l := core.TaskList{Sequences: sequences, Generalization: testOnly, Absent: c.Absent(), Params: map[string][]core.Param{}}
	lists := [][]string{testOnly}
	for _, seq := range sequences {
		lists = append(lists, seq)
	}
	for _, name := range slices.Concat(lists...) {
		t, err := f.find(name, c)
		if err != nil {
			return core.TaskList{}, err
		}
		l.Params[name] = c.params(t.m, t.opt)
	}
	return l, nil
}

// Open makes n independent battles of one task, on the embedded engine or on the real
// game.
func (f *Family) Open(name string, n int, c Settings) (core.Env, error) {
	t, err := f.find(name, c)
	if err != nil {
		return nil, err
	}
	spec := f.spec(t, c)
	if c.Real() {
		return sc2.Open(sc2.Task{Spec: spec, Map: t.m, Options: t.opt}, n, c.Config.Config)
	}
	return t.open(n, spec)
}

func (f *Family) spec(t task, c Settings) core.EnvSpec {
	v := battle.NewView(t.m, t.opt)
	w := v.Features()
	return core.EnvSpec{
		Env: f.About.Name, Task: t.name,
		Agents: t.m.Agents(), Actions: t.m.Actions(), ObsWidth: v.ObsWidth(), StateWidth: v.StateWidth(),
		Limit: t.m.Limit, Score: core.ScoreWinRate, MaxReturn: t.m.MaxReturn(t.opt),
		Entities: &core.Entities{
			NonAttack: battle.NonAttack, Move: w.Move, OwnObs: w.OwnObs, Enemies: t.m.Enemies(),
			EnemyObs: w.EnemyObs, AllyObs: w.AllyObs, EnemyState: w.EnemyState, AllyState: w.AllyState,
		},
		Hash: lanes.Hash(f.About, t.name, c.params(t.m, t.opt)),
	}
}
