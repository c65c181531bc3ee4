package bandit

import (
	"fmt"

	"macpro/core"
)

// values computes what the arms think of actions, for all lanes at once.
type values struct {
	learner core.Learner
	heads   core.Valuer // nil: a call of Act for each head
	mixers  core.Valuer // nil: the sum of the agents' values
	arms    []Arm
	ids     []int32 // heads of the arms

	width   int       // rows * A of the current step
	q       []float32 // [arms, rows, A] at this step
	targetQ []float32 // [rows, A] at this step, of the target network
	hidden  []float32 // [rows, H], scratch
	targets []float32 // [rows, H], of the target network
	acting  []int32   // [rows], scratch

	state   []float32 // of the step before, as the others of a joint step
	avail   []uint8
	before  []float32
	actions []int32
	qTot    []float32
	out     []float64
}

func newValues(c Config, l core.Learner, arms []Arm) *values {
	v := &values{learner: l, arms: arms}
	v.heads = core.AbilitiesOf(l).Valuer
	if c.Feedback == TDJoint {
		v.mixers = v.heads
	}
	for _, a := range arms {
		v.ids = append(v.ids, a.Head)
	}
	return v
}

// of are arm k's action values at this step [rows, A].
func (v *values) of(k int) []float32 { return v.q[k*v.width : (k+1)*v.width] }

// act computes all arms' action values of this step, and those of the target
// network, whose recurrent states the lanes carry.
func (v *values) act(s *core.StepView, lanes []*lane) error {
	v.width = len(s.Avail)
	v.q = resized(v.q, len(v.arms)*v.width)
	if v.heads == nil {
		return v.actEach(s)
	}
	v.hidden = append(v.hidden[:0], s.Hidden...)
	step := core.HeadStep{Spec: &s.Spec, Lanes: len(lanes), Obs: s.Obs, LastActions: s.Last, Hidden: v.hidden, Heads: v.ids, Q: v.q}
	if err := v.heads.HeadValues(&step); err != nil {
		return err
	}
	v.targets = v.targets[:0]
	for _, a := range lanes {
		v.targets = append(v.targets, a.target...)
	}
	v.targetQ = resized(v.targetQ, v.width)
	step.Hidden, step.Heads, step.Q = v.targets, targetOnly, v.targetQ
	if err := v.heads.HeadValues(&step); err != nil {
		return err
	}
	for i, a := range lanes {
		copy(a.target, part(v.targets, i, len(lanes)))
	}
	return nil
}

var targetOnly = []int32{core.TargetHead}

// actEach is act with a pass of the features for every head. Without a way to
// the target network the head in training is also its own target.
func (v *values) actEach(s *core.StepView) error {
	v.acting = resized(v.acting, len(s.Last))
	for k, id := range v.ids {
		for r := range v.acting {
			v.acting[r] = id
		}
		v.hidden = append(v.hidden[:0], s.Hidden...)
		step := core.ActStep{Spec: &s.Spec, Lanes: len(s.Episodes), Obs: s.Obs, LastActions: s.Last, Heads: v.acting, Hidden: v.hidden, Q: v.of(k)}
		if err := v.learner.Act(&step); err != nil {
			return err
		}
	}
	return nil
}

// next values, for each lane, what arm k would do at this step: its greedy
// actions, by its own target [lanes].
func (v *values) next(k int, s *core.StepView) ([]float64, error) {
	own := v.of(k)
	A := s.Spec.Actions
	v.actions = resized(v.actions, v.width/A)
	for r := range v.actions {
		best := -1
		for a, ok := range s.Avail[r*A : (r+1)*A] {
			if ok != 0 && (best < 0 || own[r*A+a] > own[r*A+best]) {
				best = a
			}
		}
		if best < 0 {
			return nil, fmt.Errorf("agent %d of episode %d has no available action", r%s.Spec.Agents, s.Episodes[r/s.Spec.Agents])
		}
		v.actions[r] = int32(best)
	}
	q, mixer := own, v.arms[k].Mixer
	if v.heads != nil && v.arms[k].Head == core.LiveHead {
		q, mixer = v.targetQ, core.TargetHead
	}
	return v.joint(&s.Spec, mixer, s.State, s.Avail, q, v.actions)
}

// taken values, for each lane, the actions of the step before by arm k [lanes].
func (v *values) taken(k int, s *core.StepView, lanes []*lane) ([]float64, error) {
	v.state, v.avail, v.before = v.state[:0], v.avail[:0], v.before[:0]
	for _, a := range lanes {
		v.state, v.avail, v.before = append(v.state, a.state...), append(v.avail, a.avail...), append(v.before, a.q[k]...)
	}
	return v.joint(&s.Spec, v.arms[k].Mixer, v.state, v.avail, v.before, s.Last)
}

// joint is Q_tot of one joint action in each lane.
func (v *values) joint(spec *core.EnvSpec, mixer int, state []float32, avail []uint8, q []float32, actions []int32) ([]float64, error) {
	lanes := len(actions) / spec.Agents
	v.out = resized(v.out, lanes)
	if v.mixers == nil {
		clear(v.out)
		for r, a := range actions {
			v.out[r/spec.Agents] += float64(q[r*spec.Actions+int(a)])
		}
		return v.out, nil
	}
	v.qTot = resized(v.qTot, lanes)
	step := core.JointStep{Spec: spec, Lanes: lanes, Mixer: mixer, State: state, Avail: avail, Q: q, Actions: actions, QTot: v.qTot}
	if err := v.mixers.JointValues(&step); err != nil {
		return nil, err
	}
	for i, x := range v.qTot {
		v.out[i] = float64(x)
	}
	return v.out, nil
}
