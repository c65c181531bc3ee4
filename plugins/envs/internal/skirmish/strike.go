package skirmish

// act continues the attack of unit me, or begins one if it may.
func (w *World) act(me int) {
	u := &w.units[me]
	if u.strikes > 0 {
		if u.gap--; u.gap <= 0 {
			w.strikeAgain(u, me)
		}
	}
	if u.windup > 0 {
		if u.windup--; u.windup == 0 {
			w.release(u, me)
		}
		return
	}
	if !u.engaged || u.Cooldown > 0 {
		return
	}
	u.aim = u.objective()
	u.Cooldown = w.period(u)
	if w.rules.Windup {
		u.windup = ticks(u.Stats.DamagePoint)
	}
	if u.windup == 0 {
		w.release(u, me)
	}
}

// period is the time until u's next attack.
func (w *World) period(u *Unit) float64 {
	p := u.Stats.Period
	if lo, hi := w.rules.JitterLow, w.rules.JitterHigh; hi > lo && u.Stats.Weapon != Heal {
		p += lo + (hi-lo)*w.rnd.Float64()
	}
	return p
}

// release lets go the attack that u aims. If the target has died meanwhile the
// attack does not take place, or hits the corpse, according to the rules.
func (w *World) release(u *Unit, me int) {
	t := &w.units[u.aim]
	if t.Health <= 0 && !w.rules.Corpses {
		u.Cooldown = 0
		return
	}
	switch u.Stats.Weapon {
	case Heal:
		w.heal(u, t)
	case Blast:
		w.blast(u, me)
	case Beam:
		w.beam(u, me, t)
	default:
		w.shoot(u, me, t)
	}
}

// shoot carries out an attack on one target: by a missile, in spaced strikes, or by
// all strikes at once.
func (w *World) shoot(u *Unit, me int, t *Unit) {
	s := u.Stats
	if w.rules.Missiles && s.MissileSpeed > 0 {
		if u.missile.ticks > 0 {
			w.hit(me, u.missile.target)
			w.flying--
		}
		d := t.Pos.minus(u.Pos).length()
		u.missile = flight{target: u.aim, ticks: max(ticks(d/s.MissileSpeed), 1)}
		w.flying++
		return
	}
	if w.rules.Windup && s.StrikeGap > 0 {
		w.hit(me, u.aim)
		u.strikes, u.gap = s.Strikes-1, ticks(s.StrikeGap)
		return
	}
	w.strikeAll(u, me, u.aim)
}

func (w *World) strikeAgain(u *Unit, me int) {
	if w.units[u.aim].Health <= 0 {
		u.strikes = 0
		return
	}
	w.hit(me, u.aim)
	u.strikes--
	u.gap = ticks(u.Stats.StrikeGap)
}

// land advances the missiles, also those of dead units, in the order of indices.
func (w *World) land() {
	for i := range w.units {
		m := &w.units[i].missile
		if m.ticks == 0 {
			continue
		}
		if m.ticks--; m.ticks == 0 {
			w.flying--
			w.hit(i, m.target)
		}
	}
}

// hit deals one strike of unit by to unit on: the shield absorbs what it can without
// armor, the rest less the armor comes off health.
func (w *World) hit(by, on int) {
	u, t := &w.units[by], &w.units[on]
	if t.Health <= 0 {
		return
	}
	if t.Stats.Shield > 0 {
		t.ShieldDelay = shieldDelay
	}
	d := u.Stats.Damage
	if u.Stats.BonusTo&t.Stats.Traits != 0 {
		d += u.Stats.Bonus
	}
	absorbed := min(d, t.Shield)
	t.Shield -= absorbed
	lost := 0.0
	if d > absorbed {
		lost = min(max(d-absorbed-t.Stats.Armor, w.rules.MinDamage), t.Health)
	}
	t.Health -= lost
	if t.Health <= 0 {
		w.died = true
	}
	if t.Team == Enemies {
		w.score += absorbed + lost
		if t.Health <= 0 {
			w.score += killScore
		}
	}
	if w.rules.HelpRadius > 0 {
		w.cry(t, on, by)
	}
}

const killScore = 10

// cry makes t, which was hit, and its comrades around remember the offender.
func (w *World) cry(t *Unit, on, by int) {
	if t.Team != Enemies {
		return
	}
	memory := ticks(w.rules.HelpMemory)
	t.offender, t.grudge = by, memory
	if t.quiet > 0 {
		return
	}
	t.quiet = memory
	r := w.rules.HelpRadius
	for _, i := range w.living[t.Team] {
		c := &w.units[i]
		if i != on && c.offender == None && c.Pos.minus(t.Pos).square() <= r*r {
			c.offender, c.grudge = by, memory
		}
	}
}
