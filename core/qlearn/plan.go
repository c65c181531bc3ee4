package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// plan is the compiled graph of one shard of a batch. It computes the loss of
// the online network, with targets that the target network gives in the same
// run, and the gradient of all online parameters:
//
//	inputs -> Q(t,.)  -> q of taken actions          -> mixer  -> Q_tot  -> loss
//	     \              \-> greedy actions at t+1 \                       /
//	      -> Q'(t,.) ---------> q' of these actions -> mixer' -> Q'_tot /
//
// Online and target network read the same inputs, the target network only those
// of episodes whose Q' is not remembered. The gradients land in grads, a network
// that shares its parameters with the learner's.
type plan struct {
	learner  *Learner
	episodes int // capacity
	spec     core.EnvSpec

	graph         *nn.Graph
	grads, target *nn.Network
	view          *view
	loss          *lossOp
	term          *valueOp    // nil for a loss without a term on values
	fixed         *nn.Network // of the head that the term looks at, nil for the live one

	in       inputs
	fresh    inputs // of episodes whose target values are not remembered
	recall   *recallOp
	taken    *nn.Value // [steps, n*A]
	from, to *nn.Value // [steps, S], nil if the mixer does not look at states

	q, qTarget       *nn.Value // [records*n, A]
	qTerm            *nn.Value // [records*n, A] values that the term looks at
	chosen, next     *nn.Value // [steps, n]
	qTot, qTotTarget *nn.Value // [steps]
}

// newPlan builds and compiles the graph for up to the given number of episodes
// of a task.
func (l *Learner) newPlan(spec *core.EnvSpec, episodes int, term termKind) (*plan, error) {
	g := nn.NewGraph()
	g.KeepWeights()
	p := &plan{
		learner: l, episodes: episodes, spec: *spec, graph: g,
		grads: l.net.Fork(), target: l.target.Fork(),
		view: newView(g, episodes, *spec),
	}
	p.loss = newLossOp(p.view, l.returns)
	if term != noTerm {
		p.term = newValueOp(p.view)
	}
	if term == fixedTerm {
		p.fixed = l.fixed
	}
	p.in = l.agent.inputs(g, p.view, *spec)
	rest := newRows(g, episodes, *spec)
	p.fresh, p.recall = l.agent.inputs(g, rest, *spec), &recallOp{v: p.view, fresh: rest, memory: &l.memory}
	p.taken = g.Input("taken actions", p.view.steps, spec.Agents*spec.Actions)
	for _, build := range []func() error{p.online, p.targets, p.compile} {
		if err := build(); err != nil {
			return nil, fmt.Errorf("learner for task %s/%s: %w", spec.Env, spec.Task, err)
		}
	}
	return p, nil
}

// online builds the values of the taken actions.
func (p *plan) online() (err error) {
	var fixed []*nn.Network
	if p.fixed != nil {
		fixed = append(fixed, p.fixed)
	}
	q, err := p.in.q(p.grads, fixed...)
	if err != nil {
		return err
	}
	p.q, p.qTerm = q[0], q[len(q)-1]
	if p.chosen, err = p.graph.Apply(&chosenOp{v: p.view, values: true}, p.q, p.taken); err != nil {
		return err
	}
	p.qTot, err = p.mix(p.grads, p.chosen, p.q, p.taken, false)
	return err
}

// targets builds the target network's values of the greedy actions at the
// records that the transitions reach.
func (p *plan) targets() (err error) {
	computed, err := p.fresh.q(p.target)
	if err != nil {
		return err
	}
	if p.qTarget, err = p.graph.Apply(p.recall, computed[0]); err != nil {
		return err
	}
	chooser := p.qTarget
	if p.learner.cfg.DoubleQ {
		chooser = p.q
	}
	greedy, err := p.graph.Apply(&greedyOp{v: p.view, after: true}, chooser)
	if err != nil {
		return err
	}
	if p.next, err = p.graph.Apply(&chosenOp{v: p.view, after: true}, p.qTarget, greedy); err != nil {
		return err
	}
	p.qTotTarget, err = p.mix(p.target, p.next, p.qTarget, greedy, true)
	return err
}

