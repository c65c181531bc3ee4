package sc2

import (
	"errors"
	"fmt"

	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// ground is what the game says about its map.
type ground struct {
	width, height int     // cells
	spanX, spanY  float64 // size of the playable area, by which places are divided
	open          []bool  // [height, width], walkable
}

func newGround(info *api.GameInfo) (*ground, error) {
	s := info.Start
	if s == nil || s.MapSize == nil || s.Pathing == nil || s.Playable == nil || s.Playable.P0 == nil || s.Playable.P1 == nil {
		return nil, errors.New("the game tells nothing of the map's size or its walkable cells")
	}
	g := &ground{
		width: int(s.MapSize.X), height: int(s.MapSize.Y),
		spanX: float64(s.Playable.P1.X - s.Playable.P0.X), spanY: float64(s.Playable.P1.Y - s.Playable.P0.Y),
	}
	if g.width <= 0 || g.height <= 0 || g.width > 512 || g.height > 512 || g.spanX <= 0 || g.spanY <= 0 {
		return nil, fmt.Errorf("a map of %d by %d cells, %v by %v of them playable", g.width, g.height, g.spanX, g.spanY)
	}
	return g, g.read(s.Pathing)
}

// read decodes the grid of walkable cells. Since version 4 it has one bit per cell,
// the row y = 0 first and the highest bit first, 1 where units can walk. Older
// versions send one byte per cell, the row y = 0 last, 0 where units can walk.
func (g *ground) read(grid *api.ImageData) error {
	cells := g.width * g.height
	g.open = make([]bool, cells)
	switch {
	case grid.Bits == 1 && g.width%8 == 0 && len(grid.Data) == cells/8:
		for i := range g.open {
			g.open[i] = grid.Data[i/8]>>(7-i%8)&1 == 1
		}
	case grid.Bits == 8 && len(grid.Data) == cells:
		for i := range g.open {
			g.open[i] = grid.Data[(g.height-1-i/g.width)*g.width+i%g.width] == 0
		}
	default:
		return fmt.Errorf("a grid of %d bytes with %d bits per cell for %d by %d cells", len(grid.Data), grid.Bits, g.width, g.height)
	}
	return nil
}

// walkable reports whether a cell is on the map and units can walk there.
func (g *ground) walkable(x, y int) bool {
	return x >= 0 && x < g.width && y >= 0 && y < g.height && g.open[y*g.width+x]
}

// moves writes the available moves of a living unit. They follow the game's own map,
// not the embedded engine's.
func (g *ground) moves(u *battle.Unit, row []uint8) {
	for d, c := range battle.Compass {
		row[2+d] = 0
		if g.walkable(int(u.X+c.X), int(u.Y+c.Y)) {
			row[2+d] = 1
		}
	}
}

// normalise returns the units in the coordinates of a map of the usual size, of which
// the state is made: relative to the map's centre, in units of the playable area.
func (g *ground) normalise(from, to []battle.Unit) {
	const size = skirmish.MapSize
	for i := range from {
		to[i] = from[i]
		to[i].X = size/2 + size*(from[i].X-float64(g.width/2))/g.spanX
		to[i].Y = size/2 + size*(from[i].Y-float64(g.height/2))/g.spanY
	}
}
