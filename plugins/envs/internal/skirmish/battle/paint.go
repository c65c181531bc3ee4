package battle

import (
	"fmt"

	"macpro/core"
	"macpro/plugins/envs/internal/skirmish"
)

// around is the room left between the units and the edge of the picture.
const around = 2

// Paint shows the part of the map in which the units are: walls, then the
// fallen, then enemies and agents with health, shield and target.
func (b *Battle) Paint(s *core.Scene) {
	s.Left, s.Bottom = skirmish.MapSize, skirmish.MapSize
	s.Actions = []string{"none", "stop", "north", "south", "east", "west"}
	for j := range b.enemies {
		s.Actions = append(s.Actions, fmt.Sprintf("attack %d", j))
	}
	s.Words = [4]string{core.Obstacle: "wall", core.Mate: "agent with its type, its number beside it", core.Foe: "enemy"}
	for i := range b.world.Len() {
		p := b.world.Unit(i).Pos
		s.Left, s.Right = max(0, min(s.Left, p.X-around)), min(skirmish.MapSize, max(s.Right, p.X+around))
		s.Bottom, s.Top = max(0, min(s.Bottom, p.Y-around)), min(skirmish.MapSize, max(s.Top, p.Y+around))
	}
	b.m.Scene.Terrain.Walls(func(c, half skirmish.Vec) {
		s.Things = append(s.Things, core.Thing{Role: core.Obstacle, X: c.X, Y: c.Y, HalfX: half.X, HalfY: half.Y})
	})
	for _, gone := range []bool{true, false} {
		for _, i := range b.enemies {
			b.paintUnit(s, i, gone, core.Thing{Role: core.Foe})
		}
		for agent, i := range b.agents {
			b.paintUnit(s, i, gone, core.Thing{Role: core.Mate, Agent: agent})
		}
	}
}

// paintUnit adds unit i if it is gone or not, as asked for.
func (b *Battle) paintUnit(s *core.Scene, i int, gone bool, t core.Thing) {
	u := b.world.Unit(i)
	if u.Alive == gone {
		return
	}
	t.Round, t.X, t.Y, t.HalfX, t.HalfY = true, u.Pos.X, u.Pos.Y, u.Stats.Radius, u.Stats.Radius
	t.Living, t.Gone, t.Label = !gone, gone, initials[u.Kind]
	t.Health = u.Health / u.Stats.Health
	if u.Stats.Shield > 0 {
		t.Shield = u.Shield / u.Stats.Shield
	}
	if v := u.Target; v != skirmish.None && !gone && b.world.Unit(v).Alive {
		at := b.world.Unit(v).Pos
		t.Aims, t.AimX, t.AimY = true, at.X, at.Y
	}
	s.Things = append(s.Things, t)
}

// initials of the unit types.
var initials = [skirmish.Kinds]string{
	skirmish.Marine: "m", skirmish.Marauder: "M", skirmish.Medivac: "+", skirmish.Stalker: "S", skirmish.Zealot: "Z",
	skirmish.Colossus: "C", skirmish.Hydralisk: "H", skirmish.Zergling: "z", skirmish.Baneling: "b", skirmish.SpineCrawler: "X",
}
