package rollout

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"macpro/core"
	"macpro/core/episode"
)

// Pool opens players of one environment family as they are needed and keeps
// them, one a task.
type Pool struct {
	Plugin   core.EnvPlugin
	Settings core.Settings
	Learner  core.Learner

	players map[string]*Player
}

// Lanes returns how many of the wanted lanes an environment family can give.
func Lanes(p core.EnvPlugin, s core.Settings, wanted int) int {
	if limiter, ok := p.(core.LaneLimiter); ok {
		if most := limiter.MaxLanes(s); most > 0 {
			return min(wanted, most)
		}
	}
	return wanted
}

// Player returns the player of a task with at least lanes lanes, or as many as the
// environment family can give.
func (p *Pool) Player(task string, lanes int) (*Player, error) {
	lanes = Lanes(p.Plugin, p.Settings, lanes)
	old := p.players[task]
	if old != nil && old.Lanes() >= lanes {
		return old, nil
	}
	env, err := Open(p.Plugin, task, lanes, p.Settings)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if err := old.Close(); err != nil {
			return nil, errors.Join(err, env.Close())
		}
	}
	if p.players == nil {
		p.players = map[string]*Player{}
	}
	p.players[task] = NewPlayer(env, p.Learner, lanes)
	return p.players[task], nil
}

// Close closes all players.
func (p *Pool) Close() error {
	var err error
	for _, task := range slices.Sorted(maps.Keys(p.players)) {
		err = errors.Join(err, p.players[task].Close())
	}
	p.players = nil
	return err
}

// maxLanes bounds the lanes of a service's players.
const maxLanes = 64

// Count is a number of episodes and of their transitions.
type Count struct{ Episodes, Steps int64 }

// Service plays episodes for a continual method and counts them by purpose.
type Service struct {
	pool   *Pool
	tasks  []string // the run's sequence
	counts map[string]Count
	told   *core.EnvSpec // where boundaries are hidden
	now    func() string
}

// NewService makes a service that plays on the pool's environments; tasks are
// those of the run's sequence, whose positions the episodes carry.
func NewService(pool *Pool, tasks []string) *Service {
	return &Service{pool: pool, tasks: tasks, counts: map[string]Count{}}
}

// Hide makes the service hide which tasks it plays: told, which stands for the whole
// sequence, is the task that now names, and every episode is of task 0.
func (s *Service) Hide(told core.EnvSpec, now func() string) { s.told, s.now = &told, now }

// Counts returns a copy of the counters by purpose.
func (s *Service) Counts() map[string]Count { return maps.Clone(s.counts) }

// SetCounts replaces the counters.
func (s *Service) SetCounts(c map[string]Count) { s.counts = maps.Clone(c) }

// Run plays the requested episodes; they belong to the caller.
func (s *Service) Run(r core.RolloutRequest) ([]*episode.Episode, error) {
	if r.Episodes < 1 || r.Purpose == "" {
		return nil, fmt.Errorf("rollouts of %s: %d episodes for purpose %q: at least one and a name are needed", r.Task, r.Episodes, r.Purpose)
	}
	var hidden *core.EnvSpec
	if s.told != nil && r.Task == s.told.Task {
		r.Task, hidden = s.now(), s.told
	}
	p, err := s.pool.Player(r.Task, min(r.Episodes, maxLanes))
	if err != nil {
		return nil, err
	}
	if err := CheckHeads(r.Heads, s.pool.Learner.Heads()); err != nil {
		return nil, fmt.Errorf("rollouts of %s for %s: %w", r.Task, r.Purpose, err)
	}
	eps := make([]*episode.Episode, 0, r.Episodes)
	count := s.counts[r.Purpose]
	plan := Plan{
		Episodes: r.Episodes, Heads: r.Heads, Epsilon: r.Epsilon, Stepper: r.Stepper, Source: r.Source.Child("steps"),
		Env: r.Source.Child("env").Stream(), Explore: r.Source.Child("explore").Stream(),
		Task: slices.Index(s.tasks, r.Task), Head: core.LiveHead, Told: hidden,
	}
	if s.told != nil {
		plan.Task = 0
	}
	err = p.Play(&plan, func(i int, e *episode.Episode, heads []int32) error {
		own := new(episode.Episode)
		own.CopyFrom(e)
		if heads != nil {
			own.Head = int(heads[0])
		}
		eps = append(eps, own)
		count.Episodes++
		count.Steps += int64(own.T)
		return nil
	})
	s.counts[r.Purpose] = count
	return eps, err
}

// CheckHeads says whether every head is the live one or one of the k saved.
func CheckHeads(heads []int32, k int) error {
	for _, h := range heads {
		if h < core.LiveHead || int(h) >= k {
			return fmt.Errorf("head %d does not exist: there are %d saved heads, and %d is the live one", h, k, core.LiveHead)
		}
	}
	return nil
}

var _ core.Rollouts = (*Service)(nil)
