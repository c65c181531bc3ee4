package skirmish

import (
	"math"
	"slices"
	"testing"
)

// What one strike takes from shield and health.
func TestDamage(t *testing.T) {
	thick := Liberty()
	thick.Stats[Zealot].Armor = 20
	thin := Lite()
	thin.Stats[Zealot].Armor = 20
	for _, c := range []struct {
		name           string
		rules          *Rules
		by, on         Kind
		shield         float64 // of the target before
		absorbed, lost float64
	}{
		{"no armor", Liberty(), Marine, Marine, 0, 0, 6},
		{"armor", Liberty(), Marine, Marauder, 0, 0, 5},
		{"bonus", Liberty(), Stalker, Marauder, 0, 0, 13},
		{"no bonus", Liberty(), Stalker, Marine, 0, 0, 10},
		{"shield takes all", Liberty(), Marine, Zealot, 50, 6, 0},
		{"shield takes a part", Liberty(), Zealot, Zealot, 3, 3, 4},
		{"at least a half", thick, Marine, Zealot, 0, 0, 0.5},
		{"or nothing", thin, Marine, Zealot, 0, 0, 0},
		{"lite stalker", Lite(), Stalker, Stalker, 0, 0, 17},
		{"liberty stalker", Liberty(), Stalker, Stalker, 0, 0, 13},
	} {
		w := field(c.rules, post{Allies, c.by, Vec{10, 16}}, post{Enemies, c.on, Vec{20, 16}})
		u := w.Unit(1)
		u.Shield = c.shield
		w.hit(0, 1)
		if c.shield-u.Shield != c.absorbed || math.Abs(u.Stats.Health-u.Health-c.lost) > 1e-9 {
			t.Errorf("%s: took %v of shield and %v of health, want %v and %v",
				c.name, c.shield-u.Shield, u.Stats.Health-u.Health, c.absorbed, c.lost)
		}
		if got := w.Score(); math.Abs(got-c.absorbed-c.lost) > 1e-9 {
			t.Errorf("%s: score %v", c.name, got)
		}
	}
}

// A kill scores 10 more; hits on allies score nothing.
func TestScore(t *testing.T) {
	w := field(Liberty(), post{Allies, Marine, Vec{10, 16}}, post{Enemies, Marine, Vec{20, 16}})
	w.Unit(1).Health = 4
	w.hit(0, 1)
	w.hit(1, 0)
	if w.Score() != 14 {
		t.Errorf("score %v, want 14", w.Score())
	}
}

// Attack periods are the type's own plus -1 to +2 ticks.
func TestPeriods(t *testing.T) {
	for _, k := range []Kind{Marine, Stalker} {
		w := field(Liberty(), post{Allies, k, Vec{10, 16}}, post{Enemies, Medivac, Vec{13, 16}})
		w.pin(1)
		w.disarm(1)
		w.tough(1)
		w.Command(0, attack(1))
		at := w.losses(1, 4000)
		base := w.Unit(0).Stats.Period * TicksPerSecond
		least, most := math.MaxInt, 0
		for i := 1; i < len(at); i++ {
			least, most = min(least, at[i]-at[i-1]), max(most, at[i]-at[i-1])
		}
		if float64(least) < math.Floor(base-1) || float64(most) > math.Ceil(base+2) || most-least < 2 {
			t.Errorf("%s: periods of %d to %d ticks around %.1f", k, least, most, base)
		}
	}
	w := field(Lite(), post{Allies, Marine, Vec{10, 16}}, post{Enemies, Medivac, Vec{13, 16}})
	w.pin(1)
	w.disarm(1)
	w.tough(1)
	w.Command(0, attack(1))
	if at := w.losses(1, 41); !slices.Equal(at, []int{1, 11, 21, 31, 41}) {
		t.Errorf("lite marine shoots at %v", at)
	}
}

