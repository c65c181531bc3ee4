package nn

// Extent is the number of rows that a family of values has. Cap is fixed when
// the graph is built; N, from 0 to Cap, changes from run to run, so that one
// compiled graph serves every batch up to its capacity and no work is spent on
// padding.
type Extent struct{ Cap, N int }

// Mat is a row-major matrix that a fused operation reads or writes: Rows rows
// of Cols floats. A parameter is a matrix with one row.
type Mat struct {
	Rows, Cols int
	Data       []float32
}

// Row returns row i.
func (m Mat) Row(i int) []float32 { return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols] }

// Fused is a differentiable operation with hand-written kernels, the unit of
// heavy work in a graph. An instance belongs to one place in one graph: it may
// keep what Forward computed for Backward. It must not panic; a fault is
// returned as an error.
type Fused interface {
	// Name names the operation in errors.
	Name() string
	// Out gives the extent and width of the output for inputs of the given
	// extents and widths, or says what does not fit. A nil extent means a
	// single row: a segment of parameters, or a scalar if the width is 1. A
	// loss is such a scalar.
	Out(ext []*Extent, width []int) (*Extent, int, error)
	// NeedsGrad tells whether a gradient flows into input i.
	NeedsGrad(i int) bool
	// Forward writes all of out.
	Forward(in []Mat, out Mat) error
	// Backward, called after Forward of the same run, overwrites dIn[i] with the gradient of input i, given the output
	// and its gradient. dIn[i].Data is nil where no gradient is wanted.
	Backward(in []Mat, out, dOut Mat, dIn []Mat) error
}

// Threaded is an optional ability of a Fused: work that can be cut into parts
// without changing a bit of the result. SetCrew is called once, before the first
// Forward, with the crew that may work on them.
type Threaded interface{ SetCrew(c *Crew) }

// Recorder is an optional ability of a Fused. Record is called once, before the
// first Forward, if every Forward will be followed by a Backward. An operation
// that was not told to record need not keep its intermediate values.
type Recorder interface{ Record() }
