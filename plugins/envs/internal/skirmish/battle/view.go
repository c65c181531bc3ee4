package battle

import (
	"math"

	"macpro/plugins/envs/internal/skirmish"
)

// View computes what the agents of one map see. It keeps no state between calls.
//
// Observation of an agent, zero if it is dead: availability of the four moves; for
// every enemy in sight [attack available, distance, dx, dy, health, (shield), (type)];
// for every other agent in sight [1, distance, dx, dy, health, (shield), (type)];
// own [health, (shield), (type)]. Lengths are in units of the sight range.
//
// State: for every living agent [health, cooldown, x, y, (shield), (type)] and for
// every living enemy [health, x, y, (shield), (type)], with x and y from the map's
// centre in units of its size; then the last joint action, one-hot.
type View struct {
	m   *Map
	opt Options

	enemyObs, allyObs, ownObs int
	enemyState, allyState     int
}

// NewView makes the view of a map under the given options.
func NewView(m *Map, opt Options) *View {
	ally, enemy := m.bits, m.bits
	if m.shields[skirmish.Allies] {
		ally++
	}
	if m.shields[skirmish.Enemies] {
		enemy++
	}
	return &View{
		m: m, opt: opt,
		enemyObs: 5 + enemy, allyObs: 5 + ally, ownObs: 1 + ally,
		enemyState: 3 + enemy, allyState: 4 + ally,
	}
}

const moves = 4

// Features are the widths of a view's parts, named as in the observation above.
type Features struct {
	Move, EnemyObs, AllyObs, OwnObs, EnemyState, AllyState int
}

// Features returns the widths of the rows.
func (v *View) Features() Features {
	return Features{moves, v.enemyObs, v.allyObs, v.ownObs, v.enemyState, v.allyState}
}

// ObsWidth is the number of features of one agent's observation.
func (v *View) ObsWidth() int {
	return moves + v.m.Enemies()*v.enemyObs + (v.m.Agents()-1)*v.allyObs + v.ownObs
}

// StateWidth is the number of features of the state.
func (v *View) StateWidth() int {
	n := v.m.Agents()
	return n*v.allyState + v.m.Enemies()*v.enemyState + n*v.m.Actions()
}

// Obs writes the observations of all agents into dst [n, o]. avail is the result of
// Avail for the same table.
func (v *View) Obs(t *Table, avail []uint8, dst []float32) {
	clear(dst)
	w, a := v.ObsWidth(), v.m.Actions()
	for i := range t.Agents {
		if t.Agents[i].alive() {
			v.obs(t, i, avail[i*a:(i+1)*a], dst[i*w:(i+1)*w])
		}
	}
}

func (v *View) obs(t *Table, me int, avail []uint8, dst []float32) {
	u := &t.Agents[me]
	for d := range moves {
		dst[d] = float32(avail[2+d])
	}
	dst = dst[moves:]
	for j := range t.Enemies {
		if v.seen(u, &t.Enemies[j], float32(avail[NonAttack+j]), dst) {
			v.body(&t.Enemies[j], skirmish.Enemies, dst[4:])
		}
		dst = dst[v.enemyObs:]
	}
	for j := range t.Agents {
		if j == me {
			continue
		}
		if v.seen(u, &t.Agents[j], 1, dst) {
			v.body(&t.Agents[j], skirmish.Allies, dst[4:])
		}
		dst = dst[v.allyObs:]
	}
	v.body(u, skirmish.Allies, dst)
}

func distance(a, b *Unit) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	return math.Sqrt(dx*dx + dy*dy)
}

// seen writes flag and relative position of c if u sees it.
func (v *View) seen(u, c *Unit, flag float32, dst []float32) bool {
	if !c.alive() {
		return false
	}
	d, r := distance(u, c), v.opt.Sight
	if d >= r {
		return false
	}
	dst[0] = flag
	dst[1] = float32(d / r)
	dst[2] = float32((c.X - u.X) / r)
	dst[3] = float32((c.Y - u.Y) / r)
	return true
}

// body writes health, shield and type of u, as far as the map shows them.
func (v *View) body(u *Unit, team skirmish.Team, dst []float32) {
	dst[0] = float32(u.Health / u.HealthMax)
	v.shieldAndType(u, team, dst[1:])
}

func (v *View) shieldAndType(u *Unit, team skirmish.Team, dst []float32) {
	if v.m.shields[team] {
		dst[0] = float32(u.Shield / shieldMax[u.Kind])
		dst = dst[1:]
	}
	if v.m.bits > 0 {
		dst[v.typeCode(u.Kind, team)] = 1
	}
}

func (v *View) typeCode(k skirmish.Kind, team skirmish.Team) int {
	if team == skirmish.Enemies && v.opt.Style == Official {
		return v.m.enemyRank[k]
	}
	return v.m.rank[k]
}
