package lbf

import (
	"testing"

	"macpro/core"
)

// The picture shows what the state says: rows from above, levels as labels, and
// no food once it is eaten.
func TestPaint(t *testing.T) {
	e, f := open(t, "bottomright", 2, defaults(t))
	if err := e.Reset([]int{1}, []uint64{7}, f); err != nil {
		t.Fatal(err)
	}
	w := &e.worlds[1]
	w.pos, w.level = [players]cell{{0, 1}, {2, 0}}, [players]int{1, 2}
	var s core.Scene
	e.Paint(1, &s)
	if !s.Board || s.Right != 5 || s.Top != 5 || len(s.Things) != 3 {
		t.Fatalf("scene %+v", s)
	}
	want := []core.Thing{
		{Role: core.Goal, X: 4.5, Y: 0.5, Label: "3"},
		{Role: core.Mate, Agent: 0, Round: true, X: 1.5, Y: 4.5, Label: "1"},
		{Role: core.Mate, Agent: 1, Round: true, X: 0.5, Y: 2.5, Label: "2"},
	}
	for i, x := range want {
		x.HalfX, x.HalfY = s.Things[i].HalfX, s.Things[i].HalfY
		if s.Things[i] != x {
			t.Errorf("thing %d: %+v, want %+v", i, s.Things[i], x)
		}
	}
	w.eaten = true
	s = core.Scene{}
	if e.Paint(1, &s); len(s.Things) != 2 {
		t.Errorf("food that was eaten is still there: %+v", s.Things)
	}
}
