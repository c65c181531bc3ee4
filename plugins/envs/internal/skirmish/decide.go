package skirmish

// clean drops a target that u must not or cannot fight any longer.
func (w *World) clean(u *Unit, me int) {
	u.patient = u.Target
	switch u.Order.Verb {
	case Attack:
		u.Target = u.Order.Target
		if w.units[u.Target].Health > 0 {
			return
		}
		u.Target = None
		if !w.rules.Corpses {
			u.Order = Order{}
		}
	case AttackMove:
		if u.Target == None {
			return
		}
		t := &w.units[u.Target]
		if t.Health <= 0 || t.Target != me && !u.reaches(t) {
			u.Target = None
		}
	default:
		u.Target = None
	}
}

// decide sets the velocity that unit me wants and whether it wants to strike.
func (w *World) decide(me int) {
	u := &w.units[me]
	u.want, u.engaged = Vec{}, false
	switch u.Order.Verb {
	case Walk:
		u.want = u.walk(u.Order.To, u.Stats.Speed, w.rules.Overshoot)
	case Attack:
		w.pursue(u, u.Order.Target)
	case AttackMove:
		w.acquire(me)
		if u.Target == None {
			u.want = u.walk(u.Order.To, w.pace(u), w.rules.Overshoot)
		} else {
			w.pursue(u, u.Target)
		}
	}
	if u.windup > 0 && (!u.engaged || u.aim != u.objective()) {
		u.windup, u.Cooldown = 0, 0
	}
}

// objective is the unit that u follows, or None.
func (u *Unit) objective() int {
	if u.Order.Verb == Attack {
		return u.Order.Target
	}
	return u.Target
}

// pursue makes u strike its target if it is in reach, or walk towards it. Once an
// attack has begun it does not matter that the target steps out of reach.
func (w *World) pursue(u *Unit, target int) {
	t := &w.units[target]
	begun := u.windup > 0 && u.aim == target
	if begun || u.canHit(t) && u.reaches(t) {
		u.engaged = true
		return
	}
	u.want = u.walk(t.Pos, u.Stats.Speed, true)
}

// pace is the speed of an attack-moving unit that has no target. A healer does not
// outrun the slowest comrade around it.
func (w *World) pace(u *Unit) float64 {
	speed := u.Stats.Speed
	if !u.healer() {
		return speed
	}
	slowest, found := 0.0, false
	r := u.Stats.Scan + w.maxRadius
	for _, i := range w.living[u.Team] {
		c := &w.units[i]
		if u.canHit(c) && c.Pos.minus(u.Pos).square() <= r*r && (!found || c.Stats.Speed < slowest) {
			slowest, found = c.Stats.Speed, true
		}
	}
	if found {
		return slowest
	}
	return speed
}
