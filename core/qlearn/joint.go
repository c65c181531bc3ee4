package qlearn

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/nn"
)

// jointValues is a graph of the mixer alone, on parameters of its own that the
// wanted mixer is copied into. A row is a lane.
type jointValues struct {
	spec  core.EnvSpec
	lanes *nn.Extent
	graph *nn.Graph
	net   *nn.Network

	q, top, joint, state, out *nn.Value
}

// newJointValues compiles the mixer for up to the given number of lanes.
func (l *Learner) newJointValues(spec *core.EnvSpec, lanes int) (*jointValues, error) {
	g := nn.NewGraph()
	n, A := spec.Agents, spec.Actions
	j := &jointValues{spec: *spec, graph: g, net: l.net.Clone(), lanes: g.Extent(lanes)}
	j.q = g.Input("values", j.lanes, n)
	j.top = g.Input("largest values", j.lanes, n)
	j.joint = g.Input("actions", j.lanes, n*A)
	j.state = g.Input("states", j.lanes, spec.StateWidth)
	var err error
	j.out, err = l.mixer.QTot(NewMixing(g, j.net, *spec, j.q, j.top, j.joint, j.state))
	if err != nil {
		return nil, err
	}
	return j, g.Compile(nil)
}

// SaveMixer copies the online mixer to saved head k.
func (l *Learner) SaveMixer(k int) error {
	if err := l.known(k); err != nil {
		return err
	}
	l.saved[k].mixer = slices.Clone(l.mixerRange().Of(l.net.Params))
	return nil
}

// JointValues computes Q_tot of one joint action in each of several lanes, of
// independent agents the mean of their values; see core.Valuer.
func (l *Learner) JointValues(s *core.JointStep) error {
	spec, err := l.specOf(s.Spec)
	if err != nil {
		return err
	}
	mixer, err := l.mixerOf(s.Mixer)
	if err != nil {
		return err
	}
	if err := checkJoint(spec, s); err != nil {
		return err
	}
	if s.Lanes == 0 {
		return nil
	}
	j := l.joint
	if j == nil || j.lanes.Cap < s.Lanes || shapesOf(j.spec) != shapesOf(*spec) {
		if j, err = l.newJointValues(spec, s.Lanes); err != nil {
			return fmt.Errorf("learner: joint values: %w", err)
		}
		l.joint = j
	}
	copy(l.mixerRange().Of(j.net.Params), mixer)
	j.net.Touch()
	j.lanes.N = s.Lanes
	if err := j.load(s, float32(l.cfg.FeatureScale)); err != nil {
		return err
	}
	if err := j.graph.Run(); err != nil {
		return fmt.Errorf("learner: joint values: %w", err)
	}
	meanOfRows(s.QTot, j.out.Data(), j.out.Width())
	return nil
}

// meanOfRows writes the mean of each row [columns] of x.
func meanOfRows(dst, x []float32, columns int) {
	for k := range dst {
		row := x[k*columns : (k+1)*columns]
		sum := row[0]
		for _, v := range row[1:] {
			sum += v
		}
		dst[k] = sum / float32(columns)
	}
}

// mixerOf is the copy of the mixer that belongs to a head.
func (l *Learner) mixerOf(k int) ([]float32, error) {
	switch k {
	case core.LiveHead:
		return l.mixerRange().Of(l.net.Params), nil
	case core.TargetHead:
		return l.mixerRange().Of(l.target.Params), nil
	}
	if err := l.known(k); err != nil {
		return nil, err
	}
	if l.saved[k].mixer == nil {
		return nil, fmt.Errorf("learner: no mixer was saved for head %d", k)
	}
	return l.saved[k].mixer, nil
}

// checkJoint makes sure that a step has slices of the right lengths.
func checkJoint(spec *core.EnvSpec, s *core.JointStep) error {
	n, A := s.Lanes*spec.Agents, spec.Actions
	if len(s.State) != s.Lanes*spec.StateWidth || len(s.Avail) != n*A || len(s.Q) != n*A || len(s.Actions) != n || len(s.QTot) != s.Lanes {
		return fmt.Errorf("learner: joint values of %d lanes of task %s/%s: got %d states, %d availabilities, %d values, %d actions and room for %d",
			s.Lanes, spec.Env, spec.Task, len(s.State), len(s.Avail), len(s.Q), len(s.Actions), len(s.QTot))
	}
	for i, a := range s.Actions {
		if a < 0 || int(a) >= A {
			return fmt.Errorf("learner: joint values: action %d of row %d, want 0 to %d", a, i, A-1)
		}
	}
	return nil
}

func (j *jointValues) load(s *core.JointStep, scale float32) error {
	for i, x := range s.State {
		j.state.Data()[i] = scale * x
	}
	joint, q, top, A := j.joint.Data(), j.q.Data(), j.top.Data(), j.spec.Actions
	clear(joint)
	for r, a := range s.Actions {
		values, avail := s.Q[r*A:(r+1)*A], s.Avail[r*A:(r+1)*A]
		best := greedy(values, avail)
		if best < 0 {
			return fmt.Errorf("learner: joint values: row %d has no available action", r)
		}
		joint[r*A+int(a)], q[r], top[r] = 1, values[a], values[best]
	}
	return nil
}
