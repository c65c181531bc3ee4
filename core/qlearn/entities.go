package qlearn

import (
	"fmt"

	"macpro/core"
)

// EntityConfig are the widths that networks on entities share, agents and
// mixers alike.
type EntityConfig struct {
	Embed int `cfg:"entity_embed_dim" min:"1" help:"width of an embedded entity"`
	Attn  int `cfg:"attn_embed_dim" min:"1" help:"width of queries and keys in attention over entities"`
}

// completeEntities tells whether the entities of a task make up its
// observations, states and actions exactly.
func completeEntities(s core.EnvSpec) error {
	e := s.Entities
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"actions", s.Actions, e.NonAttack + e.Enemies},
		{"floats in an observation", s.ObsWidth, e.Move + e.Enemies*e.EnemyObs + (s.Agents-1)*e.AllyObs + e.OwnObs},
		{"floats in a state", s.StateWidth, s.Agents*(e.AllyState+s.Actions) + e.Enemies*e.EnemyState},
	} {
		if c.got != c.want {
			return fmt.Errorf("task %s/%s: %d %s, its entities make up %d", s.Env, s.Task, c.got, c.name, c.want)
		}
	}
	if s.Agents < 2 || e.Enemies < 1 {
		return fmt.Errorf("task %s/%s: %d agents and %d enemies, attention needs at least 2 and 1", s.Env, s.Task, s.Agents, e.Enemies)
	}
	return nil
}

// sameFamily is an error unless a task's entities have the features of those
// that a learner was planned for. Their numbers may differ.
func sameFamily(planned, spec core.EnvSpec) error {
	if spec.Entities == nil {
		return fmt.Errorf("task %s/%s has flat observations and does not fit a learner made for the entities of %s/%s",
			spec.Env, spec.Task, planned.Env, planned.Task)
	}
	a, b := *planned.Entities, *spec.Entities
	a.Enemies = b.Enemies
	if a != b {
		return fmt.Errorf("task %s/%s (%v) does not fit a learner made for %s/%s (%v)",
			spec.Env, spec.Task, layoutOf(b), planned.Env, planned.Task, layoutOf(*planned.Entities))
	}
	return completeEntities(spec)
}

// layoutOf words the features of entities, which parameters depend on.
type layoutOf core.Entities

func (e layoutOf) String() string {
	return fmt.Sprintf("%d actions at no enemy; %d+%d own features; enemies of %d, allies of %d; in states enemies of %d, allies of %d",
		e.NonAttack, e.Move, e.OwnObs, e.EnemyObs, e.AllyObs, e.EnemyState, e.AllyState)
}

// entityCut cuts observations into what attentive agents read:
//
//	own      [move and own features; binary agent number; compact last action]
//	ally j   its features
//	enemy j  [its features; 1 if the last action attacked it]
//
// The compact last action is one-hot over the actions at no enemy and attack.
// Features are scaled, the rest is not.
type entityCut struct {
	core.Entities
	agents int
	scale  float32
	last   bool // the last action is part of it
	bits   int  // of the agent number, 0 without it
}

func (c entityCut) ownWidth() int {
	w := c.Move + c.OwnObs + c.bits
	if c.last {
		w += c.NonAttack + 1
	}
	return w
}

func (c entityCut) enemyWidth() int {
	if c.last {
		return c.EnemyObs + 1
	}
	return c.EnemyObs
}

// widths are those of the own features, of all allies and of all enemies.
func (c entityCut) widths() (own, allies, enemies int) {
	return c.ownWidth(), (c.agents - 1) * c.AllyObs, c.Enemies * c.enemyWidth()
}

// set cuts the observation of agent i, whose last action is last, -1 at an
// episode's start.
func (c entityCut) set(own, allies, enemies, obs []float32, last int32, i int) {
	c.copy(own, obs[:c.Move])
	obs = obs[c.Move:]
	w := c.enemyWidth()
	for j := range c.Enemies {
		c.copy(enemies[j*w:], obs[j*c.EnemyObs:(j+1)*c.EnemyObs])
		if c.last {
			enemies[(j+1)*w-1] = flag(int(last) == c.NonAttack+j)
		}
	}
	obs = obs[c.Enemies*c.EnemyObs:]
	c.copy(allies, obs[:len(allies)])
	obs = obs[len(allies):]
	own = own[c.Move:]
	c.copy(own, obs[:c.OwnObs])
	own = own[c.OwnObs:]
	for b := range c.bits { // the most significant first
		own[b] = float32((i + 1) >> (c.bits - 1 - b) & 1)
	}
	if c.last {
		compact(own[c.bits:], int(last), c.NonAttack)
	}
}

func (c entityCut) copy(dst, src []float32) {
	for j, x := range src {
		dst[j] = c.scale * x
	}
}

// compact writes an action as one-hot over those at no enemy and attack; -1 is
// no action at all.
func compact(dst []float32, action, nonAttack int) {
	clear(dst[:nonAttack+1])
	if action >= 0 {
		dst[min(action, nonAttack)] = 1
	}
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
