package remote_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/registry/remote"
	"macpro/registry/remote/wire"
)

// giants are descriptions of a task that no memory holds, and what is said of them.
var giants = map[string]struct {
	make func(*core.EnvSpec)
	says string
}{
	"agents":    {func(s *core.EnvSpec) { s.Agents = 1e9 }, "the number of agents is 1000000000, want 1 to 4096"},
	"no agents": {func(s *core.EnvSpec) { s.Agents = -1 }, "the number of agents is -1, want 1 to 4096"},
	"actions":   {func(s *core.EnvSpec) { s.Actions = 1e9 }, "the number of actions is 1000000000, want 1 to 65536"},
	"obs":       {func(s *core.EnvSpec) { s.ObsWidth = 1e9 }, "the width of an observation is 1000000000, want 1 to 1048576"},
	"state":     {func(s *core.EnvSpec) { s.StateWidth = 1e9 }, "the width of the state is 1000000000, want 0 to 1048576"},
	"overflow":  {func(s *core.EnvSpec) { s.StateWidth = math.MaxInt64 }, "the width of the state is 9223372036854775807, want 0"},
	"limit":     {func(s *core.EnvSpec) { s.Limit = 1e9 }, "the episode limit is 1000000000, want 1 to 1048576"},
	"return":    {func(s *core.EnvSpec) { s.MaxReturn = math.Inf(1) }, "the largest return is +Inf, want a finite number"},
	"score":     {func(s *core.EnvSpec) { s.Score = "points" }, `the score is "points", want "return" or "win_rate"`},
	"hash":      {func(s *core.EnvSpec) { s.Hash = strings.Repeat("x", 1e6) }, "the hash has 1000000 bytes, want at most 4096"},
	"env":       {func(s *core.EnvSpec) { s.Env = strings.Repeat("x", 1e6) }, "its environment: the name xxxxxxxxxxxxxxxxxxxx... has 1000000 bytes"},
	"enemies":   {func(s *core.EnvSpec) { s.Entities = &core.Entities{Enemies: 1e9} }, "entities: enemies is 1000000000, want 0 to 4096"},
	"ally":      {func(s *core.EnvSpec) { s.Entities = &core.Entities{AllyObs: -1} }, "entities: features of an ally is -1, want 0 to 1048576"},
	"ally state": {
		func(s *core.EnvSpec) { s.Entities = &core.Entities{AllyState: 1 << 40} },
		"entities: an ally in the state is 1099511627776, want 0 to 1048576",
	},
	// Each is within its bounds, together they are not.
	"product": {func(s *core.EnvSpec) { s.Agents, s.ObsWidth, s.Limit = core.MaxAgents, core.MaxWidth, core.MaxLimit }, "observations of 1048576"},
}

// giantTasks are lists that no memory holds.
var giantTasks = map[string]struct {
	make func(*core.TaskList)
	says string
}{
	"sequences": {func(l *core.TaskList) {
		for i := range core.MaxSequences + 1 {
			l.Sequences[fmt.Sprint(i)] = nil
		}
	}, "the number of sequences is 1027, want 0 to 1024"},
	"sequence": {func(l *core.TaskList) { l.Sequences["train"] = slices.Repeat([]string{"first"}, 100000) }, `sequence "train": the number of tasks is 100000, want 0 to 16384`},
	"tests":    {func(l *core.TaskList) { l.Generalization = slices.Repeat([]string{"first"}, 100000) }, "generalization: the number of tasks is 100000, want 0 to 16384"},
	"tasks": {func(l *core.TaskList) {
		for i := range core.MaxTasks + 1 {
			l.Params[fmt.Sprint(i)] = nil
		}
	}, "the number of tasks is 16390, want 0 to 16384"},
	"constants": {func(l *core.TaskList) { l.Params["first"] = make([]core.Param, 2000) }, `task "first": the number of constants is 2000, want 0 to 1024`},
	"constant": {
		func(l *core.TaskList) { l.Params["first"] = []core.Param{{Name: "x", Value: strings.Repeat("x", 1e6)}} },
		`task "first": a constant has 1000000 bytes, want at most 4096`,
	},
	"name":   {func(l *core.TaskList) { l.Params["\x1b[31m"] = nil }, `a task: the name "\x1b[31m" holds characters that no screen shows`},
	"hint":   {func(l *core.TaskList) { l.Absent = map[string]string{"drawn": strings.Repeat("x", 1e6)} }, `what absent sequence "drawn" needs has 1000000 bytes, want at most 4096`},
	"absent": {func(l *core.TaskList) { l.Absent = map[string]string{"train": "set x"} }, `sequence "train" is among the absent ones, too`},
	"member": {func(l *core.TaskList) { l.Sequences["train"] = []string{"a\nb"} }, `sequence "train": a task: the name "a\nb" holds`},
}

