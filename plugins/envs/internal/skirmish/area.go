package skirmish

import "math"

// heal gives a patient as much health as one tick allows, paid for with energy.
func (w *World) heal(u, t *Unit) {
	tooWeak := u.patient != u.Target && u.Energy < healMinimum
	lost := t.Health <= 0 && !w.rules.Revive
	if tooWeak || lost || t.Health >= t.Stats.Health {
		u.Target = None
		return
	}
	want := min(t.Stats.Health-t.Health, healRate*tick)
	if u.Dose < want {
		paid := min(1, u.Energy)
		u.Energy -= paid
		u.Dose += paid * healPerPoint
	}
	given := min(want, u.Dose)
	u.Dose -= given
	t.Health += given
}

// blast kills the unit and hits every opponent whose edge is within the radius.
func (w *World) blast(u *Unit, me int) {
	if u.Team == Enemies {
		w.score += u.Health
	}
	u.Health = 0
	w.died = true
	for _, i := range w.living[u.Team.other()] {
		t := &w.units[i]
		r := blastRadius + t.Stats.Radius
		if t.Health > 0 && t.Pos.minus(u.Pos).square() <= r*r {
			w.strikeAll(u, me, i)
		}
	}
}

// beam hits every opponent that touches a rectangle around the target: beamWidth
// across the line of fire, beamHeight along it. Only opponents are considered whose
// centre is within half the rectangle's diagonal of the target.
func (w *World) beam(u *Unit, me int, t *Unit) {
	fire := t.Pos.minus(u.Pos)
	d := fire.length()
	if d == 0 {
		fire, d = Vec{1, 0}, 1
	}
	along := fire.times(1 / d)
	across := along.left()
	reach := math.Hypot(beamWidth, beamHeight) / 2
	at := t.Pos
	for _, i := range w.living[u.Team.other()] {
		c := &w.units[i]
		off := c.Pos.minus(at)
		if c.Health <= 0 || off.square() > reach*reach {
			continue
		}
		gap := Vec{
			max(math.Abs(off.dot(across))-beamWidth/2, 0),
			max(math.Abs(off.dot(along))-beamHeight/2, 0),
		}
		if r := c.Stats.Radius; gap.square() <= r*r {
			w.strikeAll(u, me, i)
		}
	}
}

func (w *World) strikeAll(u *Unit, me, on int) {
	for range u.Stats.Strikes {
		w.hit(me, on)
	}
}
