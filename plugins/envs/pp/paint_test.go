package pp

import (
	"testing"

	"macpro/core"
)

// Landmarks, prey and predators stand where they are, and the picture grows with
// those who leave.
func TestPaint(t *testing.T) {
	e, f := open(t, "heuristic", 1, defaults(t))
	if err := e.Reset([]int{0}, []uint64{7}, f); err != nil {
		t.Fatal(err)
	}
	e.worlds[0].pos[1] = vec{3, -0.25}
	var s core.Scene
	e.Paint(0, &s)
	size := e.rules.predator.size
	if s.Left != -1.75 || s.Right != 3+size || len(s.Things) != 6 {
		t.Fatalf("from %v to %v with %d things, want -1.75 to %v and 6", s.Left, s.Right, len(s.Things), 3+size)
	}
	roles := []core.Role{core.Obstacle, core.Obstacle, core.Foe, core.Mate, core.Mate, core.Mate}
	for i, r := range roles {
		if s.Things[i].Role != r {
			t.Errorf("thing %d has role %d, want %d", i, s.Things[i].Role, r)
		}
	}
	if s.Note != "" {
		t.Errorf("nobody caught the prey: %q", s.Note)
	}
	for _, i := range []int{0, 2} {
		e.worlds[0].pos[i] = e.worlds[0].pos[predators]
	}
	s = core.Scene{}
	if e.Paint(0, &s); s.Note != "prey caught by 0 2" {
		t.Errorf("the picture says %q", s.Note)
	}
	if m := s.Things[4]; m.X != 3 || m.Y != -0.25 || m.Agent != 1 || m.HalfX != size || !m.Round {
		t.Errorf("predator 1: %+v", m)
	}
}
