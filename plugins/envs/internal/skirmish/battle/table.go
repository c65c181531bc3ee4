package battle

import (
	"fmt"
	"math"

	"macpro/plugins/envs/internal/skirmish"
)

// Unit is what an observer knows of one unit. A unit with zero Health is dead and its
// other fields mean nothing.
type Unit struct {
	Kind              skirmish.Kind
	X, Y              float64 // centre, in cells
	Health, HealthMax float64
	Shield            float64
	Energy            float64
	// Cooldown is the time until the weapon is ready, in game loops of 1/16 s.
	Cooldown float64
}

func (u *Unit) alive() bool { return u.Health > 0 }

// Table lists the units of both sides at one moment. Agents and enemies keep their
// index for the whole episode.
type Table struct {
	Agents, Enemies []Unit
}

// NewTable makes a table for a map.
func NewTable(m *Map) *Table {
	return &Table{Agents: make([]Unit, m.Agents()), Enemies: make([]Unit, m.Enemies())}
}

// shieldMax is the shield by which the observer divides, a constant of the type.
var shieldMax = [skirmish.Kinds]float64{
	skirmish.Stalker: 80, skirmish.Zealot: 50, skirmish.Colossus: 150,
}

// cooldownMax is the cooldown in game loops by which the observer divides. It is not
// the type's true period: shares may exceed 1 or stay far below. A medivac shows its
// energy instead, of 200 at most.
var cooldownMax = [skirmish.Kinds]float64{
	skirmish.Marine: 15, skirmish.Marauder: 25, skirmish.Medivac: 200, skirmish.Stalker: 35,
	skirmish.Zealot: 22, skirmish.Colossus: 24, skirmish.Hydralisk: 10, skirmish.Zergling: 11,
	skirmish.Baneling: 1, skirmish.SpineCrawler: 15,
}

// Unavailable says why an agent cannot order an action at an enemy, if that is what
// it is: nothing for other actions.
func (t *Table) Unavailable(agent, action int, shoot float64) string {
	u, target := &t.Agents[agent], action-NonAttack
	if !u.alive() {
		return "the agent is dead"
	}
	if target < 0 || u.Kind == skirmish.Medivac || target >= len(t.Enemies) {
		return "" // a medivac's targets are other agents
	}
	e := &t.Enemies[target]
	if !e.alive() {
		return fmt.Sprintf("enemy %d is dead", target)
	}
	return fmt.Sprintf("enemy %d is %.2f cells away, and the range of orders is %v", target, math.Hypot(e.X-u.X, e.Y-u.Y), shoot)
}
