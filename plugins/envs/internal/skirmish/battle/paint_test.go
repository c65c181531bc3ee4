package battle

import (
	"testing"

	"macpro/core"
)

// Units are shown with what is left of them; the fallen only as such, behind the
// living; nobody stands outside of the picture.
func TestPaint(t *testing.T) {
	b := New(known("2s3z"), defaults())
	b.Reset(3)
	u := b.world.Unit(b.agents[1])
	u.Health, u.Shield, u.Target = u.Stats.Health/4, u.Stats.Shield/2, b.enemies[0]
	b.kill(b.enemies, 4)
	var s core.Scene
	b.Paint(&s)
	mates, foes, gone := 0, 0, 0
	for _, x := range s.Things {
		switch {
		case x.Role == core.Obstacle:
			continue
		case x.Gone:
			gone++
			if x.Living || foes > 0 || mates > 0 {
				t.Errorf("the fallen: %+v", x)
			}
		case x.Role == core.Foe:
			foes++
		default:
			mates++
			if x.Agent == 1 && (x.Health != 0.25 || x.Shield != 0.5 || !x.Aims || x.AimX != b.world.Unit(b.enemies[0]).Pos.X) {
				t.Errorf("agent 1: %+v", x)
			}
		}
		if x.X-x.HalfX < s.Left || x.X+x.HalfX > s.Right || x.Y-x.HalfY < s.Bottom || x.Y+x.HalfY > s.Top || x.Label == "" {
			t.Errorf("%+v is outside of %v to %v, %v to %v, or nameless", x, s.Left, s.Right, s.Bottom, s.Top)
		}
	}
	if mates != 5 || foes != 4 || gone != 1 {
		t.Errorf("%d agents, %d enemies, %d fallen", mates, foes, gone)
	}
}
