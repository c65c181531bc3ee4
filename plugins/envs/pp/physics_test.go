package pp

import (
	"math"
	"testing"
)

// TestPenetration compares with the formula, evaluated so that it can neither
// overflow nor lose small values.
func TestPenetration(t *testing.T) {
	for gap := -0.5; gap < 0.5; gap += 0.00037 {
		z := -gap / margin
		want := margin * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))))
		if got := penetration(gap); math.Abs(got-want) > 1e-16 {
			t.Fatalf("gap %v: %v, want %v", gap, got, want)
		}
	}
}

// TestRepulsion: forces are opposite, point away, and vanish where the horizon
// cuts them without a jump that anyone could see.
func TestRepulsion(t *testing.T) {
	a, b := vec{0.1, 0.2}, vec{0.13, 0.16} // 0.05 apart
	f, g := repulsion(a, b, 0.15), repulsion(b, a, 0.15)
	if f.x != -g.x || f.y != -g.y {
		t.Errorf("%v and %v are not opposite", f, g)
	}
	if math.Abs(f.x+6) > 1e-9 || math.Abs(f.y-8) > 1e-9 {
		t.Errorf("overlap by 0.1 pushes with %v, want (-6, 8)", f)
	}
	edge := 0.15 + horizon*margin
	if f := repulsion(vec{edge * 0.999999, 0}, vec{}, 0.15); f.x <= 0 || f.x > 1e-15 {
		t.Errorf("inside the horizon: %v", f)
	}
	if f := repulsion(vec{edge, 0}, vec{}, 0.15); f != (vec{}) {
		t.Errorf("at the horizon: %v", f)
	}
	if f := repulsion(vec{}, vec{}, -1); f != (vec{}) {
		t.Errorf("sizes that add up to less than nothing: %v", f)
	}
}

// TestCoincidentBodies: centres in one point push apart along x.
func TestCoincidentBodies(t *testing.T) {
	e, f := open(t, "heuristic", 1, defaults(t))
	if err := e.Reset([]int{0}, []uint64{1}, f); err != nil {
		t.Fatal(err)
	}
	e.worlds[0] = world{pos: [bodies]vec{{2, 2}, {2, 2}, {0.5, 0.5}, {-2, -2}}} // 2 sits on landmark 0
	if err := e.Step([]int{0}, []int32{0, 0, 0}, f); err != nil {
		t.Fatal(err)
	}
	p := e.worlds[0].pos
	if !(p[0].x > 2 && p[1].x < 2 && p[0].y == 2 && p[2].x > 0.5) {
		t.Errorf("after a step: %v", p)
	}
	for i, x := range f.Obs {
		if x != x {
			t.Fatalf("observation %d is NaN", i)
		}
	}
}

func TestSpeedIsCut(t *testing.T) {
	e, _ := open(t, "fix-frozen", 1, defaults(t))
	w := world{pos: [bodies]vec{{0, 0}, {5, 0}, {0, 5}, {9, 9}}, vel: [bodies]vec{{0.9, 0.9}}}
	e.rules.step(&w, [bodies]int32{1, 1, 0, 0})
	if v := w.vel[0]; math.Abs(math.Hypot(v.x, v.y)-1) > 1e-15 || v.x <= v.y {
		t.Errorf("velocity %v", v)
	}
	if v := w.vel[1]; math.Abs(v.x-0.3) > 1e-15 || v.y != 0 {
		t.Errorf("a push of 3 for 0.1 gives %v", v)
	}
}

func TestPreyChoosesItsPredator(t *testing.T) {
	w := world{pos: [bodies]vec{{0.3, 0.1}, {-0.6, -0.4}, {2, 2}, {0, 0}}}
	own, _ := open(t, "heuristic", 1, defaults(t))
	if a := own.rules.preyAction(&w); a != 2 { // predator 0 is nearest: away from it, -x
		t.Errorf("flees with %d", a)
	}
	theirs, _ := open(t, "heuristic", 1, asOfficial(t))
	if a := theirs.rules.preyAction(&w); a != 1 { // predator 1 is nearest to landmark 1: +x
		t.Errorf("the original's flees with %d", a)
	}
	for o, want := range map[vec32]int32{{1, 1}: 1, {-1, 1}: 2, {0, 0}: 1, {0.5, 1}: 3, {0.5, -1}: 4} {
		if a := along(o, 1); a != want {
			t.Errorf("towards %v: %d, want %d", o, a, want)
		}
	}
	for o, want := range map[vec32]int32{{1, 1}: 2, {-1, 1}: 1, {0, 0}: 2, {0.5, 1}: 4, {0.5, -1}: 3} {
		if a := along(o, -1); a != want {
			t.Errorf("away from %v: %d, want %d", o, a, want)
		}
	}
}

func TestRandomPreyIsUniformAndSeeded(t *testing.T) {
	e, _ := open(t, "flash-random", 1, defaults(t))
	counts := [actions]int{}
	w, again := e.rules.start(5), e.rules.start(5)
	for range 10000 {
		a := e.rules.preyAction(&w)
		if b := e.rules.preyAction(&again); a != b {
			t.Fatal("one seed, two preys")
		}
		counts[a]++
	}
	for a, n := range counts {
		if n < 1840 || n > 2160 { // four standard deviations
			t.Errorf("action %d came %d times of 10000", a, n)
		}
	}
}
