package pp

import (
	"math"

	"macpro/core/rng"
)

const (
	dt      = 0.1
	keep    = 0.75 // of the velocity, per step
	contact = 100  // force per unit of penetration
	margin  = 0.001
	// horizon is the distance in margins at which log(1 + exp(-z)) and its
	// difference to -z at -z are taken as 0; they are below 5e-18 there.
	horizon = 40
)

type world struct {
	pos, vel [bodies]vec
	rng      rng.Stream // the random prey's
}

// rules are a task's constants in the form that a step needs.
type rules struct {
	task
	nearest  string                  // Config.PreyNearest
	bodies   [bodies]body            // predators, then the prey
	sizeSum  [bodies][bodies]float64 // of two bodies
	wallSum  [bodies]float64         // of a body and a landmark
	captured float64                 // distance below which a predator touches the prey
}

func newRules(t task, c Config) *rules {
	r := &rules{task: t, nearest: c.PreyNearest, bodies: [bodies]body{t.predator, t.predator, t.predator, t.prey}}
	for i, a := range r.bodies {
		for j, b := range r.bodies {
			r.sizeSum[i][j] = a.size + b.size
		}
		r.wallSum[i] = a.size + t.landmarkSize
	}
	r.captured = t.predator.size + t.prey.size
	return r
}

// start begins an episode: every body at rest in its box, drawn in order.
func (r *rules) start(seed uint64) world {
	w := world{rng: rng.FromSeed(seed)}
	for i, b := range r.spawn {
		w.pos[i].x = w.rng.Uniform(b.lo.x, b.hi.x)
		w.pos[i].y = w.rng.Uniform(b.lo.y, b.hi.y)
	}
	return w
}

// push are the unit forces of the actions.
var push = [actions]vec{{}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}

// step advances the world by one joint action of predators and prey.
func (r *rules) step(w *world, joint [bodies]int32) {
	var force [bodies]vec
	for i, a := range joint {
		u, k := push[a], r.bodies[i].accel
		force[i] = vec{u.x * k, u.y * k}
	}
	for i := range w.pos {
		for j := i + 1; j < bodies; j++ {
			f := repulsion(w.pos[i], w.pos[j], r.sizeSum[i][j])
			force[i].x, force[i].y = force[i].x+f.x, force[i].y+f.y
			force[j].x, force[j].y = force[j].x-f.x, force[j].y-f.y
		}
		for _, m := range r.landmarks {
			f := repulsion(w.pos[i], m, r.wallSum[i])
			force[i].x, force[i].y = force[i].x+f.x, force[i].y+f.y
		}
	}
	for i, f := range force {
		v := vec{w.vel[i].x*keep + f.x*dt, w.vel[i].y*keep + f.y*dt}
		if speed := math.Sqrt(v.x*v.x + v.y*v.y); speed > r.bodies[i].maxSpeed {
			v.x, v.y = v.x/speed*r.bodies[i].maxSpeed, v.y/speed*r.bodies[i].maxSpeed
		}
		w.vel[i] = v
		w.pos[i].x, w.pos[i].y = w.pos[i].x+v.x*dt, w.pos[i].y+v.y*dt
	}
}

// repulsion is the contact force on a body at a from one at b whose sizes add
// up to s.
func repulsion(a, b vec, s float64) vec {
	d := vec{a.x - b.x, a.y - b.y}
	square := d.x*d.x + d.y*d.y
	if far := s + horizon*margin; far <= 0 || square >= far*far {
		return vec{}
	}
	dist := math.Sqrt(square)
	pen := penetration(dist - s)
	if dist == 0 {
		return vec{contact * pen, 0}
	}
	return vec{contact * d.x / dist * pen, contact * d.y / dist * pen}
}

// penetration is m log(1 + exp(-gap/m)) with the margin m: a soft max(0, -gap).
func penetration(gap float64) float64 {
	z := -gap / margin
	switch {
	case z > horizon:
		return -gap
	case z > 0:
		return (z + math.Log1p(math.Exp(-z))) * margin
	}
	return math.Log1p(math.Exp(z)) * margin
}

// caught says whether enough predators touch the prey.
func (r *rules) caught(w *world) bool {
	n := 0
	for i := range predators {
		if r.touch(w, i) {
			n++
		}
	}
	return n >= r.touching
}

func (r *rules) touch(w *world, i int) bool {
	p, prey := w.pos[i], w.pos[predators]
	d := vec{p.x - prey.x, p.y - prey.y}
	return math.Sqrt(d.x*d.x+d.y*d.y) < r.captured
}

// touches lists the predators that touch the prey.
func (r *rules) touches(w *world) (by []int) {
	for i := range predators {
		if r.touch(w, i) {
			by = append(by, i)
		}
	}
	return by
}
