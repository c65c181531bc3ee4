package skirmish

import (
	"math"

	"macpro/core/rng"
)

// World is one battle. Worlds share nothing that changes; a World is used by one
// goroutine at a time.
type World struct {
	rules *Rules
	scene *Scenario
	rnd   rng.Stream
	units []Unit

	living  [2][]int // indices of the living units of each team, ascending
	all     []int    // of both teams, ascending
	shuffle []int

	maxRadius     float64 // largest Radius on the map
	maxSeparation float64 // largest Separation on the map
	healers       bool    // some ally is a healer
	score         float64
	flying        int  // missiles under way
	died          bool // some unit died in this tick

	lines, bisectors []line
}

// NewWorld makes a world for a scenario. Call Reset before anything else.
func NewWorld(scene *Scenario, rules *Rules) *World {
	n := 0
	for _, g := range scene.Groups {
		n += len(g.Kinds)
	}
	w := &World{
		rules: rules, scene: scene,
		units: make([]Unit, 0, n),
		all:   make([]int, 0, n), shuffle: make([]int, 0, n),
		lines:     make([]line, 0, n+4*len(scene.Terrain.walls)),
		bisectors: make([]line, 0, n+4*len(scene.Terrain.walls)),
	}
	for t := range w.living {
		w.living[t] = make([]int, 0, n)
	}
	return w
}

// Reset starts the battle anew; seed is its only source of randomness.
func (w *World) Reset(seed uint64) {
	w.rnd = rng.FromSeed(seed)
	w.units = w.units[:0]
	w.maxRadius, w.maxSeparation = 0, 0
	w.healers, w.score, w.flying = false, 0, 0
	for i := range w.scene.Groups {
		g := &w.scene.Groups[i]
		g.place(w.rules, func(k Kind, at Vec) { w.add(k, g.Team, at) })
	}
	w.Recount()
}

func (w *World) add(k Kind, t Team, at Vec) {
	s := &w.rules.Stats[k]
	if noise := w.rules.SpawnNoise; noise > 0 {
		at.X += noise * (2*w.rnd.Float64() - 1)
		at.Y += noise * (2*w.rnd.Float64() - 1)
	}
	u := Unit{
		Kind: k, Team: t, Alive: true, Stats: s, Pos: w.rounded(at),
		Health: s.Health, Shield: s.Shield, Energy: s.Charge,
		Target: None, patient: None, aim: None, offender: None,
	}
	if t == Enemies {
		u.Order = Order{Verb: AttackMove, To: w.scene.Goal}
	}
	w.units = append(w.units, u)
	w.maxRadius = max(w.maxRadius, s.Radius)
	w.maxSeparation = max(w.maxSeparation, s.Separation)
	w.healers = w.healers || t == Allies && s.Weapon == Heal
}

// Len is the number of units, dead ones included.
func (w *World) Len() int { return len(w.units) }

// Unit returns the unit with index i. It is the live state: what the caller changes,
// the battle goes on with. After a change of Health call Recount.
func (w *World) Unit(i int) *Unit { return &w.units[i] }

// Living lists the indices of a team's living units in ascending order. The slice
// belongs to the world and changes with the next tick.
func (w *World) Living(t Team) []int { return w.living[t] }

// Score is the sum, since Reset, of the shield and health that enemies lost by
// strikes and of 10 for every enemy killed. Recharged shields do not reduce it.
func (w *World) Score() float64 { return w.score }

// Command gives a unit an order. An order to attack something that the weapon cannot
// hit is refused as the game does: the old order stays.
func (w *World) Command(i int, o Order) {
	u := &w.units[i]
	if o.Verb == Attack && !w.rules.Corpses && !u.canHit(&w.units[o.Target]) {
		return
	}
	u.Order = o
}

// Recount lists the living anew after some have died. Nobody comes back.
func (w *World) Recount() {
	w.all = w.all[:0]
	w.living[Allies], w.living[Enemies] = w.living[Allies][:0], w.living[Enemies][:0]
	for i := range w.units {
		u := &w.units[i]
		u.Alive = u.Alive && u.Health > 0
		if u.Alive {
			w.all = append(w.all, i)
			w.living[u.Team] = append(w.living[u.Team], i)
		}
	}
	w.died = false
}

// rounded returns p in the precision in which the profile keeps positions.
func (w *World) rounded(p Vec) Vec {
	if w.rules.Float32 {
		return Vec{float64(float32(p.X)), float64(float32(p.Y))}
	}
	return p
}

// ticks converts a time in seconds to whole ticks, rounded up.
func ticks(seconds float64) int { return int(math.Ceil(seconds * TicksPerSecond)) }
