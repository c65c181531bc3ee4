package pp

import (
	"fmt"
	"strings"

	"macpro/core"
)

var _ core.Painter = (*env)(nil)

// Paint shows landmarks, prey and predators in their sizes. The plane has no
// walls: the picture grows with those who leave the square in which all start.
func (e *env) Paint(lane int, s *core.Scene) {
	const view = 1.75 // every task starts within
	w, r := &e.worlds[lane], e.rules
	s.Left, s.Bottom, s.Right, s.Top = -view, -view, view, view
	s.Actions = []string{"stay", "east", "west", "north", "south"}
	s.Words = [4]string{core.Obstacle: "landmark", core.Mate: "predator with its number", core.Foe: "prey"}
	if by := r.touches(w); len(by) >= r.touching {
		s.Note = "prey caught by " + strings.Trim(fmt.Sprint(by), "[]")
	}
	disc := func(at vec, size float64, t core.Thing) {
		t.Round, t.X, t.Y, t.HalfX, t.HalfY = true, at.x, at.y, size, size
		s.Things = append(s.Things, t)
		s.Left, s.Bottom = min(s.Left, at.x-size), min(s.Bottom, at.y-size)
		s.Right, s.Top = max(s.Right, at.x+size), max(s.Top, at.y+size)
	}
	for _, m := range r.landmarks {
		if r.landmarkSize > 0 {
			disc(m, r.landmarkSize, core.Thing{Role: core.Obstacle})
		}
	}
	disc(w.pos[predators], r.bodies[predators].size, core.Thing{Role: core.Foe})
	for i := range predators {
		disc(w.pos[i], r.bodies[i].size, core.Thing{Role: core.Mate, Agent: i})
	}
}
