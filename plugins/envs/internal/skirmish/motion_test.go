package skirmish

import (
	"fmt"
	"math"
	"testing"

	"macpro/core/rng"
)

// An env step of 8 ticks moves a marine by 1.125 cells in the game and by 1.575 in
// SMAClite. The game stops units on their goal.
func TestWalk(t *testing.T) {
	for _, c := range []struct {
		rules *Rules
		way   float64
	}{{Liberty(), 1.125}, {Lite(), 1.575}} {
		w := field(c.rules, post{Allies, Marine, Vec{10, 16}}, post{Enemies, Marine, Vec{31, 16}})
		w.Command(0, walk(12, 16))
		w.run(8)
		if got := w.Unit(0).Pos.X - 10; math.Abs(got-c.way) > 1e-5 {
			t.Errorf("%s: walked %v, want %v", c.rules.Name, got, c.way)
		}
	}
	w := field(Liberty(), post{Allies, Marine, Vec{10, 16}}, post{Enemies, Marine, Vec{31, 16}})
	w.Command(0, walk(12, 16))
	w.run(20)
	if got := w.Unit(0).Pos; math.Abs(got.X-12) > 1e-9 || got.Y != 16 {
		t.Errorf("stopped at %v", got)
	}
}

// A unit walks around a standing one under the game's rules and queues without them.
func TestSidestep(t *testing.T) {
	for _, c := range []struct{ on, passes bool }{{true, true}, {false, false}} {
		r := Liberty()
		r.Sidestep = c.on
		w := field(r, post{Allies, Marine, Vec{10, 16}}, post{Allies, Marine, Vec{12, 16}}, post{Enemies, Marine, Vec{31, 10}})
		w.Command(0, walk(15, 16))
		w.run(60)
		if passed := w.Unit(0).Pos.X > 14; passed != c.passes {
			t.Errorf("sidestep %v: at %v after 60 ticks", c.on, w.Unit(0).Pos)
		}
		if w.Unit(1).Pos != (Vec{12, 16}) {
			t.Errorf("the standing unit moved to %v", w.Unit(1).Pos)
		}
	}
}

// A unit whose way leads past one side of a blocker takes the other side if that one is
// closed, and stays on it.
func TestSidestepOnTheOpenSide(t *testing.T) {
	w := field(Liberty(), post{Allies, Marine, Vec{10, 16}}, post{Allies, Marine, Vec{12, 16}},
		post{Allies, Marine, Vec{12, 16.76}}, post{Allies, Marine, Vec{11.25, 16.76}}, post{Enemies, Marine, Vec{31, 10}})
	w.Command(0, walk(15, 16.1))
	w.run(60)
	if p := w.Unit(0).Pos; p.X < 14 {
		t.Errorf("at %v after 60 ticks", p)
	}
}

// The map's border stops units in the game, not in SMAClite.
func TestBorder(t *testing.T) {
	for _, c := range []struct {
		rules *Rules
		x     float64
	}{{Liberty(), 0.375}, {Lite(), -1}} {
		w := field(c.rules, post{Allies, Marine, Vec{1, 16}}, post{Enemies, Marine, Vec{31, 10}})
		w.Command(0, walk(-4, 16))
		w.run(16)
		if got := w.Unit(0).Pos.X; got > c.x {
			t.Errorf("%s: at x = %v", c.rules.Name, got)
		} else if !c.rules.OpenMap && got != c.x {
			t.Errorf("%s: at x = %v, want %v", c.rules.Name, got, c.x)
		}
	}
}

// Walls stop units at their edge.
func TestWalls(t *testing.T) {
	for _, dir := range []float64{-20, 20} {
		w := field(Liberty(), post{Allies, Marine, Vec{10, 16}}, post{Enemies, Marine, Vec{31, 10}})
		w.Command(0, walk(10.5, 16+dir))
		w.run(100)
		if y := w.Unit(0).Pos.Y; y < 8+0.375-0.01 || y > 24-0.375+0.01 || math.Abs(y-16) < 7.5 {
			t.Errorf("walking by %v ends at y = %v", dir, y)
		}
	}
}

// At a distance d from a wall a unit comes nearer by at most d less its radius per
// second; SMAClite's walls along the x axis do not count the radius.
func TestApproachToWalls(t *testing.T) {
	for _, c := range []struct {
		rules *Rules
		speed float64
	}{{Liberty(), 1.2 - 0.375}, {Lite(), 1.2}} {
		w := field(c.rules, post{Allies, Marine, Vec{10, 9.2}}, post{Enemies, Marine, Vec{31, 10}})
		w.Command(0, walk(10, 0))
		w.Tick()
		if got := -w.Unit(0).Vel.Y; math.Abs(got-c.speed) > 1e-6 {
			t.Errorf("%s: speed %v, want %v", c.rules.Name, got, c.speed)
		}
	}
}

