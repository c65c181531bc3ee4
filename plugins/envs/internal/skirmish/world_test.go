package skirmish

import (
	"slices"
	"testing"

	"macpro/core/rng"
)

// trace is every unit's state after every step of a battle.
func trace(w *World, seed uint64, steps int, between func()) []Unit {
	w.Reset(seed)
	r := rng.FromSeed(99)
	var out []Unit
	for range steps {
		w.disorder(&r)
		w.run(8)
		between()
		for _, u := range w.units {
			u.Stats = nil
			out = append(out, u)
		}
	}
	return out
}

// One seed, one battle, whatever happened before in this world or happens in others.
func TestSeeds(t *testing.T) {
	for _, rules := range []*Rules{Liberty(), Lite()} {
		want := trace(squads(rules), 5, 30, func() {})
		w, other := squads(rules), squads(rules)
		trace(w, 6, 10, func() {})
		if got := trace(w, 5, 30, other.Tick); !slices.Equal(got, want) {
			t.Errorf("%s: a used world beside another one differs", rules.Name)
		}
		if got := trace(w, 6, 30, func() {}); slices.Equal(got, want) {
			t.Errorf("%s: two seeds give one battle", rules.Name)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	for _, rules := range []*Rules{Liberty(), Lite()} {
		w := squads(rules)
		r := rng.FromSeed(3)
		steps := 0
		if n := testing.AllocsPerRun(400, func() {
			if steps++; steps%60 == 0 {
				w.Reset(uint64(steps))
			}
			w.disorder(&r)
			w.run(8)
		}); n != 0 {
			t.Errorf("%s: %v allocations per step", rules.Name, n)
		}
	}
}

func TestRulesByName(t *testing.T) {
	for _, name := range []string{"sc2", "smaclite"} {
		if r, err := RulesByName(name); err != nil || r.Name != name {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if _, err := RulesByName("sc1"); err == nil {
		t.Error("sc1 is known")
	}
}

// A shield recharges by 2 per second from 10 seconds after the last hit on.
func TestShield(t *testing.T) {
	w := field(Liberty(), post{Allies, Marine, Vec{3, 10}}, post{Enemies, Zealot, Vec{29, 22}})
	w.pin(1)
	w.hit(0, 1)
	u := w.Unit(1)
	w.run(159)
	if u.Shield != 44 {
		t.Errorf("shield %v before its time", u.Shield)
	}
	w.run(17)
	if u.Shield < 46 || u.Shield > 46.25 {
		t.Errorf("shield %v a second later", u.Shield)
	}
	w.run(100)
	if u.Shield != 50 {
		t.Errorf("shield %v at last", u.Shield)
	}
}

func BenchmarkTick(b *testing.B) {
	w := squads(Liberty())
	r := rng.FromSeed(3)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%480 == 0 {
			w.Reset(uint64(n))
		}
		if n%8 == 0 {
			w.disorder(&r)
		}
		w.Tick()
	}
}
