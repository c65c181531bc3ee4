package battle

import "macpro/plugins/envs/internal/skirmish"

// State writes the state into dst [S]. last is the last joint action, empty at the start
// of an episode.
func (v *View) State(t *Table, last []int32, dst []float32) {
	clear(dst)
	for i := range t.Agents {
		if u := &t.Agents[i]; u.alive() {
			dst[0] = float32(u.Health / u.HealthMax)
			dst[1] = float32(v.readiness(u))
			place(u, dst[2:])
			v.shieldAndType(u, skirmish.Allies, dst[4:])
		}
		dst = dst[v.allyState:]
	}
	for j := range t.Enemies {
		if u := &t.Enemies[j]; u.alive() {
			dst[0] = float32(u.Health / u.HealthMax)
			place(u, dst[1:])
			v.shieldAndType(u, skirmish.Enemies, dst[3:])
		}
		dst = dst[v.enemyState:]
	}
	for _, a := range last {
		dst[a] = 1
		dst = dst[v.m.Actions():]
	}
}

func place(u *Unit, dst []float32) {
	const size = skirmish.MapSize
	dst[0] = float32((u.X - size/2) / size)
	dst[1] = float32((u.Y - size/2) / size)
}

// readiness is the cooldown of a weapon or the energy of a healer as a share.
func (v *View) readiness(u *Unit) float64 {
	switch {
	case u.Kind == skirmish.Medivac:
		return u.Energy / cooldownMax[u.Kind]
	case v.opt.Style == Lite:
		return u.Cooldown / (skirmish.TicksPerSecond * v.opt.Rules.Stats[u.Kind].Period)
	}
	return u.Cooldown / cooldownMax[u.Kind]
}
