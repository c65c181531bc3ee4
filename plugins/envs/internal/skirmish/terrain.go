package skirmish

import "math"

// MapSize is the width and height of every map in cells.
const MapSize = 32

// Terrain is a map's grid of walkable cells together with its walls.
type Terrain struct {
	open  [MapSize][MapSize]bool // [y][x]
	walls []wall
}

// wall is an axis-parallel rectangle of blocked cells.
type wall struct {
	corner [4]Vec // counter-clockwise from the lower left one
	centre Vec
	half   Vec
}

// wallAlong[e] is the direction of a wall's edge from corner e to corner e+1.
var wallAlong = [4]Vec{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}

// span is a run of walkable cells x0 <= x < x1 in rows y0 <= y < y1.
type span struct{ x0, x1, y0, y1 int }

// newTerrain makes the map on which exactly the cells of the spans are walkable.
func newTerrain(spans ...span) *Terrain {
	t := new(Terrain)
	for _, s := range spans {
		for y := s.y0; y < s.y1; y++ {
			for x := s.x0; x < s.x1; x++ {
				t.open[y][x] = true
			}
		}
	}
	t.build()
	return t
}

// Open reports whether the cell in column x and row y is on the map and walkable.
func (t *Terrain) Open(x, y int) bool {
	return x >= 0 && x < MapSize && y >= 0 && y < MapSize && t.open[y][x]
}

// Walls shows rectangles that cover the blocked cells, by centre and half size.
func (t *Terrain) Walls(show func(centre, half Vec)) {
	for i := range t.walls {
		show(t.walls[i].centre, t.walls[i].half)
	}
}

// build cuts the blocked cells into rectangles: from the first cell that belongs to
// none, in rows from below, as far to the right and then as far up as cells are
// blocked. Rectangles may overlap.
func (t *Terrain) build() {
	var covered [MapSize][MapSize]bool
	for y := range MapSize {
		for x := range MapSize {
			if covered[y][x] || t.open[y][x] {
				continue
			}
			x1, y1 := x+1, y+1
			for x1 < MapSize && !t.open[y][x1] {
				x1++
			}
			for y1 < MapSize && t.blocked(x, x1, y1) {
				y1++
			}
			for v := y; v < y1; v++ {
				for u := x; u < x1; u++ {
					covered[v][u] = true
				}
			}
			t.walls = append(t.walls, newWall(float64(x), float64(y), float64(x1), float64(y1)))
		}
	}
}

func (t *Terrain) blocked(x0, x1, y int) bool {
	for x := x0; x < x1; x++ {
		if t.open[y][x] {
			return false
		}
	}
	return true
}

func newWall(x0, y0, x1, y1 float64) wall {
	return wall{
		corner: [4]Vec{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}},
		centre: Vec{(x0 + x1) / 2, (y0 + y1) / 2},
		half:   Vec{(x1 - x0) / 2, (y1 - y0) / 2},
	}
}

// within reports whether the rectangle is no farther than r from p.
func (w *wall) within(p Vec, r float64) bool {
	dx := max(0, math.Abs(p.X-w.centre.X)-w.half.X)
	dy := max(0, math.Abs(p.Y-w.centre.Y)-w.half.Y)
	return dx <= r && dy <= r && dx*dx+dy*dy <= r*r
}
