package pp

import (
	"fmt"
	"strconv"
)

const (
	predators  = 3
	bodies     = predators + 1 // the prey is the last
	actions    = 5
	obsWidth   = 16
	stateWidth = 20
)

// policy is how the prey acts.
type policy string

const (
	flee     policy = "flees"
	frozen   policy = "stays"
	charge   policy = "charges"
	randomly policy = "acts at random"
)

// body is what a predator or prey is made of.
type body struct{ size, accel, maxSpeed float64 }

func (b body) plus(xi float64) body { return body{b.size + xi, b.accel + xi, b.maxSpeed + xi} }

// vec is a point, a velocity or a force.
type vec struct{ x, y float64 }

func (a vec) plus(xi float64) vec { return vec{a.x + xi, a.y + xi} }

func (a vec) String() string {
	return fmt.Sprintf("(%s, %s)", decimal(a.x), decimal(a.y))
}

// decimal prints one of the constants below: 0.05 + 0.01 as 0.06.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

// box is where a body starts, uniformly.
type box struct{ lo, hi vec }

func (b box) String() string {
	if b.lo == b.hi {
		return b.lo.String()
	}
	return fmt.Sprintf("[%s,%s]x[%s,%s]", decimal(b.lo.x), decimal(b.hi.x), decimal(b.lo.y), decimal(b.hi.y))
}

// square is the box |x|, |y| <= r.
func square(r float64) box { return box{vec{-r, -r}, vec{r, r}} }

// task is one game's constants.
type task struct {
	name           string
	variant        int // 0 is the training task
	policy         policy
	touching       int // predators that must touch the prey at once
	predator, prey body
	landmarkSize   float64
	landmarks      [2]vec
	spawn          [bodies]box
}

// base holds the constants of the training tasks.
var base = map[string]task{
	"heuristic": {
		policy: flee, touching: 1,
		predator: body{0.075, 3.2, 1.4}, prey: body{0.05, 2.2, 0.6},
		landmarkSize: 0.2, landmarks: [2]vec{{0.5, 0.5}, {-0.5, -0.5}},
		spawn: [bodies]box{square(1), square(1), square(1), square(1)},
	},
	"fix-frozen": {
		policy: frozen, touching: 1,
		predator: body{0.075, 3, 1}, prey: body{0.05, 2.4, 0.8},
		landmarks: [2]vec{{1.3, 0.35}, {1.3, -0.35}},
		spawn:     [bodies]box{square(0.8), square(0.8), square(0.8), {vec{1.6, 0}, vec{1.6, 0}}},
	},
	"bull-bull": {
		policy: charge, touching: 2,
		predator: body{0.09, 3.5, 1.3}, prey: body{0.05, 2.4, 0.8},
		landmarkSize: 0.1, landmarks: [2]vec{{0.5, -0.5}, {-0.5, 0.5}},
		spawn: [bodies]box{square(1), square(1), square(1), square(0.7)},
	},
	"flash-random": {
		policy: randomly, touching: 1,
		predator: body{0.13, 3, 1}, prey: body{0.05, 9, 3},
		landmarks: [2]vec{{-1.3, -0.35}, {-1.3, 0.35}},
		spawn: [bodies]box{
			{vec{-0.5, 1}, vec{0.5, 1.5}},
			{vec{1, -1.5}, vec{1.5, -1}},
			{vec{-1.5, -1.5}, vec{-1, -1}},
			square(0.5),
		},
	},
}

// variant shifts a training task by xis[v].
func variant(kind string, v int, c Config) task {
	t := base[kind]
	t.name, t.variant = kind, v
	if v == 0 {
		return t
	}
	t.name = fmt.Sprint(kind, v)
	xi, landmarkXi, shift := xis[v], xis[v], xis[v]
	if c.LandmarkShift == official {
		shift = 0.03
	}
	if t.policy == randomly && c.FlashVariant == official {
		t.predator.size, t.prey.accel, t.prey.maxSpeed = 0.12, 15, 12
		t.spawn = [bodies]box{square(1), square(1), square(1), square(0.7)}
		landmarkXi = 0
	}
	t.predator, t.prey = t.predator.plus(xi), t.prey.plus(xi)
	t.landmarkSize += landmarkXi
	t.landmarks[0], t.landmarks[1] = t.landmarks[0].plus(shift), t.landmarks[1].plus(shift)
	if t.policy == frozen {
		at := vec{t.spawn[predators].lo.x + shift, t.spawn[predators].lo.y}
		t.spawn[predators] = box{at, at}
	}
	return t
}
