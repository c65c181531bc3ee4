package macpro

import (
	"fmt"

	"macpro/core/nn"
)

// gathered are the embedded rows of several lanes in the order of an encoder's
// sequences.
type gathered struct {
	op    *gather
	lanes []*nn.Value
	rows  []*nn.Extent // of the lanes
	out   *nn.Value
}

func newGathered(c *settings, rows *nn.Extent) gathered {
	return gathered{op: &gather{rows: rows, width: embedded(c), scale: float32(c.ShapeScale)}}
}

// join adds the rows of a lane whose task sees so many floats.
func (s *gathered) join(v *nn.Value, rows *nn.Extent, floats int) {
	s.lanes, s.rows = append(s.lanes, v), append(s.rows, rows)
	s.op.floats = append(s.op.floats, floats)
}

func (s *gathered) apply(g *nn.Graph) (err error) {
	s.out, err = g.Apply(s.op, s.lanes...)
	return err
}

func (s *gathered) value() *nn.Value { return s.out }

func (s *gathered) reset() {
	s.op.from = s.op.from[:0]
	for _, r := range s.rows {
		r.N = 0
	}
}

// next takes the next row of a lane for a row of the encoder, which come in
// order.
func (s *gathered) next(row, lane int) int {
	k := s.rows[lane].N
	s.rows[lane].N++
	s.op.from = append(s.op.from[:row], origin{lane, k})
	return k
}

// gather picks rows of several inputs [N_l, E] into one output [rows, E], or
// [rows, E+1] where the last feature is the scaled number of floats that an
// observation or state of the row's task has.
type gather struct {
	rows   *nn.Extent
	width  int
	scale  float32
	floats []int // of each input
	from   []origin
}

// origin is a row of an input.
type origin struct{ in, row int }

func (o *gather) Name() string       { return "rows of all tasks" }
func (o *gather) NeedsGrad(int) bool { return true }

func (o *gather) Out(_ []*nn.Extent, width []int) (*nn.Extent, int, error) {
	for _, w := range width {
		if w != o.width && w != o.width-1 || w != width[0] {
			return nil, 0, fmt.Errorf("inputs of widths %v, want %d or one less", width, o.width)
		}
	}
	if len(width) == 0 {
		return nil, 0, fmt.Errorf("no inputs")
	}
	return o.rows, o.width, nil
}

func (o *gather) Forward(in []nn.Mat, out nn.Mat) error {
	if len(o.from) != out.Rows {
		return fmt.Errorf("%d rows were filled, the sequences have %d", len(o.from), out.Rows)
	}
	for r, k := range o.from {
		if n := copy(out.Row(r), in[k.in].Row(k.row)); n < o.width {
			out.Row(r)[n] = o.scale * float32(o.floats[k.in])
		}
	}
	return nil
}

func (o *gather) Backward(_ []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	for r, k := range o.from {
		copy(dIn[k.in].Row(k.row), dOut.Row(r))
	}
	return nil
}
