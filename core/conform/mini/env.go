package mini

import (
	"fmt"
	"strconv"

	"macpro/core"
	"macpro/core/names"
	"macpro/core/rng"
)

// Shapes of all tasks.
const (
	Actions    = 4
	ObsWidth   = 3 // 1, time in units of the limit, noise in [-1,1)
	StateWidth = 2 // 1, time in units of the limit
	Limit      = 8
)

// task is a team and the action that every agent must take in the last step.
type task struct {
	name           string
	agents, goal   int
	shortest       int // episodes have shortest..Limit steps
	generalization bool
}

var tasks = []task{
	{"first", 2, 0, 2, false},
	{"second", 2, 1, 1, false},
	{"third", 2, 2, 4, false},
	{"trio", 3, 3, 2, false},
	{"late", 2, 3, 8, true},
}

// Env is the environment family "mini". An episode's length is drawn at its
// start; if all agents take the task's goal action in its last step the team
// gets 1, else 0. One of the other actions is unavailable to each agent, a
// different one at every step. The fields make it misbehave.
type Env struct {
	BlankAt int // at this step (from 1) agent 1 has no available action; 0 is never
	ShortAt int // after this step the frame has no rewards; 0 is never
	NoEnd   bool
}

// Info names the plugin.
func (Env) Info() core.Info {
	return core.Info{Name: "mini", Summary: "agree on one action at the last step", Version: "1"}
}

// Tasks lists the sequences "train" (three tasks for two agents) and "mixed"
// (a task for three agents between two for two).
func (Env) Tasks(core.Settings) (core.TaskList, error) {
	l := core.TaskList{
		Sequences: map[string][]string{
			"train": {"first", "second", "third"},
			"mixed": {"first", "trio", "second"},
		},
		Params: map[string][]core.Param{},
	}
	for _, t := range tasks {
		if t.generalization {
			l.Generalization = append(l.Generalization, t.name)
		}
		l.Params[t.name] = []core.Param{{Name: "goal", Value: strconv.Itoa(t.goal)}, {Name: "agents", Value: strconv.Itoa(t.agents)}}
	}
	return l, nil
}

// Open makes lanes of one task.
func (p Env) Open(name string, lanes int, _ core.Settings) (core.Env, error) {
	var known []string
	for _, t := range tasks {
		if t.name == name {
			return &env{plugin: p, task: t, lanes: make([]lane, lanes)}, nil
		}
		known = append(known, t.name)
	}
	return nil, names.Unknown("task of mini", name, known)
}

type env struct {
	plugin Env
	task   task
	lanes  []lane
}

type lane struct {
	noise  rng.Stream
	t, end int
}

func (e *env) Spec() core.EnvSpec {
	return core.EnvSpec{
		Env: "mini", Task: e.task.name, Agents: e.task.agents, Actions: Actions,
		ObsWidth: ObsWidth, StateWidth: StateWidth, Limit: Limit,
		Score: core.ScoreReturn, MaxReturn: 1, Hash: "mini-" + e.task.name,
	}
}

func (e *env) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	for i, k := range lanes {
		l := &e.lanes[k]
		l.noise, l.t = rng.FromSeed(seeds[i]), 0
		l.end = e.task.shortest + l.noise.Intn(Limit-e.task.shortest+1)
		f.Reward[k], f.Terminated[k], f.Truncated[k], f.Won[k] = 0, false, false, false
		e.show(k, f)
	}
	return nil
}

func (e *env) Step(lanes []int, actions []int32, f *core.Frame) error {
	n := e.task.agents
	for _, k := range lanes {
		agreed := true
		for i, a := range actions[k*n : (k+1)*n] {
			if a < 0 || a >= Actions || f.Avail[(k*n+i)*Actions+int(a)] == 0 {
				return fmt.Errorf("mini %s: lane %d, agent %d: action %d is not available", e.task.name, k, i, a)
			}
			agreed = agreed && int(a) == e.task.goal
		}
		l := &e.lanes[k]
		l.t++
		last := l.t == l.end && !e.plugin.NoEnd
		f.Reward[k], f.Won[k] = 0, last && agreed
		if f.Won[k] {
			f.Reward[k] = 1
		}
		f.Terminated[k], f.Truncated[k] = last && l.end < Limit, last && l.end == Limit
		e.show(k, f)
	}
	if s := e.plugin.ShortAt; s > 0 && e.lanes[lanes[0]].t == s {
		f.Reward = nil
	}
	return nil
}

func (e *env) show(k int, f *core.Frame) {
	l, n := &e.lanes[k], e.task.agents
	clock := float32(l.t) / Limit
	f.State[k*StateWidth], f.State[k*StateWidth+1] = 1, clock
	for i := range n {
		obs := f.Obs[(k*n+i)*ObsWidth:]
		obs[0], obs[1], obs[2] = 1, clock, float32(l.noise.Uniform(-1, 1))
		avail := f.Avail[(k*n+i)*Actions : (k*n+i+1)*Actions]
		for a := range avail {
			avail[a] = 1
			if blank := e.plugin.BlankAt == l.t && l.t > 0 && i == 1; blank || a == (l.t+i)%Actions && a != e.task.goal {
				avail[a] = 0
			}
		}
	}
}

func (e *env) Close() error { return nil }

var _ core.EnvPlugin = Env{}
