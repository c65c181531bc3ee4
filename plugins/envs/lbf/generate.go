package lbf

import (
	"fmt"
	"math"

	"macpro/core/rng"
	"macpro/plugins/envs/internal/procgen"
)

// The ranges of generated tasks. At difficulty 0 the board is the paper's, levels go up
// to 2 and players see everything.
const (
	leastSize, mostSize   = 5, 9
	leastLevel, mostLevel = 2, 6
	leastSight            = 2
	corner                = 3 // food stays out of the first rows of the first columns
)

// draw is the name of a task of the distribution at difficulty d. The board's side is
// uniform in 5 to 5+round(4d), the largest level in 1 to 2+round(4d), the food's cell
// uniform outside of the corner. With probability d sight is limited: then it is uniform
// in 2 to the side less 2.
func draw(s *rng.Stream, d float64) string {
	size := procgen.Whole(s, leastSize, leastSize+int(math.Round(d*(mostSize-leastSize))))
	level := procgen.Whole(s, 1, leastLevel+int(math.Round(d*(mostLevel-leastLevel))))
	k, beside := s.Intn(size*size-corner*corner), corner*(size-corner)
	food := cell{int8(k / (size - corner)), int8(corner + k%(size-corner))}
	if k -= beside; k >= 0 {
		food = cell{int8(corner + k/size), int8(k % size)}
	}
	limited, sight := s.Float64() < d, procgen.Whole(s, leastSight, size-2)
	if !limited {
		sight = size
	}
	return generatedName(size, food, level, sight)
}

// generatedName tells all constants of a task: 7x7-f2.5-l3-s4 has the food in row 2 and
// column 5, levels up to 3 and sight 4. A sight of the whole side is no limit.
func generatedName(size int, food cell, level, sight int) string {
	return fmt.Sprintf("%dx%d-f%d.%d-l%d-s%d", size, size, food.row, food.col, level, sight)
}

func parse(name string) (task, bool) {
	var size, other, level, sight int
	var food cell
	n, err := fmt.Sscanf(name, "%dx%d-f%d.%d-l%d-s%d", &size, &other, &food.row, &food.col, &level, &sight)
	t := task{name: name, size: int8(size), food: food, level: level, sight: int8(sight)}
	ok := err == nil && n == 6 && name == generatedName(size, food, level, sight) && size == other &&
		size >= leastSize && size <= mostSize && level >= 1 && level <= mostLevel && sight >= leastSight && sight <= size &&
		min(food.row, food.col) >= 0 && int(max(food.row, food.col)) < size && max(food.row, food.col) >= corner
	return t, ok
}
