package skirmish

import "math"

// acquire gives an attack-moving unit a target if it has none and one is near.
func (w *World) acquire(me int) {
	u := &w.units[me]
	switch {
	case u.healer():
		if u.Target == None {
			u.Target = w.patientFor(u)
		}
	case u.Target == None:
		u.Target = w.opponentFor(me, true)
	case w.rules.HealersFirst && w.healers && !w.units[u.Target].healer():
		if t := w.opponentFor(me, false); t != None {
			u.Target = t
		}
	}
}

// opponentFor returns the closest opponent that unit me notices, or None; the lower
// index wins ties. If nobody is near it returns, as far as the rules have it, one that
// is remembered for having hit me or a comrade, or else, if far is set, the first one
// that fights me.
func (w *World) opponentFor(me int, far bool) int {
	u := &w.units[me]
	best, nearest, healer, fallback := None, math.Inf(1), false, None
	for _, i := range w.living[u.Team.other()] {
		c := &w.units[i]
		if !u.canHit(c) {
			continue
		}
		onMe := c.Target == me
		if onMe && far && w.rules.Answer && fallback == None {
			fallback = i
		}
		d := c.Pos.minus(u.Pos).square()
		if !w.notices(u, c, d, onMe) {
			continue
		}
		first := w.rules.HealersFirst && c.healer()
		if best == None || first && !healer || first == healer && d < nearest {
			best, nearest, healer = i, d, first
		}
	}
	if best == None {
		best = w.grudgeOf(u)
	}
	if best == None {
		best = fallback
	}
	return best
}

// notices reports whether u sees c, at squared distance d, as a target.
func (w *World) notices(u, c *Unit, d float64, onMe bool) bool {
	if w.rules.EdgeScan {
		r := max(u.Stats.Scan, u.Stats.Range) + u.Stats.Radius + c.Stats.Radius
		return d <= r*r
	}
	r, limit := u.Stats.Scan+c.Stats.Radius, u.Stats.Scan+w.maxRadius
	return d < r*r || onMe && d <= limit*limit
}

// grudgeOf returns the opponent that u remembers, or None.
func (w *World) grudgeOf(u *Unit) int {
	if u.offender == None || w.units[u.offender].Health <= 0 || !u.canHit(&w.units[u.offender]) {
		return None
	}
	return u.offender
}

// patientFor returns the comrade near healer u that has the least health and is hurt
// or fighting, or None; the lower index wins ties.
func (w *World) patientFor(u *Unit) int {
	best, least := None, math.Inf(1)
	for _, i := range w.living[u.Team] {
		c := &w.units[i]
		r := u.Stats.Scan + c.Stats.Radius
		if !u.canHit(c) || c.Pos.minus(u.Pos).square() >= r*r {
			continue
		}
		if (c.Health < c.Stats.Health || c.Target != None) && c.Health < least {
			best, least = i, c.Health
		}
	}
	return best
}
