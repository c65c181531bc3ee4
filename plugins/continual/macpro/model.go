package macpro

import (
	"math"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// forwardModel is the context-aware model h inside the loss of g. It is an MLP. It
// reads [state; all observations; all actions, one-hot; z] and predicts what
// follows: [state or its change; all observations; reward]. z is one sample of a
// trajectory's context, the same at all of its time steps. So the model's error
// teaches the encoder.
type forwardModel struct {
	cfg *settings
	mlp nn.MLP
	op  nn.Fused // of mlp, run from inside the loss

	known   int // floats of an input before z
	x, dx   []float32
	y, dy   []float32
	target  []float32
	episode []int32   // of each step
	share   []float64 // of each step in the loss
	noise   []float32 // [episodes, z]
	in, out [2]nn.Mat // of op, and their gradients
}

func planModel(l *nn.Layout, c *settings, spec core.EnvSpec) *forwardModel {
	seen := spec.StateWidth + spec.Agents*spec.ObsWidth
	m := &forwardModel{cfg: c, known: seen + spec.Agents*spec.Actions}
	m.mlp = l.MLP("h", []int{m.known + c.ZDim, c.ModelHidden, c.ModelHidden, seen + 1}, nn.ActNone)
	return m
}

// record makes h ready for a graph in which its gradient is wanted.
func (m *forwardModel) record() *forwardModel {
	own := *m
	own.op = m.mlp.Op()
	own.op.(nn.Recorder).Record()
	return &own
}

// shareOf is the weight of a squared error of a transition in the model loss of
// one of some groups of episodes. A group's loss is the mean over its transitions
// and outputs, or for model_loss sum the mean over episodes of the sum over both;
// the whole one is the mean over groups.
func (c *settings) shareOf(groups int, g []*episode.Episode, outputs int) float64 {
	if c.ModelLoss == keySum {
		return 1 / float64(groups*len(g))
	}
	return 1 / float64(groups*transitions(g)*outputs)
}

// fill lays out the transitions of groups of episodes.
func (m *forwardModel) fill(groups [][]*episode.Episode, noise []float32) {
	steps := 0
	for _, g := range groups {
		steps += transitions(g)
	}
	in, out := m.mlp.In(), m.mlp.Out()
	m.x, m.dx = grown(m.x, steps*in), grown(m.dx, steps*in)
	m.y, m.dy, m.target = grown(m.y, steps*out), grown(m.dy, steps*out), grown(m.target, steps*out)
	m.episode, m.share, m.noise = grown(m.episode, steps), grown(m.share, steps), noise
	k, number := 0, 0
	for _, g := range groups {
		share := m.cfg.shareOf(len(groups), g, out)
		for _, e := range g {
			for t := range e.T {
				m.episode[k], m.share[k] = int32(number), share
				m.inputs(m.x[k*in:(k+1)*in], e, t)
				m.outputs(m.target[k*out:(k+1)*out], e, t)
				k++
			}
			number++
		}
	}
}

func transitions(eps []*episode.Episode) int {
	n := 0
	for _, e := range eps {
		n += e.T
	}
	return n
}

// inputs writes the part of an input that is known from the episode.
func (m *forwardModel) inputs(dst []float32, e *episode.Episode, t int) {
	scale := float32(m.cfg.FeatureScale)
	scaled(dst, seen(e, stateOf, t), scale)
	dst = dst[e.StateWidth:]
	scaled(dst, e.Obs[t*e.N*e.ObsWidth:(t+1)*e.N*e.ObsWidth], scale)
	dst = dst[e.N*e.ObsWidth:]
	clear(dst[:e.N*e.A])
	for i, a := range e.Actions[t*e.N : (t+1)*e.N] {
		dst[i*e.A+int(a)] = 1
	}
}

// outputs writes what the model is to predict.
func (m *forwardModel) outputs(dst []float32, e *episode.Episode, t int) {
	scale := float32(m.cfg.FeatureScale)
	scaled(dst, seen(e, stateOf, t+1), scale)
	if m.cfg.ModelTarget == keyDelta {
		for j, x := range seen(e, stateOf, t) {
			dst[j] -= scale * x
		}
	}
	dst = dst[e.StateWidth:]
	scaled(dst, e.Obs[(t+1)*e.N*e.ObsWidth:(t+2)*e.N*e.ObsWidth], scale)
	dst[e.N*e.ObsWidth] = e.Reward[t]
}

// forward computes the loss from the contexts and keeps coef times its gradient
// with respect to the predictions.
func (m *forwardModel) forward(contexts *gaussians, seg nn.Mat, coef float64) (float64, error) {
	z, in, out := contexts.z, m.mlp.In(), m.mlp.Out()
	for k, e := range m.episode {
		c := contexts.one(int(e))
		for d := range z {
			m.x[k*in+m.known+d] = float32(c.mean[d] + math.Sqrt(c.variance[d])*float64(m.noise[int(e)*z+d]))
		}
	}
	x, y := m.mats()
	if err := m.op.Forward(both(&m.in, x, seg), y); err != nil {
		return 0, err
	}
	loss := 0.0
	for k, share := range m.share {
		for j := k * out; j < (k+1)*out; j++ {
			gap := float64(m.y[j]) - float64(m.target[j])
			loss += share * gap * gap
			m.dy[j] = float32(2 * coef * share * gap)
		}
	}
	return loss, nil
}

func (m *forwardModel) mats() (x, y nn.Mat) {
	n := len(m.episode)
	return nn.Mat{Rows: n, Cols: m.mlp.In(), Data: m.x}, nn.Mat{Rows: n, Cols: m.mlp.Out(), Data: m.y}
}

// both lists two matrices in the room given.
func both(room *[2]nn.Mat, a, b nn.Mat) []nn.Mat {
	room[0], room[1] = a, b
	return room[:]
}

// backward writes the gradient of the model's segment and adds that of the
// contexts to theirs.
func (m *forwardModel) backward(contexts *gaussians, seg, dSeg nn.Mat) error {
	x, y := m.mats()
	dx, dy := nn.Mat{Rows: x.Rows, Cols: x.Cols, Data: m.dx}, nn.Mat{Rows: y.Rows, Cols: y.Cols, Data: m.dy}
	if err := m.op.Backward(both(&m.in, x, seg), y, dy, both(&m.out, dx, dSeg)); err != nil {
		return err
	}
	z := contexts.z
	for k, e := range m.episode {
		c := contexts.one(int(e))
		for d, g := range dx.Row(k)[m.known:] {
			c.grad[d] += float64(g)
			c.grad[z+d] += float64(g) * 0.5 * math.Sqrt(c.variance[d]) * float64(m.noise[int(e)*z+d])
		}
	}
	return nil
}
