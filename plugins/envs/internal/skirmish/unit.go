package skirmish

// None stands for the index of no unit.
const None = -1

// Verb is the kind of an order.
type Verb uint8

// The orders.
const (
	// Stand keeps the unit where it is; it does not fight.
	Stand Verb = iota
	// Walk goes to a point and does not fight.
	Walk
	// Attack follows one unit and strikes it when in reach. A healer heals.
	Attack
	// AttackMove goes to a point and fights what it meets on the way.
	AttackMove
)

// Order is what a unit was told to do. A new order replaces the old one.
type Order struct {
	Verb   Verb
	To     Vec // of Walk and AttackMove
	Target int // of Attack: index of a unit
}

// Unit is the state of one unit. Units keep their index for the whole battle; a dead
// one keeps its last position.
type Unit struct {
	Kind  Kind
	Team  Team
	Alive bool // still on the map; cleared at the end of the tick in which Health reaches 0
	Stats *Stats

	Pos, Vel       Vec // centre, and velocity of the last tick
	Health, Shield float64
	Energy         float64
	Dose           float64 // health that a healer has paid for but not given yet
	Cooldown       float64 // seconds until the next attack may start
	ShieldDelay    float64 // seconds until the shield recharges
	Order          Order
	Target         int // index of the unit it fights, or None

	want, next Vec  // velocity desired, and allowed by the neighbours
	patient    int  // target before this tick's cleaning; what a healer healed last
	engaged    bool // wants to strike in this tick
	windup     int  // ticks until the attack under way strikes; 0: none
	aim        int  // target of the attack under way and of its later strikes
	strikes    int  // later strikes of the attack still to come
	gap        int  // ticks until the next of them
	missile    flight
	offender   int     // who hit it or a comrade nearby, or None
	grudge     int     // ticks for which it remembers
	quiet      int     // ticks until it may call its comrades again
	side       float64 // on which it walks around what blocks it: 1 left, -1 right, 0 undecided
	sided      int     // ticks until it forgets that
}

// flight is a missile under way; ticks is 0 if there is none.
type flight struct {
	target int
	ticks  int
}

// reaches reports whether u's weapon range spans the gap between the two edges.
func (u *Unit) reaches(t *Unit) bool {
	r := u.Stats.Range + u.Stats.Radius + t.Stats.Radius
	return u.Pos.minus(t.Pos).square() <= r*r
}

// canHit reports whether u's weapon works on t's level.
func (u *Unit) canHit(t *Unit) bool { return u.Stats.Hits&t.Stats.Plane != 0 }

func (u *Unit) healer() bool { return u.Stats.Weapon == Heal }

// walk returns the velocity that takes u towards a point. It is zero on the point.
func (u *Unit) walk(to Vec, speed float64, overshoot bool) Vec {
	way := to.minus(u.Pos)
	d := way.length()
	if d == 0 || speed == 0 {
		return Vec{}
	}
	if !overshoot && d < speed*tick {
		return way.times(TicksPerSecond)
	}
	return way.times(speed / d)
}
