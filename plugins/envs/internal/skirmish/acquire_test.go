package skirmish

import "testing"

// How far enemies notice: between edges in the game, from the centre in SMAClite.
func TestScanRadius(t *testing.T) {
	for _, c := range []struct {
		rules  *Rules
		enemy  Kind
		radius float64
	}{
		{Liberty(), Marine, 5.75}, {Liberty(), Zealot, 5.875}, {Liberty(), Stalker, 7},
		{Lite(), Marine, 5.375}, {Lite(), Zealot, 5.375}, {Lite(), SpineCrawler, 10.375},
	} {
		for _, d := range []float64{c.radius - 0.01, c.radius + 0.01} {
			w := field(c.rules, post{Allies, Marine, Vec{10, 16}}, post{Enemies, c.enemy, Vec{10 + d, 16}})
			for i := range w.units {
				w.clean(&w.units[i], i)
			}
			w.decide(1)
			if noticed := w.Unit(1).Target == 0; noticed != (d < c.radius) {
				t.Errorf("%s %s at %v: target %d", c.rules.Name, c.enemy, d, w.Unit(1).Target)
			}
		}
	}
}

// The nearest is taken, the lower index on ties; a target in reach is kept when a
// nearer one comes.
func TestChoiceOfTarget(t *testing.T) {
	w := field(Liberty(), post{Allies, Marine, Vec{10, 14}}, post{Allies, Marine, Vec{10, 18}},
		post{Allies, Marine, Vec{5, 16}}, post{Enemies, Marine, Vec{13, 16}})
	w.Tick()
	if got := w.Unit(3).Target; got != 0 {
		t.Errorf("target %d of two at one distance", got)
	}
	w.Unit(2).Pos = Vec{12, 16}
	w.run(5)
	if got := w.Unit(3).Target; got != 0 {
		t.Errorf("target %d after a nearer one came", got)
	}
	w.Unit(0).Pos = Vec{2, 10}
	w.Tick()
	if got := w.Unit(3).Target; got != 2 {
		t.Errorf("target %d after the first one left", got)
	}
}

// In SMAClite an enemy notices those who fight it from a little farther; of several the
// nearest, and from any distance if there is nobody else, the first.
func TestFightersAreNoticed(t *testing.T) {
	for _, c := range []struct {
		at   [2]float64 // distances of two marines
		want int
	}{{[2]float64{5.6, 5.5}, 1}, {[2]float64{9, 8}, 0}} {
		w := field(Lite(), post{Allies, Marine, Vec{20 - c.at[0], 16}}, post{Allies, Marine, Vec{20 - c.at[1], 16}},
			post{Allies, Stalker, Vec{1, 10}}, post{Enemies, Marine, Vec{20, 16}})
		w.Unit(0).Target, w.Unit(1).Target = 3, 3
		if got := w.opponentFor(3, true); got != c.want {
			t.Errorf("at %v: target %d, want %d", c.at, got, c.want)
		}
	}
}

// Under the game's rules, too, an enemy that notices nobody goes for the one who is
// after it; whom it notices comes first.
func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		answer bool
		idle   float64 // x of a marine that does nothing
		want   int
	}{{true, 2, 0}, {false, 2, None}, {true, 15, 1}} {
		r := Liberty()
		r.Answer = c.answer
		w := field(r, post{Allies, Marine, Vec{5, 10}}, post{Allies, Marine, Vec{c.idle, 16}}, post{Enemies, Marine, Vec{20, 16}})
		w.Command(0, Order{Verb: Attack, Target: 2})
		w.Tick()
		if got := w.Unit(2).Target; got != c.want {
			t.Errorf("%+v: target %d", c, got)
		}
	}
}

// A unit that is hit from afar goes for the attacker, and so do comrades within 4
// cells, for two seconds.
func TestCallForHelp(t *testing.T) {
	w := field(Liberty(), post{Allies, Marine, Vec{5, 10}}, post{Enemies, Marine, Vec{20, 16}},
		post{Enemies, Marine, Vec{20, 19.9}}, post{Enemies, Marine, Vec{24.1, 16}})
	w.hit(0, 1)
	w.Tick()
	for i, want := range []int{1: 0, 2: 0, 3: None} {
		if i > 0 && w.Unit(i).Target != want {
			t.Errorf("enemy %d: target %d, want %d", i, w.Unit(i).Target, want)
		}
	}
	w.run(32)
	for i := 1; i <= 3; i++ {
		if w.Unit(i).Target != None {
			t.Errorf("enemy %d still remembers", i)
		}
	}
	w = field(Liberty(), post{Allies, Marine, Vec{5, 10}}, post{Allies, Marine, Vec{5, 22}},
		post{Enemies, Marine, Vec{20, 16}}, post{Enemies, Marine, Vec{20, 18}})
	w.hit(0, 2)
	w.hit(1, 3)
	w.Tick()
	if a, b := w.Unit(2).Target, w.Unit(3).Target; a != 0 || b != 1 {
		t.Errorf("targets %d and %d: each goes for the one who hit it", a, b)
	}
	r := Liberty()
	r.HelpRadius = 0
	w = field(r, post{Allies, Marine, Vec{5, 10}}, post{Enemies, Marine, Vec{20, 16}})
	w.hit(0, 1)
	w.Tick()
	if w.Unit(1).Target != None {
		t.Error("remembers although calls for help are off")
	}
}

// Agents' units do nothing on their own.
func TestAlliesArePassive(t *testing.T) {
	w := field(Liberty(), post{Allies, Marine, Vec{10, 16}}, post{Enemies, Zealot, Vec{14, 16}})
	w.run(30)
	ally, enemy := w.Unit(0), w.Unit(1)
	if enemy.Health != 100 || enemy.Shield != 50 || ally.Pos != (Vec{10, 16}) {
		t.Errorf("the ally at %v fought: enemy has %v and %v", ally.Pos, enemy.Health, enemy.Shield)
	}
	if ally.Health == 45 {
		t.Error("the enemy did not attack")
	}
}

// SMAClite's enemies prefer healers, the game's take the nearest.
func TestHealersFirst(t *testing.T) {
	for _, c := range []struct {
		rules *Rules
		want  int
	}{{Liberty(), 0}, {Lite(), 1}} {
		w := field(c.rules, post{Allies, Marine, Vec{10, 16}}, post{Allies, Medivac, Vec{9, 17}}, post{Enemies, Marine, Vec{13, 16}})
		w.run(2)
		if got := w.Unit(2).Target; got != c.want {
			t.Errorf("%s: target %d, want %d", c.rules.Name, got, c.want)
		}
	}
}
