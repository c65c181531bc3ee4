package skirmish

import (
	"math"
	"testing"
)

// post is where one unit of a test starts.
type post struct {
	team Team
	kind Kind
	at   Vec
}

// field makes a world with units at exact places, in the order given. Enemies want to
// go to (1,16).
func field(rules *Rules, posts ...post) *World {
	sc := &Scenario{Terrain: Field, Goal: Vec{1, 16}}
	for _, p := range posts {
		sc.Groups = append(sc.Groups, Group{Team: p.team, At: p.at, Kinds: []Kind{p.kind}})
	}
	w := NewWorld(sc, rules)
	w.Reset(1)
	return w
}

func (w *World) run(ticks int) {
	for range ticks {
		w.Tick()
	}
}

// pin keeps a unit where it is by taking its legs.
func (w *World) pin(i int) {
	s := *w.units[i].Stats
	s.Speed = 0
	w.units[i].Stats = &s
}

// disarm leaves a unit without targets that its weapon can hit.
func (w *World) disarm(i int) {
	s := *w.units[i].Stats
	s.Hits = 0
	w.units[i].Stats = &s
}

// tough gives a unit a lot of health.
func (w *World) tough(i int) {
	s := *w.units[i].Stats
	s.Health = 1e6
	w.units[i].Stats = &s
	w.units[i].Health = 1e6
}

// losses runs the world and lists the ticks, from 1, in which unit i lost health or
// shield.
func (w *World) losses(i, ticks int) []int {
	var at []int
	for k := 1; k <= ticks; k++ {
		u := w.Unit(i)
		before := u.Health + u.Shield
		w.Tick()
		if u.Health+u.Shield < before-1 {
			at = append(at, k)
		}
	}
	return at
}

func attack(target int) Order { return Order{Verb: Attack, Target: target} }
func walk(x, y float64) Order { return Order{Verb: Walk, To: Vec{x, y}} }

// A group of one unit stands on its point; larger ones fill a square, and the enemies'
// is the mirror image of the allies'.
func TestFormation(t *testing.T) {
	two := []Kind{Stalker, Stalker, Zealot, Zealot, Zealot}
	sc := &Scenario{Terrain: Field, Groups: []Group{
		{Team: Allies, At: Vec{9, 16}, Kinds: two}, {Team: Enemies, At: Vec{23, 16}, Kinds: two}}}
	w := NewWorld(sc, Liberty())
	w.Reset(0)
	for i := range two {
		a, e := w.Unit(i).Pos, w.Unit(i+len(two)).Pos
		if d := a.plus(e).minus(Vec{32, 32}).length(); d > 1e-9 {
			t.Errorf("unit %d at %v, its image at %v", i, a, e)
		}
	}
	if p := field(Liberty(), post{Allies, Marine, Vec{5, 11}}).Unit(0).Pos; p != (Vec{5, 11}) {
		t.Errorf("a single unit stands at %v", p)
	}
}

func TestSpawnNoise(t *testing.T) {
	r := Liberty()
	r.SpawnNoise = 0.1
	w := field(r, post{Allies, Marine, Vec{5, 11}})
	seen := map[Vec]bool{}
	var left, low, right, high bool
	for seed := range uint64(20) {
		w.Reset(seed)
		d := w.Unit(0).Pos.minus(Vec{5, 11})
		if math.Abs(d.X) > 0.1 || math.Abs(d.Y) > 0.1 {
			t.Errorf("seed %d: off by %v", seed, d)
		}
		seen[d] = true
		left, low = left || d.X < 0, low || d.Y < 0
		right, high = right || d.X > 0, high || d.Y > 0
	}
	if len(seen) != 20 || !left || !low || !right || !high {
		t.Errorf("%d different places of 20; to all sides: %v %v %v %v", len(seen), left, low, right, high)
	}
}
