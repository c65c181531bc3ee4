package skirmish

// Tick advances the battle by 1/16 s. The units act in random order.
func (w *World) Tick() {
	w.shuffle = append(w.shuffle[:0], w.all...)
	for i := len(w.shuffle) - 1; i > 0; i-- {
		j := w.rnd.Intn(i + 1)
		w.shuffle[i], w.shuffle[j] = w.shuffle[j], w.shuffle[i]
	}
	w.TickIn(w.shuffle)
}

// TickIn is Tick with a given order of action instead of a random one: a list of all
// living units. It replays recorded battles.
func (w *World) TickIn(order []int) {
	for _, i := range w.all {
		w.clean(&w.units[i], i)
	}
	for _, i := range w.all {
		w.decide(i)
	}
	for _, i := range w.all {
		u := &w.units[i]
		u.next = Vec{}
		if !u.want.zero() {
			u.next = w.avoid(i)
		}
	}
	if w.flying > 0 {
		w.land()
	}
	for _, i := range order {
		if u := &w.units[i]; u.Health > 0 {
			w.move(u)
			u.recharge()
			w.act(i)
		}
	}
	if w.died {
		w.Recount()
	}
}

// move takes a unit to where its velocity leads it.
func (w *World) move(u *Unit) {
	u.Vel = u.next
	if u.Vel.zero() {
		return
	}
	u.Pos = w.rounded(u.Pos.plusScaled(u.Vel, tick))
	if !w.rules.OpenMap {
		r := u.Stats.Separation
		u.Pos.X = min(max(u.Pos.X, r), MapSize-r)
		u.Pos.Y = min(max(u.Pos.Y, r), MapSize-r)
	}
}

// recharge lets a unit's timers run and its shield, energy and health recover.
func (u *Unit) recharge() {
	s := u.Stats
	if u.Cooldown > 0 {
		u.Cooldown = max(u.Cooldown-tick, 0)
	}
	if u.ShieldDelay > 0 {
		u.ShieldDelay = max(u.ShieldDelay-tick, 0)
	}
	if u.ShieldDelay == 0 && u.Shield < s.Shield {
		u.Shield = min(u.Shield+shieldRate*tick, s.Shield)
	}
	if u.Energy < s.Energy {
		u.Energy = min(u.Energy+energyRate*tick, s.Energy)
	}
	if s.Regen > 0 && u.Health < s.Health {
		u.Health = min(u.Health+s.Regen*tick, s.Health)
	}
	if u.grudge > 0 {
		if u.grudge--; u.grudge == 0 {
			u.offender = None
		}
	}
	if u.quiet > 0 {
		u.quiet--
	}
}
