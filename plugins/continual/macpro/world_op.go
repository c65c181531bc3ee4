package macpro

import (
	"fmt"
	"math"

	"macpro/core/episode"
	"macpro/core/nn"
)

// modelInput makes the rows that the forward model of a team reads: [state; its
// shape, if that counts; mean over the agents; z]. z is one sample of an episode's
// context. The inputs are embedded states [N, E], embedded observations with actions
// [N*n, E] and contexts [R, 2z].
type modelInput struct {
	agents, z int
	shape     []float32 // empty or one number
	episode   []int32   // of each row
	noise     []float32 // [R, z]
}

func (o *modelInput) reset(noise []float32) { o.episode, o.noise = o.episode[:0], noise }

func (o *modelInput) Name() string       { return "input of h" }
func (o *modelInput) NeedsGrad(int) bool { return true }

func (o *modelInput) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(width) != 3 || width[2] != 2*o.z {
		return nil, 0, fmt.Errorf("inputs of widths %v, want states, observations and contexts of %d", width, 2*o.z)
	}
	return ext[0], width[0] + len(o.shape) + width[1] + o.z, nil
}

func (o *modelInput) Forward(in []nn.Mat, out nn.Mat) error {
	for k := range out.Rows {
		dst := out.Row(k)
		dst = dst[copy(dst, in[0].Row(k)):]
		dst = dst[copy(dst, o.shape):]
		clear(dst[:in[1].Cols])
		for i := range o.agents {
			for j, x := range in[1].Row(k*o.agents + i) {
				dst[j] += x / float32(o.agents)
			}
		}
		dst = dst[in[1].Cols:]
		e := int(o.episode[k])
		rep := in[2].Row(e)
		for d := range o.z {
			dst[d] = float32(float64(rep[d]) + math.Exp(float64(rep[o.z+d])/2)*float64(o.noise[e*o.z+d]))
		}
	}
	return nil
}

func (o *modelInput) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	clear(dIn[2].Data)
	for k := range dOut.Rows {
		src := dOut.Row(k)
		copy(dIn[0].Row(k), src)
		src = src[in[0].Cols+len(o.shape):]
		for i := range o.agents {
			row := dIn[1].Row(k*o.agents + i)
			for j := range row {
				row[j] = src[j] / float32(o.agents)
			}
		}
		src = src[in[1].Cols:]
		e := int(o.episode[k])
		rep, grad := in[2].Row(e), dIn[2].Row(e)
		for d := range o.z {
			grad[d] += src[d]
			grad[o.z+d] += float32(float64(src[d]) * 0.5 * math.Exp(float64(rep[o.z+d])/2) * float64(o.noise[e*o.z+d]))
		}
	}
	return nil
}

type columns struct{ lo, hi int }

func (o *columns) Name() string       { return "columns" }
func (o *columns) NeedsGrad(int) bool { return true }

func (o *columns) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(width) != 1 || o.lo < 0 || o.hi > width[0] {
		return nil, 0, fmt.Errorf("columns %d to %d of inputs of widths %v", o.lo, o.hi, width)
	}
	return ext[0], o.hi - o.lo, nil
}

func (o *columns) Forward(in []nn.Mat, out nn.Mat) error {
	for k := range out.Rows {
		copy(out.Row(k), in[0].Row(k)[o.lo:o.hi])
	}
	return nil
}

func (o *columns) Backward(_ []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	clear(dIn[0].Data)
	for k := range dOut.Rows {
		copy(dIn[0].Row(k)[o.lo:o.hi], dOut.Row(k))
	}
	return nil
}

// tell gives every agent some columns of a row [N, W] and says who it is:
// output [N*n, hi-lo+n].
type tell struct {
	lo, hi int
	agents int
	rows   *nn.Extent // of the output
}

func (o *tell) Name() string       { return "columns for each agent" }
func (o *tell) NeedsGrad(int) bool { return true }

func (o *tell) Out(_ []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(width) != 1 || o.lo < 0 || o.hi > width[0] {
		return nil, 0, fmt.Errorf("columns %d to %d of inputs of widths %v", o.lo, o.hi, width)
	}
	return o.rows, o.hi - o.lo + o.agents, nil
}

