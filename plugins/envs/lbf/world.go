package lbf

import (
	"fmt"

	"macpro/core/rng"
)

const (
	players = 2
	actions = 5
	width   = 10 // of an observation and of the state
)

// cell is a place on the board; row 0 is the top.
type cell struct{ row, col int8 }

func (c cell) String() string { return fmt.Sprintf("(%d,%d)", c.row, c.col) }

// moves are the displacements of the actions stay, north, south, west, east.
var moves = [actions]cell{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}

func (c cell) touches(d cell) bool {
	r, k := c.row-d.row, c.col-d.col
	return r*r+k*k == 1
}

type world struct {
	size  int8
	sight int8 // 0 sees all
	food  cell
	eaten bool
	pos   [players]cell
	level [players]int
}

// spawn starts an episode: distinct cells of the top-left square, then levels.
func spawn(t task, c Config, seed uint64) world {
	s := rng.FromSeed(seed)
	w, most := world{size: t.size, food: t.food, sight: t.sight}, c.MaxLevel
	if t.level > 0 {
		most = t.level
	}
	cells := c.SpawnSize * c.SpawnSize
	first, second := s.Intn(cells), s.Intn(cells-1)
	if second >= first {
		second++
	}
	for i, at := range [players]int{first, second} {
		w.pos[i] = cell{int8(at / c.SpawnSize), int8(at % c.SpawnSize)}
		w.level[i] = 1 + s.Intn(most)
	}
	return w
}

// step moves both players and eats the food if both have reached it.
func (w *world) step(joint []int32) {
	to := [players]cell{w.target(0, joint[0]), w.target(1, joint[1])}
	if to[0] != to[1] {
		w.pos = to
	}
	w.eaten = w.pos[0].touches(w.food) && w.pos[1].touches(w.food)
}

// target is the cell that a player is bound for.
func (w *world) target(i int, action int32) cell {
	m := moves[action]
	to := cell{w.pos[i].row + m.row, w.pos[i].col + m.col}
	if to.row < 0 || to.col < 0 || to.row >= w.size || to.col >= w.size || to == w.food {
		return w.pos[i]
	}
	return to
}

// share is player i's part of the food, 0 before it is eaten. The parts of both
// add up to 1.
func (w *world) share(i int) float64 {
	if !w.eaten {
		return 0
	}
	return float64(w.level[i]) / float64(w.level[0]+w.level[1])
}

func (w *world) sees(i int, c cell) bool {
	r, k := c.row-w.pos[i].row, c.col-w.pos[i].col
	return w.sight == 0 || max(r, -r, k, -k) <= w.sight
}
