package rollout

import (
	"cmp"
	"fmt"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rng"
)

// Plan says which episodes to play and how.
type Plan struct {
	// Episodes is the exact number of episodes; each one that is started counts.
	Episodes int
	// Env and Explore give one seed an episode, in the order of episodes.
	// Explore may be nil if Epsilon is 0.
	Env, Explore *rng.Stream
	// Epsilon is the probability that an agent explores in a step. Sticky is
	// the probability that it then repeats its last action, if available.
	Epsilon, Sticky float64
	// Heads is [Episodes, n]; nil means the live head everywhere.
	Heads []int32
	// Stepper, if not nil, chooses heads at every step, drawing from Source.
	Stepper core.HeadStepper
	Source  rng.Source
	// Together, if not 0, is the largest number of episodes side by side.
	Together int
	// Task and Head are noted in the episodes.
	Task, Head int
	// Told, if not nil, is what learner and stepper see in place of the task's own
	// description. It has the same shapes.
	Told *core.EnvSpec
	// Lean leaves observations, states, masks and actions out of the episodes.
	Lean bool
	// Watch, if not nil, is shown every state of every episode, the first one
	// included. It must not change anything.
	Watch func(Moment) error
}

// Played takes over one finished episode: its number in the plan, the episode,
// and the heads [n] that acted in its last step, nil for the live head. Both
// slices are valid only during the call.
type Played func(i int, e *episode.Episode, heads []int32) error

// Player plays episodes of one task. It owns all buffers, and in its steady
// state it does not allocate. It is used by one goroutine at a time.
type Player struct {
	env     core.Env
	learner core.Learner
	spec    core.EnvSpec
	told    *core.EnvSpec // of the plan that is played
	frame   *core.Frame
	lanes   []lane

	active  []int        // lanes that still play, ascending; rows i*n.. of step are active[i]
	seeds   []uint64     // of the lanes of one wave
	actions []int32      // [lanes, n], by lane
	step    core.ActStep // Heads is nil where the live head acts everywhere
	full    core.ActStep // the same slices at full length
	view    core.StepView
}

// lane is one instance and the episode in it.
type lane struct {
	number  int // of the episode in the plan
	record  episode.Episode
	explore []rng.Stream // one an agent
	heads   []int32      // of the last step
}

// NewPlayer makes a player for lanes instances of an environment, which it
// closes with Close.
func NewPlayer(env core.Env, l core.Learner, lanes int) *Player {
	s := env.Spec()
	n := lanes * s.Agents
	p := &Player{
		env: env, learner: l, spec: s,
		frame:   core.NewFrame(s, lanes),
		lanes:   make([]lane, lanes),
		active:  make([]int, 0, lanes),
		seeds:   make([]uint64, lanes),
		actions: make([]int32, n),
		full: core.ActStep{
			Obs:         make([]float32, n*s.ObsWidth),
			LastActions: make([]int32, n),
			Heads:       make([]int32, n),
			Hidden:      make([]float32, n*l.HiddenWidth()),
			Q:           make([]float32, n*s.Actions),
		},
	}
	for i := range p.lanes {
		p.lanes[i].explore = make([]rng.Stream, s.Agents)
		p.lanes[i].heads = make([]int32, s.Agents)
	}
	return p
}

// Spec describes the task.
func (p *Player) Spec() core.EnvSpec { return p.spec }

// Lanes is the number of episodes that are played side by side.
func (p *Player) Lanes() int { return len(p.lanes) }

// Close closes the environment.
func (p *Player) Close() error { return p.env.Close() }

