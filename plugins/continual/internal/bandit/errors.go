package bandit

import (
	"fmt"
	"math"
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rng"
)

// byErrors runs a bandit in every episode of a test, all lanes at once. At step
// t it sees what the step before has led to, so it first scores the heads for
// that step and then chooses. The last step of an episode needs no score.
type byErrors struct {
	tally
	cfg    Config
	arms   []Arm
	gamma  float64
	values *values
	free   []*lane
	lanes  map[int]*lane // by episode

	now  []*lane // in the order of the view
	errs []float64
	p    []float64
	y    []float64   // [lanes]
	past [][]float64 // [arms][lanes], Q_j of the step before
}

// lane is the bandit of one episode and what it remembers of the step before.
type lane struct {
	draw *rng.Stream
	l    weights
	arm  int

	target []float32   // [n, HiddenWidth], recurrent state of the target network
	state  []float32   // [S]
	avail  []uint8     // [n, A]
	q      [][]float32 // [arms][n, A]
}

var _ core.HeadStepper = (*byErrors)(nil)

func newByErrors(c Config, l core.Learner, arms []Arm, gamma float64) *byErrors {
	k := len(arms)
	return &byErrors{
		tally: make(tally, k), cfg: c, arms: arms, gamma: gamma, values: newValues(c, l, arms),
		lanes: map[int]*lane{}, errs: make([]float64, k), p: make([]float64, k), past: make([][]float64, k),
	}
}

// StepHeads scores all heads for the step before and chooses those of this one.
func (b *byErrors) StepHeads(v *core.StepView, heads []int32) error {
	b.gather(v)
	if err := b.values.act(v, b.now); err != nil {
		return err
	}
	if v.T > 0 {
		if err := b.score(v); err != nil {
			return err
		}
	}
	for i, a := range b.now {
		if v.T%b.cfg.Step == 0 {
			b.choose(a)
		}
		b.tally[a.arm]++
		for j := range v.Spec.Agents {
			heads[i*v.Spec.Agents+j] = b.arms[a.arm].Head
		}
	}
	b.remember(v)
	return nil
}

// EpisodeEnded takes the episode's bandit back.
func (b *byErrors) EpisodeEnded(number int, _ *episode.Episode) error {
	if a := b.lanes[number]; a != nil {
		delete(b.lanes, number)
		b.free = append(b.free, a)
	}
	return nil
}

// gather lists the lanes of the view; an episode that begins gets a fresh one.
func (b *byErrors) gather(v *core.StepView) {
	b.now = b.now[:0]
	for _, e := range v.Episodes {
		if v.T == 0 {
			b.lanes[e] = b.fresh(v, e)
		}
		b.now = append(b.now, b.lanes[e])
	}
}

func (b *byErrors) fresh(v *core.StepView, e int) *lane {
	a := &lane{l: make(weights, len(b.arms)), q: make([][]float32, len(b.arms))}
	if n := len(b.free); n > 0 {
		a, b.free = b.free[n-1], b.free[:n-1]
	}
	a.draw = v.Source.ChildInt(int64(e)).Stream()
	clear(a.l)
	a.target = resized(a.target, len(v.Hidden)/len(v.Episodes))
	clear(a.target)
	return a
}

// choose draws the lane's next arm.
func (b *byErrors) choose(a *lane) {
	if b.cfg.Eps > 0 && a.draw.Float64() < b.cfg.Eps {
		a.arm = a.draw.Intn(len(b.arms))
		return
	}
	a.l.softmax(b.p)
	a.arm = pick(b.p, a.draw)
}

// score forms the targets of the heads that have acted and the errors of all.
func (b *byErrors) score(v *core.StepView) error {
	b.y = resized(b.y, len(b.now))
	for k := range b.arms {
		if !slices.ContainsFunc(b.now, func(a *lane) bool { return a.arm == k }) {
			continue // it has acted nowhere in the step before
		}
		next, err := b.values.next(k, v)
		if err != nil {
			return err
		}
		for i, a := range b.now {
			if a.arm == k {
				b.y[i] = float64(v.Reward[i]) + b.gamma*next[i]
			}
		}
	}
	for j := range b.arms {
		q, err := b.values.taken(j, v, b.now)
		if err != nil {
			return err
		}
		b.past[j] = append(b.past[j][:0], q...)
	}
	for i, a := range b.now {
		for j := range b.arms {
			b.errs[j] = math.Abs(b.past[j][i] - b.y[i])
			if math.IsNaN(b.errs[j]) {
				return fmt.Errorf("episode %d: head %d has a TD error of %v", v.Episodes[i], j, b.errs[j])
			}
		}
		a.l.update(&b.cfg, b.errs)
	}
	return nil
}

// remember keeps what the next step needs of this one.
func (b *byErrors) remember(v *core.StepView) {
	n := len(b.now)
	for i, a := range b.now {
		a.state = append(a.state[:0], part(v.State, i, n)...)
		a.avail = append(a.avail[:0], part(v.Avail, i, n)...)
		for k := range b.arms {
			a.q[k] = append(a.q[k][:0], part(b.values.of(k), i, n)...)
		}
	}
}

// part is the i-th of n equal parts of s.
func part[E any](s []E, i, n int) []E {
	w := len(s) / n
	return s[i*w : (i+1)*w]
}

// resized is s with n elements; it allocates only to grow.
func resized[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}
