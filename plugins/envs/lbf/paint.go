package lbf

import (
	"fmt"

	"macpro/core"
)

var _ core.Painter = (*env)(nil)

// Paint shows the board with its levels. Eaten food is gone.
func (e *env) Paint(lane int, s *core.Scene) {
	w := &e.worlds[lane]
	s.Right, s.Top, s.Board = float64(w.size), float64(w.size), true
	s.Actions = []string{"stay", "north", "south", "west", "east"}
	s.Words = [4]string{core.Goal: "food with its level", core.Mate: "agent with its level, its number beside it"}
	at := func(c cell, half float64, t core.Thing) {
		t.X, t.Y = float64(c.col)+0.5, float64(w.size-1-c.row)+0.5
		t.HalfX, t.HalfY = half, half
		s.Things = append(s.Things, t)
	}
	if !w.eaten {
		at(w.food, 0.36, core.Thing{Role: core.Goal, Label: fmt.Sprint(w.level[0] + w.level[1])})
	}
	for i, p := range w.pos {
		at(p, 0.36, core.Thing{Role: core.Mate, Agent: i, Round: true, Label: fmt.Sprint(w.level[i])})
	}
}
