package lbf

import (
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/rng"
)

func TestGeneratedConformance(t *testing.T) {
	s := defaults(t)
	maps.Copy(s, core.Settings{"env_args.generate": 4, "env_args.generate_difficulty": 1.0})
	conform.Env(t, Plugin{}, s)
}

// Every drawn name opens the task that it tells, and constants stay within the ranges of
// their difficulty.
func TestDraw(t *testing.T) {
	s, limited, large := rng.New(3).Stream(), 0, 0
	for range 2000 {
		name := draw(s, 1)
		x, ok := parse(name)
		if !ok {
			t.Fatalf("%s cannot be read", name)
		}
		if x.sight < x.size {
			limited++
		}
		if x.size == mostSize {
			large++
		}
		if y, ok := parse(draw(s, 0)); !ok || y.size != 5 || y.level > 2 || y.sight != 5 {
			t.Fatalf("at difficulty 0: %+v", y)
		}
	}
	if limited < 1990 || large < 300 || large > 500 {
		t.Errorf("of 2000 tasks %d have limited sight and %d the largest board, want all and a fifth", limited, large)
	}
	for _, name := range []string{"7x7-f1.2-l3-s4", "7x7-f7.2-l3-s4", "7x6-f5.2-l3-s4", "4x4-f3.3-l1-s4", "7x7-f5.2-l0-s4", "7x7-f5.2-l3-s8", "7x7-f05.2-l3-s4", "7x7-f5.2-l3-s4x"} {
		if x, ok := parse(name); ok {
			t.Errorf("%s was read as %+v", name, x)
		}
	}
}

// Players see food and each other only within their sight.
func TestSight(t *testing.T) {
	x, _ := parse("6x6-f4.5-l1-s2")
	w := world{size: x.size, food: x.food, sight: x.sight, pos: [players]cell{{1, 1}, {3, 3}}, level: [players]int{1, 1}}
	var o [width]float32
	for _, c := range []struct {
		player int
		want   [9]float32
	}{
		{0, [9]float32{-1, -1, 0, 1, 1, 1, 3, 3, 1}}, // the food is 3 rows away
		{1, [9]float32{4, 5, 2, 3, 3, 1, 1, 1, 1}},
	} {
		if w.observe(c.player, &o); [9]float32(o[:9]) != c.want {
			t.Errorf("player %d sees %v, want %v", c.player, o[:9], c.want)
		}
	}
	w.pos[0] = cell{0, 3}
	if w.observe(0, &o); [3]float32(o[6:9]) != [3]float32{-1, -1, 0} {
		t.Errorf("a player 3 rows away is seen at %v", o[6:9])
	}
}
