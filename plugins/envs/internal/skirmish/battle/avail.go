package battle

import "macpro/plugins/envs/internal/skirmish"

// Avail writes 1 for every available action and 0 for the others into dst [n, A].
func (v *View) Avail(t *Table, dst []uint8) {
	clear(dst)
	a := v.m.Actions()
	for i := range t.Agents {
		row := dst[i*a : (i+1)*a]
		u := &t.Agents[i]
		if !u.alive() {
			row[0] = 1
			continue
		}
		row[1] = 1
		v.availMoves(u, row[2:NonAttack])
		targets := t.Enemies
		if u.Kind == skirmish.Medivac {
			targets = t.Agents
		}
		for j := range min(len(targets), len(row)-NonAttack) {
			c := &targets[j]
			if c.alive() && distance(u, c) <= v.opt.Shoot && v.mayTarget(u, c) {
				row[NonAttack+j] = 1
			}
		}
	}
}

// mayTarget rules out healers as patients; there is no other restriction, not even
// for weapons that cannot hit what flies.
func (v *View) mayTarget(u, c *Unit) bool {
	return u.Kind != skirmish.Medivac || c.Kind != skirmish.Medivac
}

// Compass lists the directions of the moves in the order of their actions. A move goes
// two cells; it is available if the cell at half the way is walkable.
var Compass = [moves]skirmish.Vec{{X: 0, Y: 1}, {X: 0, Y: -1}, {X: 1, Y: 0}, {X: -1, Y: 0}}

// availMoves marks the moves whose half-way point is on walkable ground.
func (v *View) availMoves(u *Unit, row []uint8) {
	for d, c := range Compass {
		x, y := u.X+c.X, u.Y+c.Y
		outside := v.opt.Style == Lite && (x < 0 || y < 0)
		if !outside && v.m.Scene.Terrain.Open(int(x), int(y)) {
			row[d] = 1
		}
	}
}