// Play plays the episodes of a plan, as many side by side as there are lanes,
// and hands them over in their order.
func (p *Player) Play(plan *Plan, each Played) error {
	if plan.Heads != nil && len(plan.Heads) != plan.Episodes*p.spec.Agents {
		return fmt.Errorf("%s %s: %d heads for %d episodes of %d agents", p.spec.Env, p.spec.Task, len(plan.Heads), plan.Episodes, p.spec.Agents)
	}
	if plan.Epsilon > 0 && plan.Explore == nil {
		return fmt.Errorf("%s %s: exploration needs a stream", p.spec.Env, p.spec.Task)
	}
	p.told = cmp.Or(plan.Told, &p.spec)
	wave := len(p.lanes)
	if plan.Together > 0 {
		wave = min(wave, plan.Together)
	}
	for first := 0; first < plan.Episodes; first += wave {
		k := min(wave, plan.Episodes-first)
		if err := p.begin(plan, first, k); err != nil {
			return err
		}
		for t := 0; len(p.active) > 0; t++ {
			if err := p.advance(plan, t); err != nil {
				return err
			}
		}
		for i := range k {
			l := &p.lanes[i]
			heads := l.heads
			if plan.live() {
				heads = nil
			}
			if plan.Stepper != nil {
				if err := plan.Stepper.EpisodeEnded(l.number, &l.record); err != nil {
					return fmt.Errorf("%s %s: the end of episode %d: %w", p.spec.Env, p.spec.Task, l.number, err)
				}
			}
			if err := each(l.number, &l.record, heads); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin starts episodes first..first+k-1 in lanes 0..k-1.
func (p *Player) begin(plan *Plan, first, k int) error {
	n := p.spec.Agents
	p.active = p.active[:k]
	for i := range k {
		l := &p.lanes[i]
		p.active[i], p.seeds[i] = i, plan.Env.Uint64()
		l.number = first + i
		if plan.Explore != nil {
			own := rng.FromSeed(plan.Explore.Uint64())
			for a := range l.explore {
				l.explore[a] = rng.FromSeed(own.Uint64())
			}
		}
		l.open(p.spec, p.seeds[i], plan)
	}
	p.rewind(k, plan.live())
	if plan.Heads != nil {
		copy(p.step.Heads, plan.Heads[first*n:])
	}
	clear(p.step.Hidden)
	for i := range p.step.LastActions {
		p.step.LastActions[i] = -1
	}
	if err := p.env.Reset(p.active, p.seeds[:k], p.frame); err != nil {
		return fmt.Errorf("%s %s: reset: %w", p.spec.Env, p.spec.Task, err)
	}
	if err := p.frame.Check(p.spec, len(p.lanes)); err != nil {
		return fmt.Errorf("%s %s: reset: %w", p.spec.Env, p.spec.Task, err)
	}
	clear(p.frame.Reward)
	if plan.Watch == nil {
		return nil
	}
	for i, k := range p.active {
		if err := p.watch(plan, i, k); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) live() bool { return p.Heads == nil && p.Stepper == nil }

// rewind cuts the step's slices to the rows of k lanes.
func (p *Player) rewind(k int, live bool) {
	rows := k * p.spec.Agents
	hidden := rows * p.learner.HiddenWidth()
	p.step = core.ActStep{
		Spec:        p.told,
		Lanes:       k,
		Obs:         p.full.Obs[:rows*p.spec.ObsWidth],
		LastActions: p.full.LastActions[:rows],
		Heads:       p.full.Heads[:rows],
		Hidden:      p.full.Hidden[:hidden],
		Q:           p.full.Q[:rows*p.spec.Actions],
	}
	if live {
		p.step.Heads = nil
	}
}

// advance plays one step of all active lanes and drops those that end.
func (p *Player) advance(plan *Plan, t int) error {
	p.observe(plan.Lean)
	if plan.Stepper != nil {
		if err := p.chooseHeads(plan, t); err != nil {
			return err
		}
	}
	if err := p.learner.Act(&p.step); err != nil {
		return fmt.Errorf("%s %s: step %d: %w", p.spec.Env, p.spec.Task, t, err)
	}
	if err := p.chooseActions(plan, t); err != nil {
		return err
	}
	if err := p.env.Step(p.active, p.actions, p.frame); err != nil {
		return fmt.Errorf("%s %s: step %d: %w", p.spec.Env, p.spec.Task, t, err)
	}
	if err := p.frame.Check(p.spec, len(p.lanes)); err != nil {
		return fmt.Errorf("%s %s: step %d: %w", p.spec.Env, p.spec.Task, t, err)
	}
	return p.settle(plan, t)
}
