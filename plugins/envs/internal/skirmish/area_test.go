package skirmish

import (
	"math"
	"testing"
)

// A medivac gives 9 health per second for a third as much energy, and stops when the
// patient is well.
func TestHeal(t *testing.T) {
	w := field(Liberty(), post{Allies, Medivac, Vec{10, 16}}, post{Allies, Marine, Vec{12, 16}}, post{Enemies, Medivac, Vec{30, 16}})
	w.Unit(1).Health = 20
	w.Command(0, attack(1))
	w.run(16)
	if got := w.Unit(1).Health; math.Abs(got-29) > 1e-9 {
		t.Errorf("health %v after a second, want 29", got)
	}
	w.run(64)
	if got := w.Unit(1).Health; got != 45 {
		t.Errorf("health %v at last", got)
	}
	spent := 50 + energyRate*5 - w.Unit(0).Energy
	if math.Abs(spent-25.0/3) > 1 {
		t.Errorf("spent %v energy on 25 health", spent)
	}
}

// A medivac needs 5 energy to begin with a patient, but none to go on.
func TestHealNeedsEnergy(t *testing.T) {
	for _, c := range []struct {
		energy float64
		healed bool
	}{{4, false}, {5, true}} {
		w := field(Liberty(), post{Allies, Medivac, Vec{10, 16}}, post{Allies, Marine, Vec{12, 16}}, post{Enemies, Medivac, Vec{30, 16}})
		w.Unit(0).Energy = c.energy
		w.Unit(1).Health = 20
		w.Command(0, attack(1))
		w.run(12) // a little over a second's worth of 4 energy
		if got := w.Unit(1).Health; (got > 20) != c.healed {
			t.Errorf("energy %v: health %v", c.energy, got)
		}
	}
}

// An enemy medivac looks after hurt comrades by itself.
func TestEnemyHealer(t *testing.T) {
	for _, r := range []*Rules{Liberty(), Lite()} {
		w := field(r, post{Allies, Marine, Vec{3, 10}}, post{Enemies, Medivac, Vec{24, 16}}, post{Enemies, Marine, Vec{22, 16}})
		w.Unit(2).Health = 20
		w.run(32)
		if got := w.Unit(2).Health; got < 30 {
			t.Errorf("%s: health %v after two seconds", r.Name, got)
		}
	}
}

// A baneling dies and hits everyone whose edge is within 2.2 cells.
func TestBlast(t *testing.T) {
	w := field(Liberty(), post{Allies, Baneling, Vec{10, 16}}, post{Enemies, Zealot, Vec{10.8, 16}},
		post{Enemies, Zealot, Vec{10, 18.69}}, post{Enemies, Zealot, Vec{10, 13.29}})
	for i := 1; i <= 3; i++ {
		w.pin(i)
		w.disarm(i)
	}
	w.Command(0, attack(1))
	w.Tick()
	if w.Unit(0).Alive {
		t.Error("the baneling lives")
	}
	for i, want := range []float64{1: 15, 2: 15, 3: 50} {
		if i > 0 && w.Unit(i).Shield != want {
			t.Errorf("zealot %d has a shield of %v, want %v", i, w.Unit(i).Shield, want)
		}
	}
}

// A colossus hits a strip of 2.8 x 0.3 cells across its line of fire.
func TestBeam(t *testing.T) {
	r := Liberty()
	r.Windup = false
	for _, turn := range []float64{0, 0.7, math.Pi / 2, 2.5} {
		c, s := math.Cos(turn), math.Sin(turn)
		at := func(along, across float64) Vec {
			return Vec{16 + along*c - across*s, 16 + along*s + across*c}
		}
		w := field(r, post{Allies, Colossus, Vec{16, 16}}, post{Enemies, Zergling, at(4, 0)},
			post{Enemies, Zergling, at(4, 1.3)}, post{Enemies, Zergling, at(4, -1.3)},
			post{Enemies, Zergling, at(4.4, 0.5)}, post{Enemies, Zergling, at(4.6, 0.5)}, post{Enemies, Zergling, at(4, 1.5)})
		for i := 1; i <= 6; i++ {
			w.tough(i)
		}
		u := w.Unit(0)
		u.aim = 1
		w.release(u, 0)
		for i, want := range []float64{1: 40, 2: 40, 3: 40, 4: 40, 5: 0, 6: 0} {
			if i > 0 && 1e6-w.Unit(i).Health != want {
				t.Errorf("turned by %v: zergling %d lost %v, want %v", turn, i, 1e6-w.Unit(i).Health, want)
			}
		}
	}
}
