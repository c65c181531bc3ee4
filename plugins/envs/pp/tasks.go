package pp

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core"
	"macpro/core/names"
	"macpro/plugins/envs/internal/lanes"
)

// kinds are the four training tasks in the paper's order.
var kinds = []string{"heuristic", "fix-frozen", "bull-bull", "flash-random"}

// pp10 is the ten-task sequence in which similar tasks come back.
var pp10 = []string{
	"heuristic", "fix-frozen", "heuristic1", "bull-bull", "fix-frozen1",
	"flash-random", "bull-bull1", "heuristic2", "flash-random1", "fix-frozen2",
}

// xis are the shifts of the variants 1 to 5; variant 0 is the task itself.
var xis = [...]float64{0, 0.01, -0.01, 0.02, -0.02, 0.03}

// find returns the task of a name, short or in the original's spelling
// [mpe:]SimpleTag-heuristic-v0.
func find(name string, c Config) (task, error) {
	short := name
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "mpe:"), "SimpleTag-"); ok {
		short = strings.TrimSuffix(rest, "-v0")
	}
	if t, ok := parse(short); ok {
		return t, nil
	}
	var known []string
	for _, t := range all(c) {
		if t.name == short {
			return t, nil
		}
		known = append(known, t.name)
	}
	return task{}, names.Unknown("pp task", name, known)
}

// all lists every task, variant after variant for each kind.
func all(c Config) []task {
	var ts []task
	for _, k := range kinds {
		for v := range xis {
			ts = append(ts, variant(k, v, c))
		}
	}
	return ts
}

func list(c Config) (core.TaskList, error) {
	l := core.TaskList{
		Sequences: map[string][]string{
			"train": slices.Clone(kinds),
			"pp10":  slices.Clone(pp10),
		},
		Params: map[string][]core.Param{},
	}
	for _, t := range all(c) {
		if t.variant > 0 {
			l.Generalization = append(l.Generalization, t.name)
		}
		l.Params[t.name] = t.params(c)
	}
	err := c.Add(&l, "pp", draw, func(name string) []core.Param {
		t, _ := parse(name)
		return t.params(c)
	})
	return l, err
}

// params lists everything that distinguishes the task's results from another's.
func (t task) params(c Config) []core.Param {
	ps := []core.Param{{Name: "prey", Value: string(t.policy)}}
	if t.policy == flee || t.policy == charge {
		ps = append(ps, core.Param{Name: "prey looks at predator nearest to", Value: map[bool]string{
			false: "itself", true: "landmark 1"}[c.PreyNearest == official]})
	}
	ps = append(ps, core.Param{Name: "predators for a capture", Value: fmt.Sprint(t.touching)})
	for _, b := range []struct {
		name string
		body
	}{{"predator", t.predator}, {"prey", t.prey}} {
		ps = append(ps,
			core.Param{Name: b.name + " size", Value: decimal(b.size)},
			core.Param{Name: b.name + " accel", Value: decimal(b.accel)},
			core.Param{Name: b.name + " max speed", Value: decimal(b.maxSpeed)})
	}
	ps = append(ps,
		core.Param{Name: "landmark size", Value: decimal(t.landmarkSize)},
		core.Param{Name: "landmark 0", Value: t.landmarks[0].String()},
		core.Param{Name: "landmark 1", Value: t.landmarks[1].String()})
	for i, b := range t.spawn {
		name := fmt.Sprintf("start of predator %d", i)
		if i == predators {
			name = "start of prey"
		}
		ps = append(ps, core.Param{Name: name, Value: b.String()})
	}
	return append(ps,
		core.Param{Name: "limit", Value: fmt.Sprint(c.TimeLimit)},
		core.Param{Name: "reward", Value: lanes.Number(c.RewardScale)})
}
