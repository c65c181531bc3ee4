package qlearn

import (
	"fmt"
	"math"

	"macpro/core/nn"
)

// objective says what a graph's scalar output is.
type objective int

const (
	tdLoss    objective = iota // sum of (Q_tot-y)^2
	qTaken                     // sum of Q_tot
	noTeamObj                  // nothing: the term on values stands alone
)

// goal is what one pass differentiates.
type goal struct {
	of    objective
	total int        // transitions that the objective is divided by
	term  *valueTerm // nil if there is no term on values
}

// lossOp is the end of the learner's graph. From Q_tot of the taken joint
// actions and the target network's Q_tot at the records that the transitions
// reach, both [steps, columns], it forms the targets y, which are constants, and
// gives
//
//	sum over transitions of (Q_tot - y)^2 / total, the mean over columns
//
// or, for qTaken, sum of Q_tot / total. The total belongs to the whole batch
// and not to the shard, so that shards only need adding up. There is one column,
// or one for each agent if the mixer leaves the agents independent.
type lossOp struct {
	v       *view
	returns Returns
	of      objective
	total   int    // transitions that the sum is divided by
	skip    []bool // [steps] transitions without a part in the sum, nil if all have one
	columns int
	y       []float32 // [steps, columns]

	stats lossStats // of the last Forward
}

// lossStats are sums over the transitions of a shard.
type lossStats struct{ sq, abs, taken, target, value float64 }

func (s *lossStats) add(o lossStats) {
	s.sq += o.sq
	s.abs += o.abs
	s.taken += o.taken
	s.target += o.target
	s.value += o.value
}

// divide makes means of sums over columns.
func (s *lossStats) divide(n float64) {
	s.sq /= n
	s.abs /= n
	s.taken /= n
	s.target /= n
}

func newLossOp(v *view, r Returns) *lossOp {
	return &lossOp{v: v, returns: r, columns: 1}
}

func (o *lossOp) Name() string         { return "TD loss" }
func (o *lossOp) NeedsGrad(i int) bool { return i == 0 }

func (o *lossOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != 2 || ext[0] != o.v.steps || ext[1] != o.v.steps || width[0] != width[1] || width[0] != 1 && width[0] != o.v.n {
		return nil, 0, fmt.Errorf("want two Q_tot per transition, or two for each agent, got inputs of widths %v", width)
	}
	o.columns = width[0]
	o.y = make([]float32, o.v.steps.Cap*o.columns)
	return nil, 1, nil
}

func (o *lossOp) Forward(in []nn.Mat, out nn.Mat) error {
	o.v.targets(o.y, in[1].Data, o.columns, o.returns)
	o.stats = lossStats{}
	for k, q := range in[0].Data {
		if o.skip != nil && o.skip[k/o.columns] {
			continue
		}
		y := float64(o.y[k])
		d := float64(q) - y
		o.stats.add(lossStats{d * d, math.Abs(d), float64(q), y, 0})
	}
	o.stats.divide(float64(o.columns))
	sum := o.stats.sq
	switch o.of {
	case qTaken:
		sum = o.stats.taken
	case noTeamObj:
		sum = 0
	}
	out.Data[0] = float32(sum / float64(o.total))
	return nil
}

func (o *lossOp) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	scale := float64(dOut.Data[0]) / float64(o.total*o.columns)
	for k, q := range in[0].Data {
		d := 1.0
		switch {
		case o.of == noTeamObj || o.skip != nil && o.skip[k/o.columns]:
			d = 0
		case o.of == tdLoss:
			d = 2 * (float64(q) - float64(o.y[k]))
		}
		dIn[0].Data[k] = float32(scale * d)
	}
	return nil
}