func (p *plan) compile() error {
	loss, err := p.graph.Apply(p.loss, p.qTot, p.qTotTarget)
	if err != nil {
		return err
	}
	if p.term != nil {
		term, err := p.graph.Apply(p.term, p.qTerm)
		if err != nil {
			return err
		}
		if loss, err = p.graph.Apply(nn.WeightedSum(1, 1), loss, term); err != nil {
			return err
		}
	}
	return p.graph.Compile(loss)
}

// mix adds the mixer with the parameters of net over chosen values; q are the
// values of all actions and joint the chosen joint actions.
func (p *plan) mix(net *nn.Network, chosen, q, joint *nn.Value, after bool) (*nn.Value, error) {
	return p.learner.mixer.QTot(&Mixing{
		builder: builder{what: "mixer", graph: p.graph, net: net}, Spec: p.spec, Q: chosen,
		state: func() *nn.Value { return p.states(after) },
		joint: func() *nn.Value { return joint },
		top: func() (*nn.Value, error) {
			best, err := p.graph.Apply(&greedyOp{v: p.view, after: after}, q)
			if err != nil {
				return nil, err
			}
			return p.graph.Apply(&chosenOp{v: p.view, after: after}, q, best)
		},
	})
}

// states is the input of states before or after the transitions.
func (p *plan) states(after bool) *nn.Value {
	at, name := &p.from, "states before"
	if after {
		at, name = &p.to, "states after"
	}
	if *at == nil {
		*at = p.graph.Input(name, p.view.steps, p.spec.StateWidth)
	}
	return *at
}

// load fills the inputs from a shard within the plan's capacity.
func (p *plan) load(s *episode.Shard, to goal) error {
	if err := p.view.set(s, p.learner.cfg.BootstrapOnTimeout); err != nil {
		return err
	}
	p.loss.of, p.loss.total, p.loss.skip = to.of, to.total, nil
	if p.term != nil {
		p.loss.skip = p.term.load(s, to.term)
	}
	for t, alive := range s.Alive {
		for b, e := range s.Episodes[:alive] {
			loadInputs(p.in, e, t, s.Record(t, b)*e.N)
			if t < e.T {
				p.loadActions(e, t, s.Transition(t, b))
				p.loadState(p.from, e, t, s.Transition(t, b))
				p.loadState(p.to, e, t+1, s.Transition(t, b))
			}
		}
	}
	if err := p.recall.plan(p, s); err != nil {
		return err
	}
	p.recall.each(func(e *episode.Episode, t, _, row int) { loadInputs(p.fresh, e, t, row) })
	return nil
}

// loadInputs writes the agents' inputs at record t of an episode, from a row on.
func loadInputs(in inputs, e *episode.Episode, t, row int) {
	for i := range e.N {
		last := int32(-1)
		if t > 0 {
			last = e.Actions[(t-1)*e.N+i]
		}
		k := t*e.N + i
		in.set(row+i, e.Obs[k*e.ObsWidth:(k+1)*e.ObsWidth], e.Avail[k*e.A:(k+1)*e.A], last, i)
	}
}

// loadActions writes the joint action of transition t of an episode.
func (p *plan) loadActions(e *episode.Episode, t, k int) {
	row := p.taken.Data()[k*e.N*e.A : (k+1)*e.N*e.A]
	clear(row)
	for i, a := range e.Actions[t*e.N : (t+1)*e.N] {
		row[i*e.A+int(a)] = 1
	}
}

// loadState writes the state of record t of an episode into row k of dst.
func (p *plan) loadState(dst *nn.Value, e *episode.Episode, t, k int) {
	if dst == nil {
		return
	}
	row := dst.Data()[k*e.StateWidth : (k+1)*e.StateWidth]
	scale := float32(p.learner.cfg.FeatureScale)
	for j, x := range e.State[t*e.StateWidth : (t+1)*e.StateWidth] {
		row[j] = scale * x
	}
}
