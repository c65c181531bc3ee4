package qlearn

import (
	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// What follows a transition, where it is not another transition.
const (
	terminal  = -1 // nothing: the return ends with the reward
	bootstrap = -2 // the value of the last record, the episode was only cut
)

// view holds one shard of a batch as the flat arrays that the operations of a
// graph read beside their inputs, and the extents of everything that has a row
// per transition, per record, or per record and agent.
type view struct {
	n, A int

	steps  *nn.Extent // transitions
	agents *nn.Extent // records*n
	time   nn.Steps   // of the rows of agents

	records *nn.Extent // rows of one agent; nil where agents share a network
	alone   nn.Steps   // of the rows of one agent

	first  int       // record that transition 0 reaches, the number of episodes
	from   []int32   // [steps] record that transition k leaves
	next   []int32   // [steps] transition after k, terminal or bootstrap
	reward []float32 // [steps]
	avail  []uint8   // [records*n, A]
}

// newView makes a view for up to the given number of episodes of a task.
func newView(g *nn.Graph, episodes int, spec core.EnvSpec) *view {
	steps := episodes * spec.Limit
	rows := (steps + episodes) * spec.Agents
	return &view{
		n: spec.Agents, A: spec.Actions,
		steps:  g.Extent(steps),
		agents: g.Extent(rows),
		from:   make([]int32, steps),
		next:   make([]int32, steps),
		reward: make([]float32, steps),
		avail:  make([]uint8, rows*spec.Actions),
	}
}

// newRows makes a view that has rows per record and agent only.
func newRows(g *nn.Graph, episodes int, spec core.EnvSpec) *view {
	return &view{n: spec.Agents, A: spec.Actions, agents: g.Extent(episodes * (spec.Limit + 1) * spec.Agents)}
}

// one gives the rows of one agent, one per record.
func (v *view) one(g *nn.Graph) (*nn.Extent, *nn.Steps) {
	v.records = g.Extent(v.agents.Cap / v.n)
	return v.records, &v.alone
}

// lay gives rows to the records of alive[t] episodes at each time t.
func (v *view) lay(alive []int) error {
	records := 0
	for _, k := range alive {
		records += k
	}
	if v.records != nil {
		v.records.N = records
	}
	v.agents.N = records * v.n
	if records == 0 {
		return nil
	}
	if v.records != nil {
		if err := v.alone.Set(1, alive); err != nil {
			return err
		}
	}
	return v.time.Set(v.n, alive)
}

// set lays the shard out. The last transition of an episode that was cut by the
// time limit is terminal unless onTimeout asks for a bootstrap.
func (v *view) set(s *episode.Shard, onTimeout bool) error {
	v.steps.N, v.first = s.Steps, len(s.Episodes)
	width := v.n * v.A
	for t, alive := range s.Alive {
		for b, e := range s.Episodes[:alive] {
			row := s.Record(t, b)
			copy(v.avail[row*width:(row+1)*width], e.Avail[t*width:])
			if t == e.T {
				continue
			}
			k := s.Transition(t, b)
			v.from[k], v.reward[k] = int32(row), e.Reward[t]
			switch {
			case t+1 < e.T:
				v.next[k] = int32(s.Transition(t+1, b))
			case e.Terminated || !onTimeout:
				v.next[k] = terminal
			default:
				v.next[k] = bootstrap
			}
		}
	}
	return v.lay(s.Alive)
}

// at is the record that a row of a per-transition operation reads. Transition k
// leaves this record or, with after, reaches it.
func (v *view) at(k int, after bool) int {
	if after {
		return v.first + k
	}
	return int(v.from[k])
}

// greedy is the greedy action of agent i at record r.
func (v *view) greedy(q nn.Mat, r, i int) int {
	row := r*v.n + i
	return greedy(q.Row(row), v.avail[row*v.A:(row+1)*v.A])
}

// greedy returns the available action with the largest value, the lowest one on
// ties, or -1 if no action is available.
func greedy(values []float32, avail []uint8) int {
	best := -1
	for a, ok := range avail {
		if ok != 0 && (best < 0 || values[a] > values[best]) {
			best = a
		}
	}
	return best
}