func (o *tell) Forward(in []nn.Mat, out nn.Mat) error {
	clear(out.Data)
	for r := range out.Rows {
		copy(out.Row(r), in[0].Row(r / o.agents)[o.lo:o.hi])
		out.Row(r)[o.hi-o.lo+r%o.agents] = 1
	}
	return nil
}

func (o *tell) Backward(_ []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	clear(dIn[0].Data)
	for r := range dOut.Rows {
		dst := dIn[0].Row(r / o.agents)[o.lo:o.hi]
		for j, x := range dOut.Row(r)[:len(dst)] {
			dst[j] += x
		}
	}
	return nil
}

// prediction is the loss of a task's predictions: decoded states [N, S],
// decoded observations [N*n, o] and codes [N, W], whose last unit is the reward.
// Squared errors are weighted by the share of their transition.
type prediction struct {
	agents     int
	share      []float64 // [N]
	state, obs []float32 // targets
	reward     []float32
	value      float64
}

func (o *prediction) reset() {
	o.share, o.state, o.obs, o.reward = o.share[:0], o.state[:0], o.obs[:0], o.reward[:0]
}

// add appends the targets of transition t of an episode.
func (o *prediction) add(c *settings, e *episode.Episode, t int, share float64) {
	scale, s := float32(c.FeatureScale), len(o.state)
	for _, x := range seen(e, stateOf, t+1) {
		o.state = append(o.state, scale*x)
	}
	if c.ModelTarget == keyDelta {
		for j, x := range seen(e, stateOf, t) {
			o.state[s+j] -= scale * x
		}
	}
	for i := range e.N {
		for _, x := range seen(e, i, t+1) {
			o.obs = append(o.obs, scale*x)
		}
	}
	o.share, o.reward = append(o.share, share), append(o.reward, e.Reward[t])
}

func (o *prediction) Name() string       { return "loss of predictions" }
func (o *prediction) NeedsGrad(int) bool { return true }

func (o *prediction) Out(_ []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(width) != 3 {
		return nil, 0, fmt.Errorf("%d inputs, want states, observations and codes", len(width))
	}
	return nil, 1, nil
}

func (o *prediction) Forward(in []nn.Mat, out nn.Mat) error {
	if len(o.share) != in[0].Rows || len(o.state) != len(in[0].Data) || len(o.obs) != len(in[1].Data) {
		return fmt.Errorf("%d predictions for targets of %d transitions", in[0].Rows, len(o.share))
	}
	o.value = 0
	for k, share := range o.share {
		sum := squares(in[0].Row(k), o.state[k*in[0].Cols:])
		for i := k * o.agents; i < (k+1)*o.agents; i++ {
			sum += squares(in[1].Row(i), o.obs[i*in[1].Cols:])
		}
		code := in[2].Row(k)
		sum += squares(code[len(code)-1:], o.reward[k:])
		o.value += share * sum
	}
	out.Data[0] = float32(o.value)
	return nil
}

func squares(got, want []float32) float64 {
	sum := 0.0
	for j, x := range got {
		gap := float64(x) - float64(want[j])
		sum += gap * gap
	}
	return sum
}

func (o *prediction) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	slope := 2 * float64(dOut.Data[0])
	clear(dIn[2].Data)
	for k, share := range o.share {
		towards(dIn[0].Row(k), in[0].Row(k), o.state[k*in[0].Cols:], slope*share)
		for i := k * o.agents; i < (k+1)*o.agents; i++ {
			towards(dIn[1].Row(i), in[1].Row(i), o.obs[i*in[1].Cols:], slope*share)
		}
		code, grad := in[2].Row(k), dIn[2].Row(k)
		last := len(code) - 1
		towards(grad[last:], code[last:], o.reward[k:], slope*share)
	}
	return nil
}

func towards(dst, got, want []float32, slope float64) {
	for j, x := range got {
		dst[j] = float32(slope * (float64(x) - float64(want[j])))
	}
}