// A stalker takes 3 ticks to shoot. Another order in that time cancels the shot, and
// the weapon is ready at once; the same order again does not.
func TestWindup(t *testing.T) {
	r := Liberty()
	r.Missiles = false
	fresh := func() *World {
		w := field(r, post{Allies, Stalker, Vec{10, 16}}, post{Enemies, Medivac, Vec{13, 16}})
		w.pin(1)
		w.disarm(1)
		w.Command(0, attack(1))
		return w
	}
	if at := fresh().losses(1, 10); !slices.Equal(at, []int{4}) {
		t.Errorf("shots at %v", at)
	}
	w := fresh()
	w.run(2)
	w.Command(0, attack(1))
	if at := w.losses(1, 8); !slices.Equal(at, []int{2}) {
		t.Errorf("after the same order again, shots at %v", at)
	}
	w = fresh()
	w.run(2)
	w.Command(0, walk(5, 16))
	if at := w.losses(1, 20); at != nil {
		t.Errorf("after another order, shots at %v", at)
	}
	if w.Unit(0).Cooldown != 0 {
		t.Errorf("a cancelled shot costs %v s", w.Unit(0).Cooldown)
	}
}

// The second strike of a zealot follows 5 ticks after the first, or at once without
// wind-up times.
func TestSecondStrike(t *testing.T) {
	for _, c := range []struct {
		windup bool
		want   []int
	}{{true, []int{1, 6}}, {false, []int{1}}} {
		r := Liberty()
		r.Windup = c.windup
		w := field(r, post{Allies, Zealot, Vec{10, 16}}, post{Enemies, Marauder, Vec{11, 16}})
		w.pin(1)
		w.disarm(1)
		w.Command(0, attack(1))
		if at := w.losses(1, 15); !slices.Equal(at, c.want) {
			t.Errorf("wind-up %v: strikes at %v, want %v", c.windup, at, c.want)
		}
		if lost := 125 - w.Unit(1).Health; lost != 14 {
			t.Errorf("wind-up %v: lost %v", c.windup, lost)
		}
	}
}

// A missile flies at 18.75 cells/s, follows its target, outlives its shooter, and is
// lost if the target dies.
func TestMissiles(t *testing.T) {
	fresh := func() *World {
		w := field(Liberty(), post{Allies, Stalker, Vec{10, 16}}, post{Enemies, Medivac, Vec{16, 16}})
		w.pin(1)
		w.disarm(1)
		w.Command(0, attack(1))
		w.run(4)
		if w.flying != 1 {
			t.Fatalf("%d missiles after 4 ticks", w.flying)
		}
		return w
	}
	if at := fresh().losses(1, 10); !slices.Equal(at, []int{6}) { // 6 cells: 5.1 ticks
		t.Errorf("hits at %v", at)
	}
	w := fresh()
	w.Unit(1).Pos = Vec{30, 16}
	if at := w.losses(1, 10); !slices.Equal(at, []int{6}) {
		t.Errorf("target gone: hits at %v", at)
	}
	w = fresh()
	w.Unit(0).Health = 0
	w.Recount()
	if at := w.losses(1, 10); !slices.Equal(at, []int{6}) {
		t.Errorf("shooter dead: hits at %v", at)
	}
	w = fresh()
	w.Unit(1).Health = 0
	w.Recount()
	w.run(10)
	if w.flying != 0 || w.Score() != 0 {
		t.Errorf("target dead: %d missiles, score %v", w.flying, w.Score())
	}
}

// An order on a unit that dies ends under the game's rules; SMAClite goes on shooting
// at the corpse.
func TestDeadTargets(t *testing.T) {
	for _, c := range []struct {
		rules *Rules
		verb  Verb
		busy  bool
	}{{Liberty(), Stand, false}, {Lite(), Attack, true}} {
		w := field(c.rules, post{Allies, Marine, Vec{10, 16}}, post{Enemies, Medivac, Vec{13, 16}}, post{Enemies, Medivac, Vec{30, 16}})
		w.pin(1)
		w.Command(0, attack(1))
		w.Unit(1).Health = 0
		w.Recount()
		w.run(3)
		if u := w.Unit(0); u.Order.Verb != c.verb || (u.Cooldown > 0) != c.busy {
			t.Errorf("%s: order %v, cooldown %v", c.rules.Name, u.Order.Verb, u.Cooldown)
		}
	}
}

// The game refuses an order that the weapon cannot carry out and keeps the old one.
func TestRefusedOrders(t *testing.T) {
	w := field(Liberty(), post{Allies, Marauder, Vec{10, 16}}, post{Enemies, Medivac, Vec{13, 16}})
	w.Command(0, walk(5, 16))
	w.Command(0, attack(1))
	if o := w.Unit(0).Order; o != walk(5, 16) {
		t.Errorf("order %+v", o)
	}
}