// The rectangles cover the blocked cells and nothing else.
func TestTerrain(t *testing.T) {
	if n := len(Field.walls); n != 2 {
		t.Errorf("the field has %d walls", n)
	}
	for name, terrain := range map[string]*Terrain{"field": Field, "arena": Arena, "pentagon": Pentagon,
		"octagon": Octagon, "ravine": Ravine, "corridor": Corridor} {
		for y := range MapSize {
			for x := range MapSize {
				inside := false
				for _, w := range terrain.walls {
					inside = inside || w.within(Vec{float64(x) + 0.5, float64(y) + 0.5}, 0)
				}
				if inside == terrain.Open(x, y) {
					t.Errorf("%s: cell %d,%d is open %v and in a wall %v", name, x, y, terrain.Open(x, y), inside)
				}
			}
		}
	}
	for _, c := range [][2]int{{-1, 16}, {32, 16}, {16, -1}, {16, 32}} {
		if Field.Open(c[0], c[1]) {
			t.Errorf("cell %v outside of the map is open", c)
		}
	}
}

// squads is a battle of two mixed squads.
func squads(rules *Rules) *World {
	kinds := []Kind{Stalker, Stalker, Zealot, Zealot, Marine, Marine, Marauder, Medivac, Colossus, Zergling, Baneling, Hydralisk}
	w := NewWorld(&Scenario{Terrain: Field, Goal: Vec{9, 16}, Groups: []Group{
		{Team: Allies, At: Vec{9, 16}, Kinds: kinds}, {Team: Enemies, At: Vec{23, 16}, Kinds: kinds}}}, rules)
	w.Reset(7)
	return w
}

// disorder gives every ally a random order.
func (w *World) disorder(r *rng.Stream) {
	for _, i := range w.Living(Allies) {
		switch foes := w.Living(Enemies); {
		case r.Intn(3) == 0 && len(foes) > 0:
			w.Command(i, attack(foes[r.Intn(len(foes))]))
		default:
			w.Command(i, walk(32*r.Float64(), 32*r.Float64()))
		}
	}
}

// In any turmoil units stay on walkable ground, keep their speed limit and hardly
// overlap.
func TestTurmoil(t *testing.T) {
	for seed := range uint64(30) {
		w := squads(Liberty())
		w.Reset(seed)
		r := rng.FromSeed(seed)
		for range 60 {
			w.disorder(&r)
			for range 8 {
				w.Tick()
				if err := w.sane(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
	}
}

// The dead are in nobody's way: wherever they lie, the living do the same.
func TestTheDeadAreNotInTheWay(t *testing.T) {
	for seed := range uint64(20) {
		a, b := squads(Liberty()), squads(Liberty())
		a.Reset(seed)
		b.Reset(seed)
		r, twin := rng.FromSeed(seed), rng.FromSeed(seed)
		place := rng.FromSeed(^seed)
		for step := range 480 {
			if step%8 == 0 {
				a.disorder(&r)
				b.disorder(&twin)
			}
			for i := range b.units { // onto somebody who lives
				if u := &b.units[i]; !u.Alive && len(b.all) > 0 {
					near := b.units[b.all[place.Intn(len(b.all))]].Pos
					u.Pos = Vec{near.X + 0.8*(place.Float64()-0.5), near.Y + 0.8*(place.Float64()-0.5)}
				}
			}
			a.Tick()
			b.Tick()
			for _, i := range a.all {
				if x, y := a.units[i], b.units[i]; x.Pos != y.Pos || x.Health != y.Health || x.Target != y.Target {
					t.Fatalf("seed %d, tick %d: unit %d at %v, with the dead elsewhere at %v", seed, step, i, x.Pos, y.Pos)
				}
			}
		}
		if len(a.all) == a.Len() {
			t.Errorf("seed %d: nobody died", seed)
		}
	}
}

// sane checks the living units' places and speeds.
func (w *World) sane() error {
	for k, i := range w.all {
		u := &w.units[i]
		if !(u.Vel.length() <= u.Stats.Speed*(1+1e-6)) {
			return fmt.Errorf("unit %d (%s) runs at %v", i, u.Kind, u.Vel)
		}
		if u.Stats.Plane == Ground && !w.scene.Terrain.Open(int(u.Pos.X), int(u.Pos.Y)) {
			return fmt.Errorf("unit %d (%s) is in a wall at %v", i, u.Kind, u.Pos)
		}
		for _, j := range w.all[:k] {
			c := &w.units[j]
			d, r := c.Pos.minus(u.Pos).length(), u.Stats.Separation+c.Stats.Separation
			if c.Stats.Plane == u.Stats.Plane && d < 0.5*r {
				return fmt.Errorf("units %d and %d (%s, %s) are %v apart, radii %v", j, i, c.Kind, u.Kind, d, r)
			}
		}
	}
	return nil
}