// giant is a mini-environment with one of these descriptions; in this process it
// is asked directly, and in another it answers what a kit would not let through.
type giant struct{ mini.Env }

func (giant) Info() core.Info { return core.Info{Name: "giant", Summary: "too large", Version: "1"} }

func (g giant) Tasks(s core.Settings) (core.TaskList, error) {
	l, err := g.Env.Tasks(s)
	if c, ok := giantTasks[s["giant"].(string)]; ok {
		c.make(&l)
	}
	return l, err
}

func (g giant) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	e, err := g.Env.Open(task, lanes, s)
	spec := core.EnvSpec{}
	if err == nil {
		spec = e.Spec()
		if c, ok := giants[s["giant"].(string)]; ok {
			c.make(&spec)
		}
	}
	return giantEnv{e, spec}, err
}

type giantEnv struct {
	core.Env
	spec core.EnvSpec
}

func (e giantEnv) Spec() core.EnvSpec { return e.spec }

func (rawEnv) Tasks(_ context.Context, q *wire.Settings) (*wire.TaskList, error) {
	s, err := wire.ToSettings(q)
	if err != nil {
		return nil, err
	}
	l, err := giant{}.Tasks(s)
	return wire.FromTasks(l), err
}

// giantSpec is what a giant says of a task.
func giantSpec(q *wire.OpenRequest) (*wire.Opened, error) {
	s, err := wire.ToSettings(q.Settings)
	if err != nil {
		return nil, err
	}
	e, err := giant{}.Open(q.Task, int(q.Lanes), s)
	if err != nil {
		return nil, err
	}
	return &wire.Opened{Env: 1, Spec: wire.FromSpec(e.Spec())}, nil
}

// wideLearner has a hidden state of 10^12 floats.
type wideLearner struct{ mini.Learner }

func (wideLearner) Info() core.Info {
	i := mini.Learner{}.Info()
	i.Name = "wide"
	return i
}

func (p wideLearner) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := p.Learner.New(s, spec, o)
	return wide{l}, err
}

type wide struct{ core.Learner }

func (wide) HiddenWidth() int { return 1e12 }

// A plugin that describes what no memory holds is refused before anything of that
// size is allocated, in this process and from another; the error names plugin,
// field, value and bound.
func TestEvilSizes(t *testing.T) {
	l := launch("env/giant")
	l.Info = giant{}.Info()
	far, err := remote.New(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	if err := far.Start(); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{}
	for name, c := range giants {
		cases[name] = c.says
	}
	for name, c := range giantTasks {
		cases[name] = c.says
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		for where, env := range map[string]core.EnvPlugin{"environment giant": giant{}, "plugin env/giant": far.(core.EnvPlugin)} {
			t.Run(name+" of "+where, func(t *testing.T) {
				o := cast()
				o.Env = env
				o.Settings = mini.Settings("giant", name, "sequence", "train")
				wants(t, refusedRun(t, o), where, cases[name])
			})
		}
	}
	for where, p := range map[string]core.LearnerPlugin{"learner wide": wideLearner{}, "plugin learner/wide": isolated[core.LearnerPlugin](t, "learner/wide")} {
		o := cast()
		o.Learner = p
		wants(t, refusedRun(t, o), where, "the width of its hidden state is 1000000000000, want 0 to 1048576")
	}
}

// refusedRun is the error of a run that cannot begin, which must not take memory.
func refusedRun(t *testing.T, o continual.Options) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := continual.New(o)
	if err == nil {
		_ = r.Close()
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 100 {
		t.Errorf("%d MiB were allocated", taken)
	}
	return err
}
