package sc2

import (
	"testing"

	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// info describes a map of 8 by 2 cells: below only x = 0 is walkable, above only
// x = 6 and 7.
func info(bits int32, data []byte) *api.GameInfo {
	return &api.GameInfo{Start: &api.StartRaw{
		MapSize: &api.Size2D{X: 8, Y: 2}, Pathing: &api.ImageData{Bits: bits, Data: data},
		Playable: &api.Rectangle{P0: &api.PointI{}, P1: &api.PointI{X: 8, Y: 2}},
	}}
}

func TestBothGridsOfWalkableCells(t *testing.T) {
	for name, i := range map[string]*api.GameInfo{
		"bits":  info(1, []byte{0b1000_0000, 0b0000_0011}),
		"bytes": info(8, []byte{255, 255, 255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255}),
	} {
		g, err := newGround(i)
		if err != nil {
			t.Fatal(err)
		}
		for y := -1; y <= 2; y++ {
			for x := -1; x <= 8; x++ {
				want := y == 0 && x == 0 || y == 1 && (x == 6 || x == 7)
				if g.walkable(x, y) != want {
					t.Errorf("%s: (%d,%d) is walkable: %v", name, x, y, !want)
				}
			}
		}
		row := make([]uint8, 6)
		g.moves(&battle.Unit{X: 6.5, Y: 0.5}, row)
		if row[2] != 1 || row[3] != 0 || row[4] != 0 || row[5] != 0 {
			t.Errorf("%s: moves %v, want north only", name, row[2:])
		}
	}
}

func TestBadGround(t *testing.T) {
	none, flat := info(1, nil), info(1, []byte{1, 1})
	none.Start.Playable = nil
	flat.Start.Playable.P1 = &api.PointI{}
	huge := info(1, nil)
	huge.Start.MapSize.X = 1 << 20
	for _, c := range []struct {
		info *api.GameInfo
		want string
	}{
		{none, "tells nothing of the map's size"}, {&api.GameInfo{}, "tells nothing"}, {flat, "0 by 0 of them playable"},
		{huge, "a map of 1048576 by 2 cells"}, {info(1, []byte{1}), "a grid of 1 bytes with 1 bits per cell for 8 by 2"},
		{info(4, make([]byte, 8)), "4 bits per cell"},
	} {
		_, err := newGround(c.info)
		refused(t, err, c.want)
	}
}
