package qlearn

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/nn"
	"macpro/core/rng"
)

// Learner is a core.Learner of one agent network and one Mixer. All online
// parameters lie in one network in the order phi, live head, mixer; the target
// is a second network of the same layout.
type Learner struct {
	cfg     Config
	returns Returns
	threads int

	spec  core.EnvSpec   // of SetTask
	tasks []core.EnvSpec // by the number that episodes carry; nil: all are of spec
	agent agent
	mixer Mixer

	net, target *nn.Network
	optim       *nn.RMSProp
	init        *rng.Stream
	saved       []savedHead
	penalties   []penalty
	hook        func(g []float32) error // of the gradient of every step, nil if there is none
	free        []float32               // [agent] 0 where a parameter is fixed, else 1; nil if all are free
	term        *valueTerm              // of the next step

	memory remembered // of the target network's values
	parts  []part     // of the last batch
	plans  map[planKey]plans
	online acting
	fits   core.EnvSpec // the last one that acted
	joint  *jointValues

	// Made when they are first needed:
	targetActing *acting // of the target network
	teacher      *teacher
	fixed        *nn.Network // whose head a term on values looks at
	tracer       tracer
}

// acting is a network that acts, with its own head.
type acting struct {
	actor
	head psi
}

// actingOn packs a network of the learner's layout for acting.
func (l *Learner) actingOn(net *nn.Network) (a acting, err error) {
	if a.actor, err = l.agent.actor(net); err != nil {
		return a, err
	}
	a.head, err = l.agent.psi(net)
	return a, err
}

// plans are the compiled graphs of one kind of task, one for each thread.
type plans []*plan

// planKey tells apart the tasks, and the losses, that need graphs of their own.
type planKey struct {
	shapes
	limit int
	term  termKind
}

func keyOf(s *core.EnvSpec) planKey { return planKey{shapes: shapesOf(*s), limit: s.Limit} }

var _ core.Learner = (*Learner)(nil)

// New makes a learner for a run whose first task is spec: it reads Config from
// the settings, lets mixer add its modules behind those of the agents, and draws
// all parameters from the stream "init" in the order of the network. The target
// starts as a copy of them.
func New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions, mixer NewMixer) (*Learner, error) {
	l := &Learner{spec: spec, tasks: slices.Clone(o.Tasks), threads: o.Threads, memory: remembered{room: rememberFloats}, plans: map[planKey]plans{}}
	if err := config.Decode(s, &l.cfg); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	if s := l.cfg.Shards; s != 2 && s != 4 && s != 8 {
		return nil, fmt.Errorf("learner: %d shards, want 2, 4 or 8", s)
	}
	if o.Threads < 1 || o.Threads > l.cfg.Shards {
		return nil, fmt.Errorf("learner: %d threads, want 1 to %d, the number of shards", o.Threads, l.cfg.Shards)
	}
	if err := complete(spec); err != nil {
		return nil, err
	}
	l.returns = Returns{Gamma: l.cfg.Gamma, Lambda: l.cfg.TDLambda}
	layout := nn.Layout{Precision: nn.Precision(l.cfg.Precision)}
	var err error
	if l.agent, err = planAgent(&layout, l.cfg, spec); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	if l.mixer, err = mixer(&layout, spec); err != nil {
		return nil, fmt.Errorf("learner: mixer: %w", err)
	}
	if l.net, err = nn.NewNetwork(&layout); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	l.init = o.Source.Child("init").Stream()
	l.net.Init(l.init)
	l.target = l.net.Clone()
	l.optim = nn.NewRMSProp(layout.Len(), l.cfg.LR, l.cfg.OptimAlpha, l.cfg.OptimEps, 0)
	l.online, err = l.actingOn(l.net)
	return l, err
}

// complete tells whether a task has every number that shapes depend on.
func complete(s core.EnvSpec) error {
	if s.Agents < 1 || s.Actions < 1 || s.ObsWidth < 1 || s.StateWidth < 1 || s.Limit < 1 {
		return fmt.Errorf("task %s/%s: %v and a limit of %d, all must be at least 1", s.Env, s.Task, shapesOf(s), s.Limit)
	}
	return nil
}

// SetTask announces the task that training has come to; see core.Learner. Flat
// observations tie a learner to tasks of equal shapes; with entities the numbers
// of agents and enemies may differ. So may limits.
func (l *Learner) SetTask(spec core.EnvSpec) error {
	if err := complete(spec); err != nil {
		return err
	}
	if err := l.agent.fits(spec); err != nil {
		return err
	}
	l.spec = spec
	return nil
}

// ranges of the flat parameters.
func (l *Learner) phi() nn.Range        { return l.agent.phi() }
func (l *Learner) head() nn.Range       { return headRange(l.agent) }
func (l *Learner) agentRange() nn.Range { return nn.Range{Lo: 0, Hi: l.head().Hi} }
func (l *Learner) mixerRange() nn.Range { return nn.Range{Lo: l.head().Hi, Hi: len(l.net.Params)} }

// scope is the range of a part of the networks.
func (l *Learner) scope(s core.Scope) (nn.Range, error) {
	switch s {
	case core.ScopeFeatures:
		return l.phi(), nil
	case core.ScopeHead:
		return l.head(), nil
	case core.ScopeAgent:
		return l.agentRange(), nil
	case core.ScopeAll:
		return l.net.All(), nil
	}
	return nn.Range{}, fmt.Errorf("learner: %w", s.Check())
}

// Parameters appends a copy of the online parameters of a scope to dst; an
// unknown scope has none.
func (l *Learner) Parameters(s core.Scope, dst []float32) []float32 {
	r, err := l.scope(s)
	if err != nil {
		return dst
	}
	return append(dst, r.Of(l.net.Params)...)
}

// SyncTarget copies the online networks into the target networks.
func (l *Learner) SyncTarget() {
	copy(l.target.Params, l.net.Params)
	l.target.Touch()
}

// plansFor returns the graphs of a task with room for the given number of
// episodes in each shard and a kind of term on values. A graph that has become too
// small is replaced.
func (l *Learner) plansFor(spec *core.EnvSpec, episodes int, term termKind) (plans, error) {
	l.memory.renew(l.target.Version())
	key := keyOf(spec)
	key.term = term
	if p := l.plans[key]; p != nil && p[0].episodes >= episodes {
		return p, nil
	}
	delete(l.plans, key)
	p := make(plans, l.threads)
	for i := range p {
		var err error
		if p[i], err = l.newPlan(spec, episodes, term); err != nil {
			return nil, err
		}
	}
	l.plans[key] = p
	return p, nil
}
