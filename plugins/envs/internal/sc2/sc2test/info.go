package sc2test

import (
	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish"
)

// info describes the map in the form of new or of old versions.
func (g *match) info() *api.GameInfo {
	const n = skirmish.MapSize
	grid := &api.ImageData{Bits: 1, Size: &api.Size2D{X: n, Y: n}, Data: make([]byte, n*n/8)}
	if g.settings.ByteGrid {
		grid.Bits, grid.Data = 8, make([]byte, n*n)
	}
	for y := range n {
		for x := range n {
			open := g.m.Scene.Terrain.Open(x, y)
			switch {
			case g.settings.ByteGrid && !open:
				grid.Data[(n-1-y)*n+x] = 255
			case !g.settings.ByteGrid && open:
				grid.Data[(y*n+x)/8] |= 0x80 >> (x % 8)
			}
		}
	}
	return &api.GameInfo{MapName: g.m.Name, Start: &api.StartRaw{
		MapSize: &api.Size2D{X: n, Y: n}, Pathing: grid,
		Playable: &api.Rectangle{P0: &api.PointI{}, P1: &api.PointI{X: n, Y: n}},
	}}
}
