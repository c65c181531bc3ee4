// Package entity cuts observations and states of battles into the rows that
// networks with attention read. A task's core.Entities say where everybody's
// features lie; how many there are may differ from task to task.
package entity

import (
	"fmt"

	"macpro/core"
)

// Complete is an error unless the entities of a task make up its observations,
// states and actions exactly.
func Complete(s core.EnvSpec) error {
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

// Family is an error unless a task's entities have the features of those that
// something (what, such as "a learner") was planned for. Their numbers may
// differ.
func Family(what string, planned, spec core.EnvSpec) error {
	if spec.Entities == nil {
		return fmt.Errorf("task %s/%s has flat observations and does not fit %s made for the entities of %s/%s",
			spec.Env, spec.Task, what, planned.Env, planned.Task)
	}
	a, b := *planned.Entities, *spec.Entities
	a.Enemies = b.Enemies
	if a != b {
		return fmt.Errorf("task %s/%s (%v) does not fit %s made for %s/%s (%v)",
			spec.Env, spec.Task, layoutOf(b), what, planned.Env, planned.Task, layoutOf(*planned.Entities))
	}
	return Complete(spec)
}

// layoutOf words the features of entities, which parameters depend on.
type layoutOf core.Entities

func (e layoutOf) String() string {
	return fmt.Sprintf("%d actions at no enemy; %d+%d own features; enemies of %d, allies of %d; in states enemies of %d, allies of %d",
		e.NonAttack, e.Move, e.OwnObs, e.EnemyObs, e.AllyObs, e.EnemyState, e.AllyState)
}

// Cut cuts observations into what an agent's attention reads:
//
//	own      [move and own features; binary agent number; compact action]
//	ally j   its features
//	enemy j  [its features; 1 if the action attacks it]
//
// The compact action is one-hot over the actions at no enemy and attack.
// Features are scaled, the rest is not.
type Cut struct {
	core.Entities
	Agents int
	Scale  float32
	Action bool // an action is part of it
	Bits   int  // of the agent number, 0 without it
}

// OwnWidth is the number of own features.
func (c Cut) OwnWidth() int {
	w := c.Move + c.OwnObs + c.Bits
	if c.Action {
		w += c.NonAttack + 1
	}
	return w
}

// EnemyWidth is the number of features of an enemy.
func (c Cut) EnemyWidth() int {
	if c.Action {
		return c.EnemyObs + 1
	}
	return c.EnemyObs
}

// Widths are those of the own features, of all allies and of all enemies.
func (c Cut) Widths() (own, allies, enemies int) {
	return c.OwnWidth(), (c.Agents - 1) * c.AllyObs, c.Enemies * c.EnemyWidth()
}

// Set cuts the observation of agent i, whose action is action, -1 for none.
func (c Cut) Set(own, allies, enemies, obs []float32, action int32, i int) {
	c.scaled(own, obs[:c.Move])
	obs = obs[c.Move:]
	w := c.EnemyWidth()
	for j := range c.Enemies {
		c.scaled(enemies[j*w:], obs[j*c.EnemyObs:(j+1)*c.EnemyObs])
		if c.Action {
			enemies[(j+1)*w-1] = flag(int(action) == c.NonAttack+j)
		}
	}
	obs = obs[c.Enemies*c.EnemyObs:]
	c.scaled(allies, obs[:len(allies)])
	obs = obs[len(allies):]
	own = own[c.Move:]
	c.scaled(own, obs[:c.OwnObs])
	own = own[c.OwnObs:]
	for b := range c.Bits { // the most significant first
		own[b] = float32((i + 1) >> (c.Bits - 1 - b) & 1)
	}
	if c.Action {
		compact(own[c.Bits:], int(action), c.NonAttack)
	}
}

// StateWidths are those of an ally and of an enemy in a state: an ally is [its
// features; compact last action].
func (c Cut) StateWidths() (ally, enemy int) { return c.AllyState + c.NonAttack + 1, c.EnemyState }

// SetState cuts a state into allies [n, ally] and enemies [m, enemy].
func (c Cut) SetState(allies, enemies, state []float32) {
	w, _ := c.StateWidths()
	actions := c.NonAttack + c.Enemies
	last := state[c.Agents*c.AllyState+c.Enemies*c.EnemyState:]
	for i := range c.Agents {
		row := allies[i*w : (i+1)*w]
		c.scaled(row, state[i*c.AllyState:(i+1)*c.AllyState])
		Squeeze(row[c.AllyState:], last[i*actions:(i+1)*actions], c.NonAttack)
	}
	c.scaled(enemies, state[c.Agents*c.AllyState:][:c.Enemies*c.EnemyState])
}

func (c Cut) scaled(dst, src []float32) {
	for j, x := range src {
		dst[j] = c.Scale * x
	}
}

// Squeeze writes a one-hot action as one-hot over the actions at no enemy and
// attack.
func Squeeze(dst, oneHot []float32, nonAttack int) {
	copy(dst, oneHot[:nonAttack])
	dst[nonAttack] = 0
	for _, x := range oneHot[nonAttack:] {
		dst[nonAttack] += x
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
